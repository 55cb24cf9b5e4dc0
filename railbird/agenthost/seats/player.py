"""One agent at one table: connects with its own token, sits, takes its turns, comes back after a lost line, and proves itself again.

It reads its own frames only. A connection is one seat's: nothing here is shared with another agent but the observers.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from gameserver.wire.messages import (
    Enter,
    Error,
    HandCancelled,
    HandResult,
    HandStarted,
    Leave,
    Snapshot,
    YourTurn,
)
from policy.ids import AgentId, AgentVersionId
from railbird.agenthost.knowledge.memory import Memory, Source, TurnKnowledge
from railbird.agenthost.mind import Mind
from railbird.agenthost.observers import Observers
from railbird.agenthost.outbound import Door
from railbird.agenthost.seats.seating import Seating, SeatKeeper
from railbird.agenthost.turns.pace import Pace
from railbird.agenthost.turns.turn import TurnTaker
from railbird.client import ClientError, ErrorCode, Refused, TokenSource

_LOG: Final = logging.getLogger(__name__)
_LEAVES_WITHIN_S: Final = 5.0
_ANSWERED_WITHIN_S: Final = 2.0
_SHOWN_AGAIN_AFTER_S: Final = 1.0


def _wall_us() -> int:
    return time.time_ns() // 1_000


class AgentPlayer:
    """One hosted agent in one seat.

    `renew_every_s`: how often a fresh token is shown, for a source of tokens that do not last. `more_memory`: further sources of what
    the agent knows. `rng`: the dice of pauses; no move depends on them.
    """

    def __init__(
        self,
        url: str,
        *,
        agent_id: AgentId,
        mind: Mind,
        agent_token: TokenSource,
        seating: Seating,
        rng: random.Random,
        observers: Observers | None = None,
        pace: Pace = Pace(),  # noqa: B008 - frozen
        renew_every_s: float | None = None,
        more_memory: Sequence[Source[Any]] = (),
        wall_us: Callable[[], int] = _wall_us,
    ) -> None:
        self.memory = Memory(more_memory)
        self._mind = mind
        self._next_mind: Mind | None = None
        self._is_next_taken = False
        self._is_showing = False
        self._door = Door(url, agent_token=agent_token, rng=rng)
        self._keeper = SeatKeeper(seating, self.memory, rng)
        self._rng = rng
        self._renew_every_s = renew_every_s
        self._taker = TurnTaker(
            agent_id=agent_id,
            door=self._door,
            observers=observers or Observers(),
            pace=pace,
            rng=rng,
            wall_us=wall_us,
        )
        self._turn_id: str | None = None
        self._turn: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._leaves = True
        self._is_retiring = False
        self._renew = asyncio.Event()

    @property
    def mind(self) -> Mind:
        """What plays now."""
        return self._mind

    @property
    def is_thinking(self) -> bool:
        """Whether a turn is being taken."""
        return self._turn is not None and not self._turn.done()

    @property
    def version_to_prove(self) -> AgentVersionId | None:
        """What the next token is to name: the version that plays, or the next one where that is being shown or was taken."""
        return self.version_to_play if self._is_showing or self._is_next_taken else self._mind.version_id

    @property
    def version_to_play(self) -> AgentVersionId | None:
        """What plays, or is to play next."""
        return (self._next_mind or self._mind).version_id

    @property
    def _is_out_of_play(self) -> bool:
        """Whether no hand is in play that could be ours."""
        state = self.memory.state
        return state is None or state.street is None or self.memory.own_seat is None

    def switch(self, mind: Mind) -> None:
        """Play another version from the next hand on: a token of it is fetched and shown now, and the table changes when the hand is over.

        Where the table does not take it, the present version plays on (test_a_version_that_the_table_refuses_is_not_played).
        """
        self._next_mind, self._is_next_taken = mind, False
        self._renew.set()

    def stop(self) -> None:
        """Finish the turn that is being taken, leave the seat, and end. `run` returns then."""
        self._stopping.set()

    def rest(self) -> None:
        """Finish the turn that is being taken, and end. The seat stays, for whoever comes back to it."""
        self._leaves = False
        self._stopping.set()

    def retire(self) -> None:
        """Play the hand out, sit down no more, and end (test_who_retires_plays_the_hand_out)."""
        self._is_retiring = True
        self._keeper.sit_no_more()
        if self._is_out_of_play:
            self._stopping.set()

    async def run(self) -> None:
        """Play until stopped, cancelled, or the server closes normally.

        Raises `railbird.client` errors that coming back cannot help (`Closed`, `Unreachable`), and `Refused` where this agent may
        not sit here at all.
        """
        try:
            async with self._door, asyncio.TaskGroup() as tasks:
                upkeep = [
                    tasks.create_task(self._keeper.keep(self._door)),
                    tasks.create_task(self._keep_proving()),
                ]
                reading = tasks.create_task(self._read(tasks))
                stopping = tasks.create_task(self._stopping.wait())
                await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done():
                    await self._finish()
                for task in (*upkeep, reading, stopping, self._turn):
                    await _end(task)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _read(self, tasks: asyncio.TaskGroup) -> None:
        async for frame in self._door.frames():
            self.memory.take(frame)
            self._keeper.look()
            match frame:
                case YourTurn():
                    self._begin(tasks, frame)
                case Snapshot(your_turn=YourTurn() as turn):
                    self._begin(tasks, turn)
                case HandStarted():
                    self._adopt()
                case HandResult() | HandCancelled() if self._is_retiring:
                    self._stopping.set()
                case Error(code=code):
                    _LOG.info("a wish was dropped: %s", code)
                case _:
                    pass
            if self._is_retiring and self._is_out_of_play:
                self._stopping.set()

    # --- turns ----------------------------------------------------------------------------------------------------------

    def _begin(self, tasks: asyncio.TaskGroup, turn: YourTurn) -> None:
        """A turn that is asked for again, as after a reconnect, is not thought about again; none is begun once we go."""
        if self._stopping.is_set():
            return
        if turn.turn_id != self._turn_id:
            self._turn_id = turn.turn_id
            self._turn = tasks.create_task(self._take(self._turn, self.memory.freeze(turn)))
        elif not self.is_thinking:
            self._turn = tasks.create_task(self._taker.again(turn))

    async def _take(self, before: asyncio.Task[None] | None, knowledge: TurnKnowledge) -> None:
        """One turn is taken at a time: a newer request ends an older one, which may have been answered and not know it yet."""
        if before is not None and not before.done():
            if self._taker.is_acting:
                await asyncio.wait({before}, timeout=_ANSWERED_WITHIN_S)
            await _end(before)
        await self._taker.take(self._mind, knowledge)

    def _adopt(self) -> None:
        if self._next_mind is not None and self._is_next_taken:
            self._mind, self._next_mind, self._is_next_taken = self._next_mind, None, False

    # --- credentials and the end ----------------------------------------------------------------------------------------

    async def _keep_proving(self) -> None:
        """Show a fresh token again and again. Where one is refused, the connection ends with its token, and a new one begins."""
        while True:
            await self._until_due()
            shown, self._is_showing = self._next_mind, True
            try:
                await self._door.send_to_table(Enter())
                self._is_next_taken = shown is not None and shown is self._next_mind
            except Refused as refused:
                _LOG.warning("a fresh token was not taken: %s", refused.code)
                if shown is self._next_mind:
                    self._next_mind = None
            except ClientError as failed:
                _LOG.warning("a fresh token was not taken: %s", failed)
                if shown is not None:  # nobody knows whether it was taken
                    self._renew.set()
                    await asyncio.sleep(_SHOWN_AGAIN_AFTER_S)
            finally:
                self._is_showing = False

    async def _until_due(self) -> None:
        due_s = None if self._renew_every_s is None else self._renew_every_s * self._rng.uniform(0.8, 1.0)
        try:
            async with asyncio.timeout(due_s):
                await self._renew.wait()
            self._renew.clear()
        except TimeoutError:
            pass

    async def _finish(self) -> None:
        """The turn first: who leaves in mid-turn folds."""
        if self._turn is not None:
            await asyncio.wait({self._turn})
        # A seat that nobody knows of yet would stay taken by nobody (test_who_ends_while_it_sits_down_leaves_the_seat).
        if self._leaves and self._keeper.may_have_a_seat:
            await self._leave()

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(_LEAVES_WITHIN_S):
                await self._door.send_to_table(Leave())
        except Refused as refused:
            if refused.code is not ErrorCode.NOT_SEATED:
                _LOG.warning("leaving was not taken: %s", refused.code)
        except (ClientError, TimeoutError) as failed:
            _LOG.warning("leaving was not taken: %s", failed)


async def _end(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task that may be running, and wait until it is over."""
    if task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task})
