"""A hand in Open Hand History (JSON, `{"ohh": {...}}`), of the fields of version 1.4.7. It writes what it is given.

Players' ids are their seats, and seats count from 1, as everywhere in this format. `amount` is what an action added, of a raise too.
A reader who played, or whose agent did, is the hero; for anybody else the hand is flagged `Observed`. docs/history.md says what is
not confirmed. Source: hh-specs.handhistory.org.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from gameserver.hand.facts import Acted, ActionKind, ForcedKind, Posted, PotResult, Street
from gameserver.http.history.disclosed import FinishedHand
from gameserver.table.facts import Moved
from policy.ids import Card, HoleCards, Seat

MEDIA_TYPE: Final = "application/json"
PLAY_MONEY: Final = "XPM"
"""The format's word for it."""

_FORCED: Final[Mapping[ForcedKind, str]] = {
    ForcedKind.ANTE: "Post Ante",
    ForcedKind.SMALL_BLIND: "Post SB",
    ForcedKind.BIG_BLIND: "Post BB",
    ForcedKind.BIG_BLIND_ANTE: "Post Ante",
    ForcedKind.POST: "Post Extra Blind",
    ForcedKind.DEAD_POST: "Post Dead",
    ForcedKind.STRADDLE: "Straddle",
}
_MOVES: Final[Mapping[ActionKind, str]] = {
    ActionKind.FOLD: "Fold",
    ActionKind.CHECK: "Check",
    ActionKind.CALL: "Call",
    ActionKind.BET: "Bet",
    ActionKind.RAISE: "Raise",
}
_BOARD: Final[Mapping[Street, slice]] = {
    Street.PREFLOP: slice(0, 0),
    Street.FLOP: slice(0, 3),
    Street.TURN: slice(3, 4),
    Street.RIVER: slice(4, 5),
}


class _Action(msgspec.Struct, frozen=True, kw_only=True):
    action_number: int
    player_id: int
    action: str
    amount: int = 0
    is_allin: bool = False
    cards: list[str] | UnsetType = UNSET


class _Round(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    street: str
    cards: list[str]
    actions: list[_Action]


class _Win(msgspec.Struct, frozen=True, kw_only=True):
    player_id: int
    win_amount: int
    cashout_amount: int = 0
    cashout_fee: int = 0
    bonus_amount: int = 0


class _Pot(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    amount: int
    player_wins: list[_Win]
    rake: int = 0
    jackpot: int = 0


class _Player(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    seat: int
    name: str
    display: str
    starting_stack: int
    player_bounty: int = 0
    is_sitting_out: bool = False


class _BetLimit(msgspec.Struct, frozen=True, kw_only=True):
    bet_type: Literal["NL"] = "NL"
    bet_cap: int = 0


class _History(msgspec.Struct, frozen=True, kw_only=True):
    game_number: str
    start_date_utc: str
    table_name: str
    table_handle: str
    table_size: int
    dealer_seat: int
    small_blind_amount: int
    big_blind_amount: int
    ante_amount: int
    hero_player_id: int | None
    flags: list[str]
    players: list[_Player]
    rounds: list[_Round]
    pots: list[_Pot]
    spec_version: str = "1.4.7"
    site_name: str = "Railbird"
    network_name: str = "Railbird"
    internal_version: str = "1.0.0"
    tournament: bool = False
    game_type: str = "Holdem"
    bet_limit: _BetLimit = _BetLimit()
    currency: str = PLAY_MONEY


class _File(msgspec.Struct, frozen=True):
    ohh: _History


def ohh_json(hand: FinishedHand) -> bytes:
    """The hand as a `.ohh.json` file."""
    own = [seat.seat for seat in hand.seats if seat.is_own]
    began = datetime.datetime.fromtimestamp(hand.began_ms / 1_000, datetime.UTC)
    history = _History(
        game_number=f"{hand.table_id}-{hand.hand_number}",
        start_date_utc=began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        table_name=hand.options.name,
        table_handle=hand.table_id,
        table_size=hand.options.max_seats,
        dealer_seat=hand.positions.button + 1,
        small_blind_amount=hand.options.small_blind_chips,
        big_blind_amount=hand.options.big_blind_chips,
        ante_amount=hand.options.ante_chips,
        hero_player_id=_id(own[0]) if own else None,
        flags=[] if own else ["Observed"],
        players=_players(hand),
        rounds=_rounds(hand),
        pots=[_pot(number, pot) for number, pot in enumerate(hand.over.pots)],
    )
    return msgspec.json.format(msgspec.json.encode(_File(history)), indent=1)


def _id(seat: Seat) -> int:
    """A player's id, and the number of the seat."""
    return seat + 1


def _players(hand: FinishedHand) -> list[_Player]:
    return [
        _Player(
            id=_id(seat.seat),
            seat=_id(seat.seat),
            name=seat.name,
            display=seat.name,
            starting_stack=seat.began_with_chips,
        )
        for seat in hand.seats
    ]


def _pot(number: int, pot: PotResult) -> _Pot:
    wins = [_Win(player_id=_id(seat), win_amount=chips) for seat, chips in pot.winners]
    return _Pot(number=number, amount=pot.amount_chips, player_wins=wins)


# --- rounds -------------------------------------------------------------------------------------------------------------


def _rounds(hand: FinishedHand) -> list[_Round]:
    """Preflop, each street that was dealt, and a showdown where cards were shown or mucked. Actions are numbered throughout."""
    numbers = itertools.count(1)
    rounds = [
        (street.value.capitalize(), hand.board[place], list(_street(hand, street, numbers)))
        for street, place in _BOARD.items()
        if street is Street.PREFLOP or hand.board[place]
    ]
    if showdown := list(_showdown(hand, numbers)):
        rounds.append(("Showdown", (), showdown))
    return [
        _Round(id=id_, street=street, cards=list(cards), actions=actions)
        for id_, (street, cards, actions) in enumerate(rounds)
    ]


def _street(hand: FinishedHand, street: Street, numbers: Iterator[int]) -> Iterator[_Action]:
    if street is Street.PREFLOP:
        for move in hand.moves:
            if isinstance(move, Posted):
                yield _posted(move, numbers)
        for seat in hand.seats:
            if seat.holds is not None:
                yield _with_cards("Dealt Cards", seat.seat, seat.holds, numbers)
    for moved in hand.moves:
        if isinstance(moved, Moved) and moved.move.street is street:
            yield _moved(moved.move, numbers)


def _posted(bet: Posted, numbers: Iterator[int]) -> _Action:
    return _Action(
        action_number=next(numbers),
        player_id=_id(bet.seat),
        action=_FORCED[bet.kind],
        amount=bet.amount_chips,
        is_allin=bet.all_in,
    )


def _moved(move: Acted, numbers: Iterator[int]) -> _Action:
    return _Action(
        action_number=next(numbers),
        player_id=_id(move.seat),
        action=_MOVES[move.action],
        amount=move.added_chips,
        is_allin=move.all_in,
    )


def _showdown(hand: FinishedHand, numbers: Iterator[int]) -> Iterator[_Action]:
    """Who showed, in order; then who was still in and did not show. Where all others folded nobody mucks."""
    holds = {seat.seat: seat.holds for seat in hand.seats}
    for seat in hand.shown:
        yield _with_cards("Shows Cards", seat, holds[seat] or (), numbers)
    if not hand.over.uncontested:
        for seat in hand.still_in():
            if seat not in hand.shown:
                yield _Action(action_number=next(numbers), player_id=_id(seat), action="Mucks Cards")


def _with_cards(action: str, seat: Seat, cards: HoleCards | tuple[Card, ...], numbers: Iterator[int]) -> _Action:
    return _Action(action_number=next(numbers), player_id=_id(seat), action=action, cards=list(cards))
