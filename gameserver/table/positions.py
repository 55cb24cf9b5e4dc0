"""Who has the button and the blinds in the next hand, and who is dealt in: pure functions of who is ready and who had them last.

No chips, clocks or names. The rules are in docs/decisions/0005-dead-button-and-table-policies.md: the big blind moves to the
next player who is ready, the small blind to where the big blind was, the button to where the small blind was, occupied or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gameserver.table.facts import Positions
from policy.ids import Seat


@dataclass(frozen=True, slots=True)
class Marks:
    """Where the three positions of a hand lay. `small_blind` has a seat also where it was dead; heads-up it is the button's."""

    button: Seat
    small_blind: Seat
    big_blind: Seat


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player who is ready: chips, a line, not sitting out.

    `owes`: a blind has to be paid before the next cards. `posts`: and the player wishes to. `out_at_big_blind`: sits out
    rather than being the big blind.
    """

    seat: Seat
    owes: bool = False
    posts: bool = False
    out_at_big_blind: bool = False


@dataclass(frozen=True, slots=True)
class Seating:
    """`dealt`: in order, first left of the button first. `posters`: those of them who post. `free`: debts are settled unpaid.

    `marks` are remembered for the hand after; `positions` are told.
    """

    marks: Marks
    positions: Positions
    dealt: tuple[Seat, ...]
    posters: frozenset[Seat]
    free: bool


@dataclass(frozen=True, slots=True)
class NextHand:
    """`seating`: None where fewer than two are ready. `sat_out`: who sits out now, since the big blind would have come."""

    seating: Seating | None
    sat_out: tuple[Seat, ...]


def next_hand(candidates: Iterable[Candidate], last: Marks | None, drawn: Seat) -> NextHand:
    """Positions of the hand after `last`; None: the first one of a table, whose button was drawn for the seat `drawn`."""
    ready = {candidate.seat: candidate for candidate in candidates}
    sat_out: list[Seat] = []
    while len(ready) >= 2:
        seating = _first(ready, drawn) if last is None else _following(ready, last)
        big_blind = seating.marks.big_blind
        if not ready[big_blind].out_at_big_blind:
            return NextHand(seating, tuple(sat_out))
        sat_out.append(big_blind)
        del ready[big_blind]
    return NextHand(None, tuple(sat_out))


def passed_by_big_blind(seat: Seat, last: Marks | None, marks: Marks) -> bool:
    """Whether the big blind went over the seat on its way to the new one."""
    return last is not None and is_between(seat, last.big_blind, marks.big_blind)


def passed_by_small_blind(seat: Seat, last: Marks | None, marks: Marks) -> bool:
    """Whether the small blind went over the seat, or came to it while it was not dealt in."""
    return last is not None and (seat == marks.small_blind or is_between(seat, last.small_blind, marks.small_blind))


def is_between(seat: Seat, start: Seat, end: Seat) -> bool:
    """Whether one meets `seat` on the way round from `start` to `end`, both excluded. From a seat to itself is no way at all."""
    if start < end:
        return start < seat < end
    return start > end and (seat > start or seat < end)


def first_from(seats: Iterable[Seat], start: Seat) -> Seat:
    """The first of `seats` that one meets going round from `start`, itself included."""
    return min(seats, key=lambda seat: (seat < start, seat))


def first_after(seats: Iterable[Seat], start: Seat) -> Seat:
    """The first of `seats` that one meets going round from behind `start`; `start` itself comes last."""
    return min(seats, key=lambda seat: (seat <= start, seat))


def last_before(seats: Iterable[Seat], end: Seat) -> Seat:
    """The last of `seats` that one meets going round up to `end`, itself excluded unless there is no other."""
    return max(seats, key=lambda seat: (seat < end, seat))


def in_order(seats: Iterable[Seat], button: Seat) -> tuple[Seat, ...]:
    """First left of the button first; the button last."""
    return tuple(sorted(seats, key=lambda seat: (seat <= button, seat)))


def _first(ready: dict[Seat, Candidate], drawn: Seat) -> Seating:
    """The first hand of a table: the drawn seat or the next ready one has the button, and nobody owes."""
    button = first_from(ready, drawn)
    small_blind = button if len(ready) == 2 else first_after(ready, button)
    return _seating(ready, Marks(button, small_blind, first_after(ready, small_blind)), frozenset(), free=True)


def _following(ready: dict[Seat, Candidate], last: Marks) -> Seating:
    big_blind = first_after(ready, last.big_blind)
    button, entry_is_open = _dead_button(ready, last, big_blind)
    posters = frozenset(
        seat
        for seat, candidate in ready.items()
        if candidate.owes and candidate.posts and entry_is_open and _may_enter(seat, button, big_blind)
    )
    clear = {seat for seat, candidate in ready.items() if not candidate.owes}
    dealt = clear | posters | {big_blind}
    if len(dealt) > 2:
        return _seating(dealt, Marks(button, last.big_blind, big_blind), posters, free=False)
    return _heads_up_or_restart(ready, clear | {big_blind}, big_blind)


def _heads_up_or_restart(ready: dict[Seat, Candidate], clear: set[Seat], big_blind: Seat) -> Seating:
    """Two are dealt in, and the other has button and small blind, so that nobody who owes can be that one.

    Where nobody but the big blind may play, all who are ready do, without posts.
    """
    if len(clear) == 2:
        (other,) = clear - {big_blind}
        return _seating(clear, Marks(other, other, big_blind), frozenset(), free=False)
    small_blind = last_before(ready, big_blind)
    button = small_blind if len(ready) == 2 else last_before(ready, small_blind)
    return _seating(ready, Marks(button, small_blind, big_blind), frozenset(), free=True)


def _dead_button(ready: dict[Seat, Candidate], last: Marks, big_blind: Seat) -> tuple[Seat, bool]:
    """The button of a hand of three or more, and whether anybody who owes may enter at all.

    It goes to where the small blind was. After a heads-up hand that can be the new big blind's own seat, or lie between the
    blinds; then the player just before the small blind has it, and nobody who owes enters.
    """
    button = last.small_blind
    if button != big_blind and not is_between(button, last.big_blind, big_blind):
        return button, True
    clear = {seat for seat, candidate in ready.items() if not candidate.owes and seat != big_blind}
    return last_before(clear or {button}, last.big_blind), False


def _may_enter(seat: Seat, button: Seat, big_blind: Seat) -> bool:
    return seat not in (button, big_blind) and not is_between(seat, button, big_blind)


def _seating(dealt: Iterable[Seat], marks: Marks, posters: frozenset[Seat], *, free: bool) -> Seating:
    order = in_order(dealt, marks.button)
    positions = Positions(
        button=marks.button,
        button_dead=marks.button not in order,
        small_blind=marks.small_blind if marks.small_blind in order else None,
        big_blind=marks.big_blind,
    )
    return Seating(marks, positions, order, posters, free)


def seat_after(seat: Seat, dealt: Sequence[Seat]) -> Seat:
    """The seat left of `seat` among those dealt in."""
    return dealt[(dealt.index(seat) + 1) % len(dealt)]
