"""Each method is one transaction: a fault, a cancelled task or a killed process in the middle of it leaves nothing of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import URL, event

from gameserver.store.accounts import Bankroll, Reason
from gameserver.store.stored import HandStatus
from policy.ids import AgentId, AgentVersionId, HandNumber, TableId, UserId
from tests.conftest import ROOT
from tests.store.conftest import Store
from tests.store.looking import rows_of
from tests.store.stories import ALICE, ALICES, BOB, BOBS, TABLE, buy_in, move, options, result, seat_account, settled

Method = Callable[[Store], Awaitable[object]]

AGENT = AgentId("a_new")
NEWCOMER = UserId("u_new")

METHODS: dict[str, Method] = {
    "create_table": lambda s: s.tables.create_table(TableId("t_new"), options(), b""),
    "begin_hand": lambda s: s.tables.begin_hand(TableId("t_idle"), HandNumber(1), b"planned"),
    "finish_hand": lambda s: s.tables.finish_hand(TABLE, result(), settled(1), b"after"),
    "cancel_hand": lambda s: s.tables.cancel_hand(
        TABLE, HandNumber(1), [move(seat_account(BOBS), Bankroll(BOB), 5, Reason.REFUND, 1)], b"after"
    ),
    "change_table": lambda s: s.tables.change_table(TABLE, [buy_in(ALICES, 5)], b"changed", options(name="Changed")),
    "take_chips": lambda s: s.tables.take_chips(
        TABLE, [buy_in(ALICES, 5)], lambda: (b"taken", [move(seat_account(ALICES), Bankroll(ALICE), 2)])
    ),
    "close_table": lambda s: s.tables.close_table(TableId("t_idle"), [move(seat_account(BOBS), Bankroll(BOB), 5)], b""),
    "bankroll_chips": lambda s: s.tables.bankroll_chips(NEWCOMER),
    "grant": lambda s: s.ledger.grant(NEWCOMER, 7),
    "create_agent": lambda s: s.people.create_agent(AgentId("a_2"), "Two", NEWCOMER),
    "transfer_agent": lambda s: s.people.transfer_agent(AGENT, NEWCOMER),
    "publish_version": lambda s: s.people.publish_version(AGENT, AgentVersionId("v_new"), b"content"),
    "name_user": lambda s: s.people.name_user(ALICE, "Alice"),
}


class Fault(Exception):
    """Something broke."""


@contextmanager
def broken_at(store: Store, step: int) -> Iterator[list[str]]:
    """The database breaks at the given step, counted over statements and the commit; yields the steps that were taken."""
    engine = store.database.engine
    steps: list[str] = []

    def taken(step_name: str) -> None:
        if step_name.startswith("BEGIN"):  # SQLite's is a statement, Postgres' is none
            return
        steps.append(step_name)
        if len(steps) == step:
            raise Fault

    def statement(*args: object) -> None:
        taken(str(args[2]))

    def commit(_connection: object) -> None:
        taken("COMMIT")

    event.listen(engine, "before_cursor_execute", statement)
    event.listen(engine, "commit", commit)
    try:
        yield steps
    finally:
        event.remove(engine, "before_cursor_execute", statement)
        event.remove(engine, "commit", commit)


async def in_the_middle(store: Store) -> None:
    """A table with a hand that began, an idle one, and an agent."""
    await store.tables.create_table(TABLE, options(), b"new")
    await store.tables.create_table(TableId("t_idle"), options(), b"idle")
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"seated")
    await store.tables.begin_hand(TABLE, HandNumber(1), b"planned")
    await store.people.create_agent(AGENT, "New", BOB)


@pytest.mark.parametrize("name", METHODS)
async def test_a_fault_at_any_step_leaves_nothing(store: Store, name: str) -> None:
    """Statement by statement and at the commit; without the fault it then succeeds, and changes something."""
    await in_the_middle(store)
    before = await rows_of(store.beside)
    step, writes = 0, False
    while True:
        step += 1
        with broken_at(store, step) as steps:
            try:
                await METHODS[name](store)
            except Fault:
                assert await rows_of(store.beside) == before, steps
                writes = writes or steps[-1].startswith(("INSERT", "UPDATE"))
                continue
        break
    assert writes and steps[-1] == "COMMIT"
    assert await rows_of(store.beside) != before
    assert await store.ledger.verify_ledger() == ()


async def test_a_task_that_is_cancelled_leaves_all_or_nothing(store: Store) -> None:
    """At whatever moment, and the next one gets its turn."""
    await in_the_middle(store)
    cut_short = 0
    for number in range(1, 31):
        task = asyncio.ensure_future(
            store.tables.finish_hand(TABLE, result(number), settled(number), f"after {number}".encode())
        )
        await asyncio.sleep(number * 0.0004)
        task.cancel()
        cut_short += isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
        hand = await store.hands.hand(TABLE, HandNumber(number))
        assert hand is not None
        ended = hand.status is HandStatus.FINISHED
        assert await store.ledger.balance_chips(seat_account(BOBS)) == 100 - 10 * (1 if ended else 0)
        assert (await store.tables.tables())[0].memory == f"after {number}".encode() if ended else b"planned"
        if not ended:
            await store.tables.cancel_hand(TABLE, HandNumber(number), [], b"planned")
        else:
            await store.ledger.move([move(seat_account(ALICES), seat_account(BOBS), 10)])
        await store.tables.begin_hand(TABLE, HandNumber(number + 1), b"planned")
    assert cut_short > 0


PLAYS_UNTIL_KILLED = """
import asyncio, sys
from gameserver.store.engine import Database
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from sqlalchemy import make_url
from tests.store.stories import TABLE, result, settled

async def play():
    tables = SqlTableStore(Database(make_url(sys.argv[1])), Bookkeeping(lambda: 1, 0))
    number = int(sys.argv[2])
    while True:
        await tables.begin_hand(TABLE, number, b"planned %d" % number)
        await tables.finish_hand(TABLE, result(number), settled(number), b"after %d" % number)
        print(number, flush=True)
        number += 1
asyncio.run(play())
"""


async def test_a_killed_process_leaves_whole_hands(store: Store) -> None:
    """Whatever it said was stored is there, and at most one hand is open, of which nothing but its beginning is there."""
    await store.tables.create_table(TABLE, options(), b"new")
    await store.ledger.grant(ALICE, 100_000)
    await store.ledger.grant(BOB, 100_000)
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100_000), buy_in(BOBS, 100_000)], b"seated")
    number = 1
    for _ in range(3):
        said = await play_and_kill(store.url, number)
        table = (await store.tables.tables())[0]
        hands = await store.hands.hands_before(TABLE, None, 10_000)
        finished = [hand.hand_number for hand in hands if hand.status is HandStatus.FINISHED]
        assert finished[0] >= said and len(set(finished)) == len(finished)
        number = hands[0].hand_number + 1
        assert table.memory == (b"planned %d" if table.open_hand else b"after %d") % hands[0].hand_number
        assert await store.ledger.balance_chips(seat_account(BOBS)) == 100_000 - 10 * len(finished)
        assert await store.ledger.verify_ledger() == ()
        if table.open_hand:
            await store.tables.cancel_hand(TABLE, table.open_hand, [], b"cancelled")


async def play_and_kill(url: URL, first: int) -> int:
    """Play in a process of its own and kill it in the midst; returns the last hand that it said it had stored."""
    argv = [sys.executable, "-c", PLAYS_UNTIL_KILLED, url.render_as_string(hide_password=False), str(first)]
    process = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    said = [int(await process.stdout.readline()) for _ in range(5)]
    process.kill()
    said += [int(line) for line in (await process.stdout.read()).splitlines()]
    await process.wait()
    return said[-1]
