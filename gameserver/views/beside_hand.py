"""Of whom a player is told while a hand is in play: of those who play it, and of who sits beside it where the gate lets that be told.

A newcomer's name, seat and chips are somebody's word, who may watch the live cards. When it reaches a seat is the gate's to say
(`whisper_policy`, ARRIVAL); what waits is seen in the state once the hand is over
(test_who_comes_in_mid_hand_is_told_to_no_seat_at_a_revealing_table).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from gameserver.table.facts import ChipsBought, Fact, PresenceChanged, SeatFreed, SeatPaid, SeatTaken, StatusChanged
from gameserver.table.state import SeatState, TableState
from policy import whisper_policy
from policy.whisper_policy import Arrival, Way

OfOneSeat: TypeAlias = SeatTaken | SeatFreed | SeatPaid | ChipsBought | StatusChanged | PresenceChanged
"""How a seat stands, whoever plays."""


def seats_told_to(held: SeatState, state: TableState) -> tuple[SeatState, ...]:
    """The seats of which the player in `held` is told: the very tuple of the state where these are all."""
    told = tuple(seat for seat in state.seats if _is_told(held, state, seat.seat))
    return state.seats if len(told) == len(state.seats) else told


def facts_told_to(held: SeatState, state: TableState, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts of which the player in `held` is told: the very sequence where these are all."""
    told = [fact for fact in facts if not isinstance(fact, OfOneSeat) or _is_told(held, state, fact.seat)]
    return facts if len(told) == len(facts) else told


def _is_told(held: SeatState, state: TableState, seat: int) -> bool:
    if state.hand is None or seat == held.seat or seat in state.hand.dealt:
        return True
    match whisper_policy.admit_whisper(way=Way.ARRIVAL, sits_at=[state.options.reveal]):
        case Arrival.NOW:
            return True
        case Arrival.NEXT_HAND:
            return False
        case other:
            assert_never(other)
