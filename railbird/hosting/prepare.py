"""From a file to the seats that are to be played: registered agents, the tables they were sent to, the models they have."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from capture.hooks import TurnHooks
from capture.ledger.ledger import Ledger
from capture.recorder import Recorder
from gameserver.floor.clock import SystemClock
from gameserver.identity.keys import KeyUse
from gameserver.store.engine import Database
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from railbird.agenthost.budget import Budgets
from railbird.agenthost.catalogue import Catalogue, UnknownModel
from railbird.agenthost.file.agents import AgentEntry, AgentsFile
from railbird.agenthost.file.toml import Bad
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.shelf import Shelf
from railbird.agenthost.registry.versions import UnreadableVersion, read_version
from railbird.agenthost.seats.places import Place, Tokens
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.seats.tokens import tokens_of
from railbird.client import table_url
from railbird.config import Settings
from railbird.hosting.catalogue import CataloguePorts, catalogue_of
from railbird.hosting.registering import Registered, Registering, known_by_token
from railbird.hosting.tables import Directory
from railbird.wiring.hosting import StoredSeats
from railbird.wiring.signing import HostSigning


class CannotHost(Exception):
    """The host does not start, or has nothing left to play; for people."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for. `variables`: those that the file names, with their values."""

    settings: Settings
    file: AgentsFile
    file_name: str
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rooms:
    """What is open while the host runs. `database`: None where tokens that were given out are enough.

    `recorder`: where there is a buffer. `plugins`: those that the file names.
    """

    database: Database | None
    ledger: Ledger | None
    attest: HostSigning | None
    shelf: Shelf
    recorder: Recorder | None
    plugins: Sequence[TurnHooks]

    @property
    def listeners(self) -> Sequence[TurnHooks]:
        """All that hear of turns."""
        return self.plugins if self.recorder is None else (self.recorder, *self.plugins)


async def registered_agents(wanted: Wanted, rooms: Rooms) -> Sequence[Registered]:
    """The file's agents, in its order. Raises CannotHost with all that is wrong."""
    registering = _registering(wanted, rooms)

    async def one(entry: AgentEntry) -> Registered:
        if entry.token_env is not None:
            return known_by_token(entry, wanted.variables[entry.token_env])
        assert registering is not None and entry.owner is not None, "needs_the_database"
        return await registering.registered(entry, UserId(entry.owner))

    return await _each(wanted, one)


def _registering(wanted: Wanted, rooms: Rooms) -> Registering | None:
    if rooms.database is None:
        return None
    people = people_of(wanted.settings, rooms.database)
    return Registering(people, lambda kind: f"{kind}-{secrets.token_hex(8)}")


async def _each(wanted: Wanted, work: Callable[[AgentEntry], Awaitable[Registered]]) -> Sequence[Registered]:
    """All at once, since a database commits together what comes together; but one agent's seats one after the other."""
    turns: defaultdict[tuple[str | None, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def in_turn(entry: AgentEntry) -> Registered:
        async with turns[entry.owner, entry.name]:
            return await work(entry)

    found = await asyncio.gather(*map(in_turn, wanted.file.agents), return_exceptions=True)
    wrong = [
        _in_words(wanted, number, "name", bad) for number, bad in enumerate(found, start=1) if isinstance(bad, Bad)
    ]
    if wrong:
        raise CannotHost("\n".join(wrong))
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


def _in_words(wanted: Wanted, number: int, field: str, bad: Bad) -> str:
    return f"{wanted.file_name}: agents[{number}].{field}: {bad.code}: {bad.why}"


async def places_of(
    wanted: Wanted, rooms: Rooms, catalogue: Catalogue, directory: Directory, agents: Sequence[Registered]
) -> Sequence[Place]:
    places, wrong = [], []
    for number, (entry, agent) in enumerate(zip(wanted.file.agents, agents, strict=True), start=1):
        try:
            table_id = directory.find(entry.table)
        except Bad as bad:
            wrong.append(_in_words(wanted, number, "table", bad))
            continue
        place = Place(
            agent_id=agent.agent_id,
            table_id=table_id,
            url=table_url(wanted.file.server, table_id),
            mind=catalogue.mind(agent.agent_id, agent.version),
            seating=Seating(entry.buy_in_chips, entry.seat, entry.rebuys),
            tokens=_tokens(rooms, catalogue, agent),
            seated_as=await _seated_as(wanted, rooms, catalogue, agent, table_id),
        )
        places.append(place)
    if wrong:
        raise CannotHost("\n".join(wrong))
    return places


async def _seated_as(
    wanted: Wanted, rooms: Rooms, catalogue: Catalogue, agent: Registered, table_id: TableId
) -> Mind | None:
    """The version that has the seat since an earlier start of this host, as far as it can be played still."""
    if rooms.database is None or agent.token is not None:
        return None
    people = people_of(wanted.settings, rooms.database)
    version_id = await StoredSeats(tables_of(wanted.settings, rooms.database))(agent.agent_id, table_id)
    published = None if version_id is None else await people.version(version_id)
    if published is None or published.version_id == agent.version.version_id:
        return None
    try:
        return catalogue.mind(agent.agent_id, read_version(published.version_id, published.content))
    except (UnreadableVersion, UnknownModel):
        return None


def _tokens(rooms: Rooms, catalogue: Catalogue, agent: Registered) -> Tokens:
    given = agent.token
    if given is not None:

        async def token(version_id: AgentVersionId | None) -> str:
            return given

        return token
    assert rooms.attest is not None, "needs_the_database"
    attested = catalogue.attested_as(agent.version.model)
    use = KeyUse.AGENT if attested is None else KeyUse.HOSTING
    if not rooms.attest.signs(use):
        raise CannotHost(
            f"There is no key that signs for {agent.version.model}: it is not on RAILBIRD_PLATFORM_MODELS, and this host has no "
            "key for agents' tokens. Put it on the list, or give its agents tokens (token_env)."
        )
    return tokens_of(rooms.attest, agent.agent_id, agent.owner, lambda version_id: attested)


def catalogue_for(wanted: Wanted, rooms: Rooms, agents: Sequence[Registered]) -> Catalogue:
    limits = {
        agent.agent_id: entry.daily_budget_usd
        for entry, agent in zip(wanted.file.agents, agents, strict=True)
        if entry.daily_budget_usd is not None
    }
    return catalogue_of(
        wanted.file.models,
        CataloguePorts(
            platform_models=wanted.settings.play.platform_models,
            signs=rooms.attest is not None and rooms.attest.signs(KeyUse.HOSTING),
            variables=wanted.variables,
            shelf=rooms.shelf,
            budgets=Budgets(_spent(rooms.ledger), lambda: time.time_ns() // 1_000),
            limits_usd=limits,
            limit_usd=wanted.file.daily_budget_usd,
        ),
    )


def _spent(ledger: Ledger | None) -> Callable[[AgentId, date], Awaitable[Decimal]]:
    """Where there is no ledger a process knows of its own spending only."""

    async def nothing(agent_id: AgentId, day: date) -> Decimal:
        return Decimal(0)

    return nothing if ledger is None else ledger.spent_usd


def tables_of(settings: Settings, database: Database) -> SqlTableStore:
    """The stored tables; a host only reads them."""
    return SqlTableStore(database, Bookkeeping(SystemClock().wall_ms, settings.store.starting_chips))


def people_of(settings: Settings, database: Database) -> People:
    """The register, in the server's own database."""
    return People(database, Bookkeeping(SystemClock().wall_ms, settings.store.starting_chips))
