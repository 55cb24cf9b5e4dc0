"""Whose word it is: the connection's identity, and nothing that a message says."""

from __future__ import annotations

import dataclasses
import typing

import msgspec
import pytest

from gameserver.errors import Refusal
from gameserver.floor import dispatch
from gameserver.hand.facts import ActionKind
from gameserver.identity import who
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from gameserver.table import commands
from gameserver.table.commands import PlayerId
from gameserver.wire import messages
from policy.ids import AgentId
from tests.floor.world import BUY_IN, World, agent, user

REQUESTS: list[dispatch.SeatRequest] = [
    messages.Stand(),
    messages.Leave(),
    messages.SitOut(when="next_hand"),
    messages.SitOut(when="next_big_blind"),
    messages.SitIn(),
    messages.Rebuy(amount=5),
    messages.Straddle(),
    messages.PostBlind(),
    messages.WaitForBigBlind(),
    messages.Action(turn_id="t", action=ActionKind.RAISE, amount=40),
    messages.Action(turn_id="t", action=ActionKind.FOLD),
    messages.ShowCards(),
    messages.AgentStatus(turn_id="t", provider_down=True),
    messages.UsePower(power="dealer_peek", target=3),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_identity_comes_from_the_connection(request_: dispatch.SeatRequest) -> None:
    """Each command names the player that it is given; no message has a field that could say another."""
    for player in (PlayerId("agent:ann"), PlayerId("user:bob")):
        command = dispatch.command_of(request_, player)
        assert getattr(command, "player", None) == player
    fields = {field.name for field in msgspec.structs.fields(type(request_))}
    assert not fields & {"player", "agent_id", "user_id", "owner", "name"}


def test_every_request_of_a_seat_becomes_a_command() -> None:
    """None of the union is left out."""
    assert {type(request) for request in REQUESTS} == set(typing.get_args(dispatch.SeatRequest))


def test_an_agents_seat_is_its_tokens() -> None:
    """Owner, version, attestation and model come from the verified token; who is of the house is the server's to say."""
    ann = agent("ann", owner="olga", version="v7", model="house")
    player = dispatch.player_of(ann, house_agents=frozenset())
    assert player == commands.AgentPlayer(ann.agent_id, ann.owner, ann.version_id, True, "house", False)
    assert dispatch.player_of(ann, house_agents=frozenset({AgentId("ann")})) == dataclasses.replace(player, house=True)


def test_an_agent_and_a_user_of_one_name_are_two_players() -> None:
    """`agent:` and `user:` keep them apart."""
    assert dispatch.player_id_of(agent("ann")) != dispatch.player_id_of(user("ann"))


def test_a_spectator_plays_nothing() -> None:
    """Nobody is refused, and is no player."""
    with pytest.raises(Refusal, match="not_allowed"):
        dispatch.player_of(Nobody(), house_agents=frozenset())


def test_identity_is_a_closed_sum() -> None:
    """Three cases and no None: whoever is asked for an identity is told one."""
    assert set(typing.get_args(who.Identity)) == {AgentIdentity, UserIdentity, Nobody}
    assert type(None) not in typing.get_args(who.Identity)
    with pytest.raises(dataclasses.FrozenInstanceError):
        agent("ann").owner = "eve"  # type: ignore[misc,assignment]


async def test_a_seat_answers_to_its_own_connection_alone(world: World) -> None:
    """Another agent's action for the open turn, with its very id, is not taken."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    stranger = await world.enter(table, agent("eve"))
    watcher = await world.enter(table)
    await world.until_hand(table)
    turn_id = world.turn(table)[1]
    assert await stranger.refused(messages.Action(turn_id=turn_id, action=ActionKind.FOLD)) == "not_seated"
    assert await watcher.refused(messages.Action(turn_id=turn_id, action=ActionKind.FOLD)) == "not_seated"
    assert await watcher.refused(messages.Sit(seat=4, buy_in=BUY_IN)) == "not_allowed"
    assert world.turn(table)[1] == turn_id
