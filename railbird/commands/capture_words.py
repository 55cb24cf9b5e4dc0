"""What `railbird capture` prints for people. What agents and models said is shown with its control characters in sight."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec import UNSET

from capture.buffer.reader import BufferStats
from capture.durable.turns import DurableCounts
from capture.reads.shapes import (
    AgentTurnsShape,
    HandTurnsShape,
    MoveShape,
    PromotedShape,
    RecentHandShape,
    RecentHandsShape,
    Shape,
    TurnShape,
    VerdictShape,
)
from capture.reads.verify import Verified
from capture.record import MissingReason

_MOST_NAMED: Final = 20


class DifferenceShape(Shape, frozen=True, kw_only=True):
    """Something that is not what was captured."""

    where: str
    name: str
    what: str


class VerifiedShape(Shape, frozen=True, kw_only=True):
    """`prompts`: whole, byte for byte. `withoutPrompt`: calls whose prompt is not there any more."""

    buffered: int
    kept: int
    envelopes: int
    prompts: int
    without_prompt: int
    differences: list[DifferenceShape]


class BufferShape(Shape, frozen=True, kw_only=True):
    """What is in the buffer. `storedShare`: of the raw bytes."""

    turns: int
    envelopes: int
    turns_an_envelope: float
    raw_bytes: int
    stored_bytes: int
    stored_share: float
    dropped: int


class DurableShape(Shape, frozen=True, kw_only=True):
    """What is kept for good."""

    turns: int
    hands: int
    bytes: int


class StatsShape(Shape, frozen=True, kw_only=True):
    """`buffer`: null where there is none."""

    buffer: BufferShape | None
    kept: DurableShape


class PurgedShape(Shape, frozen=True, kw_only=True):
    """Keys of the buffer that were deleted, and kept turns that were over the limit."""

    keys: int
    kept: int


def shape_of_verified(found: Verified) -> VerifiedShape:
    """As it is told."""
    named = [DifferenceShape(where=each.where.value, name=each.name, what=each.what) for each in found.differences]
    return VerifiedShape(
        buffered=found.buffered,
        kept=found.kept,
        envelopes=found.envelopes,
        prompts=found.prompts,
        without_prompt=found.without_prompt,
        differences=named,
    )


def shape_of_stats(buffer: BufferStats | None, kept: DurableCounts) -> StatsShape:
    """As it is told."""
    hot = None if buffer is None else BufferShape(
        turns=buffer.turns,
        envelopes=buffer.envelopes,
        turns_an_envelope=round(buffer.turns_an_envelope, 1),
        raw_bytes=buffer.raw_bytes,
        stored_bytes=buffer.stored_bytes,
        stored_share=round(buffer.stored_share, 4),
        dropped=buffer.dropped,
    )  # fmt: skip
    return StatsShape(buffer=hot, kept=DurableShape(turns=kept.turns, hands=kept.hands, bytes=kept.bytes))


def agreed(question: str) -> bool:
    """Whether who sits at the terminal says yes."""
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def of_agent(found: AgentTurnsShape) -> str:
    """One agent's turns."""
    head = f"Hand {found.hand_number} at {plain(found.table_id)}, {plain(found.agent_id)}: {_turns(len(found.turns))}"
    return "\n".join([head, *_nothing(found.missing), *(line for turn in found.turns for line in _turn(turn))])


def of_hand(found: HandTurnsShape) -> str:
    """Every agent's turns."""
    who = ", ".join(map(plain, found.agents)) or "nobody"
    head = f"Hand {found.hand_number} at {plain(found.table_id)}: {_turns(len(found.turns))} of {who}"
    lines = (line for turn in found.turns for line in _turn(turn, agent=True))
    return "\n".join([head, *_nothing(found.missing), *lines])


def of_recent(found: RecentHandsShape) -> str:
    """Hands of late, one a line."""
    if not found.hands:
        return "The ledger has no turn of any agent."
    return "\n".join(_recent(hand) for hand in found.hands)


def of_promoted(promoted: PromotedShape) -> str:
    """What came of keeping."""
    missing = f"; not whole: {', '.join(map(str, promoted.missing))}" if promoted.missing else ""
    return f"{promoted.status}: {_turns(promoted.turns)} kept{missing}"


def of_verified(found: VerifiedShape) -> str:
    """What was hashed, and what differs."""
    said = (
        f"{_turns(found.buffered)} in the buffer and {found.kept} kept; {found.prompts} prompts and "
        f"{_envelopes(found.envelopes)} are what they were; {found.without_prompt} prompts are not there any more."
    )
    if not found.differences:
        return said
    named = [f"{each.where}: {plain(each.name)}: {each.what}" for each in found.differences[:_MOST_NAMED]]
    return "\n".join([said, f"{len(found.differences)} differ:", *named])


def of_stats(found: StatsShape) -> str:
    """Numbers, one a line."""
    kept = f"kept     {_turns(found.kept.turns)} of {_hands(found.kept.hands)}, {found.kept.bytes:,} bytes"
    if (hot := found.buffer) is None:
        return f"buffer   there is none\n{kept}"
    return "\n".join(
        [
            f"buffer   {_turns(hot.turns)}, {_envelopes(hot.envelopes)} ({hot.turns_an_envelope:g} turns to each)",
            f"bytes    {hot.stored_bytes:,} stored for {hot.raw_bytes:,} raw ({hot.stored_share:.1%})",
            f"dropped  {_turns(hot.dropped)}, for want of room",
            kept,
        ]
    )


def of_purged(purged: PurgedShape) -> str:
    """What was deleted."""
    return f"{purged.keys} keys of the buffer and {_turns(purged.kept)} kept over the limit were deleted."


def plain(text: str) -> str:
    """A text with its control characters in sight, so that no terminal obeys it."""
    return "".join(each if each.isprintable() or each == "\n" else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _turn(turn: TurnShape, *, agent: bool = False) -> Iterator[str]:
    yield f"  #{turn.action_index} {f'{plain(turn.agent_id)} ' if agent else ''}{_what(turn)}{_paid(turn)}"
    if turn.missing:
        yield f"      missing: {', '.join(f'{part} ({reason})' for part, reason in turn.missing.items())}"
    if isinstance(turn.prompt_bytes, int):
        yield f"      prompt: {turn.prompt_bytes:,} bytes"
    if isinstance(turn.response, str):
        yield from (f"      | {line}" for line in plain(turn.response).split("\n"))


def _what(turn: TurnShape) -> str:
    if turn.is_fallback:
        return f"FALLBACK ({plain(turn.reason)})" if isinstance(turn.reason, str) else "FALLBACK"
    if not isinstance(turn.action, str) or not isinstance(turn.verdict, VerdictShape):
        return "-"
    chosen = MoveShape(action=turn.action, amount=None if turn.amount is UNSET else turn.amount)
    return f"{_move(chosen)} {_verdict(turn.verdict)}"


def _verdict(verdict: VerdictShape) -> str:
    gap = ", knew less than the table" if verdict.history_gap else ""
    if isinstance(verdict.to, MoveShape):
        why = f": {plain(verdict.why)}" if isinstance(verdict.why, str) else ""
        return f"(changed to {_move(verdict.to)}{why}{gap})"
    return f"({verdict.outcome.replace('_', ' ')}{gap})"


def _move(move: MoveShape) -> str:
    return plain(move.action) if move.amount is None else f"{plain(move.action)} {move.amount}"


def _paid(turn: TurnShape) -> str:
    if not isinstance(turn.latency_ms, int):
        return ""
    cost = "" if not isinstance(turn.cost_usd, str) else f", ${turn.cost_usd}"
    model = plain(f"{turn.provider or '-'}/{turn.model or '-'}")
    return f"  {model}, {turn.latency_ms:,} ms{cost}"


def _recent(hand: RecentHandShape) -> str:
    marks = [mark for mark, holds in (
        ("in play", hand.in_play), ("fallbacks only", hand.fallback_only), ("expired", hand.expired is True),
        ("buffer away", hand.expired is None),
    ) if holds]  # fmt: skip
    at = datetime.fromtimestamp(hand.last_turn_at / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    agents = ", ".join(plain(each.agent_id) for each in hand.agents)
    return f"{at}  {plain(hand.table_id)} {hand.hand_number}  {_turns(hand.turns)}  {agents}" + (
        f"  [{', '.join(marks)}]" if marks else ""
    )


def _nothing(missing: dict[str, str]) -> list[str]:
    if "all" not in missing:
        return []
    unheard_of = missing["all"] == MissingReason.BEFORE_CAPTURE.value
    return [f"  nothing: {missing['all']}{' (nobody told of such a turn: are the ids right?)' if unheard_of else ''}"]


def _turns(count: int) -> str:
    return f"{count:,} turn{'' if count == 1 else 's'}"


def _hands(count: int) -> str:
    return f"{count:,} hand{'' if count == 1 else 's'}"


def _envelopes(count: int) -> str:
    return f"{count:,} envelope{'' if count == 1 else 's'}"
