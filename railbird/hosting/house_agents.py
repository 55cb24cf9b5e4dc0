"""The agents of the house at tables that ask for some (`houseAgents`): made with the table, playing as long as it is open, there again
after a restart.

Each has an account of its own, since an owner has one seat at a table; the account's name is drawn, so that nobody can sign in as
the house. They are named as what they are, and play by the rules of the house model.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from gameserver.errors import RailbirdError
from gameserver.floor.floor import Floor
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.table.options import TableOptions
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from railbird.agenthost.catalogue import Catalogue
from railbird.agenthost.house.model import house_strategy
from railbird.agenthost.house.styles import STYLES, Style
from railbird.agenthost.registry.versions import Version, version_bytes
from railbird.agenthost.seats.places import Place, PlaceKey
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.tokens import tokens_of
from railbird.client import table_url
from railbird.hosting.bank import top_up
from railbird.wiring.hosting import AgentHosting

_LOG: Final = logging.getLogger(__name__)
LOOK_EVERY_S: Final = 0.5
_BANK_EVERY: Final = 10
"""So many looks, and the accounts are looked at."""
_NUMERALS: Final = ("", " II", " III")


@dataclass(frozen=True, slots=True)
class HousePorts:
    """What they stand on. `url`: where the tables are, as a browser opens it. `new_name`: 128 random bits in text."""

    url: str
    floor: Floor
    people: People
    ledger: Ledger
    hosting: AgentHosting
    catalogue: Catalogue
    new_name: Callable[[], str]


class HouseAgents:
    """Those of one server."""

    def __init__(self, ports: HousePorts) -> None:
        self._ports = ports
        self._places: dict[PlaceKey, Place] = {}
        self._buy_ins: dict[UserId, int] = {}

    async def keep(self, service: Service) -> None:
        """Until cancelled: seat them at new tables, and pay them."""
        looks = 0
        while True:
            try:
                await self._seat(service)
                if looks % _BANK_EVERY == 0:
                    await top_up(self._ports.ledger, self._buy_ins)
            except (SQLAlchemyError, OSError, RailbirdError) as failed:
                _LOG.error("house agents were not seated or paid: %s", type(failed).__name__)
            looks += 1
            await asyncio.sleep(LOOK_EVERY_S)

    async def _seat(self, service: Service) -> None:
        wanted = list(self._wanted())
        for table_id, options, number in wanted:
            if (agent_id_of(table_id, number), table_id) not in self._places:
                place = await self._made(table_id, options, number)
                self._places[place.key] = place
                service.play(place)
        open_keys = {(agent_id_of(table_id, number), table_id) for table_id, _, number in wanted}
        for key in [key for key in self._places if key not in open_keys]:
            del self._places[key]
            service.retire(key)

    def _wanted(self) -> Iterator[tuple[TableId, TableOptions, int]]:
        for table_id, options in self._ports.floor.options().items():
            yield from ((table_id, options, number) for number in range(options.house_agents))

    async def _made(self, table_id: TableId, options: TableOptions, number: int) -> Place:
        agent_id = agent_id_of(table_id, number)
        owner, version = await self._registered(agent_id, number)
        buy_in_chips = options.max_buy_in_chips
        if not options.practice:
            self._buy_ins[owner] = buy_in_chips
            await top_up(self._ports.ledger, {owner: buy_in_chips})
        self._ports.hosting.house_agents.add(agent_id)
        attested = self._ports.catalogue.attested_as(version.model)
        return Place(
            agent_id=agent_id,
            table_id=table_id,
            url=table_url(self._ports.url, table_id),
            mind=self._ports.catalogue.mind(agent_id, version),
            seating=Seating(buy_in_chips),
            tokens=tokens_of(self._ports.hosting.attest, agent_id, owner, lambda version_id: attested),
        )

    async def _registered(self, agent_id: AgentId, number: int) -> tuple[UserId, Version]:
        """Once; after a restart it is there, with the account that it had."""
        people, style = self._ports.people, style_of(number)
        agent = await people.agent(agent_id)
        if agent is None:
            owner = UserId(f"house-{self._ports.new_name()}")
            agent = await people.create_agent(agent_id, name_of(number), owner)
        version = Version(AgentVersionId(f"{agent_id}-v1"), house_strategy(style), seed=_seed(agent_id))
        if await people.version(version.version_id) is None:
            await people.publish_version(agent_id, version.version_id, version_bytes(version))
        return agent.owner, version


def agent_id_of(table_id: TableId, number: int) -> AgentId:
    """The house agents of a table are counted from 0. Nobody else's id begins so: those are drawn, and begin with `a-`."""
    return AgentId(f"house-{table_id}-{number}")


def style_of(number: int) -> Style:
    """Every style in turn."""
    return tuple(STYLES.values())[number % len(STYLES)]


def name_of(number: int) -> str:
    """As the table shows it."""
    return f"House {style_of(number).name}{_NUMERALS[number // len(STYLES)]}"


def _seed(agent_id: AgentId) -> int:
    return random.Random(agent_id).getrandbits(31)
