"""A hand in PHH (Poker Hand History, TOML). It writes what it is given: cards that the reader does not have are `????`.

Players are numbered from the left of the button; heads-up p1 is the big blind, and blinds and antes are given in reverse. Seats
count from 1, as everywhere in this format. What PHH has no word for (who has the button, agents' ids) is in fields with an
underscore. docs/history.md says where readers have to take care. Source: J. Kim, Recording and Describing Poker Hands, 2024.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Final

from gameserver.hand.facts import Acted, ActionKind, ForcedKind, Posted, Street
from gameserver.http.history.disclosed import FinishedHand, HandSeat
from gameserver.http.history.toml import Value, toml_text
from gameserver.table.commands import AgentPlayer
from gameserver.table.facts import Moved
from gameserver.table.options import AnteKind
from policy.ids import Card, HoleCards, Seat

MEDIA_TYPE: Final = "application/toml"
_UNKNOWN: Final = "????"
_DEAD: Final = frozenset({ForcedKind.ANTE, ForcedKind.BIG_BLIND_ANTE, ForcedKind.DEAD_POST})
_BOARD: Final = {Street.FLOP: slice(0, 3), Street.TURN: slice(3, 4), Street.RIVER: slice(4, 5)}


def phh_text(hand: FinishedHand) -> str:
    """The hand as a `.phh` file."""
    return toml_text([*_required(hand), *_circumstances(hand), *_our_own(hand)])


def _required(hand: FinishedHand) -> Iterator[tuple[str, Value]]:
    dead, trimmed = _antes(hand)
    yield "variant", "NT"
    yield "ante_trimming_status", trimmed
    yield "antes", _in_their_order(dead)
    yield "blinds_or_straddles", _in_their_order(_blinds(hand))
    yield "min_bet", hand.options.big_blind_chips
    yield "starting_stacks", [seat.began_with_chips for seat in hand.seats]
    yield "actions", list(_actions(hand))


def _circumstances(hand: FinishedHand) -> Iterator[tuple[str, Value]]:
    began = datetime.datetime.fromtimestamp(hand.began_ms / 1_000, datetime.UTC)
    yield "venue", "Railbird"
    yield "time", began.time()
    yield "time_zone", "UTC"
    yield "day", began.day
    yield "month", began.month
    yield "year", began.year
    yield "hand", hand.hand_number
    yield "seats", [seat.seat + 1 for seat in hand.seats]
    yield "seat_count", hand.options.max_seats
    yield "table", hand.table_id
    yield "players", [seat.name for seat in hand.seats]
    yield "finishing_stacks", [seat.finished_with_chips for seat in hand.seats]


def _our_own(hand: FinishedHand) -> Iterator[tuple[str, Value]]:
    yield "_table_name", hand.options.name
    yield "_button_seat", hand.positions.button + 1
    yield "_button_dead", hand.positions.button_dead
    yield "_small_blind_dead", hand.positions.small_blind is None
    if hand.options.ante_kind is AnteKind.EACH and _has_dead_posts(hand):
        yield "_ante_each", hand.options.ante_chips
    yield "_agents", [seat.player.agent_id if isinstance(seat.player, AgentPlayer) else "" for seat in hand.seats]


def _in_their_order(amounts: Sequence[int]) -> list[int]:
    return list(reversed(amounts)) if len(amounts) == 2 else list(amounts)


# --- forced bets --------------------------------------------------------------------------------------------------------


def _antes(hand: FinishedHand) -> tuple[list[int], bool]:
    """By player, and whether a short ante has a pot of its own.

    An ante from each is given as it is owed. Else dead money is given as it was posted: readers take antes before blinds, and
    we take the big blind's ante and a dead post after them.
    """
    if hand.options.ante_chips and hand.options.ante_kind is AnteKind.EACH and not _has_dead_posts(hand):
        return [hand.options.ante_chips] * len(hand.seats), True
    dead = [sum(bet.amount_chips for bet in _posted(hand, seat) if bet.kind in _DEAD) for seat in hand.seats]
    return dead, not any(dead)


def _has_dead_posts(hand: FinishedHand) -> bool:
    return any(bet.kind is ForcedKind.DEAD_POST for bet in _posted(hand))


def _blinds(hand: FinishedHand) -> list[int]:
    """By player, as owed: readers take less where the stack is short. A late post is negative: it opens nothing."""
    return [_blind(hand, seat) for seat in hand.seats]


def _blind(hand: FinishedHand, seat: HandSeat) -> int:
    options, kinds = hand.options, {bet.kind for bet in _posted(hand, seat)}
    if seat.seat == hand.positions.big_blind:
        return options.big_blind_chips
    if seat.seat == hand.positions.small_blind:
        return options.small_blind_chips
    if ForcedKind.STRADDLE in kinds:
        return 2 * options.big_blind_chips
    return -options.big_blind_chips if ForcedKind.POST in kinds else 0


def _posted(hand: FinishedHand, seat: HandSeat | None = None) -> Iterator[Posted]:
    for move in hand.moves:
        if isinstance(move, Posted) and (seat is None or move.seat == seat.seat):
            yield move


# --- actions ------------------------------------------------------------------------------------------------------------


def _actions(hand: FinishedHand) -> Iterator[str]:
    """Dealing, moves and boards in the order in which they happened."""
    numbers = {seat.seat: f"p{number}" for number, seat in enumerate(hand.seats, start=1)}
    for seat in hand.seats:
        yield f"d dh {numbers[seat.seat]} {_cards(seat.holds)}"
    to_deal = list(_streets(hand))
    for moved in hand.moves:
        if isinstance(moved, Moved):
            while to_deal and _is_reached(to_deal[0][0], moved.move.street):
                yield to_deal.pop(0)[1]
            yield _move(numbers[moved.move.seat], moved.move)
    if not hand.over.uncontested:
        yield from _showdown(hand, numbers)
    yield from (dealt for _, dealt in to_deal)


def _streets(hand: FinishedHand) -> Iterator[tuple[Street, str]]:
    for street, place in _BOARD.items():
        if cards := hand.board[place]:
            yield street, f"d db {''.join(cards)}"


def _is_reached(street: Street, now: Street) -> bool:
    order = list(Street)
    return order.index(street) <= order.index(now)


def _move(player: str, move: Acted) -> str:
    match move.action:
        case ActionKind.FOLD:
            return f"{player} f"
        case ActionKind.CHECK | ActionKind.CALL:
            return f"{player} cc"
        case ActionKind.BET | ActionKind.RAISE | ActionKind.ALL_IN:
            return f"{player} cbr {move.total_chips}"


def _showdown(hand: FinishedHand, numbers: dict[Seat, str]) -> Iterator[str]:
    """Those who showed, in order, and those who mucked. In a run-out the rest of the board comes after it."""
    holds = {seat.seat: seat.holds for seat in hand.seats}
    for seat in hand.over.show_order:
        yield f"{numbers[seat]} sm {_cards(holds[seat])}"
    for seat in hand.still_in():
        if seat not in hand.over.show_order:
            yield f"{numbers[seat]} sm"


def _cards(cards: HoleCards | Sequence[Card] | None) -> str:
    return _UNKNOWN if cards is None else "".join(cards)
