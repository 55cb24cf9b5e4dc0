"""The order of things at one table: stored before told, begun before dealt, and no card in a store while it is live."""

from __future__ import annotations

from pathlib import Path

from gameserver.hand.deck import Deck, secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.store.engine import Database
from gameserver.table.facts import HandBegan, HandEnded
from gameserver.wire.messages import Action
from policy.ids import Card
from tests.floor.world import World, once, opened, until


async def test_a_hand_is_dealt_and_told_to_everybody(world: World) -> None:
    """Two sit, a hand begins by itself, and its end is in the books and on every line."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    watcher = await world.enter(table)
    await world.play_hand(table)
    for client in (ann, bob, watcher):
        assert (await client.sees("hand_result"))["handNumber"] == 1
    stored = await world.hands.recent_hands(table, 5)
    assert stored[0].hand_number == 1


async def test_nothing_is_told_before_it_is_stored(world: World) -> None:
    """A seat, a hand's beginning and a hand's end are committed before anybody hears of them."""
    table = await world.table()
    await world.enter(table)
    await world.seated(table, "ann", "bob")
    await world.play_hand(table)
    for commit, frame in (("take_chips", "TableStatus"), ("begin_hand", "HandStarted"), ("finish_hand", "HandResult")):
        assert world.journal.index("store", commit) < world.journal.index("door", "public", frame)


async def test_what_cannot_be_stored_is_not_told(world: World) -> None:
    """The end of a hand that the store refuses reaches nobody; the hand is cancelled instead, and who moved learns that it failed."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    world.journal.breaks["finish_hand"] = once(OSError("the disk is full"))
    while (answer := await world.move(table))["type"] == "ack":
        pass
    assert answer["code"] == "internal"
    await ann.sees("hand_cancelled")
    assert "hand_result" not in ann.kinds()
    assert ("store", "cancel_hand") in [entry[:2] for entry in world.journal.entries]


async def test_a_hand_is_stored_as_begun_before_a_card_is_dealt(world: World) -> None:
    """The deck is asked for after the number and the stacks are committed."""
    asked: list[int] = []

    def deck() -> Deck:
        asked.append(len(world.journal.entries))
        return secure_deck()

    world.new_deck = deck
    table = await world.table()
    await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    assert world.journal.index("store", "begin_hand") < asked[0]


async def test_no_live_card_reaches_the_store(database: Database, tmp_path: Path) -> None:
    """While a hand is in play no file of the database has one of its cards, nor anything that says which they are."""
    dealt: list[Card] = []

    class Noted:
        """A deck that notes what it deals."""

        def __init__(self) -> None:
            self._deck = secure_deck()

        def deal(self) -> Card:
            dealt.append(self._deck.deal())
            return dealt[-1]

    async with opened(database, new_deck=Noted) as world:
        table = await world.table(max_seats=3)
        await world.seated(table, "ann", "bob")
        await world.until_hand(table)
        stored = bytes_of(tmp_path)
        assert b'"begun":{' in stored, "the beginning of the hand is there to be read"
        assert len(dealt) >= 4
        assert [card for card in dealt if f'"{card}"'.encode() in stored] == []
        await world.play_hand(table)
        await until(lambda: any(isinstance(fact, HandEnded) for _, fact in world.facts))
        stored = bytes_of(tmp_path)
        assert all(f'"{card}"'.encode() in stored for card in dealt[:4]), "and once it is over its cards are"


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_tables_do_not_wait_for_each_other(world: World) -> None:
    """A table whose player does not move holds up no other."""
    slow, quick = await world.table(), await world.table()
    await world.seated(slow, "ann", "bob")
    await world.seated(quick, "cid", "dee")
    await world.until_hand(slow)
    for _ in range(3):
        await world.play_hand(quick)
    assert world.state(slow).hand_number == 1


async def test_hands_follow_each_other_by_themselves(world: World) -> None:
    """Numbers count up by one, and the button moves."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    for _ in range(4):
        await world.play_hand(table)
    began = [fact for _, fact in world.facts if isinstance(fact, HandBegan)]
    assert [each.hand_number for each in began][:4] == [1, 2, 3, 4]
    assert [each.positions.button for each in began][:4] == [0, 1, 0, 1]


async def test_the_open_turn_comes_with_a_stale_one(world: World) -> None:
    """An action with another turn's id changes nothing, and its sender is told what it is asked now (F23)."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    client, turn_id, _ = world.turn(table)
    request = Action(turn_id=turn_id, action=ActionKind.CALL)
    first, second = client.send(request), client.send(request)
    await until(lambda: {first, second} <= {m.get("requestId") for m in client.messages})
    answers = {m["requestId"]: m for m in client.messages if m.get("requestId") in (first, second)}
    assert answers[first]["type"] == "ack"
    assert (answers[second]["type"], answers[second]["code"]) == ("error", "stale_turn")
    other, other_turn, _ = world.turn(table)
    stale = await other.ask(Action(turn_id=turn_id, action=ActionKind.FOLD))
    assert stale["code"] == "stale_turn" and stale["turn"]["turnId"] == other_turn
