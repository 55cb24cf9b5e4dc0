"""What everybody sees of a table: built once for one change, and the same objects in every audience's `game_state`.

There is no hole card in it. What a single audience has beyond it comes as `PrivateView`, which its view builds through policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from gameserver.hand.facts import Street
from gameserver.table.commands import AgentPlayer, UserPlayer
from gameserver.table.facts import Blind
from gameserver.table.state import LiveHand, SeatState, TableState
from gameserver.views.now import Now
from gameserver.wire.messages import GameState, Pot, SeatView
from policy.ids import Card, HandNumber, HoleCards, Seat, TableId

Status: TypeAlias = Literal["open", "paused", "closed"]
STATUSES: Final[Mapping[str, Status]] = {"open": "open", "paused": "paused", "closed": "closed"}

_MISSED: Final[Mapping[Blind, Literal["small_blind", "big_blind", "both"]]] = {
    Blind.SMALL: "small_blind",
    Blind.BIG: "big_blind",
    Blind.BOTH: "both",
}


@dataclass(frozen=True, slots=True)
class PrivateView:
    """What one audience has in its `game_state` beyond what all have. Cards are those that the gate returned."""

    your_seat: Seat | None
    your_hole_cards: HoleCards | None
    revealed: Mapping[Seat, HoleCards]


@dataclass(frozen=True, slots=True)
class TableView:
    """The public part of a `game_state`. Seats are the keys of `bets` and `stacks`, as JSON has it."""

    table_id: TableId
    hand_number: int | UnsetType
    street: Street | None
    board: list[str]
    pots: list[Pot]
    pot: int
    bets: dict[str, int]
    stacks: dict[str, int]
    small_blind: int
    big_blind: int
    ante: int
    status: Status
    seats: list[SeatView]
    button: int | None
    to_act: int | None
    turn_ends_at: int | UnsetType

    def for_audience(self, private: PrivateView) -> GameState:
        """The `game_state` of one audience."""
        return GameState(
            seq=0,
            table_id=self.table_id,
            hand_number=self.hand_number,
            street=self.street,
            board=self.board,
            pots=self.pots,
            pot=self.pot,
            bets=self.bets,
            stacks=self.stacks,
            small_blind=self.small_blind,
            big_blind=self.big_blind,
            ante=self.ante,
            status=self.status,
            seats=self.seats,
            button=self.button,
            to_act=self.to_act,
            turn_ends_at=self.turn_ends_at,
            your_seat=UNSET if private.your_seat is None else private.your_seat,
            your_hole_cards=UNSET if private.your_hole_cards is None else list(private.your_hole_cards),
            revealed_hole_cards=by_seat(private.revealed) if private.revealed else UNSET,
        )


def table_view(table_id: TableId, state: TableState, now: Now) -> TableView:
    """The public part of the state. Between hands the board of the hand that has just ended stays, as its shown cards do."""
    hand, options, seats = state.hand, state.options, state.seats
    return TableView(
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        street=None if hand is None else hand.street,
        board=list(board_in_view(state)),
        pots=[] if hand is None else _pots(hand),
        pot=0 if hand is None else hand.pot_chips,
        bets={} if hand is None else {str(seat): chips for seat, chips in hand.bets.items() if chips},
        stacks={str(seat.seat): seat.stack_chips for seat in seats},
        small_blind=options.small_blind_chips,
        big_blind=options.big_blind_chips,
        ante=options.ante_chips,
        status=STATUSES[state.status],
        seats=[_seat_view(seat) for seat in seats],
        button=_button(state),
        to_act=None if hand is None or hand.turn is None else hand.turn.turn.seat,
        turn_ends_at=UNSET if hand is None or hand.turn is None else now.unix_ms(hand.turn.turn_ends_at_ms),
    )


def numbered(hand_number: HandNumber) -> int | UnsetType:
    """A hand's number; absent before the first hand of a table."""
    return hand_number or UNSET


def board_in_view(state: TableState) -> Sequence[Card]:
    """The board that lies on the table."""
    if state.hand is not None:
        return state.hand.board
    return state.recent[-1].board if state.last_cards is not None and state.recent else ()


def by_seat(cards: Mapping[Seat, HoleCards]) -> dict[str, list[str]]:
    """Hole cards keyed by seat, as JSON has it."""
    return {str(seat): list(hole) for seat, hole in cards.items()}


def _pots(hand: LiveHand) -> list[Pot]:
    return [Pot(amount=chips, eligible=list(eligible)) for chips, eligible in hand.pots]


def _button(state: TableState) -> int | None:
    if state.hand is not None:
        return state.hand.positions.button
    return state.recent[-1].positions.button if state.recent else None


def _seat_view(seat: SeatState) -> SeatView:
    match seat.player:
        case AgentPlayer(agent_id=agent_id, model=model):
            return _view(seat, "agent", agent_id, UNSET if model is None else model)
        case UserPlayer():
            return _view(seat, "human", UNSET, UNSET)


def _view(
    seat: SeatState, kind: Literal["agent", "human"], agent_id: str | UnsetType, model: str | UnsetType
) -> SeatView:
    return SeatView(
        seat=seat.seat,
        name=seat.name,
        kind=kind,
        status=seat.status.value,
        stack=seat.stack_chips,
        bet=seat.bet_chips,
        connected=seat.connected,
        time_bank_ms=seat.time_bank_ms,
        agent_id=agent_id,
        model=model,
        missed=UNSET if seat.missed is None else _MISSED[seat.missed],
    )
