"""What turns cost: exact, once each, behind the turn, and nothing lost without being counted."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select, text
from sqlalchemy.dialects import postgresql, sqlite

from capture.durable import schema
from capture.durable.columns import AnyText, ExactUsd
from capture.ledger.ledger import Charged, Ledger, LedgerCounts
from capture.record import CallOutcome, FinishedTurn, Purpose
from gameserver.store.engine import Database
from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.turns import NOON_US, call, decided, fell_back, key, turn

T = TypeVar("T")
THAT_DAY = datetime.date(2023, 11, 14)
TABLE, HAND, A1 = TableId("t1"), HandNumber(7), AgentId("a1")
DIALECTS: tuple[Any, Any] = (sqlite.dialect(), postgresql.dialect())  # type: ignore[no-untyped-call]
ALL = OperatorScope("service", TABLE, HAND, EveryAgent())


async def all_of(database: Database, table: Any) -> list[Any]:
    return list(await database.read(lambda connection: connection.execute(select(table)).mappings().all()))


def costing(usd: str, index: int, **changed: Any) -> FinishedTurn:
    return turn(key(index=index), decided(call(cost_usd=Decimal(usd))), **changed)


async def test_a_tenth_and_two_tenths_are_three_tenths(database: Database) -> None:
    """In a sum of ours, and in a sum that anybody makes in SQL."""
    async with Ledger(database) as ledger:
        for n, usd in enumerate(("0.1", "0.2", "0.000000000001")):
            ledger.charge(costing(usd, n))
        assert await ledger.spent_usd(A1, THAT_DAY) == Decimal("0.300000000001")
    total = select(func.sum(schema.charges.c.cost_usd))
    assert await database.read(lambda c: c.execute(total).scalar_one()) == Decimal("0.300000000001")
    in_sql = await database.read(
        lambda c: c.execute(text("SELECT sum(cost_usd) FROM agent_inference_charges")).scalar()
    )
    whole = 10**12 if database.engine.dialect.name == "sqlite" else 1
    assert Decimal(in_sql or 0) / whole == Decimal("0.300000000001")


async def test_a_day_ends_at_midnight_utc_and_is_one_agents(database: Database) -> None:
    """The first microsecond of a day is its own."""
    midnight = 19_675 * 86_400_000_000
    async with Ledger(database) as ledger:
        ledger.charge(costing("1", 0, at_us=midnight - 1))
        ledger.charge(costing("2", 1, at_us=midnight))
        ledger.charge(turn(key("b1"), decided(call(cost_usd=Decimal(4))), at_us=midnight))
        assert await ledger.spent_usd(A1, datetime.date(2023, 11, 13)) == 1
        assert await ledger.spent_usd(A1, THAT_DAY) == 2
        assert await ledger.spent_usd(AgentId("nobody"), THAT_DAY) == 0


async def test_a_turn_has_one_row_and_each_call_its_own(database: Database) -> None:
    """With what the provider said, and no more."""
    first = call(outcome=CallOutcome.CUT_SHORT, input_tokens=None, cost_usd=Decimal("0.25"))
    repair = call(attempt=1, purpose=Purpose.REPAIR, model="gpt-y", output_tokens=7)
    async with Ledger(database) as ledger:
        ledger.charge(turn(outcome=decided(first, repair)))
    (row,) = await all_of(database, schema.charges)
    assert (row["provider"], row["model"], row["calls"], row["outcome"]) == ("openai", "gpt-y", 2, "decided")
    assert (row["input_tokens"], row["output_tokens"], row["cost_usd"]) == (900, 47, Decimal("0.35"))
    assert (row["agent_version_id"], row["latency_ms"], row["at_us"], row["reason"]) == ("v1", 800, NOON_US, None)
    rows = sorted(await all_of(database, schema.calls), key=lambda each: each["attempt"])
    assert [(each["attempt"], each["purpose"], each["outcome"]) for each in rows] == [
        (0, "decision", "cut_short"),
        (1, "repair", "answered"),
    ]
    assert [(each["input_tokens"], each["cost_usd"]) for each in rows] == [
        (None, Decimal("0.25")),
        (900, Decimal("0.1")),
    ]


async def test_a_fallback_is_charged_with_its_reason(database: Database) -> None:
    """Also one that asked nobody; it costs what its calls cost."""
    async with Ledger(database) as ledger:
        ledger.charge(turn(key(index=1), fell_back(call(outcome=CallOutcome.TIMED_OUT))))
        ledger.charge(turn(key(index=2), fell_back(reason="budget_spent")))
        await ledger.flush()
        one, two = await ledger.charges_of_hand(ALL)
    assert one.outcome is two.outcome is Charged.FALLBACK
    assert (one.reason, one.provider, one.calls, one.cost_usd) == ("timed_out", "openai", 1, Decimal("0.1"))
    assert (two.reason, two.provider, two.calls, two.cost_usd) == ("budget_spent", None, 0, Decimal(0))


async def test_a_cost_that_is_not_known_is_counted_apart(database: Database) -> None:
    """It is no cost of nothing."""
    async with Ledger(database) as ledger:
        ledger.charge(turn(outcome=decided(call(cost_usd=None), call())))
        await ledger.flush()
        (entry,) = await ledger.charges_of_hand(ALL)
    assert (entry.cost_usd, entry.calls, entry.unpriced_calls) == (Decimal("0.1"), 2, 1)


async def test_the_same_turn_handed_over_twice_is_charged_once(database: Database) -> None:
    """By one ledger or by two at once, in one batch or after a restart."""
    same = [costing("0.1", n) for n in range(20)]
    async with Ledger(database) as one, Ledger(database) as other:
        for each in (*same, *same):
            one.charge(each)
            other.charge(each)
        await asyncio.gather(one.flush(), other.flush())
        assert await one.spent_usd(A1, THAT_DAY) == 2
        assert one.counts == other.counts == LedgerCounts(40, 0, 0)
    assert len(await all_of(database, schema.calls)) == 20


async def test_a_turn_that_is_decided_twice_costs_twice(database: Database) -> None:
    """An agent program that starts again in mid-turn asks again; the row says how it ended, and what both cost."""
    async with Ledger(database) as ledger:
        ledger.charge(turn(outcome=fell_back(call(cost_usd=Decimal("0.1")), call(attempt=1, cost_usd=None))))
        ledger.charge(turn(outcome=decided(call(cost_usd=Decimal("0.2"))), at_us=NOON_US + 5))
        await ledger.flush()
        ledger.charge(turn(outcome=decided(call(cost_usd=Decimal("0.2"))), at_us=NOON_US + 5))
        await ledger.flush()
        (entry,) = await ledger.charges_of_hand(ALL)
    assert (entry.outcome, entry.reason, entry.calls, entry.unpriced_calls) == (Charged.DECIDED, None, 3, 1)
    assert (entry.cost_usd, entry.latency_ms, entry.at_us) == (Decimal("0.3"), 1_600, NOON_US + 5)
    assert sorted(row["attempt"] for row in await all_of(database, schema.calls)) == [0, 1, 2]


async def test_an_entry_is_read_within_its_scope(database: Database) -> None:
    """An owner's scope holds one agent's; an operator's all of the hand, or one agent's."""
    async with Ledger(database) as ledger:
        for agent, index in (("b1", 2), ("a1", 2), ("a1", 1)):
            ledger.charge(turn(key(agent, index=index)))
        ledger.charge(turn(key("a1", hand=8)))
        await ledger.flush()

        async def found(scope: OwnerScope | OperatorScope) -> list[tuple[str, int]]:
            return [(e.key.agent_id, e.key.action_index) for e in await ledger.charges_of_hand(scope)]

        assert await found(OwnerScope(A1, TABLE, HAND)) == [("a1", 1), ("a1", 2)]
        assert await found(ALL) == [("a1", 1), ("a1", 2), ("b1", 2)]
        assert await found(OperatorScope("service", TABLE, HAND, AgentId("b1"))) == [("b1", 2)]
        assert await found(OwnerScope(AgentId(""), TABLE, HAND)) == []


async def test_a_charge_names_the_version(database: Database) -> None:
    """None where it was not known."""
    async with Ledger(database) as ledger:
        ledger.charge(turn())
        ledger.charge(turn(key(index=4), agent_version_id=None))
        await ledger.flush()
        versions = [charge.agent_version_id for charge in await ledger.charges_of_hand(ALL)]
    assert versions == ["v1", None]


async def test_recent_hands_are_those_of_the_latest_turns(database: Database) -> None:
    """With what each came to; a hand is on one page, that of its latest turn."""
    async with Ledger(database) as ledger:
        for hand in range(1, 6):
            ledger.charge(turn(key(hand=hand, index=1), at_us=NOON_US + hand))
        ledger.charge(turn(key("b1", hand=1, index=1), fell_back(call(cost_usd=None)), at_us=NOON_US + 100))
        ledger.charge(turn(key(hand=9, index=1), fell_back(), at_us=NOON_US + 50))
        await ledger.flush()
        first = await ledger.recent_hands(limit=3)
        assert [hand.hand_number for hand in first] == [1, 9, 5]
        rest = await ledger.recent_hands(limit=3, before_us=first[-1].last_at_us)
        assert [hand.hand_number for hand in rest] == [4, 3, 2]
        assert await ledger.recent_hands(limit=3, before_us=rest[-1].last_at_us) == []
    assert first[0].agents == (("a1", 1), ("b1", 0))
    assert (first[0].decided, first[0].fallbacks, first[0].cost_usd, first[0].unpriced_calls) == (
        1,
        1,
        Decimal("0.1"),
        1,
    )
    assert (first[1].decided, first[1].fallbacks, first[1].cost_usd) == (0, 1, Decimal(0))


async def test_recent_hands_of_many_turns_at_one_moment(database: Database) -> None:
    """More turns than are looked at in one go, all of the same microsecond: none is missed."""
    async with Ledger(database) as ledger:
        for number in range(1_200):
            ledger.charge(turn(key(hand=number // 20, index=number), fell_back()))
        await ledger.flush()
        assert len(await ledger.recent_hands(limit=100)) == 60


class Broken:
    """A database that fails as it is told to, or is slow, and otherwise works."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.error: Exception | None = None
        self.tried = asyncio.Event()
        self.held: asyncio.Event | None = None

    async def write(self, work: Callable[[Connection], T], /) -> T:
        self.tried.set()
        if self.held is not None:
            await self.held.wait()
        if self.error is not None:
            raise self.error
        return await self.database.write(work)

    async def read(self, work: Callable[[Connection], T], /) -> T:
        return await self.database.read(work)


async def test_a_database_that_is_away_loses_nothing(database: Database) -> None:
    """The charges wait, and are there once it is back."""
    broken = Broken(database)
    broken.error = ConnectionRefusedError()
    async with Ledger(broken) as ledger:
        ledger.charge(costing("0.1", 1))
        await asyncio.wait_for(broken.tried.wait(), 30)
        assert ledger.counts == LedgerCounts(0, 1, 0)
        broken.error = None
        assert await asyncio.wait_for(ledger.spent_usd(A1, THAT_DAY), 30) == Decimal("0.1")
    assert ledger.counts == LedgerCounts(1, 0, 0)


async def test_what_the_ledger_cannot_keep_is_counted(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    """Too many that wait, a database that stays away to the end, and what is no charge: each is lost, and no more than it."""
    broken = Broken(database)
    broken.error = ConnectionRefusedError()
    caplog.set_level(logging.ERROR, "capture.ledger.ledger")
    async with Ledger(broken, most_waiting=3) as ledger:
        for n in range(5):
            ledger.charge(costing("0.1", n))
        assert ledger.counts == LedgerCounts(0, 3, 2)
        ledger.charge(costing("Infinity", 9))
        with caplog.at_level(logging.ERROR):
            await ledger.close(within_s=0.1)
    assert ledger.counts == LedgerCounts(0, 0, 6)
    told = [record.getMessage() for record in caplog.records if record.name == "capture.ledger.ledger"]
    assert told == [f"the ledger lost the costs of {n} turns" for n in (1, 2, 6)]


async def test_a_turn_that_a_database_refuses_takes_no_other_along(database: Database) -> None:
    """A number beyond 64 bits in the middle of a batch."""
    async with Ledger(database) as ledger:
        for n in (1, 2**63, 3):
            ledger.charge(costing("0.1", n))
        await ledger.flush()
        assert ledger.counts == LedgerCounts(2, 0, 1)
        assert [entry.key.action_index for entry in await ledger.charges_of_hand(ALL)] == [1, 3]


async def test_a_stop_in_the_middle_of_a_write_counts_what_was_written(database: Database) -> None:
    """The write is let to its end, and what it wrote is not told as lost."""
    broken = Broken(database)
    broken.held = asyncio.Event()
    async with Ledger(broken) as ledger:
        ledger.charge(costing("0.1", 1))
        await asyncio.wait_for(broken.tried.wait(), 30)
        closing = asyncio.create_task(ledger.close(within_s=0))
        await asyncio.sleep(0)
        ledger.charge(costing("0.1", 2))
        while not ledger._writing or not ledger._writing.cancelling():  # noqa: ASYNC110 - a task has no event for that
            await asyncio.sleep(0.001)
        broken.held.set()
        await closing
    assert ledger.counts == LedgerCounts(1, 0, 1)
    assert len(await all_of(database, schema.charges)) == 1


ODD = "\x00 \ud83d \\ \\u0000 é 😀 \\\\"


async def test_texts_that_databases_refuse_come_back(database: Database) -> None:
    """NUL, half a character, and what looks like their escapes; in keys, too."""
    odd = key(agent=ODD)
    async with Ledger(database) as ledger:
        ledger.charge(turn(odd, fell_back(call(model=ODD), reason=ODD), agent_version_id=ODD))
        await ledger.flush()
        (entry,) = await ledger.charges_of_hand(OwnerScope(odd.agent_id, TABLE, HAND))
    assert (entry.key, entry.agent_version_id, entry.model, entry.reason) == (odd, ODD, ODD, ODD)


@given(st.text(alphabet=st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\\u0\x00")))
def test_every_text_has_one_form_that_a_database_takes(value: str) -> None:
    """It is UTF-8 without NUL, and goes back to what it was."""
    kept = AnyText().process_bind_param(value, DIALECTS[0])
    assert kept is not None and b"\x00" not in kept.encode()
    assert AnyText().process_result_value(kept, DIALECTS[0]) == value


@given(st.decimals(-1_000_000, 1_000_000, places=12), st.sampled_from(DIALECTS))
def test_money_comes_back_exactly(usd: Decimal, dialect: Any) -> None:
    """To a millionth of a millionth of a dollar."""
    kept = ExactUsd().process_bind_param(usd, dialect)
    assert ExactUsd().process_result_value(kept, dialect) == usd


@pytest.mark.parametrize("wrong", ["NaN", "sNaN", "Infinity", "1000000.01", "1e30"])
def test_what_is_no_amount_is_no_cost(wrong: str) -> None:
    """It is refused before it comes near a sum."""
    with pytest.raises(ValueError, match="no amount"):
        ExactUsd().process_bind_param(Decimal(wrong), DIALECTS[0])
