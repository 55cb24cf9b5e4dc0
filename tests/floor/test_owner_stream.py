"""The owner's stream at the floor: what it is made of, who gets which frame, and that it is a read and no presence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import pytest

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.ports import LastEvent, ResumePoint, Watching
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import Identity, Nobody
from gameserver.table import commands
from gameserver.table.commands import UserPlayer, player_id
from gameserver.views.audience import OwnerAudience
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Leave
from policy.ids import Seat, TableId, UserId
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.floor import world as worlds
from tests.floor.stage import HOLE, OPEN, Stage, Watcher, agent, player, user
from tests.floor.world import Client, World, until

CARD: Final = re.compile(r'"([2-9TJQKA][cdhs])"')


# --- who gets which frames ----------------------------------------------------------------------------------------------

PUBLIC_FRAMES: Final = frozenset(
    {
        "snapshot", "hand_started", "player_action", "street_dealt", "cards_shown", "hand_result", "hand_cancelled", "game_state",
        "power_used", "presence", "table_status", "table_options", "chat",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Gets:
    """What a viewer gets: kinds of frames beside the public ones; whose hole cards; whose thoughts. By seat."""

    more: frozenset[str]
    cards: frozenset[int]
    thoughts: frozenset[int]
    chat: bool = True


def gets(*more: str, cards: set[int], thoughts: set[int], chat: bool = True) -> Gets:
    return Gets(frozenset(more), frozenset(cards), frozenset(thoughts), chat)


NOBODY_SHOWED: Final[set[int]] = set()
VIEWERS: Final[dict[str, tuple[Identity, Watching | None]]] = {
    "spectator": (Nobody(), None),
    "spectator, stream": (Nobody(), Watching.PUBLIC),
    "signed in": (user("guest"), None),
    "owner, public stream": (user("o0"), Watching.PUBLIC),
    "owner, socket": (user("o0"), None),
    "owner, owner stream": (user("o0"), Watching.OWNER),
    "rival's owner": (user("o1"), Watching.OWNER),
    "agent without a seat": (agent("stray"), None),
    "agent of the owner, without a seat": (agent("spare", owner="o0"), None),
    "the agent": (agent("a0"), None),
    "a rival": (agent("a1"), None),
}
CLOSED_TABLE: Final = {
    "spectator": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "spectator, stream": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "signed in": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "owner, public stream": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "owner, socket": gets("own_cards", "agent_thought", "decision", cards={0, 1}, thoughts={0}),
    "owner, owner stream": gets("own_cards", "agent_thought", "decision", cards={0, 1}, thoughts={0}),
    "rival's owner": gets("own_cards", "agent_thought", "decision", cards={1}, thoughts={1}),
    "agent without a seat": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "agent of the owner, without a seat": gets(cards=NOBODY_SHOWED, thoughts=set()),
    "the agent": gets("your_turn", cards={0, 1}, thoughts=set()),
    "a rival": gets("your_turn", cards={1}, thoughts=set()),
}
"""Seat 0 peeked at seat 1, by a power of the rules: so it has that hand, and so has its owner."""
REVEALING_TABLE: Final = {
    "spectator": gets("agent_thought", cards={0, 1, 2}, thoughts={0, 1}),
    "spectator, stream": gets("agent_thought", cards={0, 1, 2}, thoughts={0, 1}),
    "signed in": gets("agent_thought", cards={0, 1, 2}, thoughts={0, 1}),
    "owner, public stream": gets("agent_thought", cards={0, 1, 2}, thoughts={0, 1}),
    "owner, socket": gets("own_cards", "agent_thought", "decision", cards={0, 1, 2}, thoughts={0, 1}),
    "owner, owner stream": gets("own_cards", "agent_thought", "decision", cards={0, 1, 2}, thoughts={0, 1}),
    "rival's owner": gets("own_cards", "agent_thought", "decision", cards={0, 1, 2}, thoughts={0, 1}),
    "agent without a seat": gets(cards=NOBODY_SHOWED, thoughts=set(), chat=False),
    "agent of the owner, without a seat": gets(cards=NOBODY_SHOWED, thoughts=set(), chat=False),
    "the agent": gets("your_turn", cards={0, 1}, thoughts=set(), chat=False),
    "a rival": gets("your_turn", cards={1}, thoughts=set(), chat=False),
}


@pytest.mark.parametrize("name", VIEWERS)
@pytest.mark.parametrize(
    ("reveal", "table"), [(CLOSED, CLOSED_TABLE), (OPEN, REVEALING_TABLE)], ids=["closed", "revealing"]
)
def test_who_gets_which_frames(reveal: RevealOptions, table: dict[str, Gets], name: str) -> None:
    """One hand that ends without a showdown, and everything that can be told of it."""
    watcher = watched(reveal, *VIEWERS[name])
    expected = table[name]
    public = PUBLIC_FRAMES - {"cards_shown", "hand_cancelled", "table_options", "presence", "table_status"}
    assert watcher.kinds() == (public if expected.chat else public - {"chat"}) | expected.more
    found = set(CARD.findall(watcher.text))
    assert {seat for seat, cards in HOLE.items() if found & set(cards)} == expected.cards
    assert {seat for seat in (0, 1) if f"thought of {seat}" in watcher.text} == expected.thoughts
    assert ("words of 0" in watcher.text) == ("decision" in expected.more and "o1" not in repr(VIEWERS[name][0]))


def watched(reveal: RevealOptions, identity: Identity, watching: Watching | None) -> Watcher:
    stage = Stage(reveal)
    stage.sit_all()
    watcher = stage.join(identity, watching)
    stage.deal()
    stage.do(commands.UsePower(player_id(player(0)), "dealer_peek", Seat(1)))
    assert stage.think("thought of 0") == "a0"
    stage.decide(ActionKind.CALL, "words of 0")
    stage.act()
    assert stage.think("thought of 1") == "a1"
    stage.decide(ActionKind.CALL)
    stage.act()
    stage.act()
    stage.say(user("guest"), "hello")
    for _ in range(2):
        stage.act(ActionKind.FOLD)
    return watcher


def test_a_thought_reaches_its_owner_once_and_before_anybody() -> None:
    """At once, provisional; the public view has it when the table has the action, and the owner not again."""
    stage = Stage(OPEN)
    stage.sit_all()
    owner, rival, public = stage.owner(), stage.owner("o1"), stage.join()
    stage.deal()
    stage.think("now")
    assert ["now" in each.text for each in (owner, rival, public)] == [True, False, False]
    stage.act()
    assert [each.text.count("now") for each in (owner, rival, public)] == [1, 1, 1]
    order = [frame["type"] for frame in public.frames]
    assert order.index("agent_thought") > order.index("player_action")


def test_the_public_part_of_an_owners_stream_is_the_public_streams() -> None:
    """Frame for frame, but for the numbers: composed from the public path, and not from the agent's."""
    stage = Stage(OPEN)
    stage.sit_all()
    owner, public = stage.owner(), stage.join()
    stage.deal()
    stage.say(user("guest"), "hello")
    stage.play_out()
    own = ("own_cards", "agent_thought", "decision")
    unnumbered = [
        [{**frame, "seq": 0} for frame in each.frames if frame["type"] not in own] for each in (owner, public)
    ]
    assert unnumbered[0] == unnumbered[1]
    assert all("yourHoleCards" not in frame for frame in owner.frames)


def test_an_owners_stream_has_its_own_numbers_and_its_own_resume() -> None:
    """It goes on where it was; and neither the agent's nor another owner's session or id is any place in it."""
    stage = Stage(CLOSED)
    stage.sit_all()
    owner, seated, rival = stage.owner(), stage.join(agent("a0")), stage.owner("o1")
    stage.deal()
    at = owner.last("snapshot")
    back = stage.join(user("o0"), None, ResumePoint(at["session"], at["epoch"], at["seq"]))
    assert back.frames == owner.frames
    for other in (seated, rival):
        at = other.last("snapshot")
        refused = stage.join(user("o0"), None, ResumePoint(at["session"], at["epoch"], at["seq"]))
        assert refused.outlet.closes == [(4440, "resume refused")] and not refused.frames


def test_an_owner_whose_agent_left_has_no_stream_and_cannot_resume_it() -> None:
    """By stream: told, and ended. By socket: the public stream under another epoch. Another owner's goes on."""
    stage = Stage(CLOSED)
    stage.sit_all()
    stream, socket, rival = stage.owner(), stage.join(user("o0")), stage.owner("o1")
    at = socket.last("snapshot")
    stage.do(commands.Leave(player_id(player(0))))
    assert stream.last("error")["code"] == "not_allowed" and stream.outlet.closes == [(4403, "not allowed")]
    assert socket.last("snapshot")["epoch"] != at["epoch"] and "ownCards" not in socket.last("snapshot")
    with pytest.raises(Refusal) as refused:
        stage.owner()
    assert refused.value.code is ErrorCode.NOT_ALLOWED
    back = stage.join(user("o0"), None, ResumePoint(at["session"], at["epoch"], at["seq"]))
    assert "resync" in back.kinds()
    assert stage.door.owners_listening(TableId("t")) == [UserId("o1")]
    stage.say(user("guest"), "on")
    assert rival.last("chat")["text"] == "on" and "chat" not in stream.kinds()


def test_who_leaves_in_mid_hand_keeps_the_owner_to_its_end() -> None:
    """The agent is in the hand until it is over, folded; then the right ends."""
    stage = Stage(CLOSED)
    stage.sit_all()
    owner = stage.owner()
    stage.deal()
    stage.do(commands.Leave(player_id(player(0))))
    assert owner.outlet.closes == []
    stage.play_out()
    assert "hand_result" in owner.kinds() and owner.outlet.closes == [(4403, "not allowed")]


def test_a_signed_in_watchers_socket_becomes_the_owners_when_their_agent_sits_down() -> None:
    """With a snapshot under another epoch."""
    stage = Stage(CLOSED)
    socket, other = stage.join(user("o0")), stage.join(user("o9"))
    stage.sit_all()
    assert socket.outlet.kinds().count("snapshot") == 2 and other.outlet.kinds().count("snapshot") == 1
    stage.deal()
    assert socket.last("own_cards")["cards"] == list(HOLE[Seat(0)]) and "own_cards" not in other.kinds()


def test_who_buys_an_agent_gets_nothing_of_the_hands_before() -> None:
    """The seat is the seller's until it is given up; the buyer's begins with the next sitting, under another stream."""
    stage = Stage(CLOSED)
    stage.sit_all()
    stage.deal()
    with pytest.raises(Refusal):
        stage.owner("buyer")
    stage.act(ActionKind.FOLD)
    stage.play_out()
    stage.do(commands.Leave(player_id(player(0))))
    stage.time.pass_ms(7_200_001)  # else it would have to bring back what it took
    sold = player(0)
    stage.sit(type(sold)(sold.agent_id, UserId("buyer"), sold.version_id, True, "house"), 0)
    buyer = stage.owner("buyer")
    assert "ownCards" not in buyer.last("snapshot") and not set(HOLE[Seat(0)]) & set(CARD.findall(buyer.text))
    with pytest.raises(Refusal):
        stage.owner("o0")


def test_a_person_who_plays_beside_their_agent_has_the_seats_stream_on_a_socket() -> None:
    """A connection carries one stream at a time, and the seat is what it plays."""
    stage = Stage(CLOSED, kind=TableKind.MIXED)
    stage.sit(UserPlayer(UserId("o0")), 3)
    stage.sit(player(1), 1)
    assert stage.join(user("o0")).last("snapshot")["state"]["yourSeat"] == 3
    with pytest.raises(Refusal):
        stage.owner("o0")


# --- a read, and no presence --------------------------------------------------------------------------------------------


async def test_a_stream_is_no_presence(world: World) -> None:
    """Opening, holding and dropping it changes nothing at the table: no fact, no frame to a seat, no timer."""
    table = await world.table(kind=TableKind.MIXED)
    uma = await world.enter(table, worlds.user("uma"))
    await uma.sit(0)
    bob = await world.enter(table, worlds.agent("bob"))
    await bob.sit(1)
    await world.until_hand(table)
    facts, before, due = len(world.facts), len(bob.messages), world.task(table).room.next_due_ms()
    clients = [
        watching(world, table, worlds.user("uma"), Watching.PUBLIC),
        watching(world, table, worlds.user("owner-of-bob"), Watching.OWNER),
        watching(world, table, worlds.user("owner-of-bob"), Watching.OWNER),
    ]
    for client in clients:
        await client.sees("snapshot")
    for client in clients:
        client.leave()
    await until(lambda: len(list(world.task(table)._parts.lines.callers)) == 2)
    assert (len(world.facts), len(bob.messages), world.task(table).room.next_due_ms()) == (facts, before, due)
    assert all(seat.connected for seat in world.state(table).seats)
    uma.leave()
    await until(lambda: not world.state(table).seats[0].connected)


def watching(world: World, table: TableId, identity: Identity, what: Watching, last: str | None = None) -> Client:
    client = world.client(table, identity)
    assert world.floor.watch(table, client.connection, what, None if last is None else LastEvent(last))
    return client


async def test_an_owner_and_their_agent_replace_nobody(world: World) -> None:
    """Neither the one-seat rule nor 4409 meets an owner who watches, by stream or by socket."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    owner = await world.enter(table, worlds.user("owner-of-ann"))
    stream = watching(world, table, worlds.user("owner-of-ann"), Watching.OWNER)
    await stream.sees("snapshot")
    again = await world.enter(table, worlds.agent("ann"))
    assert await ann.is_closed() == CloseCode.REPLACED
    assert owner.outlet.closes == stream.outlet.closes == again.outlet.closes == []
    owner.leave()
    stream.leave()
    await world.play_hand(table)
    assert world.state(table).seats[0].connected


@pytest.mark.parametrize("who", [worlds.user("stranger"), worlds.user("ann"), worlds.agent("ann"), Nobody()])
async def test_who_owns_no_agent_here_is_refused_as_for_a_table_that_is_not_there(world: World, who: Identity) -> None:
    """The same code and the same words; a user with the agent's own name is not its owner."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    hidden = await world.table(private=True)
    said = set()
    for wanted in (table, hidden, TableId("no-such")):
        with pytest.raises(Refusal) as refused:
            world.floor.admit_watcher(wanted, who, Watching.OWNER)
        said.add((refused.value.code, refused.value.why if isinstance(who, type(worlds.user("x"))) else ""))
    assert len(said) == 1 and said.pop()[0] is ErrorCode.NOT_ALLOWED


async def test_a_private_tables_stream_is_not_found_for_who_is_not_invited(world: World) -> None:
    """As for a table that is not there."""
    hidden = await world.table(private=True)
    for wanted in (hidden, TableId("no-such")):
        with pytest.raises(Refusal) as refused:
            world.floor.admit_watcher(wanted, Nobody(), Watching.PUBLIC)
        assert refused.value.code is ErrorCode.NOT_FOUND
    world.floor.admit_watcher(hidden, worlds.user("creator"), Watching.PUBLIC)


async def test_a_stream_outlives_a_fault_of_its_table(world: World) -> None:
    """A new snapshot under a new epoch; the owner's is still the owner's."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    owner = watching(world, table, worlds.user("owner-of-ann"), Watching.OWNER)
    public = watching(world, table, Nobody(), Watching.PUBLIC)
    for client in (owner, public):
        await client.sees("snapshot")
    first = owner.outlet.last("snapshot")["epoch"]
    world.journal.breaks["send"] = worlds.once(worlds.Broken())
    await world.move(table)
    for client in (owner, public):
        await client.sees("snapshot", 2)
    assert owner.outlet.last("snapshot")["epoch"] != first
    await world.until_hand(table)
    await owner.sees("own_cards")
    assert "own_cards" not in public.kinds()


async def test_a_seat_that_is_left_ends_the_owners_stream(world: World) -> None:
    """On the whole floor: the agent leaves, its owner is told, and the table goes on."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    owner = watching(world, table, worlds.user("owner-of-ann"), Watching.OWNER)
    await owner.sees("snapshot")
    ann.send(Leave())
    assert await owner.is_closed() == CloseCode.NOT_ALLOWED
    assert owner.outlet.last("error")["code"] == "not_allowed"
    assert not world.door.has_listeners(table, OwnerAudience(UserId("owner-of-ann")))
