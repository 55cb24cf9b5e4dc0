"""How the chips in the middle lie in pots, and how a pot is divided. Numbers in, numbers out; no cards and no turns.

A pot is a layer: what each player put in between two levels. Levels are what the players still in have put in, so a short
ante or blind makes a layer of its own, and the chips of players who folded stay in the layers that they reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policy.ids import Seat


def layers(paid: Mapping[Seat, int], dead_chips: int, live: Sequence[Seat]) -> tuple[tuple[int, tuple[Seat, ...]], ...]:
    """(amount, eligible) of each pot, main pot first; no pot is empty.

    `paid`: what each seat put in towards the pots, dead money apart. `dead_chips`: money that is no part of any bet (a
    big-blind ante, a dead post); it lies in the main pot. `live`: the seats still in, in order; at least one.
    """
    levels = sorted({paid[seat] for seat in live})
    pots: list[tuple[int, tuple[Seat, ...]]] = []
    floor, extra = 0, dead_chips
    for level in levels:
        top = level if level != levels[-1] else max(paid.values())  # what lies above the last level is folded chips
        amount = extra + _between(paid.values(), floor, top)
        if amount:
            pots.append((amount, tuple(seat for seat in live if paid[seat] >= level)))
        floor, extra = level, 0
    return tuple(pots)


def uncalled(bets: Mapping[Seat, int], live: Sequence[Seat]) -> tuple[Seat, int] | None:
    """The part of the highest bet on this street that nobody matched, and whose it is; None: there is none.

    `bets`: each seat's total on this street. Chips of a seat that folded match too.
    """
    top = max(live, key=bets.__getitem__)
    matched = max((bet for seat, bet in bets.items() if seat != top), default=0)
    return (top, bets[top] - matched) if bets[top] > matched else None


def shares(amount_chips: int, winners: Sequence[Seat]) -> tuple[tuple[Seat, int], ...]:
    """A pot divided among its winners, who come in order from the left of the button: odd chips go one each to the first."""
    each, odd = divmod(amount_chips, len(winners))
    return tuple((seat, each + (place < odd)) for place, seat in enumerate(winners))


def _between(paid: Iterable[int], floor: int, top: int) -> int:
    """Chips that lie above `floor` and not above `top`."""
    return sum(min(chips, top) - floor for chips in paid if chips > floor)
