"""What thinks in a seat: one published version of an agent, ready to be asked."""

from __future__ import annotations

from dataclasses import dataclass

from policy.ids import AgentVersionId
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.prompt import NO_INSTRUCTIONS, Instructions
from railbird.agenthost.models.port import Model


@dataclass(frozen=True, slots=True)
class Mind:
    """Another version is another mind. `temperature`, `seed`, `max_tokens`: `None` leaves it to the provider."""

    model: Model
    instructions: Instructions = NO_INSTRUCTIONS
    version_id: AgentVersionId | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    form: Form = Form.COMPACT
