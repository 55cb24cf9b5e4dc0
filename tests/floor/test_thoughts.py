"""What agents think: to whom it goes, when, and what becomes of a decision."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from gameserver.hand.facts import ActionKind
from gameserver.table import commands
from gameserver.table.options import Clocks
from gameserver.wire.messages import Action, AgentDecision, AgentThoughtIn, ChatIn
from policy.ids import TableId
from policy.spectator_policy import CLOSED, RevealOptions
from tests.floor.world import NOT_SOON_MS, Broken, Client, World, agent, once, until, user

THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)
MARK = "I hold the nuts"


def sent(world: World, kind: str) -> list[tuple[Any, Any]]:
    """(audience, frame) of everything of a kind that the door was given."""
    return [(entry[1], entry[4]) for entry in world.journal.entries if entry[0] == "door" and entry[2] == kind]


async def asked(world: World, **changed: Any) -> tuple[TableId, Client, str, list[Client]]:
    """A table where an agent is asked: its client, the turn, and everybody's clients."""
    table = await world.table(**changed)
    seated = await world.seated(table, "ann", "bob", model="house")
    others = [
        await world.enter(table, agent("stray")),
        await world.enter(table),
        await world.enter(table, user("carl")),
    ]
    await world.until_hand(table)
    client, turn_id, _ = world.turn(table)
    return table, client, turn_id, [*seated, *others]


@pytest.mark.parametrize("reveal", [CLOSED, THOUGHTS])
async def test_a_thought_goes_to_the_owner_and_to_nobody_else_before_the_action(
    world: World, reveal: RevealOptions
) -> None:
    """Not to the agent itself, an opponent, an agent without a seat, or the public of a showThoughts table."""
    _, client, turn_id, everybody = await asked(world, reveal=reveal)
    assert (await client.ask(AgentThoughtIn(turn_id=turn_id, text=MARK)))["type"] == "ack"
    owner = client.connection.identity.owner  # type: ignore[union-attr]
    assert [to for to, _ in sent(world, "AgentThought")] == [owner]
    assert all(MARK not in each.text for each in everybody)


async def test_once_the_table_has_the_action_a_thought_is_public_where_thoughts_are_shown(world: World) -> None:
    """To watchers, after the action; to no agent's connection."""
    table, client, turn_id, everybody = await asked(world, reveal=THOUGHTS)
    await client.ask(AgentThoughtIn(turn_id=turn_id, text=MARK))
    await world.act(table)
    owner = client.connection.identity.owner  # type: ignore[union-attr]
    assert [to for to, _ in sent(world, "AgentThought")] == [owner, "public"]
    *agents, watcher, carl = everybody
    for each in (watcher, carl):
        await each.sees("agent_thought")
        moves = [i for i, kind in enumerate(each.kinds()) if kind == "player_action"]
        assert each.kinds().index("agent_thought") > moves[-1]
    assert all(MARK not in each.text for each in agents)


async def test_at_other_tables_a_thought_stays_with_the_owner(world: World) -> None:
    """Also when the hand is over."""
    table, client, turn_id, everybody = await asked(world, reveal=CLOSED)
    await client.ask(AgentThoughtIn(turn_id=turn_id, text=MARK))
    await world.play_hand(table)
    assert len(sent(world, "AgentThought")) == 1
    assert all(MARK not in each.text for each in everybody)


@pytest.mark.parametrize(
    ("decided", "amount", "moved", "total", "fate"),
    [
        (ActionKind.CALL, None, ActionKind.CALL, None, "recorded"),
        (ActionKind.RAISE, 60, ActionKind.RAISE, 60, "recorded"),
        (ActionKind.RAISE, 60, ActionKind.RAISE, 80, "changed"),
        (ActionKind.RAISE, 60, ActionKind.FOLD, None, "changed"),
        (ActionKind.ALL_IN, None, ActionKind.ALL_IN, None, "recorded"),
    ],
)
async def test_a_decision_is_recorded_as_what_the_table_has(
    world: World, decided: ActionKind, amount: int | None, moved: ActionKind, total: int | None, fate: str
) -> None:
    """Provisional at first, then recorded, or changed where the table has another move; to the owner only."""
    _, client, turn_id, everybody = await asked(world, reveal=THOUGHTS)
    wanted = UNSET if amount is None else amount
    assert (await client.ask(AgentDecision(turn_id=turn_id, action=decided, amount=wanted, text=MARK)))["type"] == "ack"
    chips = UNSET if total is None else total
    assert (await client.ask(Action(turn_id=turn_id, action=moved, amount=chips)))["type"] == "ack"
    owner = client.connection.identity.owner  # type: ignore[union-attr]
    told = sent(world, "Decision")
    assert [(to, frame.status) for to, frame in told] == [(owner, "provisional"), (owner, fate)]
    assert {(frame.action, frame.amount, frame.text) for _, frame in told} == {(decided, amount, MARK)}
    assert all(MARK not in each.text for each in everybody)


async def test_a_timeout_changes_a_decision(world: World) -> None:
    """The table moved for the agent, whatever it had decided."""
    _, client, turn_id, everybody = await asked(world, clocks=Clocks(turn_ms=NOT_SOON_MS, time_bank_ms=0))
    await client.ask(AgentDecision(turn_id=turn_id, action=ActionKind.FOLD, text=MARK))
    world.clock.monotonic_shift_ms += NOT_SOON_MS
    await everybody[-1].ask(ChatIn(text="Is anybody there?"))
    await until(lambda: len(sent(world, "Decision")) == 2)
    assert sent(world, "Decision")[1][1].status == "changed"


@pytest.mark.parametrize("how", ["cancelled", "fault"])
async def test_a_decision_about_a_hand_that_did_not_take_place_is_discarded(world: World, how: str) -> None:
    """And its thoughts go to nobody else, at a showThoughts table too."""
    table, client, turn_id, everybody = await asked(world, reveal=THOUGHTS)
    await client.ask(AgentThoughtIn(turn_id=turn_id, text=MARK))
    await client.ask(AgentDecision(turn_id=turn_id, action=ActionKind.CALL, text=MARK))
    if how == "cancelled":
        await world.floor.operate(table, commands.CancelHand("an operator"))
    else:
        world.journal.breaks["send"] = once(Broken())
        await world.move(table)
    await until(lambda: len(sent(world, "Decision")) == 2)
    assert sent(world, "Decision")[1][1].status == "discarded"
    await world.play_hand(table)
    assert len(sent(world, "AgentThought")) == 1
    assert all(MARK not in each.text for each in everybody)


async def test_a_reveal_that_is_switched_off_counts_when_the_thought_would_be_sent(world: World) -> None:
    """The options of the moment of sending, not of thinking."""
    table, client, turn_id, _ = await asked(world, reveal=THOUGHTS)
    await client.ask(AgentThoughtIn(turn_id=turn_id, text=MARK))
    await world.floor.operate(table, commands.NarrowReveal(CLOSED))
    await world.act(table)
    assert len(sent(world, "AgentThought")) == 1


async def test_words_about_another_turn_are_refused(world: World) -> None:
    """Of another player, of a turn that is over, from a person and from an agent without a seat."""
    table, client, turn_id, everybody = await asked(world)
    other = next(each for each in everybody[:2] if each.connection is not client.connection)
    assert await other.refused(AgentThoughtIn(turn_id=turn_id, text=MARK)) == "stale_turn"
    assert await everybody[2].refused(AgentThoughtIn(turn_id=turn_id, text=MARK)) == "not_seated"
    assert await everybody[3].refused(AgentThoughtIn(turn_id=turn_id, text=MARK)) == "not_allowed"
    assert await everybody[4].refused(AgentDecision(turn_id=turn_id, action=ActionKind.FOLD)) == "not_allowed"
    await world.act(table)
    assert await client.refused(AgentThoughtIn(turn_id=turn_id, text=MARK)) == "stale_turn"
    assert sent(world, "AgentThought") == [] and sent(world, "Decision") == []
