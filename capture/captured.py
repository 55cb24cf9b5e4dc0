"""A turn as it is read back, from the buffer or from durable rows: the same type, so that a reader need not know which.

Knowledge and messages are as redacted when they were written; prompt and response are the exact bytes.
A part that is not there is a reason in its place. A part that is there and empty was captured, and was empty.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from capture.envelope import EnvelopeHash, Fingerprint, fingerprint_of, join
from capture.record import CallOutcome, MissingReason, Move, Purpose, TurnKey
from policy.ids import ActionIndex, AgentVersionId


class Part(enum.Enum):
    """The four parts of a turn. `ALL` stands for a turn of which nothing is there."""

    KNOWLEDGE = "knowledge"
    PROMPT = "prompt"
    RESPONSE = "response"
    DECISION = "decision"
    ALL = "all"


class VerdictOutcome(enum.Enum):
    """Whether what left is what was chosen."""

    AS_CHOSEN = "as_chosen"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of a turn. `chosen`, `sent`, `why`: only where it was changed. `history_gap`: it knew less than the table."""

    outcome: VerdictOutcome
    history_gap: bool
    chosen: Move | None = None
    sent: Move | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class CapturedPrompt:
    """What a model was sent. `fingerprint`: of the whole when it was captured; `is_whole` compares."""

    envelope_hash: EnvelopeHash
    envelope: bytes
    remainder: bytes
    fingerprint: Fingerprint

    @property
    def whole(self) -> bytes:
        """Byte for byte what the model got."""
        return join(self.envelope, self.remainder)

    @property
    def is_whole(self) -> bool:
        """Whether the bytes are those that were captured."""
        return fingerprint_of(self.whole) == self.fingerprint


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """One call to a model, as in `capture.record.Call`. `prompt`, `request_body`: a reason where the envelope is gone."""

    attempt: int
    purpose: Purpose
    outcome: CallOutcome
    provider: str
    model: str
    prompt: CapturedPrompt | MissingReason
    request_body: bytes | MissingReason
    response_body: bytes
    completion: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: Decimal | None
    latency_ms: int


@dataclass(frozen=True, slots=True)
class CapturedTurn:
    """All that is kept of one decision; fields as in `capture.record.FinishedTurn` and `Decided`.

    `knowledge`: JSON text; read it with a reader that takes lone surrogates (`json.loads` does). `messages`: JSON texts, in order.
    """

    key: TurnKey
    agent_version_id: AgentVersionId | None
    at_us: int
    knowledge: bytes | MissingReason
    messages: tuple[bytes, ...] | MissingReason
    calls: tuple[CapturedCall, ...]
    deciding: int
    chosen: Move
    sent: Move
    why: str | None
    history_gap: bool
    prompt_version: str | None
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    latency_ms: int

    @property
    def deciding_call(self) -> CapturedCall | None:
        """The call whose reply was acted on; `None` where the agent program told of no call."""
        return self.calls[self.deciding] if self.calls else None

    @property
    def verdict(self) -> Verdict:
        """As chosen or changed on the way out, and whether the agent knew less than the table."""
        if self.chosen == self.sent:
            return Verdict(VerdictOutcome.AS_CHOSEN, self.history_gap)
        return Verdict(VerdictOutcome.CHANGED, self.history_gap, self.chosen, self.sent, self.why)

    @property
    def missing(self) -> Mapping[Part, MissingReason]:
        """The parts that are not there, each with its reason; empty for a whole turn."""
        call, untold = self.deciding_call, MissingReason.BEFORE_CAPTURE
        parts: dict[Part, object] = {
            Part.KNOWLEDGE: self.knowledge,
            Part.PROMPT: call.prompt if call else untold,
            Part.RESPONSE: untold if call is None or call.completion is None else call.completion,
            Part.DECISION: self.messages,
        }
        return {part: held for part, held in parts.items() if isinstance(held, MissingReason)}


@dataclass(frozen=True, slots=True)
class CapturedHand:
    """One agent's turns of one hand. `turns`: by action index. `missing`: turns that were decided and are not there, and why."""

    turns: tuple[CapturedTurn, ...]
    missing: Mapping[ActionIndex, MissingReason]
