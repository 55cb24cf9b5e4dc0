"""`railbird host AGENTS.toml`: plays the agents of a file, and what owners deploy, against a server, until it is told to stop."""

from __future__ import annotations

import asyncio
import random
import secrets
import sys
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, Final, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from capture.ledger.ledger import Ledger
from gameserver.floor.clock import SystemClock
from gameserver.http.metrics import Metric
from gameserver.store.engine import DatabaseUrlError, open_database
from railbird import migrations
from railbird.agenthost.catalogue import Catalogue
from railbird.agenthost.models.endpoint import EndpointError
from railbird.agenthost.models.shelf import Shelf
from railbird.agenthost.plugins import UnknownPlugin, load_plugins
from railbird.agenthost.registry.store import Registry
from railbird.agenthost.seats.follower import Follower, FollowerPorts
from railbird.agenthost.seats.places import Place
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.visit import VisitPorts
from railbird.agenthost.turns.pace import Pace
from railbird.hosting.catalogue import names_for_owners
from railbird.hosting.keys import HostKeys, NoKeys
from railbird.hosting.observing import TurnCounts, host_metrics, observers_of
from railbird.hosting.prepare import (
    CannotHost,
    Rooms,
    Wanted,
    catalogue_for,
    people_of,
    places_of,
    registered_agents,
    tables_of,
)
from railbird.hosting.tables import NoServer, ask_directory
from railbird.serving import PortTaken, listen, metrics_served, stop_signals
from railbird.wiring.hosting import RegisteredAgents, StoredSeats
from railbird.wiring.record.buffer_place import buffer_of
from railbird.wiring.record.metrics import record_metrics
from railbird.wiring.record.recording import recorded
from railbird.wiring.settings import record_setup

T = TypeVar("T")

_SERVER_WITHIN_S: Final = 30.0
_LISTENERS_WITHIN_S: Final = 2.0


def run_host(wanted: Wanted) -> int:
    """Until SIGTERM or Ctrl-C. Returns the exit code."""
    try:
        return asyncio.run(_until_signalled(wanted))
    except (CannotHost, NoServer, NoKeys, PortTaken, EndpointError, UnknownPlugin, DatabaseUrlError) as problem:
        return _complain(str(problem))
    except (SQLAlchemyError, OSError) as failed:
        return _complain(f"The database does not answer ({type(failed).__name__}); `railbird doctor` says more.")


def _complain(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


async def _until_signalled(wanted: Wanted) -> int:
    with stop_signals() as stop:
        return await play_until(stop, wanted)


async def play_until(stop: asyncio.Event, wanted: Wanted) -> int:
    """Play until told to stop: 0. Raises CannotHost where there is nothing to play, and what the command tells people."""
    async with AsyncExitStack() as opened:
        rooms = await _opened(wanted, opened)
        asking = ask_directory(wanted.file.server, within_s=_SERVER_WITHIN_S)
        directory = await _unless_stopped(asking, stop)
        if directory is None:
            return 0
        agents = await registered_agents(wanted, rooms)
        catalogue = catalogue_for(wanted, rooms, agents)
        host = _Host(wanted, rooms, catalogue)
        places = await places_of(wanted, rooms, catalogue, directory, agents)
        await host.serve_metrics(opened)
        return await host.play(places, stop)


async def _opened(wanted: Wanted, opened: AsyncExitStack) -> Rooms:
    shelf = await opened.enter_async_context(Shelf(random.Random(secrets.randbits(64))))
    plugins = load_plugins(wanted.file.listeners)
    for each in plugins:
        opened.callback(each.close, _LISTENERS_WITHIN_S)
    if not wanted.file.needs_the_database:
        return Rooms(None, None, None, shelf, None, plugins)
    keys = HostKeys(wanted.settings)
    opened.callback(asyncio.create_task(keys.follow(), name="keys").cancel)
    wanted.settings.store.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = await open_database(wanted.settings.store.database_url, migrate=migrations.upgrade)
    opened.push_async_callback(database.dispose)
    ledger = await opened.enter_async_context(Ledger(database))
    record = record_setup(wanted.settings)
    buffer = opened.enter_context(buffer_of(record))  # the server's own, where one runs on this folder
    recorder = await opened.enter_async_context(recorded(buffer, setup=record, now_ms=SystemClock().wall_ms))
    return Rooms(database, ledger, keys.attest, shelf, recorder, plugins)


async def _unless_stopped(work: Coroutine[Any, Any, T], stop: asyncio.Event) -> T | None:
    """What the work gives; None where the host was told to stop before."""
    working, told = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    await asyncio.wait({working, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if not working.done():
        working.cancel()
        return None
    return working.result()


# --- playing ------------------------------------------------------------------------------------------------------------


class _Host:
    """The seats of the file and those of owners, from the start to the end."""

    def __init__(self, wanted: Wanted, rooms: Rooms, catalogue: Catalogue) -> None:
        self._wanted, self._rooms = wanted, rooms
        self._counts = TurnCounts()
        charge = None if rooms.ledger is None else rooms.ledger.charge
        self._observers = observers_of(self._counts, charge, rooms.listeners)
        pace = Pace(least_ms=wanted.settings.play.min_turn_ms)
        ports = VisitPorts(self._observers, pace, lambda place: random.Random(secrets.randbits(64)))
        self._follower = _follower(wanted, rooms, catalogue)
        self._of_the_file = Service(ports)
        self._deployed = Service(ports, self._follower.ended if self._follower else lambda key, problem: None)

    async def serve_metrics(self, opened: AsyncExitStack) -> None:
        """On loopback, where the file says so."""
        port = self._wanted.file.metrics_port
        if port is None:
            return
        listener = opened.enter_context(listen("127.0.0.1", port))
        await opened.enter_async_context(metrics_served(self._metrics, listener))
        _say(f"Metrics are on http://127.0.0.1:{listener.getsockname()[1]}/metrics")

    def _metrics(self) -> Sequence[Metric]:
        of_turns = host_metrics((self._of_the_file, self._deployed), self._counts, self._observers)
        if self._rooms.ledger is None:
            return of_turns
        return [*of_turns, *record_metrics(self._rooms.ledger, self._rooms.recorder)]

    async def play(self, places: Sequence[Place], stop: asyncio.Event) -> int:
        """Until told to stop: 0. Raises CannotHost where nothing is left to play."""
        following = None
        if self._follower is not None:
            following = asyncio.create_task(self._follower.follow(self._deployed), name="follower")
        for place in places:
            self._of_the_file.play(place)
        _say(f"Hosting {_agents(len(places))} at {self._wanted.file.server}{_and_deployments(following)}.")
        try:
            await self._until(stop, following)
        finally:
            await self._end(following)
        return 0

    async def _until(self, stop: asyncio.Event, following: asyncio.Task[None] | None) -> None:
        told = asyncio.create_task(stop.wait())
        over = following or asyncio.create_task(self._of_the_file.wait())
        await asyncio.wait({told, over}, return_when=asyncio.FIRST_COMPLETED)
        was_told = told.done()
        for task in (told, over):
            if task is not following:
                task.cancel()
        if was_told:
            _say("Stopping: open turns may end.")
            return
        if following is not None and following.done():
            following.result()
        raise CannotHost(self._why_nothing_is_left())

    async def _end(self, following: asyncio.Task[None] | None) -> None:
        if following is not None:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
        within_s = self._wanted.file.stop_within_s
        late = sum(await asyncio.gather(self._of_the_file.stop(within_s), self._deployed.stop(within_s)))
        if self._follower is not None:
            await self._follower.release()
        if late:
            _say(f"{_agents(late)} did not finish within {within_s:g} s.")

    def _why_nothing_is_left(self) -> str:
        problems = self._of_the_file.problems
        lines = [f"  {agent_id} at {table_id}: {problem}" for (agent_id, table_id), problem in problems.items()]
        return "\n".join(["No seat is left to play.", *lines])


def _follower(wanted: Wanted, rooms: Rooms, catalogue: Catalogue) -> Follower | None:
    if not wanted.file.deployments or rooms.database is None or rooms.attest is None:
        return None
    ports = FollowerPorts(
        host=f"host-{secrets.token_hex(8)}",
        server=wanted.file.server,
        registry=Registry(rooms.database),
        register=RegisteredAgents(people_of(wanted.settings, rooms.database)),
        seated_version=StoredSeats(tables_of(wanted.settings, rooms.database)),
        catalogue=catalogue.only(names_for_owners(wanted.file)),
        attest=rooms.attest,
        now_ms=SystemClock().wall_ms,
        wake=asyncio.Event(),
    )
    return Follower(ports)


def _agents(count: int) -> str:
    return "1 agent" if count == 1 else f"{count} agents"


def _and_deployments(following: object | None) -> str:
    return "" if following is None else ", and what owners deploy there"


def _say(line: str) -> None:
    print(line, flush=True)
