"""What players are called, and what a server draws from chance. It holds no rule."""

from __future__ import annotations

import secrets

from gameserver.floor.floor import Chances
from gameserver.hand.deck import secure_deck
from gameserver.store.people import People
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.table.options import TableOptions
from policy.ids import Seat, TableId, TurnId


class RegisteredNames:
    """`gameserver.floor.ports.Names` from the register of agents and people."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def name_of(self, player: Player) -> str:
        """The registered name, or the id."""
        match player:
            case AgentPlayer(agent_id=agent_id):
                agent = await self._people.agent(agent_id)
                return agent_id if agent is None else agent.name
            case UserPlayer(user_id=user_id):
                return await self._people.user_name(user_id) or user_id


def system_chances() -> Chances:
    """From the operating system's randomness."""
    return Chances(
        new_deck=secure_deck,
        new_turn_id=lambda: TurnId(secrets.token_urlsafe(12)),
        new_table_id=lambda: TableId(f"t-{secrets.token_hex(4)}"),
        first_button=_lot,
    )


def system_name() -> str:
    """128 random bits in text."""
    return secrets.token_urlsafe(16)


def _lot(options: TableOptions) -> Seat:
    return Seat(secrets.randbelow(options.max_seats))
