"""One hand as one reader may know it: what happened in public, and the hole cards that `history_policy` gives.

A stored hand is taken apart here, and what leaves has no card but the board and the gate's answer; so a writer has nothing to hide.
What was shown when is worked out from what the store has of it; who gets it is the gate's to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from gameserver.errors import Bug
from gameserver.hand.facts import ActionKind, HandOver, Posted
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.table.facts import HandResult, Moved, Positions
from gameserver.table.options import TableOptions
from policy import history_policy
from policy.errors import PolicyRefusal, RefusalCode
from policy.history_policy import (
    Disclosed,
    Ending,
    PastAgent,
    PastHand,
    PastPerson,
    PastSeat,
    PublicStream,
    Reader,
    Stranger,
)
from policy.ids import Card, HandNumber, HoleCards, Seat, TableId
from policy.reveal_policy import Standing

STREAM_LAG_MS: Final = 500
"""A hand is told a moment after it is stored, and a late frame is shown a moment after it is due. What depends on a delayed stream
waits so much longer, and so is not ahead of it; and what was due so shortly before a switching off counts as taken back."""


@dataclass(frozen=True, slots=True)
class HandSeat:
    """One seat dealt in. `holds`: the hole cards, where this reader has them. `is_own`: the reader's, or their own agent's."""

    seat: Seat
    name: str
    player: Player
    began_with_chips: int
    finished_with_chips: int
    holds: HoleCards | None = field(repr=False)
    is_own: bool


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand for one reader. `seats`: in the order dealt, first left of the button first; heads-up the big blind first.

    `shown`: seats whose cards lay face up, in the order shown, those last that showed once the hand was over. Times are Unix
    milliseconds.
    """

    table_id: TableId
    options: TableOptions
    hand_number: HandNumber
    began_ms: int
    ended_ms: int
    positions: Positions
    seats: tuple[HandSeat, ...]
    moves: tuple[Posted | Moved, ...]
    board: tuple[Card, ...]
    over: HandOver
    shown: tuple[Seat, ...]

    def still_in(self) -> tuple[Seat, ...]:
        """Seats that did not fold, in the order dealt."""
        moves = (made.move for made in self.moves if isinstance(made, Moved))
        folded = {move.seat for move in moves if move.action is ActionKind.FOLD}
        return tuple(seat.seat for seat in self.seats if seat.seat not in folded)


@dataclass(frozen=True, slots=True)
class CancelledHand:
    """A hand that did not take place."""

    table_id: TableId
    hand_number: HandNumber
    began_ms: int
    ended_ms: int


PublicHand: TypeAlias = FinishedHand | CancelledHand


def reader_of(identity: Identity) -> Reader:
    """Who asks, as the gate knows them."""
    match identity:
        case AgentIdentity(agent_id=agent_id, owner=owner):
            return PastAgent(agent_id, owner)
        case UserIdentity(user_id=user_id):
            return PastPerson(user_id)
        case Nobody():
            return Stranger()
        case _:
            assert_never(identity)


def disclose(*, table: StoredTable, hand: StoredHand, reader: Reader, now_ms: int) -> PublicHand:
    """What `reader` has of a hand. Raises PolicyRefusal `not_found` where the hand is not over, or is not there for them yet."""
    ended_ms = hand.ended_ms
    if ended_ms is None:
        raise PolicyRefusal(RefusalCode.NOT_FOUND, "no such hand")
    past = _past_hand(table, hand, ended_ms, now_ms)
    holds = history_policy.compute_disclosed_hole_cards(reader=reader, hand=past)
    if hand.status is HandStatus.CANCELLED:
        return CancelledHand(hand.table_id, hand.hand_number, hand.began_ms, ended_ms)
    result = _result_of(hand)
    return FinishedHand(
        table_id=hand.table_id,
        options=table.options,
        hand_number=hand.hand_number,
        began_ms=hand.began_ms,
        ended_ms=ended_ms,
        positions=result.positions,
        seats=_seats(result, holds, reader),
        moves=result.moves,
        board=result.board,
        over=result.over,
        shown=_shown(result, past),
    )


def _past_hand(table: StoredTable, hand: StoredHand, ended_ms: int, now_ms: int) -> PastHand:
    is_cancelled = hand.status is HandStatus.CANCELLED
    return PastHand(
        ending=Ending.CANCELLED if is_cancelled else Ending.FINISHED,
        public_stream=PublicStream.DONE if _has_passed(ended_ms, table, now_ms) else PublicStream.BEHIND,
        options=hand.disclosure.reveal_at_deal,
        seats=() if is_cancelled else _past_seats(table, hand, now_ms),
    )


def _past_seats(table: StoredTable, hand: StoredHand, now_ms: int) -> tuple[PastSeat, ...]:
    result = _result_of(hand)
    players, shown_after, streamed = dict(result.players), dict(hand.shown_after), dict(hand.disclosure.streamed)

    def disclosed(seat: Seat, standing: Standing) -> Disclosed:
        if standing is Standing.SHOWN:
            return Disclosed.FACE_UP
        if seat in shown_after and _has_passed(shown_after[seat], table, now_ms):
            return Disclosed.FACE_UP
        if seat in streamed and _was_streamed(streamed[seat], table, now_ms):
            return Disclosed.STREAMED
        return Disclosed.NO

    return tuple(
        PastSeat(entry.seat, _past_player(players[entry.seat]), entry.cards, disclosed(entry.seat, entry.standing))
        for entry in result.cards.seats
    )


def _has_passed(happened_ms: int, table: StoredTable, now_ms: int) -> bool:
    """Whether the public stream has shown what happened then."""
    delay_ms = table.options.spectator_delay_ms
    return delay_ms == 0 or happened_ms + delay_ms + STREAM_LAG_MS <= now_ms


def _was_streamed(shown_ms: int, table: StoredTable, now_ms: int) -> bool:
    """Whether live cards that the stream was to show at `shown_ms` were shown, or were taken back before.

    Without a delay they were shown when they were sent. With one, switching off takes back what was on its way.
    """
    if table.options.spectator_delay_ms == 0:
        return True
    off_ms = table.show_hands_off_ms
    return shown_ms <= now_ms and (off_ms is None or shown_ms + STREAM_LAG_MS < off_ms)


def _past_player(player: Player) -> PastAgent | PastPerson:
    match player:
        case AgentPlayer(agent_id=agent_id, owner=owner):
            return PastAgent(agent_id, owner)
        case UserPlayer(user_id=user_id):
            return PastPerson(user_id)
        case _:
            assert_never(player)


def _seats(result: HandResult, holds: Mapping[Seat, HoleCards], reader: Reader) -> tuple[HandSeat, ...]:
    names, players, stacks = dict(result.names), dict(result.players), dict(result.over.stacks)
    return tuple(
        HandSeat(
            seat, names[seat], players[seat], began_with, stacks[seat], holds.get(seat), _is_own(players[seat], reader)
        )
        for seat, began_with in result.began_with
    )


def _is_own(player: Player, reader: Reader) -> bool:
    """For a writer that names a hero; it opens nothing."""
    match reader:
        case PastAgent():
            return _past_player(player) == reader
        case PastPerson(user_id=user_id):
            return _past_player(player) == reader or (isinstance(player, AgentPlayer) and player.owner == user_id)
        case Stranger():
            return False
        case _:
            assert_never(reader)


def _shown(result: HandResult, past: PastHand) -> tuple[Seat, ...]:
    """Those that were face up when the pots were paid, in order; then who showed after it."""
    face_up = [seat.seat for seat in past.seats if seat.disclosed is Disclosed.FACE_UP]
    first = tuple(seat for seat in result.over.show_order if seat in face_up)
    return (*first, *(seat for seat in face_up if seat not in first))


def _result_of(hand: StoredHand) -> HandResult:
    if hand.result is None:
        raise Bug("a finished hand has a result")
    return hand.result
