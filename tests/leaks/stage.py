"""A world to attack in: who got what, whose cards are where, and what the log said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from policy.ids import Card, Seat
from tests.leaks.deals import Order, shuffled
from tests.leaks.heard import Heard, listening
from tests.leaks.play import Play
from tests.leaks.script import Action
from tests.leaks.twins import HELD_BACK, without_seals
from tests.leaks.world import Chance, Setting, World

CLOSED: Final = Setting("closed")
REVEALING: Final = Setting("revealing", show_hands=True, show_thoughts=True)
PRIVATE: Final = Setting("private", private=True)
SEED: Final = 11


class Stage:
    """One world, and what a test asks about it."""

    def __init__(self, world: World, heard: Heard) -> None:
        self.world, self.heard = world, heard
        self._play = Play(world)

    def play(self, *actions: Action) -> Stage:
        self._play.run(actions)
        return self

    def got(self, who: str) -> bytes:
        """Every byte that somebody got, by whatever way; but for seals, two letters of which may look like a card."""
        files = self.world.files.items()
        return b"\n".join(without_seals(frame) for (name, _), frames in files if name == who for frame in frames)

    def cards_of(self, who: str, hand: int = 1) -> tuple[Card, Card]:
        """A player's cards in the n-th hand, as the deck was."""
        dealt, order = self.world.record.hands[hand - 1], self.world.chance.orders(hand)
        one, other = dealt.places_of(self.world.seats[who])
        return order[one], order[other]

    def assert_none_of(self, who: str, whose: str, hand: int = 1) -> None:
        """Somebody got bytes, and none of them is a card of somebody else's hand."""
        got = self.got(who)
        assert got, f"{who} got nothing at all"
        for card in self.cards_of(whose, hand):
            assert card.encode() not in got, f"{who} has the {card} of {whose}"

    def assert_nothing_held_back(self) -> None:
        """The views had no fault that the door had to mend."""
        held_back = [line for line in self.heard.lines if any(words in line for words in HELD_BACK)]
        assert not held_back, held_back[0]

    def status(self, who: str, path: str, method: str = "GET", **body: object) -> int:
        """What a request is answered."""
        sent = json.dumps(body).encode() if body else b""
        call = self.world.ask(who, path, method, sent)
        call.drop()
        return call.status


def order_of(hand: int) -> Order:
    return shuffled(SEED, hand)


@contextmanager
def staged(template: Path, setting: Setting = CLOSED) -> Iterator[Stage]:
    """A world, until the end of the block."""
    heard = Heard()
    with TemporaryDirectory() as folder, listening(heard):
        world = World(setting, Chance(order_of, Seat(0)), Path(folder), template)
        try:
            yield Stage(world, heard)
        finally:
            world.close()
