"""A house player at a table: connects with its own agent token, sits, thinks aloud, acts at a pace that a person can follow, buys in
again.

It reads its own frames only. Its dice are an argument: the same frames and dice make the same moves.
What it thinks goes to the table; whom it reaches from there is not this room's matter.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from gameserver.wire.messages import Error, Snapshot, YourTurn
from railbird.agenthost.house.decide import weigh
from railbird.agenthost.house.knowledge import Choice
from railbird.agenthost.house.memory import Memory
from railbird.agenthost.house.reasoning import reasoning
from railbird.agenthost.house.styles import Style
from railbird.client import (
    ActionKind,
    Client,
    ClientError,
    ConnectionLost,
    ErrorCode,
    NoAnswer,
    Refused,
    StaleTurn,
    TokenSource,
    connect,
)

_LOG: Final = logging.getLogger(__name__)
_RETRY_S: Final = 1.0
_SHOWN_WITHIN_S: Final = 20.0
_MOST_OF_THE_CLOCK: Final = 0.5
_SPEAKS_FROM_S: Final = 0.1
"""A turn that is shorter is played without a word: nobody could read it, and three messages a turn would come near the table's limit."""
_BEFORE_THE_THOUGHT: Final = 0.3
_BEFORE_THE_DECISION: Final = 0.4
"""Shares of a turn's pause; the rest is between the decision and the move."""
_PASSING: Final = frozenset(
    {
        ErrorCode.NO_CHIPS,
        ErrorCode.SEAT_TAKEN,
        ErrorCode.TABLE_FULL,
        ErrorCode.ALREADY_SEATED,
        ErrorCode.RATE_LIMITED,
        ErrorCode.NOT_SEATED,
        ErrorCode.NOTHING_TO_POST,
        ErrorCode.BUY_IN_ABOVE_MAX,
    }
)
"""Refusals of sitting down or buying in that may be over a moment later."""


class HousePlayer:
    """One house player. `seat`: `None` takes any free one. `min_turn_ms`: the least time from being asked to the move.

    `renew_every_s`: how often a fresh token is shown, for a source of tokens that do not last.
    """

    def __init__(
        self,
        url: str,
        *,
        agent_token: TokenSource,
        style: Style,
        rng: random.Random,
        buy_in_chips: int,
        seat: int | None = None,
        min_turn_ms: int = 800,
        renew_every_s: float | None = None,
    ) -> None:
        self.style = style
        self._client = connect(url, agent_token=agent_token, rng=rng)
        self._rng = rng
        self._seat = seat
        self._buy_in_chips = buy_in_chips
        self._min_turn_ms = min_turn_ms
        self._renew_every_s = renew_every_s
        self._memory = Memory()
        self._changed = asyncio.Event()
        self._thinking: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Play until cancelled or until the server closes normally.

        Raises `railbird.client` errors that coming back cannot help (`Closed`, `Unreachable`), and `Refused` where this player
        may not sit here at all.
        """
        try:
            async with self._client as table, asyncio.TaskGroup() as tasks:
                upkeep = [tasks.create_task(self._keep_seated(table)), tasks.create_task(self._keep_proving(table))]
                await self._read(table, tasks)
                for task in (*upkeep, self._thinking):
                    await _end(task)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _read(self, table: Client, tasks: asyncio.TaskGroup) -> None:
        async for frame in table:
            self._memory.take(frame)
            self._changed.set()
            match frame:
                case YourTurn():
                    await self._begin_turn(table, tasks, frame)
                case Snapshot(your_turn=YourTurn() as turn):
                    await self._begin_turn(table, tasks, turn)
                case Error(code=code):
                    _LOG.info("a wish was dropped: %s", code)
                case _:
                    pass

    # --- turns ----------------------------------------------------------------------------------------------------------

    async def _begin_turn(self, table: Client, tasks: asyncio.TaskGroup, turn: YourTurn) -> None:
        """One turn is thought about at a time; a newer request replaces an older one."""
        await _end(self._thinking)
        self._thinking = tasks.create_task(self._take_turn(table, turn))

    async def _take_turn(self, table: Client, turn: YourTurn) -> None:
        pause_s = self._pause_s(turn.turn_ends_at - table.server_now_ms())
        choice, thought = self._choose(turn)
        try:
            if pause_s >= _SPEAKS_FROM_S:
                await self._think_aloud(table, turn, choice, thought, pause_s)
            else:
                await asyncio.sleep(pause_s)
            await table.act(turn.turn_id, choice.action, choice.amount_chips)
        except StaleTurn:
            pass  # the table moved on: nothing to mend
        except Refused as refused:
            _LOG.error("a move was refused: %s", refused.code)
            await self._give_up(table, turn)
        except ClientError as lost:
            _LOG.warning("a move was not answered: %s", lost)

    async def _think_aloud(self, table: Client, turn: YourTurn, choice: Choice, thought: str, pause_s: float) -> None:
        """Say why, then what, and be done when the pause is over: the answers are waited for in it. Raises StaleTurn."""
        asked = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(asked + pause_s):
                await asyncio.sleep(pause_s * _BEFORE_THE_THOUGHT)
                await _say(table.think(turn.turn_id, thought))
                await asyncio.sleep(pause_s * _BEFORE_THE_DECISION)
                await _say(table.decide(turn.turn_id, choice.action, choice.amount_chips))
                await asyncio.sleep(pause_s)  # what is left of it
        except TimeoutError:
            pass

    async def _give_up(self, table: Client, turn: YourTurn) -> None:
        action = ActionKind.CHECK if ActionKind.CHECK in turn.legal_actions else ActionKind.FOLD
        try:
            await table.act(turn.turn_id, action)
        except ClientError as failed:
            _LOG.warning("giving up was not taken either: %s", failed)

    def _choose(self, turn: YourTurn) -> tuple[Choice, str]:
        """The move, and why."""
        knowledge = self._memory.knowledge(turn)
        if knowledge is None:
            passive = ActionKind.CHECK if ActionKind.CHECK in turn.legal_actions else ActionKind.FOLD
            return Choice(passive), f"House rules, {self.style.name}: I do not see my seat."
        weighed = weigh(knowledge, self.style, self._rng)
        return weighed.choice, reasoning(weighed, knowledge, self.style)

    def _pause_s(self, left_ms: int) -> float:
        """At least the pace, sometimes longer, and at most half of what is left of the clock."""
        wanted_ms = self._min_turn_ms * self._rng.uniform(1.0, 1.8)
        return max(0.0, min(wanted_ms, left_ms * _MOST_OF_THE_CLOCK)) / 1000

    # --- credentials ----------------------------------------------------------------------------------------------------

    async def _keep_proving(self, table: Client) -> None:
        """Show a fresh token again and again. Where one is refused, the connection ends with its token, and a new one begins."""
        while self._renew_every_s is not None:
            await asyncio.sleep(self._renew_every_s * self._rng.uniform(0.8, 1.0))
            try:
                await table.renew()
            except ClientError as failed:
                _LOG.warning("a fresh token was not taken: %s", failed)

    # --- chips and seat -------------------------------------------------------------------------------------------------

    async def _keep_seated(self, table: Client) -> None:
        """Sit, come back from sitting out, and buy in again when broke; try again after a passing refusal."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._mend_seat(table)
            except Refused as refused:
                if refused.code not in _PASSING:
                    raise
                await self._later()
            except (ConnectionLost, NoAnswer):
                await self._later()

    async def _later(self) -> None:
        await asyncio.sleep(_RETRY_S * self._rng.uniform(0.8, 1.2))
        self._changed.set()

    async def _mend_seat(self, table: Client) -> None:
        own = self._memory.own_seat()
        if own is None:
            await self._sit(table)
        elif own.status == "no_chips":
            await self._buy_again(table)
        elif own.status in ("sitting_out", "away"):
            await table.sit_in()
            await self._until_it_shows(lambda: (now := self._memory.own_seat()) is None or now.status != own.status)

    async def _sit(self, table: Client) -> None:
        state, rules = self._memory.state, self._memory.rules
        if state is None or rules is None:
            return
        taken = {seat.seat for seat in state.seats}
        free = [number for number in range(rules.max_seats) if number not in taken]
        wanted = self._seat if self._seat in free else free[0] if free and self._seat is None else None
        if wanted is None:
            await self._later()
            return
        await table.sit(wanted, self._allowed_buy_in())
        await self._until_it_shows(lambda: self._memory.own_seat() is not None)

    async def _buy_again(self, table: Client) -> None:
        await table.rebuy(self._allowed_buy_in())
        await self._until_it_shows(lambda: (own := self._memory.own_seat()) is None or own.status != "no_chips")

    async def _until_it_shows(self, shows: Callable[[], bool]) -> None:
        """Wait, though not for ever, until what was taken is in the state: it may take until the hand is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                while not shows():
                    await self._changed.wait()
                    self._changed.clear()
        self._changed.set()

    def _allowed_buy_in(self) -> int:
        rules = self._memory.rules
        if rules is None:
            return self._buy_in_chips
        return max(rules.min_buy_in, min(self._buy_in_chips, rules.max_buy_in))


async def _say(saying: Coroutine[Any, Any, None]) -> None:
    """Words that were not taken cost nobody a move. Raises StaleTurn."""
    try:
        await saying
    except StaleTurn:
        raise
    except ClientError as failed:
        _LOG.info("words about a turn were not taken: %s", failed)


async def _end(task: asyncio.Task[None] | None) -> None:
    """Cancel a task that may be running, and wait until it is over."""
    if task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task})
