"""SECURITY: not display logic. Whose hole cards a viewer gets, for every kind of viewer in one place.

Withholds every hole card from everybody, but for these:
- a seat has its own cards, in any standing, during the hand and after it;
- shown cards are everybody's, from the moment they are shown;
- in a run-out (no decision by anybody is left, two or more are in) the hands still in are everybody's;
- while somebody has a decision left, the hands still in are the public view's, at a table with `show_hands`. The public
  view is what a spectator, an operator and an owner get. A seat is not in it, nor is an agent without a seat: at an
  agent table neither can open the public view beside its own connection, and that is what makes this option a boundary;
- an owner has the public view and the cards of their own agents;
- a seat that peeked by a power of the table's rules has that one hand until the hand is over, and so has its owner.

Folded and mucked cards are nobody else's, after the hand too; so is the hand of who wins because all others folded.
An operator gets what a spectator gets: less would be no bound for who can open the public page, and more would put the
live cards of a hand before somebody who may have an agent in it.

Holds decision 0003. A page that lacks something is no reason to widen a line here: the page is not the boundary.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import assert_never

from policy.ids import HoleCards, Seat
from policy.sealed import Sealed, open_sealed
from policy.spectator_policy import RevealOptions
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer


class Stage(enum.Enum):
    """How far a hand is, as far as its cards are concerned."""

    BETTING = "betting"
    """Somebody has a decision left, or the board is open to one."""
    RUN_OUT = "run_out"
    """No decision by anybody is left, and two or more are still in."""
    OVER = "over"


class Standing(enum.Enum):
    """What became of a seat's cards."""

    LIVE = "live"
    FOLDED = "folded"
    SHOWN = "shown"
    """Face up for everybody, by showdown, run-out or choice. It stays so."""
    MUCKED = "mucked"
    """Not shown at a showdown."""


@dataclass(frozen=True, slots=True)
class SeatCards:
    """One seat's cards. The seat is where they were dealt to; who sits there later is not their player."""

    seat: Seat
    cards: Sealed[HoleCards]
    standing: Standing


@dataclass(frozen=True, slots=True)
class Peek:
    """A granted look: the player of seat `by` looked at the cards of seat `at`, in this hand."""

    by: Seat
    at: Seat


@dataclass(frozen=True, slots=True)
class HandCards:
    """All that the gate asks about one hand. `seats`: each seat dealt in, once."""

    stage: Stage
    seats: tuple[SeatCards, ...]
    peeks: tuple[Peek, ...]


def compute_revealed_hole_cards(*, viewer: Viewer, hand: HandCards, options: RevealOptions) -> Mapping[Seat, HoleCards]:
    """The hole cards that `viewer` gets, by seat, in the order of `hand.seats`; opens the seals of these and no others.

    `options`: folded for the table's kind before (`spectator_policy.fold_reveal_options`).
    A viewer's seats are those of the deal: after it, who took a seat comes through `look_from_the_deal` first.
    Raises AssertionError for a viewer or a stage that it does not know.
    """
    face_up = _face_up(hand)
    match viewer:
        case SeatedAgent(seat=seat) | SeatedUser(seat=seat):
            permitted = face_up | _of_players({seat}, hand)
        case UnseatedAgent():
            permitted = face_up
        case Owner(seats=seats):
            permitted = face_up | _live_to_the_public(hand, options) | _of_players(seats, hand)
        case Spectator() | Operator():
            permitted = face_up | _live_to_the_public(hand, options)
        case _:
            assert_never(viewer)
    return {entry.seat: open_sealed(entry.cards) for entry in hand.seats if entry.seat in permitted}


def look_from_the_deal(*, viewer: Viewer, dealt_in: AbstractSet[SeatedAgent | SeatedUser]) -> Viewer:
    """The viewer as this hand knows it: a player who took a seat after the deal looks as one without a seat.

    Withholds the last hand's cards from the next occupant of a seat.
    `dealt_in`: who sat where at the deal. A person without a seat is a spectator: no table of people reveals anything.
    An owner's seats are those of the deal already.
    """
    match viewer:
        case SeatedAgent(agent_id=agent_id):
            return viewer if viewer in dealt_in else UnseatedAgent(agent_id)
        case SeatedUser():
            return viewer if viewer in dealt_in else Spectator()
        case UnseatedAgent() | Owner() | Spectator() | Operator():
            return viewer
        case _:
            assert_never(viewer)


def _face_up(hand: HandCards) -> AbstractSet[Seat]:
    """Seats whose cards lie open on the table."""
    match hand.stage:
        case Stage.BETTING | Stage.OVER:
            return _standing(hand, Standing.SHOWN)
        case Stage.RUN_OUT:
            return _standing(hand, Standing.SHOWN) | _standing(hand, Standing.LIVE)
        case _:
            assert_never(hand.stage)


def _live_to_the_public(hand: HandCards, options: RevealOptions) -> AbstractSet[Seat]:
    """Seats whose closed cards the public view of a table with `show_hands` has. Only a plain `True` opens."""
    if options.show_hands is True and hand.stage is Stage.BETTING:
        return _standing(hand, Standing.LIVE)
    return frozenset()


def _of_players(players: AbstractSet[Seat], hand: HandCards) -> AbstractSet[Seat]:
    """Their own seats, and while the hand lasts those that they peeked at."""
    if hand.stage is Stage.OVER:
        return players
    return players | {peek.at for peek in hand.peeks if peek.by in players}


def _standing(hand: HandCards, standing: Standing) -> AbstractSet[Seat]:
    return {entry.seat for entry in hand.seats if entry.standing is standing}
