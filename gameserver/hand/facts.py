"""What happens in a hand, as values: the hand engine's only output.

A fact holds everything that is true; who may see what of it is decided elsewhere (`policy.reveal_policy`).
Chips are whole numbers. Cards that somebody may not see are sealed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gameserver.words import ActionKind, ForcedKind, ShownBecause, Street
from policy.ids import ActionIndex, Card, HoleCards, Seat
from policy.sealed import Sealed

__all__ = [
    "Acted",
    "ActionKind",
    "CardsShown",
    "ChipsReturned",
    "ForcedBet",
    "ForcedKind",
    "HandFact",
    "HandOver",
    "HoleDealt",
    "Mucked",
    "Posted",
    "PotResult",
    "ShownBecause",
    "Street",
    "StreetDealt",
    "Turn",
]


@dataclass(frozen=True, slots=True)
class ForcedBet:
    """What a seat owes before the cards: the full amount; the hand takes what the stack has."""

    seat: Seat
    kind: ForcedKind
    amount_chips: int


@dataclass(frozen=True, slots=True)
class Posted:
    """A forced bet was taken. `amount_chips`: what was really posted (above 0). `all_in`: it took the seat's last chips."""

    seat: Seat
    kind: ForcedKind
    amount_chips: int
    action_index: ActionIndex
    all_in: bool = False


@dataclass(frozen=True, slots=True)
class HoleDealt:
    seat: Seat
    cards: Sealed[HoleCards]


@dataclass(frozen=True, slots=True)
class Acted:
    """A player's move took effect.

    `action` is never `all_in`: that is told apart as the call, bet or raise that it was, with `all_in` true.
    `total_chips`: the seat's whole bet on this street after the move ("raise to"). `added_chips`: what this move added.
    """

    seat: Seat
    action: ActionKind
    total_chips: int
    added_chips: int
    all_in: bool
    street: Street
    action_index: ActionIndex


@dataclass(frozen=True, slots=True)
class ChipsReturned:
    """An uncalled part of a bet goes back to the seat that made it."""

    seat: Seat
    amount_chips: int


@dataclass(frozen=True, slots=True)
class StreetDealt:
    """`cards`: the new ones of this street (three, one or one)."""

    street: Street
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardsShown:
    """Cards are face up for everybody from now on."""

    seat: Seat
    cards: HoleCards
    because: ShownBecause


@dataclass(frozen=True, slots=True)
class Mucked:
    """A live hand was not shown at showdown; it stays hidden."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PotResult:
    """One pot, main pot first. `winners`: chips by seat, odd chips included, in order from the left of the button."""

    amount_chips: int
    eligible: tuple[Seat, ...]
    winners: tuple[tuple[Seat, int], ...]


@dataclass(frozen=True, slots=True)
class HandOver:
    """The hand is over and paid.

    `returned`: uncalled chips by seat. `uncontested`: all but one folded, no showdown, no cards shown.
    `stacks`: chips by seat after the hand, for all seats dealt in, in the order dealt.
    `show_order`: the seats that showed, in order.
    """

    pots: tuple[PotResult, ...]
    returned: tuple[tuple[Seat, int], ...]
    uncontested: bool
    stacks: tuple[tuple[Seat, int], ...]
    show_order: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the seat to act may do.

    `legal`: `fold` always; `check` or `call`; `bet` or `raise` where `raise_range` is not None; `all_in` where going all in is
    a call or a legal bet or raise. `to_call_chips`: chips to add (at most the stack; 0: a check is possible).
    `raise_range`: (least, most) total of the street for a bet or raise; least = most for a short all-in; None: none is allowed.
    """

    seat: Seat
    legal: tuple[ActionKind, ...]
    to_call_chips: int
    raise_range: tuple[int, int] | None
    action_index: ActionIndex


HandFact: TypeAlias = Posted | HoleDealt | Acted | ChipsReturned | StreetDealt | CardsShown | Mucked | HandOver
