"""What readers get of captured turns, as models: names of the wire, times in Unix milliseconds, money as exact text.

A field that is not there was not captured or makes no sense here; `missing` says why a part is absent. `null` is what was captured
and has no value. `capture.reads.document` fills these in.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Camel case on the wire."""


class MoveShape(Shape, frozen=True, kw_only=True):
    """An action and, for a bet or raise, the total bet on the street after it."""

    action: str
    amount: int | None


class VerdictShape(Shape, frozen=True, kw_only=True):
    """`outcome`: `as_chosen`, or `changed` on the way out, `from` one move `to` another. `historyGap`: it knew less than the table."""

    outcome: str
    history_gap: bool
    from_: MoveShape | UnsetType = msgspec.field(default=UNSET, name="from")
    to: MoveShape | UnsetType = UNSET
    why: str | UnsetType = UNSET


class CallShape(Shape, frozen=True, kw_only=True):
    """One call to a model. The deciding call's prompt and response are the turn's own; of another they stand here."""

    attempt: int
    purpose: str
    outcome: str
    deciding: bool
    provider: str
    model: str
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None
    latency_ms: int
    response_body: str
    request_body: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    prompt_sha256: str | UnsetType = UNSET
    prompt_bytes: int | UnsetType = UNSET
    envelope_sha256: str | UnsetType = UNSET
    response: str | UnsetType | None = UNSET


class TurnShape(Shape, frozen=True, kw_only=True):
    """One turn. Of a fallback, and of a turn that is gone, there is what the ledger knows.

    `prompt`: byte for byte what the model got. `response`: what it said, before any parsing. `decision`: the messages that left.
    `action`, `amount`: what was chosen. Tokens and cost: of all calls together. `missing`: by part the reason why it is absent.
    """

    table_id: str
    hand_number: int
    agent_id: str
    action_index: int
    is_fallback: bool
    missing: dict[str, str]
    agent_version_id: str | UnsetType = UNSET
    captured_at: int | UnsetType = UNSET
    knowledge: Any = UNSET
    prompt: str | UnsetType = UNSET
    response: str | UnsetType = UNSET
    decision: list[Any] | UnsetType = UNSET
    action: str | UnsetType = UNSET
    amount: int | UnsetType | None = UNSET
    verdict: VerdictShape | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    provider: str | UnsetType | None = UNSET
    model: str | UnsetType | None = UNSET
    prompt_version: str | UnsetType | None = UNSET
    temperature: float | UnsetType | None = UNSET
    seed: int | UnsetType | None = UNSET
    max_tokens: int | UnsetType | None = UNSET
    input_tokens: int | UnsetType | None = UNSET
    output_tokens: int | UnsetType | None = UNSET
    cost_usd: str | UnsetType | None = UNSET
    latency_ms: int | UnsetType = UNSET
    prompt_sha256: str | UnsetType = UNSET
    prompt_bytes: int | UnsetType = UNSET
    envelope_sha256: str | UnsetType = UNSET
    calls: list[CallShape] | UnsetType = UNSET


class AgentTurnsShape(Shape, frozen=True, kw_only=True):
    """One agent's turns of a hand. `missing`: `{"all": reason}` where there is no turn at all."""

    table_id: str
    hand_number: int
    agent_id: str
    turns: list[TurnShape]
    missing: dict[str, str]


class HandTurnsShape(Shape, frozen=True, kw_only=True):
    """Every agent's turns of a hand, in the order of play."""

    table_id: str
    hand_number: int
    agents: list[str]
    turns: list[TurnShape]
    missing: dict[str, str]


class RecentAgentShape(Shape, frozen=True, kw_only=True):
    """An agent, and how many of its turns were decided."""

    agent_id: str
    decided: int


class RecentHandShape(Shape, frozen=True, kw_only=True):
    """A hand in which agents asked their models. `fallbackOnly`: none decided. `expired`: it was captured and nothing of it is left;
    null: the buffer does not say. `inPlay`: its turns are not to be read yet.
    """

    table_id: str
    hand_number: int
    last_turn_at: int
    turns: int
    decided: int
    fallbacks: int
    fallback_only: bool
    expired: bool | None
    in_play: bool
    cost_usd: str
    unpriced_calls: int
    agents: list[RecentAgentShape]


class RecentHandsShape(Shape, frozen=True, kw_only=True):
    """A page, latest first. `before`: what to ask for next as `?before=`; null: there is nothing before these."""

    hands: list[RecentHandShape]
    before: int | None


class PromotedShape(Shape, frozen=True, kw_only=True):
    """`status`: `pinned`, `already_pinned`, `nothing_to_capture`, `partly_pinned`. `missing`: action indexes of turns not kept whole."""

    status: str
    turns: int
    missing: list[int]


class KeptShape(Shape, frozen=True, kw_only=True):
    """As PromotedShape. `keptUntil`: null: until you delete it."""

    status: str
    turns: int
    missing: list[int]
    kept_until: int | None


class HandNameShape(Shape, frozen=True, kw_only=True):
    """A hand."""

    table_id: str
    hand_number: int


class HandNamesShape(Shape, frozen=True, kw_only=True):
    """Hands of which turns may be found, by table and number."""

    hands: list[HandNameShape]


class DeletedShape(Shape, frozen=True, kw_only=True):
    """How many turns there were."""

    deleted: int


class AllDeletedShape(Shape, frozen=True, kw_only=True):
    """How many turns of how many hands."""

    deleted: int
    hands: int
