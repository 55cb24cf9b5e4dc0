"""Starts the demo's server, seats the cast over real connections, says what to open, and ends it all again."""

from __future__ import annotations

import asyncio
import time
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from gameserver.identity.key_files import KeysNotPrivate, StoredKeys, init_keys
from gameserver.identity.keys import KeyUse, UnusableKey
from gameserver.store.ledger import Ledger
from policy.ids import TableId
from railbird.agenthost.house.seat import house_player
from railbird.agenthost.observers import Observers
from railbird.app import Server, Setup, opened
from railbird.client import ClientError
from railbird.config import Settings
from railbird.demo import announcement, bank, cast, first_hand, progress, tables
from railbird.demo.count import HandCount
from railbird.home import HomeTaken, claimed
from railbird.hosting.beside import Beside, HostBeside
from railbird.logs import configure_logs
from railbird.serve import CannotStart, own_origins, setup_of
from railbird.serving import PortTaken, listen, served, stop_signals

_HOST = "127.0.0.1"


def run_demo(settings: Settings, port: int, tables: int, hands: int | None, open_browser: bool) -> int:
    """Deal until stopped, or until each table has `hands` finished. Returns the exit code."""
    configure_logs()
    console = Console()
    try:
        with claimed(settings.store.home):
            return asyncio.run(_run(settings, console, Wanted(port, tables, hands, open_browser)))
    except PortTaken as problem:
        return _cannot_start(
            f"{problem}. Choose another one with --port 8001, or --port 0 for any (make demo DEMO_ARGS='--port 0')."
        )
    except (CannotStart, HomeTaken) as problem:
        return _cannot_start(str(problem))
    except (KeysNotPrivate, UnusableKey) as problem:
        return _cannot_start(f"The keys cannot be used: {problem}.")


def _cannot_start(sentence: str) -> int:
    Console(stderr=True).print(sentence, highlight=False, soft_wrap=True)
    return 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line. `hands`: a table; None: until stopped."""

    port: int
    tables: int
    hands: int | None
    open_browser: bool


@dataclass(frozen=True, slots=True)
class _Seated:
    """Where a part sits."""

    table_id: TableId
    part: cast.Part


async def _run(settings: Settings, console: Console, wanted: Wanted) -> int:
    listener = listen(_HOST, wanted.port)
    port = listener.getsockname()[1]
    keys = init_keys(settings.store.keys_folder, now_s=int(time.time()))
    with listener, stop_signals() as stop, progress.shown(console, wanted=wanted.hands) as told:
        count = HandCount(wanted=wanted.hands, told=told)
        setup = replace(_setup(settings, keys), origins=own_origins(_HOST, port), observe=count.observe)
        async with opened(setup) as server, _host(settings, server, port) as host_beside:
            async with served(server, listener):
                host_beside.start()
                await _play(settings, console, wanted, keys, server, port, count, stop)
            return await _balance(console, server.ledger)


def _setup(settings: Settings, keys: StoredKeys) -> Setup:
    """As configured; but the demo is the hosting service of its own agents, with this folder's key and the model that they have."""
    identity = replace(settings.identity, hosting_key=None)
    setup = setup_of(replace(settings, identity=identity), keys.ring)
    models = setup.floor.platform_models | {cast.MODEL}
    return replace(setup, floor=replace(setup.floor, platform_models=models))


def _host(settings: Settings, server: Server, port: int) -> HostBeside:
    """Beside the cast: for what somebody deploys here, and for house agents at tables that somebody makes."""
    models = {cast.MODEL: "", **settings.play.platform_models}
    return HostBeside(server, Beside(f"http://{_HOST}:{port}", models, settings.play.min_turn_ms))


async def _play(
    settings: Settings,
    console: Console,
    wanted: Wanted,
    keys: StoredKeys,
    server: Server,
    port: int,
    count: HandCount,
    stop: asyncio.Event,
) -> None:
    opened_tables = await tables.open_tables(server.floor, wanted.tables)
    await first_hand.hold(server.floor, opened_tables)
    count.watch(opened_tables)
    seated = [_Seated(table_id, part) for i, table_id in enumerate(opened_tables) for part in cast.cast_of(i)]
    base = f"http://{_HOST}:{port}"
    links = [(each.part.name, f"{base}{await server.sign_in_link(each.part.owner)}") for each in seated]
    shown = [(table_id, tables.shows(server.floor, table_id)) for table_id in opened_tables]
    announcement.tell_what_to_open(console, f"{base}/", shown, links, wanted.hands)
    announcement.tell_what_goes_on(
        console, settings.store.home, [server.floor.state(table_id).hand_number for table_id in opened_tables]
    )
    if wanted.open_browser:
        webbrowser.open(f"{base}/")
    async with asyncio.TaskGroup() as group:
        owners = [each.part.owner for each in seated]
        await bank.top_up(server.ledger, owners)
        working = [group.create_task(bank.keep_solvent(server.ledger, owners))]
        working += [group.create_task(_act(settings, keys, server, port, each)) for each in seated]
        holding = [group.create_task(_release(server, table_id, seated)) for table_id in opened_tables]
        await _first_of(stop, count.enough)
        await _ended(holding)
        await server.stop()  # while the players can still act: hands in play end
        for task in working:
            task.cancel()


async def _release(server: Server, table_id: TableId, seated: Sequence[_Seated]) -> None:
    cast_here = [each.part.agent_id for each in seated if each.table_id == table_id]
    await first_hand.release_when_seated(server.floor, table_id, cast_here)


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """None of them is left half done: a table that stayed held would be so in the next demo too."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _act(settings: Settings, keys: StoredKeys, server: Server, port: int, seated: _Seated) -> None:
    """One part, from its first connection to the end of the demo."""
    part = seated.part
    version = await cast.register(server.people, part)
    player = house_player(
        f"ws://{_HOST}:{port}/games/poker/{seated.table_id}/ws",
        agent_id=part.agent_id,
        version_id=version,
        agent_token=cast.token_source(keys.signing[KeyUse.HOSTING], part, version),
        style=part.style,
        rng=cast.dice(part),
        buy_in_chips=tables.BUY_IN_CHIPS,
        seat=part.seat,
        min_turn_ms=settings.play.min_turn_ms,
        renew_every_s=cast.RENEW_EVERY_S,
        observers=Observers(server.record.listeners, server.record.ledger.charge),
    )
    try:
        await player.run()
    except ClientError:
        if server.floor.has(seated.table_id):
            raise


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


async def _balance(console: Console, ledger: Ledger) -> int:
    """Whether every chip is where the books say. Returns the exit code."""
    differences = await ledger.verify_ledger()
    for each in differences:
        console.print(f"The books are wrong at {each.where}: {each.found_chips}, not {each.expected_chips}.")
    if not differences:
        console.print("Every chip is accounted for.")
    return 1 if differences else 0
