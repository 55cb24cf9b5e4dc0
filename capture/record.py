"""A turn as an agent program hands it over, when it is finished: what was known, what was asked and answered, what left.

Plain values and no store: how a turn is kept is `capture.buffer`'s and `capture.durable`'s business, and who may read it is
`policy.capture_scope`'s. A turn holds its agent's own cards in its prompt; it goes nowhere but into that agent's own scope.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from policy.ids import ActionIndex, AgentId, AgentVersionId, HandNumber, TableId


@dataclass(frozen=True, slots=True, order=True)
class TurnKey:
    """Which turn: the grain of the charges, too. Two agents can share an action index, so the agent is part of it."""

    agent_id: AgentId
    table_id: TableId
    hand_number: HandNumber
    action_index: ActionIndex


class MissingReason(enum.Enum):
    """Why a part of a turn is not there. A part that is there and empty has no reason: it was captured, and it is empty."""

    BEFORE_CAPTURE = "before_capture"
    EXPIRED = "expired"
    DROPPED = "dropped"
    STORE_DOWN = "store_down"
    REDACTED = "redacted"
    NO_DECISION = "no_decision"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model was sent, in the two parts that are kept apart: UTF-8 bytes that `capture.envelope.join` puts together."""

    envelope: bytes
    remainder: bytes


class Purpose(enum.Enum):
    """Why a model was called."""

    DECISION = "decision"
    REPAIR = "repair"


class CallOutcome(enum.Enum):
    """How a call ended. Only what is `ANSWERED` can be parsed; the others may still have cost something."""

    ANSWERED = "answered"
    CUT_SHORT = "cut_short"
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    GARBLED = "garbled"


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model.

    `attempt`: counts all calls of a turn from 0. `request_body`, `response_body`: the exact bytes, without the transfer's
    compression; empty where there were none. `completion`: what the model said, before any parsing; lone surrogates and NUL
    are kept; `None` where it said nothing at all. `finish_reason`: the provider's word, `None` where none came.
    Tokens: `None` where the provider did not say. `cost_usd`: exact, by the price table; `None` where the price is unknown.
    """

    attempt: int
    purpose: Purpose
    outcome: CallOutcome
    provider: str
    model: str
    prompt: Prompt
    request_body: bytes
    response_body: bytes
    completion: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: Decimal | None
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Move:
    """An action and, for a bet or raise, the total bet on the street after it."""

    action: str
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A model's reply made sense. `deciding`: index into `calls`. `why`: why what was sent is not what was chosen, else `None`."""

    calls: tuple[Call, ...]
    deciding: int
    chosen: Move
    sent: Move
    why: str | None = None


@dataclass(frozen=True, slots=True)
class FellBack:
    """No reply made sense in time. `sent`: the safe move, `None` where not even that left. It is no decision, and no record is kept.

    `reason`: a word of the agent program's own, such as `timed_out`.
    """

    calls: tuple[Call, ...]
    sent: Move | None
    reason: str


Outcome: TypeAlias = Decided | FellBack


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """All of one turn.

    `at_us`: when the turn ended, microseconds since 1970 UTC. `knowledge`: what the agent knew, frozen when it was built; anything
    that msgspec encodes. `messages`: what left by the door in this turn, in order, as JSON bytes, credentials redacted.
    Where an agent program did not take a part, a reason stands in its place, never an empty value.
    `history_gap`: the agent knew that it had missed public events of the hand. `latency_ms`: from the request to act to the reply's end.
    """

    key: TurnKey
    agent_version_id: AgentVersionId | None
    at_us: int
    knowledge: object | MissingReason
    messages: tuple[bytes, ...] | MissingReason
    prompt_version: str | None
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    history_gap: bool
    latency_ms: int
    outcome: Outcome
