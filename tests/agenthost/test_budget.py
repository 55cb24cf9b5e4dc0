"""A budget stops spending, and not playing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.record import Call, CallOutcome, Prompt, Purpose
from policy.ids import AgentId
from railbird.agenthost.budget import BudgetedModel, Budgets, day_of
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.prices import FREE, Price

ADA: Final = AgentId("a-ada")
PRICE: Final = Price(Decimal(1), Decimal(2))
REQUEST: Final = ModelRequest(Prompt(b"x" * 900, b""), max_tokens=100)
MOST: Final = PRICE.cost_usd(900 + 64, 100)
NOON_US: Final = 1_800_000_000_000_000
DAY_US: Final = 86_400_000_000


@dataclass(slots=True)
class Dear:
    """A model whose calls cost what a test says. `hold`: what a question waits for."""

    costs: list[Decimal | None]
    outcome: CallOutcome = CallOutcome.ANSWERED
    hold: asyncio.Event | None = None
    asked: int = 0
    provider: str = "dear"
    name: str = "m"

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        self.asked += 1
        if self.hold is not None:
            await self.hold.wait()
        cost = self.costs[min(self.asked, len(self.costs)) - 1]
        return Reply((_call(self.outcome, cost),))


def _call(outcome: CallOutcome, cost: Decimal | None) -> Call:
    return Call(0, Purpose.DECISION, outcome, "dear", "m", REQUEST.prompt, b"", b"", "{}", None, None, None, cost, 1)


@dataclass(slots=True)
class Bank:
    """A ledger and a clock."""

    spent: dict[date, Decimal] = field(default_factory=dict)
    now_us: int = NOON_US
    read: int = 0

    async def spent_usd(self, agent_id: AgentId, day: date) -> Decimal:
        self.read += 1
        return self.spent.get(day, Decimal(0))

    def budgets(self, spent_usd: Callable[[AgentId, date], Awaitable[Decimal]] | None = None) -> Budgets:
        return Budgets(spent_usd or self.spent_usd, lambda: self.now_us)


def _deadline(seconds: float = 30.0) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_a_spent_budget_asks_no_more() -> None:
    """The model is not asked, the reply says why, and it is counted."""
    dear, bank = Dear([MOST]), Bank()
    budgets = bank.budgets()
    model = BudgetedModel(dear, budgets, agent_id=ADA, limit_usd=MOST * 2, price=PRICE)
    replies = [await model.ask(REQUEST, _deadline()) for _ in range(4)]
    assert [reply.not_asked for reply in replies] == [None, None, Fallback.BUDGET, Fallback.BUDGET]
    assert (dear.asked, budgets.refused[ADA], bank.read) == (2, 2, 1)
    assert (model.provider, model.name) == ("dear", "m")


async def test_what_the_ledger_knows_counts() -> None:
    """Spent before this process began is spent."""
    bank = Bank({day_of(NOON_US): Decimal("0.99")})
    model = BudgetedModel(Dear([MOST]), bank.budgets(), agent_id=ADA, limit_usd=Decimal("0.99") + MOST, price=PRICE)
    assert (await model.ask(REQUEST, _deadline())).calls
    assert (await model.ask(REQUEST, _deadline())).not_asked == Fallback.BUDGET


async def test_a_new_day_has_a_budget_of_its_own() -> None:
    """By the clock, in UTC."""
    bank = Bank()
    model = BudgetedModel(Dear([MOST]), bank.budgets(), agent_id=ADA, limit_usd=MOST, price=PRICE)
    assert (await model.ask(REQUEST, _deadline())).calls
    assert (await model.ask(REQUEST, _deadline())).not_asked == Fallback.BUDGET
    bank.now_us += DAY_US
    assert (await model.ask(REQUEST, _deadline())).calls
    assert bank.read == 2


@pytest.mark.parametrize(
    ("at_us", "day"), [(0, date(1970, 1, 1)), (DAY_US - 1, date(1970, 1, 1)), (DAY_US, date(1970, 1, 2))]
)
def test_a_day_is_utcs(at_us: int, day: date) -> None:
    """Wherever this process runs."""
    assert day_of(at_us) == day


async def test_with_an_unknown_price_a_budget_pays_for_nothing() -> None:
    """Nobody could say when it is spent."""
    dear = Dear([None])
    model = BudgetedModel(dear, Bank().budgets(), agent_id=ADA, limit_usd=Decimal(1_000), price=None)
    assert (await model.ask(REQUEST, _deadline())).not_asked == Fallback.BUDGET
    assert dear.asked == 0


async def test_what_costs_nothing_is_asked_on_a_budget_of_nothing() -> None:
    """A model on one's own machine, named as free."""
    model = BudgetedModel(Dear([Decimal(0)]), Bank().budgets(), agent_id=ADA, limit_usd=Decimal(0), price=FREE)
    assert (await model.ask(REQUEST, _deadline())).calls


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (CallOutcome.TIMED_OUT, True),
        (CallOutcome.CUT_SHORT, True),
        (CallOutcome.GARBLED, True),
        (CallOutcome.REFUSED, True),
        (CallOutcome.ANSWERED, True),
        (CallOutcome.UNREACHABLE, False),
        (CallOutcome.RATE_LIMITED, False),
    ],
)
async def test_a_call_whose_cost_nobody_told_counts_as_the_dearest(outcome: CallOutcome, counts: bool) -> None:
    """But where nobody answered there is nothing to pay."""
    model = BudgetedModel(Dear([None], outcome), Bank().budgets(), agent_id=ADA, limit_usd=MOST, price=PRICE)
    await model.ask(REQUEST, _deadline())
    assert ((await model.ask(REQUEST, _deadline())).not_asked == Fallback.BUDGET) is counts


async def test_a_question_that_is_given_up_counts_as_the_dearest() -> None:
    """It may have been answered, and be on the bill."""
    dear = Dear([MOST], hold=asyncio.Event())
    model = BudgetedModel(dear, Bank().budgets(), agent_id=ADA, limit_usd=MOST, price=PRICE)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(model.ask(REQUEST, _deadline()), 0.05)
    assert (await model.ask(REQUEST, _deadline())).not_asked == Fallback.BUDGET


async def test_what_is_asked_at_the_same_time_shares_the_budget() -> None:
    """An agent at two tables has one budget: what the first may cost is put aside."""
    hold = asyncio.Event()
    dear, bank = Dear([Decimal(0)], hold=hold), Bank()
    model = BudgetedModel(dear, bank.budgets(), agent_id=ADA, limit_usd=MOST, price=PRICE)
    first = asyncio.ensure_future(model.ask(REQUEST, _deadline()))
    second = asyncio.ensure_future(model.ask(REQUEST, _deadline()))
    done, _ = await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
    assert [reply.result().not_asked for reply in done] == [Fallback.BUDGET]
    hold.set()
    await asyncio.wait({first, second})
    assert dear.asked == 1
    assert (await model.ask(REQUEST, _deadline())).calls


async def test_a_ledger_that_does_not_say_stops_spending() -> None:
    """And is asked again at the next turn."""
    bank, away = Bank(), asyncio.Event()

    async def spent_usd(agent_id: AgentId, day: date) -> Decimal:
        if not away.is_set():
            await asyncio.Event().wait()
        return await bank.spent_usd(agent_id, day)

    model = BudgetedModel(Dear([MOST]), bank.budgets(spent_usd), agent_id=ADA, limit_usd=MOST, price=PRICE)
    assert (await model.ask(REQUEST, _deadline(0.05))).not_asked == Fallback.BUDGET_UNKNOWN
    away.set()
    assert (await model.ask(REQUEST, _deadline())).calls


async def test_a_limit_that_is_not_set_is_dear() -> None:
    """Without one an answer can be long."""
    unlimited = ModelRequest(REQUEST.prompt)
    model = BudgetedModel(Dear([Decimal(0)]), Bank().budgets(), agent_id=ADA, limit_usd=MOST, price=PRICE)
    assert (await model.ask(unlimited, _deadline())).not_asked == Fallback.BUDGET


SHARES: Final = st.lists(st.one_of(st.none(), st.decimals(0, 1, places=6)), min_size=1, max_size=30)


@given(shares=SHARES, limit=st.decimals(0, 10, places=6))
async def test_a_budget_is_never_overdrawn(shares: list[Decimal | None], limit: Decimal) -> None:
    """Whatever calls cost, up to the most that they can, known or not."""
    costs = [None if share is None else share * MOST for share in shares]
    dear = Dear(costs)
    model = BudgetedModel(dear, Bank().budgets(), agent_id=ADA, limit_usd=limit * MOST, price=PRICE)
    for _ in costs:
        await model.ask(REQUEST, _deadline())
    paid = sum((MOST if cost is None else cost for cost in costs[: dear.asked]), Decimal(0))
    assert paid <= limit * MOST
