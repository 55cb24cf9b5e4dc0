"""Of whom a player is told while a hand is in play: of those who play it, and of who sits beside it where the gate lets that be told.

A newcomer's name, seat and chips are somebody's word, who may watch the live cards. When it reaches a seat is the gate's to say
(`whisper_policy`, ARRIVAL); what waits is seen in the state once the hand is over
(test_who_comes_in_mid_hand_is_told_to_no_seat_at_a_revealing_table). A pause is a creator's word in the same way (PAUSE): the hand
goes on, and no seat hears of it before its end (test_a_pause_in_mid_hand_is_told_to_no_seat).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from gameserver.table.facts import (
    ChipsBought,
    Fact,
    PresenceChanged,
    SeatFreed,
    SeatPaid,
    SeatTaken,
    StatusChanged,
    TableStatusChanged,
)
from gameserver.table.state import SeatState, TableState
from policy import whisper_policy
from policy.whisper_policy import Arrival, Way


def told_to(held: SeatState, state: TableState) -> TableState:
    """The table as the player in `held` is told of it: the very state where that is all of it."""
    seats = tuple(seat for seat in state.seats if _is_told_of(held, state, seat.seat))
    status = "open" if state.status == "paused" and not _is_told_of_pauses(state) else state.status
    if len(seats) == len(state.seats) and status == state.status:
        return state
    return state.told(seats=seats, status=status)


def facts_told_to(held: SeatState, state: TableState, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts of which the player in `held` is told: the very sequence where these are all."""
    told = [fact for fact in facts if _is_told(held, state, fact)]
    return facts if len(told) == len(facts) else told


def _is_told(held: SeatState, state: TableState, fact: Fact) -> bool:
    match fact:
        case (
            SeatTaken(seat=seat) | SeatFreed(seat=seat) | SeatPaid(seat=seat) | ChipsBought(seat=seat)
            | StatusChanged(seat=seat) | PresenceChanged(seat=seat)
        ):  # fmt: skip
            return _is_told_of(held, state, seat)
        case TableStatusChanged(status=status):
            return status == "closed" or _is_told_of_pauses(state)
        case _:
            return True


def _is_told_of(held: SeatState, state: TableState, seat: int) -> bool:
    if state.hand is None or seat == held.seat or seat in state.hand.dealt:
        return True
    return _is_now(whisper_policy.admit_whisper(way=Way.ARRIVAL, sits_at=[state.options.reveal]))


def _is_told_of_pauses(state: TableState) -> bool:
    """A hand begins at an open table only, so whatever changed since is news of its time."""
    if state.hand is None:
        return True
    return _is_now(whisper_policy.admit_whisper(way=Way.PAUSE, sits_at=[state.options.reveal]))


def _is_now(arrival: Arrival) -> bool:
    match arrival:
        case Arrival.NOW:
            return True
        case Arrival.NEXT_HAND:
            return False
        case other:
            assert_never(other)
