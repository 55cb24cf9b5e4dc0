"""What a connection asks for: a message becomes a command, chips for a seat are taken in one step with it, and words find
whom they are addressed to. It decides nothing about the game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import dispatch
from gameserver.floor.access import check_occupant, raise_as_refusal
from gameserver.floor.chat import ChatLine
from gameserver.floor.chips import TableChips
from gameserver.floor.keeper import Keeper
from gameserver.floor.ports import Names
from gameserver.floor.requests import Say
from gameserver.floor.settings import FloorSettings
from gameserver.floor.thoughts import Thoughts
from gameserver.identity.who import AgentIdentity, Nobody
from gameserver.store.accounts import Reason
from gameserver.table import commands
from gameserver.table.commands import AgentPlayer, Command, Player, PlayerId
from gameserver.table.facts import Fact
from gameserver.table.room import Room
from gameserver.wire import messages
from policy import whisper_policy
from policy.errors import PolicyRefusal
from policy.ids import Seat
from policy.spectator_policy import RevealOptions
from policy.whisper_policy import Way


@dataclass(frozen=True, slots=True)
class Done:
    """What a request led to. `stored`: whether the facts are stored already."""

    facts: Sequence[Fact]
    stored: bool = False


class Asks:
    """The requests at one table. `sits_at`: the reveals of every table where a player sits, this one and others."""

    def __init__(
        self,
        *,
        keeper: Keeper,
        chips: TableChips,
        names: Names,
        thoughts: Thoughts,
        chat: ChatLine,
        settings: FloorSettings,
        sits_at: Callable[[PlayerId], Collection[RevealOptions]],
    ) -> None:
        self._keeper = keeper
        self._chips = chips
        self._names = names
        self._thoughts = thoughts
        self._chat = chat
        self._settings = settings
        self._sits_at = sits_at

    async def carry_out(self, room: Room, request: Say) -> Done:
        """Carry a message out. Raises Refusal: nothing changed."""
        message = request.message
        match message:
            case messages.Sit():
                return await self._sit(room, request, message)
            case messages.Rebuy():
                return await self._rebuy(room, request, message)
            case messages.AgentThoughtIn() | messages.AgentDecision():
                self._thoughts.hear(room, request.connection.identity, message, request.received_ms)
                return Done(())
            case messages.ChatIn():
                self._chat.say(room, request.connection.identity, message, request.received_ms)
                return Done(())
            case messages.Enter():
                return Done(self._renew(room, request))
            case messages.Resume() | messages.Ping():
                raise Refusal(ErrorCode.ALREADY_ENTERED, "this connection has entered")
            case _:
                command = dispatch.command_of(message, self._seated(room, request))
                return Done(room.receive(command, request.received_ms))

    async def _sit(self, room: Room, request: Say, message: messages.Sit) -> Done:
        player = dispatch.player_of(request.connection.identity, house_agents=self._settings.house_agents)
        name = await self._names.name_of(player)
        command = commands.Sit(player, name, Seat(message.seat), message.buy_in)
        return await self._buy(room, command, player, message.buy_in, Reason.BUY_IN, request.received_ms)

    async def _rebuy(self, room: Room, request: Say, message: messages.Rebuy) -> Done:
        player_id = self._seated(room, request)
        command = commands.Rebuy(player_id, message.amount)
        return await self._buy(
            room, command, room.player_of(player_id), message.amount, Reason.REBUY, request.received_ms
        )

    async def _buy(
        self, room: Room, command: Command, player: Player, amount_chips: int, reason: Reason, now_ms: int
    ) -> Done:
        """Verify, take the chips, and only then let the room change; the last two in one transaction."""
        room.verify(command, now_ms)
        facts: list[Fact] = []

        def change() -> Sequence[Fact]:
            facts.extend(room.receive(command, now_ms))
            return facts

        await self._keeper.take(room, self._chips.taken(player, amount_chips, reason), change)
        return Done(facts, stored=True)

    def _renew(self, room: Room, request: Say) -> Sequence[Fact]:
        """A fresh token, verified where the connection is. Another version of a seated agent waits for the end of the hand, and is
        refused where it could tell the agent something. Without a seat there is nothing to change: it sits as its token says.
        """
        identity = request.connection.identity
        if not isinstance(identity, AgentIdentity):
            raise Refusal(ErrorCode.ALREADY_ENTERED, "this connection has entered")
        player_id = dispatch.player_id_of(identity)
        if room.seat_of(player_id) is None:
            return ()
        check_occupant(room, identity, self._settings.platform_models)
        seated = room.player_of(player_id)
        if isinstance(seated, AgentPlayer) and seated.version_id != identity.version_id:
            self._admit_version(player_id)
        return room.receive(commands.SetVersion(identity.agent_id, identity.version_id), request.received_ms)

    def _admit_version(self, player_id: PlayerId) -> None:
        try:
            whisper_policy.admit_whisper(way=Way.VERSION, sits_at=self._sits_at(player_id))
        except PolicyRefusal as refusal:
            raise_as_refusal(refusal)

    def _seated(self, room: Room, request: Say) -> PlayerId:
        """Whose seat a message is about. A spectator learns no more than an agent without a seat."""
        identity = request.connection.identity
        player = None if isinstance(identity, Nobody) else dispatch.player_id_of(identity)
        if player is None or room.seat_of(player) is None:
            raise Refusal(ErrorCode.NOT_SEATED, "this needs a seat")
        return player
