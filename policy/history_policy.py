"""SECURITY: not display logic. Which hole cards the history of a finished hand discloses, and to whom.

Withholds from a stranger every card that the public stream of that hand did not disclose, and all of them until a
delayed stream has shown the hand. Withholds them without end: no later right opens an old hand.
- a stranger (anybody, an operator too) has the cards that were face up, and those that a `show_hands` stream has really
  shown;
- a person has also the cards of their own seat, and those of the agents that were theirs at the deal;
- an agent has the cards that were face up and its own, as long as its owner is the one that it had at the deal. What
  only a `show_hands` stream has shown it does not get: an agent is not the public;
- a cancelled hand shows no card to anybody.

Thoughts and peeked cards are no part of a history: nothing that this gate takes in can hold one.

Holds decision 0003.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, HoleCards, Seat, UserId
from policy.sealed import Sealed, open_sealed
from policy.spectator_policy import CLOSED, RevealOptions


@dataclass(frozen=True, slots=True)
class PastAgent:
    """An agent and its owner: at the deal for a player, now for a reader."""

    agent_id: AgentId
    owner: UserId | None


@dataclass(frozen=True, slots=True)
class PastPerson:
    """A person, who played or who reads."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class Stranger:
    """Anybody, signed in or not, and the operator."""


Player: TypeAlias = PastAgent | PastPerson
Reader: TypeAlias = PastAgent | PastPerson | Stranger


class Disclosed(enum.Enum):
    """How far the cards of a seat went while the hand was on."""

    NO = "no"
    STREAMED = "streamed"
    """A `show_hands` stream has really shown them, after its delay; they were not face up."""
    FACE_UP = "face_up"
    """Everybody saw them: a run-out, a showdown, or by choice."""


class Ending(enum.Enum):
    FINISHED = "finished"
    CANCELLED = "cancelled"


class PublicStream(enum.Enum):
    """Whether the public stream has shown this hand to its end."""

    DONE = "done"
    BEHIND = "behind"
    """A delayed stream has not: for who depends on it the hand is not there yet."""


@dataclass(frozen=True, slots=True)
class PastSeat:
    """One seat that was dealt in, and who played it."""

    seat: Seat
    player: Player
    cards: Sealed[HoleCards]
    disclosed: Disclosed


@dataclass(frozen=True, slots=True)
class PastHand:
    """All that the gate asks about a hand that is over. `options`: what the table revealed at the deal."""

    ending: Ending
    public_stream: PublicStream
    options: RevealOptions
    seats: tuple[PastSeat, ...]


def compute_disclosed_hole_cards(*, reader: Reader, hand: PastHand) -> Mapping[Seat, HoleCards]:
    """The hole cards in this reader's history of the hand, by seat, in the order of `hand.seats`; opens no other seal.

    Raises PolicyRefusal `not_found` while the hand is not there yet for this reader: they get nothing of it.
    Raises AssertionError for a reader, an ending or a state of the stream that it does not know.
    """
    _refuse_before_the_public_stream(reader, hand)
    match hand.ending:
        case Ending.FINISHED:
            return {past.seat: open_sealed(past.cards) for past in hand.seats if _is_disclosed(reader, past)}
        case Ending.CANCELLED:
            return {}
        case _:
            assert_never(hand.ending)


def _refuse_before_the_public_stream(reader: Reader, hand: PastHand) -> None:
    match hand.public_stream:
        case PublicStream.DONE:
            return
        case PublicStream.BEHIND:
            if not _is_ahead_of_the_public(reader, hand):
                raise PolicyRefusal(RefusalCode.NOT_FOUND, "no such hand")
        case _:
            assert_never(hand.public_stream)


def _is_ahead_of_the_public(reader: Reader, hand: PastHand) -> bool:
    """Whoever played the hand is; the owner of an agent in it at closed tables only, where that part is live."""
    played = any(past.player == reader for past in hand.seats)
    owned = any(_is_own(reader, past.player) for past in hand.seats)
    return played or (owned and hand.options == CLOSED)


def _is_disclosed(reader: Reader, past: PastSeat) -> bool:
    # Asked before anything is answered: a reader that is not of the list gets no card, not even one that all have seen.
    own, of_the_public = _is_own(reader, past.player), _is_of_the_public(reader)
    match past.disclosed:
        case Disclosed.FACE_UP:
            return True
        case Disclosed.STREAMED:
            return own or of_the_public
        case Disclosed.NO:
            return own
        case _:
            assert_never(past.disclosed)


def _is_of_the_public(reader: Reader) -> bool:
    match reader:
        case Stranger() | PastPerson():
            return True
        case PastAgent():
            return False
        case _:
            assert_never(reader)


def _is_own(reader: Reader, player: Player) -> bool:
    match reader:
        case PastAgent():
            return player == reader
        case PastPerson(user_id=user_id):
            return player == reader or (isinstance(player, PastAgent) and bool(user_id) and player.owner == user_id)
        case Stranger():
            return False
        case _:
            assert_never(reader)
