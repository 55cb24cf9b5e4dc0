"""What a turn asks of a model, and what a model answers. It knows no provider, and no model knows a turn, a table or a socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from capture.record import Call, CallOutcome, Prompt, Purpose
from railbird.agenthost.fallback import Fallback


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question.

    `prompt`: joined by `capture.envelope.join`, it is the content of the one message of the call, byte for byte.
    `temperature`, `seed`, `max_tokens`: `None` leaves it to the provider; what a provider does not offer is left out.
    `answer_schema`: the JSON Schema of the answer, for providers with structured output; `None` asks for text.
    """

    prompt: Prompt
    purpose: Purpose = Purpose.DECISION
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    answer_schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question.

    `calls`: in order, the last one is the one that counts; more than one where it was tried again, none where nothing was sent.
    Their `attempt` counts from 0 within the reply; who asked numbers them through the turn.
    `not_asked`: where nothing was sent, why.
    """

    calls: tuple[Call, ...]
    not_asked: Fallback | None = None

    @property
    def completion(self) -> str | None:
        """The text to be parsed; `None` where no call was answered."""
        if self.calls and self.calls[-1].outcome is CallOutcome.ANSWERED:
            return self.calls[-1].completion
        return None


class Model(Protocol):
    """A model behind some provider."""

    @property
    def provider(self) -> str:
        """As it stands in the record and the ledger: `house`, `openai`, a name of the operator's."""

    @property
    def name(self) -> str:
        """The model's name, as its provider knows it."""

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        """Ask, and answer by the deadline at the latest: seconds of the running loop's clock (`loop.time()`).

        Raises nothing for what a provider does or does not: that is in the reply. Only a cancellation goes through.
        """
