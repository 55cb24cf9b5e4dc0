"""What a table hands over when a hand begins: whether it makes sense, and who acts last because of it. No chips move here."""

from __future__ import annotations

from collections.abc import Sequence

from gameserver.errors import Bug
from gameserver.hand.facts import ForcedBet, ForcedKind
from policy.ids import Seat


def last_to_act(forced: Sequence[ForcedBet], dealt: Sequence[Seat]) -> Seat:
    """Who acts last before the flop: the straddler, else the big blind. Without either, the last seat."""
    for kind in (ForcedKind.STRADDLE, ForcedKind.BIG_BLIND):
        for bet in forced:
            if bet.kind is kind:
                return bet.seat
    return dealt[-1]


def check_set_up(seats: Sequence[tuple[Seat, int]], forced: Sequence[ForcedBet], big_blind_chips: int) -> None:
    """Raises Bug for what no table may ask for."""
    numbers = {seat for seat, _ in seats}
    if not 2 <= len(seats) <= 10 or len(numbers) != len(seats):
        raise Bug("a hand is for two to ten different seats")
    if big_blind_chips < 1 or any(stack < 1 for _, stack in seats):
        raise Bug("a hand needs a big blind, and chips at every seat")
    if any(bet.seat not in numbers or bet.amount_chips < 0 for bet in forced):
        raise Bug("a forced bet is owed by a seat that is dealt in")
