"""From a message and the identity that sent it to a command for the room. Pure.

The identity comes from the connection; whatever a message says of people is not read (test_identity_comes_from_the_connection).
"""

from __future__ import annotations

from collections.abc import Container
from typing import TypeAlias

from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.table import commands
from gameserver.table.commands import (
    AgentPlayer,
    Command,
    Player,
    PlayerId,
    SitOutWhen,
    UserPlayer,
    agent_player_id,
    player_id,
)
from gameserver.wire import messages
from policy.ids import AgentId, Seat, TurnId

SeatRequest: TypeAlias = (
    messages.Stand
    | messages.Leave
    | messages.SitOut
    | messages.SitIn
    | messages.Rebuy
    | messages.Straddle
    | messages.PostBlind
    | messages.WaitForBigBlind
    | messages.Action
    | messages.ShowCards
    | messages.AgentStatus
    | messages.UsePower
)


def player_of(identity: Identity, *, house_agents: Container[AgentId]) -> Player:
    """Who would sit. Refuses somebody without a credential: a spectator plays nothing."""
    match identity:
        case AgentIdentity():
            return AgentPlayer(
                agent_id=identity.agent_id,
                owner=identity.owner,
                version_id=identity.version_id,
                hosted=identity.hosted,
                model=identity.model,
                house=identity.agent_id in house_agents,
            )
        case UserIdentity(user_id=user_id):
            return UserPlayer(user_id)
        case Nobody():
            raise Refusal(ErrorCode.NOT_ALLOWED, "a spectator cannot do this")


def player_id_of(identity: Identity) -> PlayerId:
    """The player whom an identity speaks for. Refuses `Nobody`."""
    if isinstance(identity, AgentIdentity):  # as nearly each time
        return agent_player_id(identity.agent_id)
    return player_id(player_of(identity, house_agents=frozenset()))


def command_of(message: SeatRequest, player: PlayerId) -> Command:
    """The command that a message of a player asks for."""
    match message:
        case messages.Stand():
            return commands.Stand(player)
        case messages.Leave():
            return commands.Leave(player)
        case messages.SitOut(when=when):
            return commands.SitOut(player, SitOutWhen(when))
        case messages.SitIn():
            return commands.SitIn(player)
        case messages.Rebuy(amount=amount):
            return commands.Rebuy(player, amount)
        case messages.Straddle():
            return commands.WishStraddle(player)
        case messages.PostBlind():
            return commands.PostBlind(player)
        case messages.WaitForBigBlind():
            return commands.WaitForBigBlind(player)
        case messages.Action(turn_id=turn_id, action=action, amount=amount):
            return commands.Act(player, TurnId(turn_id), action, None if amount is UNSET else amount)
        case messages.ShowCards():
            return commands.ShowCards(player)
        case messages.AgentStatus(turn_id=turn_id):
            return commands.ReportProviderDown(player, TurnId(turn_id))
        case messages.UsePower(power=power, target=target):
            return commands.UsePower(player, power, Seat(target))
