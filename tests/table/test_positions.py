"""Button and blinds as pure functions of who is ready and who had them last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.table import positions
from gameserver.table.positions import Candidate, Marks, Seating, next_hand
from policy.ids import Seat

SEATS = st.integers(0, 9).map(Seat)


def ready(*seats: int) -> list[Candidate]:
    return [Candidate(Seat(seat)) for seat in seats]


def marks(button: int, small_blind: int, big_blind: int) -> Marks:
    return Marks(Seat(button), Seat(small_blind), Seat(big_blind))


def seating_of(candidates: list[Candidate], last: Marks | None, drawn: int = 0) -> Seating:
    found = next_hand(candidates, last, Seat(drawn)).seating
    assert found is not None
    return found


def test_the_first_hand_starts_at_the_drawn_seat() -> None:
    """The drawn seat has the button, the next two the blinds."""
    assert seating_of(ready(0, 2, 5), None, drawn=2).marks == marks(2, 5, 0)


def test_a_drawn_seat_that_is_not_ready_passes_the_button_on() -> None:
    """The next ready seat has it."""
    assert seating_of(ready(0, 2, 5), None, drawn=3).marks == marks(5, 0, 2)


def test_a_first_hand_of_two_has_button_and_small_blind_together() -> None:
    """Heads-up from the beginning."""
    seating = seating_of(ready(1, 4), None, drawn=4)
    assert seating.marks == marks(4, 4, 1)
    assert seating.dealt == (1, 4)


def test_the_big_blind_moves_and_the_others_follow_it() -> None:
    """Button where the small blind was, small blind where the big blind was, also on empty seats."""
    seating = seating_of(ready(0, 4, 5), marks(1, 2, 3))
    assert seating.marks == marks(2, 3, 4)
    assert (seating.positions.button_dead, seating.positions.small_blind) == (True, None)
    assert seating.dealt == (4, 5, 0)


@pytest.mark.parametrize(("gone", "button", "big_blind"), [(2, 3, 1), (3, 2, 1)], ids=["small blind", "big blind"])
def test_three_to_heads_up(gone: int, button: int, big_blind: int) -> None:
    """Seats 1 (button), 2 and 3: whoever busts, nobody has the big blind twice (o21)."""
    left = [seat for seat in (1, 2, 3) if seat != gone]
    assert seating_of(ready(*left), marks(1, 2, 3)).marks == marks(button, button, big_blind)


def test_who_owes_enters_behind_the_big_blind_only() -> None:
    """A poster on the button or between it and the big blind is kept out."""
    posters = [Candidate(Seat(seat), owes=True, posts=True) for seat in (1, 3, 5)]
    seating = seating_of([*ready(0, 2, 4), *posters], marks(0, 1, 2))
    assert seating.marks == marks(1, 2, 3), "a poster may be the big blind, which settles everything"
    assert seating.dealt == (2, 3, 4, 5, 0)
    assert seating.posters == {5}


def test_who_waits_gets_no_cards_until_the_big_blind_comes() -> None:
    """Waiting is the default for who owes."""
    waiting = [Candidate(Seat(5), owes=True)]
    assert seating_of([*ready(0, 1, 2, 3), *waiting], marks(0, 1, 2)).dealt == (2, 3, 0, 1)
    assert seating_of([*ready(0, 1, 2, 3), *waiting], marks(1, 2, 3)).dealt == (3, 5, 0, 1, 2)


def test_all_play_free_where_only_one_owes_nothing() -> None:
    """Restart: small blind and button are the ready players before the big blind."""
    owing = [Candidate(Seat(seat), owes=True) for seat in (0, 2, 5)]
    seating = seating_of([*ready(3), *owing], marks(0, 1, 2))
    assert seating.free
    assert seating.marks == marks(0, 2, 3)
    assert seating.dealt == (2, 3, 5, 0)


def test_sitting_out_at_the_big_blind_moves_it_on() -> None:
    """The seat is out at the moment that it would be the big blind, and the hand goes on without it."""
    candidates = [*ready(0, 1, 4), Candidate(Seat(2), out_at_big_blind=True), Candidate(Seat(3), out_at_big_blind=True)]
    found = next_hand(candidates, marks(4, 0, 1), Seat(0))
    assert found.sat_out == (2, 3)
    assert found.seating is not None and found.seating.marks == marks(0, 1, 4)


def test_fewer_than_two_are_no_hand() -> None:
    """Also when the second one sits out rather than being the big blind."""
    assert next_hand(ready(3), marks(0, 1, 2), Seat(0)).seating is None
    found = next_hand([*ready(1), Candidate(Seat(4), out_at_big_blind=True)], marks(1, 1, 2), Seat(0))
    assert (found.seating, found.sat_out) == (None, (4,))


def test_the_small_blind_passes_its_new_seat_when_that_is_dead() -> None:
    """The big blind does not: somebody has it."""
    last, now = marks(0, 1, 2), marks(1, 2, 4)
    assert positions.passed_by_small_blind(Seat(2), last, now)
    assert not positions.passed_by_small_blind(Seat(3), last, now)
    assert positions.passed_by_big_blind(Seat(3), last, now)
    assert not positions.passed_by_big_blind(Seat(2), last, now)


def test_nothing_passes_in_the_first_hand() -> None:
    """There is no seat that a blind came from."""
    assert not positions.passed_by_small_blind(Seat(2), None, marks(1, 2, 3))
    assert not positions.passed_by_big_blind(Seat(2), None, marks(1, 2, 3))


@given(seat=SEATS, start=SEATS, end=SEATS)
def test_between_is_the_way_round(seat: Seat, start: Seat, end: Seat) -> None:
    """As one would walk it, seat by seat."""
    walked, at = set(), start
    while start != end and (at := Seat((at + 1) % 10)) != end:
        walked.add(at)
    assert positions.is_between(seat, start, end) == (seat in walked)


candidates = st.lists(
    st.builds(Candidate, SEATS, owes=st.booleans(), posts=st.booleans(), out_at_big_blind=st.booleans()),
    max_size=10,
    unique_by=lambda candidate: candidate.seat,
)


@given(hands=st.lists(candidates, min_size=1, max_size=12), drawn=SEATS)
def test_whoever_comes_and_goes_the_rules_hold(hands: list[list[Candidate]], drawn: Seat) -> None:
    """Hand after hand: the big blind is the next who is ready and stays, and goes to nobody twice running.

    Button and small blind are one seat with two dealt in, and two seats with more; nobody who owes gets cards unless as big
    blind, by a post from behind the big blind, or where all are free.
    """
    last: Marks | None = None
    for present in hands:
        found = next_hand(present, last, drawn)
        stay = {each.seat: each for each in present if each.seat not in found.sat_out}
        if found.seating is None:
            assert len(stay) < 2
            continue
        _check(found.seating, stay, last)
        last = found.seating.marks


def _check(seating: Seating, stay: dict[Seat, Candidate], last: Marks | None) -> None:
    now, dealt = seating.marks, seating.dealt
    assert set(dealt) <= set(stay) and len(dealt) >= 2
    assert now.big_blind in dealt and not stay[now.big_blind].out_at_big_blind
    assert now.big_blind not in (now.button, now.small_blind)
    assert (now.button == now.small_blind) == (len(dealt) == 2)
    if last is not None:
        assert now.big_blind == positions.first_after(stay, last.big_blind) != last.big_blind
    for seat in dealt:
        if last is not None and stay[seat].owes and not seating.free and seat != now.big_blind:
            assert seat in seating.posters
            assert seat != now.button and not positions.is_between(seat, now.button, now.big_blind)
    if len(dealt) > 2 and seating.positions.small_blind is not None:
        assert positions.seat_after(seating.positions.small_blind, dealt) == now.big_blind
