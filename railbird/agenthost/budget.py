"""What an agent may spend in a day. A budget stops spending, not playing: when it is spent, its model is not asked any more.

The day is UTC's, by a clock that is given. What a call can cost at most is put aside before it, and a call whose tokens nobody
told counts as the dearest: so a budget is never overdrawn (test_a_budget_is_never_overdrawn). With an unknown price nothing is
asked at all (test_with_an_unknown_price_a_budget_pays_for_nothing): name the price with the endpoint. What got no answer is
taken for free, and a call that ends about midnight may count to the day before.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final, TypeAlias

from capture.envelope import join
from capture.record import Call, CallOutcome
from policy.ids import AgentId
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.models.port import Model, ModelRequest, Reply
from railbird.agenthost.prices import Price

SpentUsd: TypeAlias = Callable[[AgentId, date], Awaitable[Decimal]]
"""What an agent spent on a day (UTC), as the ledger knows it."""

_UNPAID: Final = frozenset({CallOutcome.RATE_LIMITED, CallOutcome.UNREACHABLE})
_ANSWER_TOKENS: Final = 16_384
"""What an answer without a limit is taken for."""
_FRAME_TOKENS: Final = 64
"""What a provider puts around the one message."""


def day_of(at_us: int) -> date:
    """The day, UTC, of microseconds since 1970."""
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).date()


@dataclass(slots=True)
class _Day:
    """`spent`: what is known to be gone, the ledger's part included. `held`: for calls that are under way."""

    day: date
    spent: Decimal
    held: Decimal = Decimal(0)


class Budgets:
    """The days of one process's agents. An agent plays in one process at a time: another one's spending is seen with the next day.

    `wall_us`: microseconds since 1970 UTC. `refused`: how often a model was not asked, by agent.
    """

    def __init__(self, spent_usd: SpentUsd, wall_us: Callable[[], int]) -> None:
        self.refused: Counter[AgentId] = Counter()
        self._spent_usd = spent_usd
        self._wall_us = wall_us
        self._days: dict[AgentId, _Day] = {}
        self._reading: dict[AgentId, asyncio.Lock] = {}

    async def hold(self, agent_id: AgentId, limit_usd: Decimal, most_usd: Decimal | None) -> bool:
        """Put the most that a call can cost aside, where there is enough; for `None`, an unknown price, there is not."""
        today = await self._today(agent_id)
        if most_usd is None or today.spent + today.held + most_usd > limit_usd:
            self.refused[agent_id] += 1
            return False
        today.held += most_usd
        return True

    def settle(self, agent_id: AgentId, held_usd: Decimal, cost_usd: Decimal) -> None:
        """A call is over. What it cost is of the day on which it ended, as in the ledger."""
        day = self._days[agent_id]
        day.held -= held_usd
        day.spent += cost_usd

    async def _today(self, agent_id: AgentId) -> _Day:
        """Read once a day. What is held goes on into a new one."""
        async with self._reading.setdefault(agent_id, asyncio.Lock()):
            day = day_of(self._wall_us())
            known = self._days.get(agent_id)
            if known is None or known.day != day:
                spent = await self._spent_usd(agent_id, day)
                held = Decimal(0) if (known := self._days.get(agent_id)) is None else known.held
                self._days[agent_id] = _Day(day, spent, held)
            return self._days[agent_id]


class BudgetedModel:
    """A model as one agent's budget lets it be asked. `limit_usd`: of a day. `price`: of the model; `None` where it is unknown."""

    def __init__(
        self, model: Model, budgets: Budgets, *, agent_id: AgentId, limit_usd: Decimal, price: Price | None
    ) -> None:
        self._model = model
        self._budgets = budgets
        self._agent_id = agent_id
        self._limit_usd = limit_usd
        self._price = price

    @property
    def provider(self) -> str:
        return self._model.provider

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        """As the model does, while there is enough for one call at its dearest; else a reply that says `budget`."""
        most_usd = self._most_usd(request)
        try:
            async with asyncio.timeout_at(deadline):
                affordable = await self._budgets.hold(self._agent_id, self._limit_usd, most_usd)
        except TimeoutError:
            return Reply((), not_asked=Fallback.BUDGET_UNKNOWN)
        if not affordable or most_usd is None:
            return Reply((), not_asked=Fallback.BUDGET)
        cost_usd = most_usd  # where the question is given up, nobody knows what it cost
        try:
            reply = await self._model.ask(request, deadline)
            cost_usd = sum((_cost_usd(call, most_usd) for call in reply.calls), Decimal(0))
        finally:
            self._budgets.settle(self._agent_id, most_usd, cost_usd)
        return reply

    def _most_usd(self, request: ModelRequest) -> Decimal | None:
        """No tokenizer makes more tokens than there are bytes. One call of a reply can be paid at most: what is tried again was not."""
        if self._price is None:
            return None
        question = len(join(request.prompt.envelope, request.prompt.remainder)) + _FRAME_TOKENS
        return self._price.cost_usd(question, request.max_tokens or _ANSWER_TOKENS)


def _cost_usd(call: Call, most_usd: Decimal) -> Decimal:
    if call.cost_usd is not None:
        return call.cost_usd
    return Decimal(0) if call.outcome in _UNPAID else most_usd
