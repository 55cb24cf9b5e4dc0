"""The frames of facts that are public: one fact, at most one frame, the same for every audience.

A new kind of fact reaches nobody by itself: both matches here end in `assert_never`, so it has to be decided on.
A fact for one player only makes no frame; see `replies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from gameserver.hand.facts import (
    CardsShown,
    ChipsReturned,
    HoleDealt,
    Mucked,
    Posted,
    Street,
    StreetDealt,
)
from gameserver.table.facts import (
    ChipsBought,
    Fact,
    HandBegan,
    HandCancelled,
    HandEnded,
    HandResult,
    Moved,
    NoHand,
    OptionsChanged,
    PowerUsed,
    PresenceChanged,
    RebuyReserved,
    RebuyReturned,
    Renamed,
    SeatFreed,
    SeatPaid,
    SeatTaken,
    StatusChanged,
    TableStatusChanged,
    TurnOpened,
    VersionChanged,
    WishDropped,
)
from gameserver.table.state import TableState
from gameserver.views.actions import player_action
from gameserver.views.table_view import STATUSES, board_in_view, numbered
from gameserver.wire import messages
from gameserver.wire.messages import NumberedFrame, PotShare, PotWon, ShownHand
from policy.ids import Card, TableId
from policy.spectator_policy import RevealOptions

_CARDS_ON_BOARD: Final[Mapping[Street, int]] = {Street.PREFLOP: 0, Street.FLOP: 3, Street.TURN: 4, Street.RIVER: 5}


def fact_frames(table_id: TableId, facts: Sequence[Fact], state: TableState) -> list[NumberedFrame]:
    """The frames of these facts, in their order. `state`: the table after them."""
    frames = (fact_frame(table_id, fact, facts, state) for fact in facts)
    return [frame for frame in frames if frame is not None]


def fact_frame(table_id: TableId, fact: Fact, facts: Sequence[Fact], state: TableState) -> NumberedFrame | None:
    """The frame of one fact; None where nobody is told of it by a frame of its own."""
    match fact:
        case HandBegan():
            return _hand_started(table_id, fact)
        case Posted() | Moved():
            return player_action(table_id, state.hand_number, fact)
        case StreetDealt():
            return _street_dealt(table_id, fact, facts, state)
        case CardsShown():
            return _cards_shown(table_id, fact, state)
        case HandEnded(result=result):
            return hand_result(table_id, result)
        case HandCancelled():
            return _hand_cancelled(table_id, fact)
        case PowerUsed():
            return _power_used(table_id, fact, state)
        case PresenceChanged():
            return _presence(table_id, fact, state)
        case OptionsChanged(reveal=reveal):
            return _table_options(table_id, reveal, state)
        case SeatTaken() | SeatFreed() | ChipsBought() | TableStatusChanged() | Renamed():
            return _table_status(table_id, fact, state)
        case SeatPaid() | StatusChanged() | TurnOpened() | ChipsReturned() | HoleDealt() | Mucked():
            return None  # told by what changes in game_state, if at all
        case RebuyReserved() | RebuyReturned() | WishDropped() | VersionChanged() | NoHand():
            return None
        case _:
            assert_never(fact)


def changes_game_state(fact: Fact) -> bool:
    """Whether a fact can change what some `game_state` holds. A private fact must not: it would show as a frame to all."""
    match fact:
        case SeatTaken() | SeatFreed() | SeatPaid() | ChipsBought() | StatusChanged() | PresenceChanged():
            return True
        case HandBegan() | Posted() | HoleDealt() | TurnOpened() | Moved() | ChipsReturned() | StreetDealt():
            return True
        case CardsShown() | Mucked() | PowerUsed() | HandEnded() | HandCancelled():
            return True
        case TableStatusChanged() | OptionsChanged():
            return True
        case RebuyReserved() | RebuyReturned() | WishDropped() | VersionChanged() | NoHand() | Renamed():
            return False
        case _:
            assert_never(fact)


def hand_result(table_id: TableId, result: HandResult) -> messages.HandResult:
    """A finished hand: what the table showed, and no other card."""
    over = result.over
    return messages.HandResult(
        seq=0,
        table_id=table_id,
        hand_number=result.hand_number,
        board=list(result.board),
        pots=[
            PotWon(
                amount=pot.amount_chips,
                eligible=list(pot.eligible),
                winners=[PotShare(seat=seat, amount=chips) for seat, chips in pot.winners],
            )
            for pot in over.pots
        ],
        returned={str(seat): chips for seat, chips in over.returned},
        uncontested=over.uncontested,
        shown=[ShownHand(seat=seat, cards=list(cards)) for seat, cards in result.shown],
        stacks={str(seat): chips for seat, chips in over.stacks},
    )


def _hand_started(table_id: TableId, began: HandBegan) -> messages.HandStarted:
    positions = began.positions
    return messages.HandStarted(
        seq=0,
        table_id=table_id,
        hand_number=began.hand_number,
        button=positions.button,
        button_dead=positions.button_dead,
        small_blind_seat=positions.small_blind,
        big_blind_seat=positions.big_blind,
        dealt=[seat for seat, _ in began.dealt],
        stacks={str(seat): chips for seat, chips in began.dealt},
    )


def _street_dealt(
    table_id: TableId, dealt: StreetDealt, facts: Sequence[Fact], state: TableState
) -> messages.StreetDealt:
    board = _board_after(facts, state)[: _CARDS_ON_BOARD[dealt.street]]
    return messages.StreetDealt(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        street=dealt.street,
        cards=list(dealt.cards),
        board=list(board),
    )


def _board_after(facts: Sequence[Fact], state: TableState) -> Sequence[Card]:
    """The board after all these facts, of a hand that may have ended with them."""
    for fact in facts:
        if isinstance(fact, HandEnded):
            return fact.result.board
    return board_in_view(state)


def _cards_shown(table_id: TableId, shown: CardsShown, state: TableState) -> messages.CardsShown:
    return messages.CardsShown(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        seat=shown.seat,
        cards=list(shown.cards),
        because=shown.because,
    )


def _hand_cancelled(table_id: TableId, cancelled: HandCancelled) -> messages.HandCancelled:
    refunds = {str(seat): chips for seat, _, chips in cancelled.refunds}
    return messages.HandCancelled(
        seq=0, table_id=table_id, hand_number=cancelled.hand_number, refunds=refunds, why=cancelled.why
    )


def _power_used(table_id: TableId, used: PowerUsed, state: TableState) -> messages.PowerUsed:
    return messages.PowerUsed(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        power=used.power,
        by=used.by,
        target=used.at,
    )


def _presence(table_id: TableId, presence: PresenceChanged, state: TableState) -> messages.Presence:
    return messages.Presence(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        seat=presence.seat,
        connected=presence.connected,
    )


def _table_options(table_id: TableId, reveal: RevealOptions, state: TableState) -> messages.TableOptions:
    """`version` counts up from 1: a reveal is switched off and not on again, so the options tell their own version."""
    return messages.TableOptions(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        show_hands=reveal.show_hands,
        show_thoughts=reveal.show_thoughts,
        version=1 + [reveal.show_hands, reveal.show_thoughts].count(False),
    )


def _table_status(
    table_id: TableId,
    fact: SeatTaken | SeatFreed | ChipsBought | TableStatusChanged | Renamed,
    state: TableState,
) -> messages.TableStatus:
    number, status = numbered(state.hand_number), STATUSES[state.status]
    match fact:
        case SeatTaken(seat=seat, name=name):
            return messages.TableStatus(
                seq=0, table_id=table_id, hand_number=number, status=status, seat=seat, what="taken", name=name
            )
        case SeatFreed(seat=seat):
            return messages.TableStatus(
                seq=0, table_id=table_id, hand_number=number, status=status, seat=seat, what="freed"
            )
        case ChipsBought(seat=seat):
            return messages.TableStatus(
                seq=0, table_id=table_id, hand_number=number, status=status, seat=seat, what="rebought"
            )
        case TableStatusChanged(status=changed):
            return messages.TableStatus(
                seq=0, table_id=table_id, hand_number=number, status=STATUSES[changed], what="status"
            )
        case Renamed(name=name):
            return messages.TableStatus(
                seq=0, table_id=table_id, hand_number=number, status=status, what="status", name=name
            )
        case _:
            assert_never(fact)
