"""Chat: public words, which reach no agent where a watcher sees more than it does."""

from __future__ import annotations

import pytest

from gameserver.wire.messages import ChatIn
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.floor.world import Client, World, agent, user

HANDS = RevealOptions(show_hands=True, show_thoughts=False)
THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)


def heard(client: Client) -> list[str]:
    return [message["text"] for message in client.messages if message["type"] == "chat"]


@pytest.mark.parametrize("reveal", [HANDS, THOUGHTS])
async def test_chat_reaches_no_agent_at_a_revealing_table(world: World, reveal: RevealOptions) -> None:
    """Neither a seated one nor one without a seat; watchers talk among themselves."""
    table = await world.table(reveal=reveal, agent_chat=True)
    ann, bob = await world.seated(table, "ann", "bob", model="house")
    stray = await world.enter(table, agent("stray"))
    watcher, other = await world.enter(table, user("carl")), await world.enter(table)
    assert (await watcher.ask(ChatIn(text="she has aces")))["type"] == "ack"
    assert heard(watcher) == heard(other) == ["she has aces"]
    assert [heard(client) for client in (ann, bob, stray)] == [[], [], []]


async def test_at_a_closed_table_everybody_hears_it(world: World) -> None:
    """With the seat and the name of who spoke."""
    table = await world.table(reveal=CLOSED, agent_chat=True)
    ann, bob = await world.seated(table, "ann", "bob")
    stray, watcher = await world.enter(table, agent("stray")), await world.enter(table)
    assert (await ann.ask(ChatIn(text="nice hand")))["type"] == "ack"
    for client in (ann, bob, stray, watcher):
        assert heard(client) == ["nice hand"]
    said = watcher.outlet.last("chat")
    assert (said["sender"], said["seat"]) == ("ann", 0)


async def test_a_watchers_words_reach_agents_when_the_hand_is_over(world: World) -> None:
    """One player to a hand: people hear them at once, agents after the hand that was in play, once."""
    table = await world.table(kind=TableKind.MIXED)
    ann, _ = await world.seated(table, "ann", "bob")
    stray, carl = await world.enter(table, agent("stray")), await world.enter(table, user("carl"))
    await world.until_hand(table)
    await carl.ask(ChatIn(text="raise now"))
    assert [heard(client) for client in (carl, ann, stray)] == [["raise now"], [], []]
    await world.play_hand(table)
    for client in (ann, stray):
        await client.sees("chat")
        assert client.kinds().index("hand_result") < client.kinds().index("chat")
    await world.play_hand(table)
    assert [heard(client) for client in (carl, ann, stray)] == [["raise now"]] * 3


async def test_who_sits_at_a_revealing_table_hears_nothing_at_another(world: World) -> None:
    """A line at a closed table would be the same whisper; who sits beside it hears the line."""
    revealing, closed = await world.table(reveal=HANDS), await world.table()
    await world.seated(revealing, "ann", model="house")
    await world.seated(closed, "bob")
    carl, ann = await world.enter(closed, user("carl")), await world.enter(closed, agent("ann"))
    bob = await world.enter(closed, agent("bob"))
    await carl.ask(ChatIn(text="she has aces"))
    assert [heard(client) for client in (carl, bob, ann)] == [["she has aces"], ["she has aces"], []]


async def test_who_may_not_chat_is_told_so(world: World) -> None:
    """An agent without a seat or without `agentChat`, and somebody without a credential."""
    table, quiet = await world.table(agent_chat=True), await world.table()
    (ann,) = await world.seated(quiet, "ann")
    stray, watcher = await world.enter(table, agent("stray")), await world.enter(table)
    for client in (ann, stray, watcher):
        assert await client.refused(ChatIn(text="hello")) == "not_allowed"


async def test_people_chat_from_their_seats(world: World) -> None:
    """At a table for people nothing is revealed, and a watcher's line has no seat."""
    table = await world.table(kind=TableKind.HUMAN)
    ann, carl = await world.enter(table, user("ann")), await world.enter(table, user("carl"))
    await ann.sit(0)
    await ann.ask(ChatIn(text="hello"))
    await carl.ask(ChatIn(text="hello back"))
    assert heard(ann) == heard(carl) == ["hello", "hello back"]
    assert "seat" not in carl.outlet.last("chat") and carl.outlet.last("chat")["sender"] == "carl"
