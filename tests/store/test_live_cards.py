"""No card of a hand in play is in any row: not in two worlds that differ in nothing but the cards.

Played with the real room, whose memory is what the floor stores. When the hand is over its record is there, whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, get_type_hints

from gameserver.floor.chips import TableChips
from gameserver.hand.deck import scripted_deck
from gameserver.hand.facts import ActionKind
from gameserver.store.accounts import Reason, SeatAccount
from gameserver.store.tables import SqlTableStore
from gameserver.table import memory
from gameserver.table.commands import Act, BeginHand, Connect, Deal, Player, Sit, player_id
from gameserver.table.facts import Fact, HandBegan, HandEnded, TurnOpened
from gameserver.table.room import Room
from policy.ids import Card, HandNumber, HoleCards, Seat, TurnId
from tests.store.conftest import Store
from tests.store.looking import bytes_of
from tests.store.stories import ALICES, BOBS, TABLE, options
from tests.store.test_hand_record import assert_same

SEATS: Final[Mapping[Seat, Player]] = {Seat(0): ALICES, Seat(3): BOBS}
BOARD: Final = tuple(Card(card) for card in ("2d", "3c", "4s", "Jh", "Kc"))
ONE_WORLD: Final[Mapping[Seat, HoleCards]] = {Seat(0): (Card("As"), Card("Ad")), Seat(3): (Card("7h"), Card("2c"))}
THE_OTHER: Final[Mapping[Seat, HoleCards]] = {Seat(0): (Card("9s"), Card("8d")), Seat(3): (Card("Qh"), Card("Qc"))}


class Played:
    """A room and its store, as the floor would lead them."""

    def __init__(self, store: Store) -> None:
        turns = itertools.count()
        self.store = store
        self.chips = TableChips(TABLE, practice=False)
        self.room = Room(
            options=options(),
            memory=memory.new_memory(Seat(0)),
            new_turn_id=lambda: TurnId(f"turn-{next(turns)}"),
            now_ms=0,
        )

    async def sit_and_deal(self, cards: Mapping[Seat, HoleCards]) -> TurnOpened:
        """Two sit down, and a hand is dealt; returns the first decision."""
        room, tables = self.room, self.store.tables
        await tables.create_table(TABLE, options(), memory.encode(room.memory()))
        for seat, player in SEATS.items():
            taken = self.chips.taken(player, 100, Reason.BUY_IN)
            facts = room.receive(Sit(player, f"Player {seat}", seat, 100), 0)
            await tables.change_table(TABLE, [taken, *self.chips.moves(facts, hand_number=None)], self.remembered())
            room.receive(Connect(player_id(player)), 0)
        [began] = [fact for fact in room.receive(BeginHand(), 0) if isinstance(fact, HandBegan)]
        await tables.begin_hand(TABLE, began.hand_number, self.remembered())
        order = [seat for seat, _ in began.dealt]
        return turn_of(room.receive(Deal(scripted_deck(hole=cards, board=BOARD, order=order)), 0))

    def remembered(self) -> bytes:
        return memory.encode(self.room.memory())

    def act(self, turn: TurnOpened, action: ActionKind) -> tuple[Fact, ...]:
        return self.room.receive(Act(player_id(SEATS[turn.turn.seat]), turn.turn_id, action, None), 0)


def turn_of(facts: tuple[Fact, ...]) -> TurnOpened:
    [turn] = [fact for fact in facts if isinstance(fact, TurnOpened)]
    return turn


async def test_two_hands_that_differ_in_their_cards_leave_the_same_rows(
    new_store: Callable[[], Awaitable[Store]],
) -> None:
    """Byte for byte, after the deal and after a move; and nothing in them is one of the cards."""
    rows = []
    for cards in (ONE_WORLD, THE_OTHER):
        played = Played(await new_store())
        turn = await played.sit_and_deal(cards)
        await played.store.tables.change_table(TABLE, [], played.remembered())
        dealt = await bytes_of(played.store.beside)
        played.act(turn, ActionKind.CALL)
        await played.store.tables.change_table(TABLE, [], played.remembered())
        rows.append((dealt, await bytes_of(played.store.beside)))
        assert not any(f'"{card}"'.encode() in part for hole in cards.values() for card in hole for part in rows[-1])
    assert rows[0] == rows[1]


async def test_a_real_hand_is_read_back_whole(store: Store) -> None:
    """From the deal to an all-in and its showdown; the chips of the ledger are the stacks of the room."""
    played = Played(store)
    turn = await played.sit_and_deal(ONE_WORLD)
    facts = played.act(turn_of(played.act(turn, ActionKind.ALL_IN)), ActionKind.CALL)
    [result] = [fact.result for fact in facts if isinstance(fact, HandEnded)]
    moves = played.chips.moves(facts, hand_number=result.hand_number)
    await store.tables.finish_hand(TABLE, result, moves, played.remembered())
    [found] = await store.hands.recent_hands(TABLE, 20)
    assert_same(found, result)
    for seat, stack in result.over.stacks:
        assert await store.ledger.balance_chips(SeatAccount(TABLE, player_id(SEATS[seat]))) == stack


def test_what_begins_a_hand_takes_no_card() -> None:
    """By its type: a table, a number, and the room's bytes."""
    hints = get_type_hints(SqlTableStore.begin_hand)
    assert [*hints.items()][1:3] == [("hand_number", HandNumber), ("memory", bytes)] and len(hints) == 4
