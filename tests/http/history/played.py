"""Random hands through the real room, its seats as restless as at a real table: late posts, dead buttons, straddles, antes.

What comes out is what the store would give back: each result goes through the writer and the reader of finished hands.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gameserver.errors import Refusal
from gameserver.hand.deck import Deck, scripted_deck, secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.http.history.disclosed import FinishedHand, disclose
from gameserver.store.disclosure import UNKNOWN
from gameserver.store.hand_record import read_hand, write_hand
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from gameserver.table import commands
from gameserver.table.commands import AgentPlayer, Command, player_id
from gameserver.table.facts import Fact, HandBegan, HandEnded, HandResult
from gameserver.table.memory import new_memory
from gameserver.table.options import AnteKind, TableOptions
from gameserver.table.room import Room
from policy.history_policy import Stranger
from policy.ids import DECK, AgentId, AgentVersionId, Card, HoleCards, Seat, TableId, TurnId, UserId
from policy.sealed import open_sealed
from policy.table_kind import TableKind

TABLE: Final = TableId("t-1")
BEGAN_MS: Final = 1_700_000_000_000
SMALL, BIG = 5, 10


def player(number: int) -> AgentPlayer:
    return AgentPlayer(AgentId(f"a{number}"), UserId(f"o{number}"), AgentVersionId("v"), hosted=False, model=None)


def options(dice: random.Random) -> TableOptions:
    """Two to eight seats; no ante, one from each, or the big blind's; straddles allowed at every other table."""
    ante = dice.choice((0, 0, 1, 3, BIG))
    return TableOptions(
        name='The "Größte" \\ table',
        kind=TableKind.AGENT,
        max_seats=dice.choice((2, 3, 4, 6, 6, 8)),
        small_blind_chips=SMALL,
        big_blind_chips=BIG,
        min_buy_in_chips=1,
        max_buy_in_chips=1_000,
        created_by=UserId("o0"),
        ante_chips=ante,
        ante_kind=dice.choice(tuple(AnteKind)),
        straddle=dice.random() < 0.5,
    )


class RestlessTable:
    """One table; `hands` are played on it one after the other."""

    def __init__(self, seed: int, *, secure: bool) -> None:
        self.dice = random.Random(seed)
        self.secure = secure
        self.options = options(self.dice)
        self.now_ms = 0
        turns = map(str, itertools.count(1))
        self.room = Room(
            options=self.options,
            memory=new_memory(Seat(0)),
            new_turn_id=lambda: TurnId(next(turns)),
            now_ms=0,
            platform_models=frozenset(),
        )
        for number in range(self.options.max_seats):
            self.seat(number)

    def hands(self, count: int) -> Iterator[HandResult]:
        for _ in range(count):
            self.unrest()
            result = self.hand()
            if result is not None:
                yield result

    def seat(self, number: int) -> None:
        low, high = self.dice.choice(((1, 15), (10, 60), (30, 400), (500, 1000)))
        self.attempt(commands.Sit(player(number), f"Agent {number}", Seat(number), self.dice.randint(low, high)))
        self.attempt(commands.Connect(player_id(player(number))))

    def unrest(self) -> None:
        """Somebody leaves, comes, sits out or in, posts, straddles, or buys chips."""
        for number in range(self.options.max_seats):
            who = player_id(player(number))
            for chance, command in (
                (0.08, commands.SitOut(who, commands.SitOutWhen.NEXT_HAND)),
                (0.3, commands.SitIn(who)),
                (0.5, commands.PostBlind(who)),
                (0.4, commands.WishStraddle(who)),
                (0.5, commands.Rebuy(who, self.dice.choice((5, 30, 300)))),
                (0.04, commands.Leave(who)),
            ):
                if self.dice.random() < chance:
                    self.attempt(command)
            if self.dice.random() < 0.5:
                self.seat(number)

    def hand(self) -> HandResult | None:
        if not self.room.wants_hand():
            return None
        for fact in self.receive(commands.BeginHand()):
            if isinstance(fact, HandBegan):
                facts = self.receive(commands.Deal(self.deck([seat for seat, _ in fact.dealt])))
                return self.result_of(facts) or self.played()
        return None

    def deck(self, order: Sequence[Seat]) -> Deck:
        """A third of the scripted boards are a straight that all play, so that pots are split and odd chips are left over."""
        if self.secure:
            return secure_deck()
        board = [Card(rank + self.dice.choice("cdhs")) for rank in "TJQKA"] if self.dice.random() < 0.33 else []
        rest = [card for card in self.dice.sample(DECK, len(DECK)) if card not in board]
        cards = [*rest[: 2 * len(order) + 5 - len(board)], *board]
        hole: dict[Seat, HoleCards] = {seat: (cards[2 * n], cards[2 * n + 1]) for n, seat in enumerate(order)}
        return scripted_deck(hole=hole, board=cards[-5:], order=order)

    def played(self) -> HandResult:
        while True:
            result = self.result_of(self.move())
            if result is not None:
                return result

    def move(self) -> tuple[Fact, ...]:
        hand = self.room.state(self.now_ms).hand
        assert hand is not None and hand.turn is not None
        turn = hand.turn.turn
        weights = [3 if turn.to_call_chips else 1, 12, *[3] * (len(turn.legal) - 2)]
        action = self.dice.choices(turn.legal, weights)[0]
        amount = None
        if action in (ActionKind.BET, ActionKind.RAISE) and turn.raise_range is not None:
            amount = min(turn.raise_range[1], turn.raise_range[0] + self.dice.choice((0, 0, 7, 500)))
        seat = next(each for each in self.room.state(self.now_ms).seats if each.seat == turn.seat)
        return self.receive(commands.Act(player_id(seat.player), hand.turn.turn_id, action, amount))

    def receive(self, command: Command) -> tuple[Fact, ...]:
        self.now_ms += 100
        return self.room.receive(command, self.now_ms)

    def attempt(self, command: Command) -> None:
        try:
            self.receive(command)
        except Refusal:
            return

    @staticmethod
    def result_of(facts: Sequence[Fact]) -> HandResult | None:
        return next((fact.result for fact in facts if isinstance(fact, HandEnded)), None)


def stored(result: HandResult) -> StoredHand:
    """The hand as it comes out of the store."""
    found, disclosure = read_hand(write_hand(result, UNKNOWN))
    return StoredHand(
        TABLE, result.hand_number, HandStatus.FINISHED, found, BEGAN_MS, BEGAN_MS + 60_000, disclosure=disclosure
    )


def for_a_stranger(table: TableOptions, result: HandResult) -> FinishedHand:
    """The hand for somebody who knows what was face up."""
    hand = disclose(table=StoredTable(TABLE, table, b"", None), hand=stored(result), reader=Stranger(), now_ms=2**50)
    assert isinstance(hand, FinishedHand)
    return hand


def with_all_cards(table: TableOptions, result: HandResult) -> FinishedHand:
    """The hand as nobody may read it: every hole card is known, so that it can be played again."""
    hole = {entry.seat: open_sealed(entry.cards) for entry in result.cards.seats}
    hand = for_a_stranger(table, result)
    return replace(hand, seats=tuple(replace(seat, holds=hole[seat.seat]) for seat in hand.seats))


def cards_of(result: HandResult) -> dict[Seat, tuple[Card, Card]]:
    return {entry.seat: open_sealed(entry.cards) for entry in result.cards.seats}
