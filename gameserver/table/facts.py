"""What happens at a table, as values: the room's only output, in the order in which it happened.

Facts of the hand in play (`gameserver.hand.facts`) pass through as they are, but for a player's move, which the room tells
as `Moved`, since only the room knows whether a clock forced it.
A fact holds everything that is true; who may see what of it is decided in the views, through policy.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from gameserver.errors import ErrorCode
from gameserver.hand.facts import (
    Acted,
    CardsShown,
    ChipsReturned,
    HandOver,
    HoleDealt,
    Mucked,
    Posted,
    StreetDealt,
    Turn,
)
from gameserver.table.commands import Player, PlayerId
from policy.ids import AgentVersionId, Card, HandNumber, HoleCards, Seat, TurnId
from policy.reveal_policy import HandCards
from policy.spectator_policy import RevealOptions


class SeatStatus(enum.StrEnum):
    """How a seat stands. Where several hold, the last one in its row counts; the second row is for seats dealt in."""

    READY = "ready"
    WAITING_BIG_BLIND = "waiting_big_blind"
    POSTING = "posting"
    SITTING_OUT = "sitting_out"
    AWAY = "away"
    NO_CHIPS = "no_chips"

    IN_HAND = "in_hand"
    FOLDED = "folded"
    ALL_IN = "all_in"
    LEAVING = "leaving"


class NotDealt(enum.StrEnum):
    """Why an occupied seat got no cards."""

    SITTING_OUT = "sitting_out"
    AWAY = "away"
    NO_CHIPS = "no_chips"
    WAITING_BIG_BLIND = "waiting_big_blind"
    BUTTON_NOT_PASSED = "button_not_passed"


class ForcedCause(enum.StrEnum):
    """Why the table moved for a player."""

    AGENT_SLOW = "agent_slow"
    DISCONNECTED = "disconnected"
    PROVIDER_DOWN = "provider_down"
    LEAVE = "leave"


class LeftBecause(enum.StrEnum):
    STOOD = "stood"
    LEFT = "left"
    SAT_OUT_TOO_LONG = "sat_out_too_long"
    REMOVED = "removed"
    CLOSED = "closed"


class Blind(enum.StrEnum):
    SMALL = "small_blind"
    BIG = "big_blind"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sat down with `buy_in_chips`, taken from the owner's bankroll (or issued, at a practice table)."""

    seat: Seat
    player: Player
    name: str
    buy_in_chips: int


@dataclass(frozen=True, slots=True)
class SeatPaid:
    """Chips of a seat went back to its owner; in mid-hand the seat stays blocked until the hand is over."""

    seat: Seat
    player: Player
    amount_chips: int


@dataclass(frozen=True, slots=True)
class SeatFreed:
    """Nobody holds the seat any more."""

    seat: Seat
    player: Player
    because: LeftBecause


@dataclass(frozen=True, slots=True)
class ChipsBought:
    """A rebuy reached the stack, taken from the owner's bankroll."""

    seat: Seat
    player: Player
    amount_chips: int


@dataclass(frozen=True, slots=True)
class RebuyReserved:
    """A rebuy in mid-hand: the chips left the bankroll, and reach the stack when the hand is over. Told to that player only."""

    seat: Seat
    player: Player
    amount_chips: int


@dataclass(frozen=True, slots=True)
class RebuyReturned:
    """The part of a reserved rebuy that did not fit, or was replaced by a later one, goes back to the bankroll."""

    seat: Seat
    player: Player
    amount_chips: int


@dataclass(frozen=True, slots=True)
class WishDropped:
    """Something accepted earlier cannot be done after all; told to that player only."""

    seat: Seat
    player: PlayerId
    code: ErrorCode


@dataclass(frozen=True, slots=True)
class StatusChanged:
    seat: Seat
    status: SeatStatus


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    seat: Seat
    connected: bool


@dataclass(frozen=True, slots=True)
class Positions:
    """Seats of button and blinds. `button_dead`: nobody who is dealt in has the button. `small_blind`: None where it is dead."""

    button: Seat
    button_dead: bool
    small_blind: Seat | None
    big_blind: Seat


@dataclass(frozen=True, slots=True)
class HandBegan:
    """Hand `hand_number` is planned and nothing is dealt yet; store this first.

    `dealt`: seats in order, first left of the button, each with its stack before any forced bet.
    """

    hand_number: HandNumber
    positions: Positions
    dealt: tuple[tuple[Seat, int], ...]
    not_dealt: tuple[tuple[Seat, NotDealt], ...]
    players: tuple[tuple[Seat, Player], ...]
    """Who plays, by seat dealt in."""


@dataclass(frozen=True, slots=True)
class NoHand:
    """`BeginHand` was asked for, and fewer than two are ready (or the table is paused or closed)."""

    why: str


@dataclass(frozen=True, slots=True)
class TurnOpened:
    """A player is asked. Deadlines are absolute, in the milliseconds of `receive`.

    `turn_ends_at_ms`: end of the turn clock; `acts_for_at_ms`: when, with all banks used up as things stand, the table moves.
    """

    turn_id: TurnId
    turn: Turn
    turn_ends_at_ms: int
    acts_for_at_ms: int
    time_bank_ms: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A move took effect. `cause`: None for the player's own."""

    move: Acted
    cause: ForcedCause | None


@dataclass(frozen=True, slots=True)
class PowerUsed:
    """Public: who used which power on whom; no card."""

    power: str
    by: Seat
    at: Seat


@dataclass(frozen=True, slots=True)
class HandResult:
    """A finished hand, as it is stored and told.

    `contributed`: chips that each seat dealt in put in, net of what was returned. `cards`: all hole cards, sealed.
    `moves`: every forced bet and move in order of `action_index`.
    """

    hand_number: HandNumber
    positions: Positions
    began_with: tuple[tuple[Seat, int], ...]
    players: tuple[tuple[Seat, Player], ...]
    names: tuple[tuple[Seat, str], ...]
    moves: tuple[Posted | Moved, ...]
    board: tuple[Card, ...]
    over: HandOver
    shown: tuple[tuple[Seat, HoleCards], ...]
    contributed: tuple[tuple[Seat, int], ...]
    cards: HandCards


@dataclass(frozen=True, slots=True)
class HandEnded:
    result: HandResult


@dataclass(frozen=True, slots=True)
class HandCancelled:
    """The hand did not take place. `refunds`: chips given back by seat.

    `paid_out`: seats whose player was paid in mid-hand; their refund goes to the bankroll, since they have no stack any more.
    """

    hand_number: HandNumber
    refunds: tuple[tuple[Seat, Player, int], ...]
    why: str
    paid_out: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class TableStatusChanged:
    """`status`: `open`, `paused` or `closed`."""

    status: str


@dataclass(frozen=True, slots=True)
class Renamed:
    name: str


@dataclass(frozen=True, slots=True)
class OptionsChanged:
    """What the table reveals to whom from now on."""

    reveal: RevealOptions


@dataclass(frozen=True, slots=True)
class VersionChanged:
    seat: Seat
    version_id: AgentVersionId


Fact: TypeAlias = (
    SeatTaken
    | SeatPaid
    | SeatFreed
    | ChipsBought
    | RebuyReserved
    | RebuyReturned
    | WishDropped
    | StatusChanged
    | PresenceChanged
    | HandBegan
    | NoHand
    | Posted
    | HoleDealt
    | TurnOpened
    | Moved
    | ChipsReturned
    | StreetDealt
    | CardsShown
    | Mucked
    | PowerUsed
    | HandEnded
    | HandCancelled
    | TableStatusChanged
    | Renamed
    | OptionsChanged
    | VersionChanged
)
