"""What of a table outlives the process, and in which transaction. It decides nothing: the room did.

A deck and a live hand are never here: a hand reaches the store as a number when it begins, and whole when it is over
(test_no_live_card_reaches_the_store).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gameserver.errors import Bug
from gameserver.floor.chips import TableChips
from gameserver.floor.ports import TableStore
from gameserver.floor.shown_live import ShownLive
from gameserver.hand.facts import CardsShown, ShownBecause
from gameserver.store.accounts import ChipMove
from gameserver.table import memory
from gameserver.table.facts import (
    ChipsBought,
    Fact,
    HandBegan,
    HandCancelled,
    HandEnded,
    Moved,
    OptionsChanged,
    RebuyReserved,
    RebuyReturned,
    Renamed,
    SeatFreed,
    SeatPaid,
    SeatTaken,
    StatusChanged,
    TableStatusChanged,
    VersionChanged,
)
from gameserver.table.room import Room
from policy.ids import HandNumber, TableId

_KEPT_AT_ONCE = (
    SeatTaken,
    SeatPaid,
    SeatFreed,
    ChipsBought,
    RebuyReserved,
    RebuyReturned,
    TableStatusChanged,
    Renamed,
    OptionsChanged,
    VersionChanged,
)
"""Facts after which the room is stored even while a hand is played."""


class Keeper:
    """Stores one table's changes."""

    def __init__(self, table_id: TableId, store: TableStore, chips: TableChips, shown_live: ShownLive) -> None:
        self._table_id = table_id
        self._store = store
        self._chips = chips
        self._shown_live = shown_live
        self._kept: memory.RoomMemory | None = None

    async def begin(self, room: Room, began: HandBegan) -> None:
        """Store that a hand began. Only then may it be dealt (test_a_hand_is_stored_as_begun_before_a_card_is_dealt)."""
        await self._store.begin_hand(self._table_id, began.hand_number, self._memory_of(room))
        self._shown_live.begin(began, room.options.reveal)

    async def keep(self, room: Room, facts: Sequence[Fact]) -> None:
        """Store what these facts changed, in one transaction; nothing where nothing of it outlives the process."""
        ended = [fact for fact in facts if isinstance(fact, HandEnded | HandCancelled)]
        if len(ended) > 1:
            raise Bug("two hands ended at once")
        moves = self._chips.moves(facts, hand_number=_playing(room))
        for fact in ended:
            await self._end(fact, moves, room)
        await self._note_shown(room, facts)
        if room.closed:
            await self._store.close_table(self._table_id, () if ended else moves, self._memory_of(room))
            return
        options = room.options if any(isinstance(fact, Renamed | OptionsChanged) for fact in facts) else None
        if not ended and (moves or self._matters(room, facts)):
            await self._store.change_table(self._table_id, moves, self._memory_of(room), options)
        elif ended and options is not None:  # a name that waited for the end of the hand
            await self._store.change_table(self._table_id, (), self._memory_of(room), options)

    async def take(self, room: Room, taken: ChipMove, change: Callable[[], Sequence[Fact]]) -> None:
        """Take chips from a bankroll and let the room change, or refuse both. `change` runs inside the transaction."""

        def then() -> tuple[bytes, Sequence[ChipMove]]:
            moves = self._chips.moves(change(), hand_number=_playing(room))
            return self._memory_of(room), moves

        await self._store.take_chips(self._table_id, [taken], then)

    async def _end(self, fact: HandEnded | HandCancelled, moves: Sequence[ChipMove], room: Room) -> None:
        kept = self._memory_of(room)
        match fact:
            case HandEnded(result):
                shown = self._shown_live.of(result.hand_number)
                await self._store.finish_hand(self._table_id, result, moves, kept, shown)
            case HandCancelled(hand_number=number):
                await self._store.cancel_hand(self._table_id, number, moves, kept)

    async def _note_shown(self, room: Room, facts: Sequence[Fact]) -> None:
        """Who showed their cards by choice, once the hand was over and stored."""
        choices = (fact for fact in facts if isinstance(fact, CardsShown) and fact.because is ShownBecause.CHOICE)
        seats = [fact.seat for fact in choices]
        if seats:
            await self._store.note_shown(self._table_id, room.memory().hand_number, seats)

    def _matters(self, room: Room, facts: Sequence[Fact]) -> bool:
        if any(isinstance(fact, _KEPT_AT_ONCE) for fact in facts):
            return True
        if _playing(room) is None:
            return any(isinstance(fact, StatusChanged) for fact in facts) or self._differs(room)
        # A move leaves the memory as it was, and there are many; a wish in mid-hand changes it, often without a fact.
        return not any(isinstance(fact, Moved) for fact in facts) and self._differs(room)

    def _differs(self, room: Room) -> bool:
        return room.memory() != self._kept

    def _memory_of(self, room: Room) -> bytes:
        self._kept = room.memory()
        return memory.encode(self._kept)


def _playing(room: Room) -> HandNumber | None:
    return room.live_hand_number
