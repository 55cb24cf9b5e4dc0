"""Starts the demo's server, seats the cast over real connections, says what to open, and ends it all again."""

from __future__ import annotations

import asyncio
import time
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from gameserver.identity.key_files import KeysNotPrivate, StoredKeys, init_keys
from gameserver.identity.keys import UnusableKey
from gameserver.store.ledger import Ledger
from policy.ids import TableId
from railbird.agenthost.house.seat import house_mind
from railbird.agenthost.seats.places import Place
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.seats.tokens import tokens_of
from railbird.app import Server, Setup, opened
from railbird.client import table_url
from railbird.config import Settings
from railbird.demo import announcement, cast, first_hand, progress, tables
from railbird.demo.count import HandCount
from railbird.home import HomeTaken, claimed
from railbird.hosting import bank
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
                await _play(settings, console, wanted, server, host_beside, count, stop)
            return await _balance(console, server.ledger)


def _setup(settings: Settings, keys: StoredKeys) -> Setup:
    """As configured; but the demo is the hosting service of its own agents, with this folder's key and the model that they have."""
    identity = replace(settings.identity, hosting_key=None)
    setup = setup_of(replace(settings, identity=identity), keys.ring)
    models = setup.floor.platform_models | {cast.MODEL}
    return replace(setup, floor=replace(setup.floor, platform_models=models))


def _host(settings: Settings, server: Server, port: int) -> HostBeside:
    """It plays the cast; what somebody deploys here, and house agents at tables that somebody makes, too."""
    models = {cast.MODEL: "", **settings.play.platform_models}
    return HostBeside(server, Beside(f"http://{_HOST}:{port}", models, settings.play.min_turn_ms))


async def _play(
    settings: Settings,
    console: Console,
    wanted: Wanted,
    server: Server,
    host_beside: HostBeside,
    count: HandCount,
    stop: asyncio.Event,
) -> None:
    opened_tables = await tables.open_tables(server.floor, wanted.tables)
    await first_hand.hold(server.floor, opened_tables)
    count.watch(opened_tables)
    seated = [_Seated(table_id, part) for i, table_id in enumerate(opened_tables) for part in cast.cast_of(i)]
    base = host_beside.url
    links = [(each.part.name, f"{base}{await server.sign_in_link(each.part.owner)}") for each in seated]
    shown = [(table_id, tables.shows(server.floor, table_id)) for table_id in opened_tables]
    announcement.tell_what_to_open(console, f"{base}/", shown, links, wanted.hands)
    announcement.tell_what_goes_on(
        console, settings.store.home, [server.floor.state(table_id).hand_number for table_id in opened_tables]
    )
    if wanted.open_browser:
        webbrowser.open(f"{base}/")
    async with asyncio.TaskGroup() as group:
        buy_ins = dict.fromkeys([each.part.owner for each in seated], tables.BUY_IN_CHIPS)
        await bank.top_up(server.ledger, buy_ins)
        paying = group.create_task(bank.keep_solvent(server.ledger, buy_ins))
        for each in seated:
            host_beside.play(await _place(server, base, each))
        holding = [group.create_task(_release(server, table_id, seated)) for table_id in opened_tables]
        await _first_of(stop, count.enough)
        await _ended(holding)
        await server.stop()  # while the players can still act: hands in play end
        paying.cancel()


async def _release(server: Server, table_id: TableId, seated: Sequence[_Seated]) -> None:
    cast_here = [each.part.agent_id for each in seated if each.table_id == table_id]
    await first_hand.release_when_seated(server.floor, table_id, cast_here)


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """None of them is left half done: a table that stayed held would be so in the next demo too."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _place(server: Server, url: str, seated: _Seated) -> Place:
    """One part's seat, attested as what it is."""
    part = seated.part
    version = await cast.register(server.people, part)
    return Place(
        agent_id=part.agent_id,
        table_id=seated.table_id,
        url=table_url(url, seated.table_id),
        mind=house_mind(part.style, seed=part.seed, version_id=version),
        seating=Seating(tables.BUY_IN_CHIPS, part.seat),
        tokens=tokens_of(server.hosting.attest, part.agent_id, part.owner, lambda version_id: cast.MODEL),
    )


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
