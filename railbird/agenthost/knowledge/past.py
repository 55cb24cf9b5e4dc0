"""A finished hand as an agent remembers it: less than the frames it came in, since it is in twenty prompts and twenty records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec
from msgspec import UNSET

from gameserver.wire.messages import PastHand, PlayerAction, PotShare, ShownHand
from railbird.agenthost.knowledge import wording
from railbird.agenthost.knowledge.form import Form


class PlayedMove(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One public action. `amount`: the bet of the seat on the street after it, 0 where it has none."""

    seat: int
    action: str
    street: str
    amount: int = 0


class PlayedHand(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", dict=True):
    """Seats are as in that hand. `your_cards`: empty where the agent was not dealt in. `won`: over all pots."""

    hand_number: int
    board: tuple[str, ...]
    moves: tuple[PlayedMove, ...]
    won: tuple[PotShare, ...]
    shown: tuple[ShownHand, ...] = ()
    your_seat: int | None = None
    your_cards: tuple[str, ...] = ()

    def line(self, form: Form) -> str:
        """The hand in one line, made once."""
        return self._compact if form is Form.COMPACT else self._plain

    @cached_property
    def _compact(self) -> str:
        cards = (
            f"your cards {' '.join(self.your_cards)} in seat {self.your_seat}" if self.your_cards else "not dealt in"
        )
        return "; ".join([f"hand {self.hand_number}", cards, *self._streets(Form.COMPACT), *self._end()])

    @cached_property
    def _plain(self) -> str:
        cards = (
            f"You held {' '.join(self.your_cards)} in seat {self.your_seat}."
            if self.your_cards
            else "You were not dealt in."
        )
        end = "; ".join(self._end())
        return " ".join([f"Hand number {self.hand_number}.", cards, *self._streets(Form.PLAIN), f"In the end: {end}."])

    def _streets(self, form: Form) -> list[str]:
        return wording.streets(
            (wording.Said(move.street, move.seat, move.action, move.amount) for move in self.moves), form
        )

    def _end(self) -> list[str]:
        return [
            f"board {' '.join(self.board) or 'none'}",
            *(f"seat {share.seat} wins {share.amount}" for share in self.won),
            *(f"seat {hand.seat} shows {' '.join(hand.cards)}" for hand in self.shown),
        ]


def played_hand(past: PastHand) -> PlayedHand:
    """What is kept of a hand that the table told."""
    result = past.result
    return PlayedHand(
        hand_number=past.hand_number,
        board=tuple(result.board),
        moves=tuple(_move(action) for action in past.actions),
        won=tuple(_won(share for pot in result.pots for share in pot.winners)),
        shown=tuple(result.shown),
        your_seat=None if past.your_seat is UNSET else past.your_seat,
        your_cards=() if past.your_hole_cards is UNSET else tuple(past.your_hole_cards),
    )


def _move(action: PlayerAction) -> PlayedMove:
    return PlayedMove(action.seat, action.action, action.street.value, action.amount)


def _won(shares: Iterable[PotShare]) -> Iterator[PotShare]:
    chips: dict[int, int] = {}
    for share in shares:
        chips[share.seat] = chips.get(share.seat, 0) + share.amount
    return (PotShare(seat=seat, amount=amount) for seat, amount in chips.items())
