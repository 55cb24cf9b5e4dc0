"""What a table hands over when a hand begins: whether it makes sense, and who acts last because of it. No chips move here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gameserver.errors import Bug
from gameserver.hand.facts import ForcedBet, ForcedKind
from policy.ids import Seat

NO_PART_OF_THE_BET: Final = frozenset({ForcedKind.ANTE, ForcedKind.BIG_BLIND_ANTE, ForcedKind.DEAD_POST})


def last_to_act(forced: Sequence[ForcedBet], dealt: Sequence[Seat]) -> Seat:
    """Who acts last before the flop: the straddler, else the big blind. Without either, the last seat."""
    for kind in (ForcedKind.STRADDLE, ForcedKind.BIG_BLIND):
        for bet in forced:
            if bet.kind is kind:
                return bet.seat
    return dealt[-1]


def check_set_up(seats: Sequence[tuple[Seat, int]], forced: Sequence[ForcedBet], to_match_chips: int) -> None:
    """Raises Bug for what no table may ask for. `to_match_chips`: the blind, straddled or not, that a call comes to."""
    numbers = {seat for seat, _ in seats}
    if not 2 <= len(seats) <= 10 or len(numbers) != len(seats):
        raise Bug("a hand is for two to ten different seats")
    if to_match_chips < 1 or any(stack < 1 for _, stack in seats):
        raise Bug("a hand needs a big blind, and chips at every seat")
    if any(bet.seat not in numbers or bet.amount_chips < 0 for bet in forced):
        raise Bug("a forced bet is owed by a seat that is dealt in")
    if any(bet.amount_chips > to_match_chips for bet in forced if bet.kind not in NO_PART_OF_THE_BET):
        raise Bug("a blind, post or straddle is at most what a call comes to")
