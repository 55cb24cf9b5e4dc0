"""Connections that come, go, replace each other and come back (F24, F25)."""

from __future__ import annotations

import pytest

from gameserver.hand.facts import ActionKind
from gameserver.table.commands import PlayerId
from gameserver.table.facts import PresenceChanged
from gameserver.wire.messages import Action, ChatIn, Sit
from policy.ids import TableId
from policy.table_kind import TableKind
from tests.floor.world import BUY_IN, OPEN, Client, World, agent, until, user


def presence(world: World, table: TableId) -> list[bool]:
    return [seat.connected for seat in world.state(table).seats]


async def test_the_newer_connection_of_an_agent_replaces_the_older(world: World) -> None:
    """The older is told 4409 and has no say any more; cards and turns come to the newer one."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    newer = await world.enter(table, agent("ann"))
    assert await ann.is_closed() == 4409
    assert newer.outlet.last("snapshot")["state"]["yourHoleCards"]
    sent = len(ann.messages)
    turn = world.turn(table)[1]
    ann.send(Action(turn_id=turn, action=ActionKind.FOLD))
    await newer.ask(ChatIn(text="is anybody there"))  # answered, so what came before it was carried out
    assert world.turn(table)[1] == turn
    await world.play_hand(table)
    assert len(ann.messages) == sent
    assert "hand_result" in newer.kinds()


async def test_the_late_close_of_a_replaced_connection_changes_nothing(world: World) -> None:
    """The seat stays taken and connected, and the newer connection keeps its stream."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    newer = await world.enter(table, agent("ann"))
    ann.leave()
    await newer.ask(ChatIn(text="is anybody there"))
    assert presence(world, table) == [True, True]
    assert len(world.task(table)._parts.lines.callers.of_player(PlayerId("agent:ann"))) == 1
    await world.play_hand(table)
    assert "hand_result" in newer.kinds()
    assert not any(isinstance(f, PresenceChanged) and not f.connected for _, f in world.facts)


async def test_two_sits_at_once_leave_one_seat(world: World) -> None:
    """Of one agent for two seats, and of two agents for one seat, the first wins and the second is told why."""
    table = await world.table()
    ann, bob = await world.enter(table, agent("ann")), await world.enter(table, agent("bob"))
    asked = [
        (ann, ann.send(Sit(seat=0, buy_in=BUY_IN))),
        (ann, ann.send(Sit(seat=1, buy_in=BUY_IN))),
        (bob, bob.send(Sit(seat=0, buy_in=BUY_IN))),
    ]
    await until(lambda: all(client._answer(request) for client, request in asked))
    codes = [(client._answer(request) or {}).get("code") for client, request in asked]
    assert codes == [None, "already_seated", "seat_taken"]
    assert [seat.name for seat in world.state(table).seats] == ["ann"]
    assert await world.chips("owner-of-ann") == 10_000 - BUY_IN and await world.chips("owner-of-bob") == 10_000


async def test_who_comes_back_in_mid_hand_has_lost_nothing(world: World) -> None:
    """The snapshot has every public action of this hand, the recent hands, one's own cards and the open turn (F24)."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    for _ in range(4):
        await world.play_hand(table)
    await world.until_hand(table)
    await world.act(table)
    await world.act(table)
    ann.leave()
    await until(lambda: presence(world, table)[0] is False)
    back = await world.enter(table, agent("ann"))
    snapshot = back.outlet.last("snapshot")
    live = [m for m in bob.messages if m["type"] == "player_action" and m["handNumber"] == 5]
    told = [(m["seat"], m["action"], m["amount"], m["actionIndex"]) for m in live]
    assert [(m["seat"], m["action"], m["amount"], m["actionIndex"]) for m in snapshot["actions"]] == told
    assert [hand["handNumber"] for hand in snapshot["recentHands"]] == [1, 2, 3, 4]
    assert all(hand["yourHoleCards"] for hand in snapshot["recentHands"])
    assert len(snapshot["state"]["yourHoleCards"]) == 2
    to_act = snapshot["state"]["toAct"]
    assert ("yourTurn" in snapshot) == (to_act == 0)


async def test_who_resumes_gets_what_was_missed(world: World) -> None:
    """Each frame once and in order; the same stream goes on."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    point = ann.resume_point()
    ann.leave()
    await until(lambda: presence(world, table)[0] is False)
    back = await world.enter(table, agent("ann"), point)
    await world.play_hand(table)
    numbers = [message["seq"] for message in back.messages if "seq" in message and message["type"] != "resumed"]
    assert numbers == [*range(point.last_seq + 1, point.last_seq + 1 + len(numbers))]
    assert back.kinds()[0] == "resumed" and "snapshot" not in back.kinds()


async def test_a_person_is_away_when_the_last_of_their_connections_is_gone(world: World) -> None:
    """Two tabs are one player; each has the seat's stream."""
    table = await world.table(kind=TableKind.HUMAN)
    first, second = await world.enter(table, user("ann")), await world.enter(table, user("ann"))
    await first.sit(0)
    other = await world.enter(table, user("bob"))
    await other.sit(1)
    await world.until_hand(table)
    assert first.outlet.last("game_state")["yourHoleCards"] == second.outlet.last("game_state")["yourHoleCards"]
    first.leave()
    await second.ask(ChatIn(text="still here"))
    assert presence(world, table) == [True, True]
    second.leave()
    await until(lambda: presence(world, table) == [False, True])


@pytest.mark.parametrize("model", [None, "a model of nobody's"])
async def test_an_outside_process_takes_over_no_seat_at_a_revealing_table(world: World, model: str | None) -> None:
    """The owner of a hosted agent, with a token that no hosting service signed, is turned away, and the agent plays on."""
    table = await world.table(reveal=OPEN)
    ann, _ = await world.seated(table, "ann", "bob", model="house")
    await world.until_hand(table)
    outside = world.client(table, agent("ann", model=model))
    assert world.floor.attach(table, outside.connection, None)
    assert await outside.is_closed() == 4403
    expected = "seat_needs_hosted_agent" if model is None else "seat_needs_platform_model"
    assert outside.outlet.last("error")["code"] == expected
    assert "snapshot" not in outside.kinds() and "yourHoleCards" not in outside.text
    assert ann.outlet.closes == []
    await world.play_hand(table)
    assert "hand_result" in ann.kinds() and len(outside.messages) == 1


async def test_the_same_token_is_good_without_the_seat_and_at_a_closed_table(world: World) -> None:
    """The rule is about who plays a seat under reveals."""
    closed, revealing = await world.table(), await world.table(reveal=OPEN)
    await world.seated(closed, "ann")
    assert "snapshot" in (await world.enter(closed, agent("ann", model="house"))).kinds()
    assert "snapshot" in (await world.enter(closed, agent("ann"))).kinds()
    assert "snapshot" in (await world.enter(revealing, agent("ann"))).kinds()


async def test_a_spectator_comes_and_goes_without_a_trace(world: World) -> None:
    """No frame to a seat tells of watchers, their number, or their coming and going."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    seen = [len(client.messages) for client in (ann, bob)]
    watchers: list[Client] = [await world.enter(table), await world.enter(table, user("carl"))]
    for watcher in watchers:
        watcher.leave()
    last = await world.enter(table)
    assert "snapshot" in last.kinds()
    assert [len(client.messages) for client in (ann, bob)] == seen
