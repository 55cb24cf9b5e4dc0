"""One turn of an agent, from the request to act to its record: know, ask, clamp, say, wait, act.

An illegal action does not leave, and none leaves past the deadline (`tests/agenthost/turns/test_turn.py`). Every way through ends in one
`FinishedTurn`, a turn that is given up too: what it cost is charged.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from capture.hooks import MessageSent, TurnStarted
from capture.record import Call, Decided, FellBack, FinishedTurn, Move, Outcome, TurnKey
from gameserver.wire.fields import MAX_CHIPS
from gameserver.wire.messages import Action, AgentDecision, AgentStatus, AgentThoughtIn, YourTurn
from policy.ids import ActionIndex, AgentId, HandNumber, TableId
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.knowledge.memory import TurnKnowledge
from railbird.agenthost.knowledge.prompt import PROMPT_VERSION
from railbird.agenthost.mind import Mind
from railbird.agenthost.observers import Observers
from railbird.agenthost.outbound import Door
from railbird.agenthost.turns.clamp import Clamped, clamp, safe_move
from railbird.agenthost.turns.guard import Answered, Guard, Unanswered
from railbird.agenthost.turns.pace import Clock, Pace, clock_of
from railbird.agenthost.turns.words import sendable
from railbird.client import ActionKind, ClientError, ErrorCode, Refused, StaleTurn

_LOG: Final = logging.getLogger(__name__)


class TurnTaker:
    """Takes the turns of one seat, one at a time. `wall_us`: microseconds since 1970 UTC."""

    def __init__(
        self,
        *,
        agent_id: AgentId,
        door: Door,
        observers: Observers,
        pace: Pace,
        rng: random.Random,
        wall_us: Callable[[], int],
    ) -> None:
        self._agent_id = agent_id
        self._door = door
        self._observers = observers
        self._pace = pace
        self._rng = rng
        self._wall_us = wall_us
        self._last: tuple[str, Move] | None = None
        self._acting = False

    @property
    def is_acting(self) -> bool:
        """Whether a move is on its way: it may have counted already."""
        return self._acting

    async def again(self, turn: YourTurn) -> None:
        """A turn that was taken is asked for once more, since the move did not get there: send it again. It is no second turn."""
        turn_id, move = self._last or ("", safe_move(turn))
        await self._act(turn, move if turn_id == turn.turn_id else safe_move(turn))

    async def take(self, mind: Mind, knowledge: TurnKnowledge) -> None:
        """It ends before the clock does, or is cancelled."""
        turn = knowledge.turn
        now_ms = self._door.server_now_ms()
        clock = clock_of(turn, self._pace, server_now_ms=now_ms, now=_loop_time(), rng=self._rng)
        key = self._key(turn)
        self._observers.turn_started(TurnStarted(key, self._wall_us()))
        self._door.transcript.begin(lambda message: self._observers.message_sent(MessageSent(key, message)))
        guard = Guard(mind, knowledge, clock.model_ends_at)
        taken = _Taken(None, clock.asked_at)
        try:
            await self._play(turn, clock, guard, taken)
        except Exception as failed:  # noqa: BLE001 - a fault of ours costs no more than a decision (test_a_fault_of_ours)
            _LOG.error("a turn failed: %s", type(failed).__name__)
            taken.outcome = _fell_back(guard.calls, Fallback.FAILED, await self._act(turn, safe_move(turn)))
        finally:
            self._door.withdraw()
            outcome = taken.outcome or _fell_back(guard.calls, Fallback.OVERTAKEN)
            self._observers.turn_finished(self._finished(key, mind, knowledge, clock, taken.replied_at, outcome))

    async def _play(self, turn: YourTurn, clock: Clock, guard: Guard, taken: _Taken) -> None:
        found = await guard.answer()
        taken.replied_at = _loop_time()
        match found:
            case Answered(calls, answer):
                clamped = clamp(answer, turn)
                words = self._speak(turn, clock, clamped, answer.reasoning)
                await _until(clock.acts_at)
                if await _is_over(words):
                    taken.outcome = _fell_back(calls, Fallback.TOO_LATE)
                    return
                acted = await self._act(turn, clamped.sent)
                taken.outcome = _decided(calls, clamped, acted)
            case Unanswered(calls, reason, provider_down):
                if provider_down:
                    self._door.post(AgentStatus(turn_id=turn.turn_id, provider_down=True))
                await _until(clock.acts_at)
                taken.outcome = _fell_back(calls, reason, await self._act(turn, safe_move(turn)))

    def _speak(
        self, turn: YourTurn, clock: Clock, clamped: Clamped, reasoning: str
    ) -> list[asyncio.Task[ClientError | None]]:
        """Tell the thought and what is decided, the moment that it is known. Words that are not taken cost no move."""
        if max(_loop_time(), clock.acts_at) - clock.asked_at < self._pace.speaks_from_ms / 1000:
            return []
        thought = [AgentThoughtIn(turn_id=turn.turn_id, text=sendable(reasoning))] if reasoning else []
        return [self._door.post(message) for message in (*thought, _provisional(turn, clamped))]

    async def _act(self, turn: YourTurn, move: Move) -> _Acted | Fallback:
        """Send the move; where the table does not take it, the safe one."""
        self._last, self._acting = (turn.turn_id, move), True
        try:
            await self._send(turn, move)
            return _Acted(move)
        except StaleTurn:
            return Fallback.TOO_LATE
        except Refused as refused:
            _LOG.error("a move was refused: %s", refused.code)
            return await self._give_up(turn, refused.code)
        except ClientError as lost:
            _LOG.warning("a move was not answered: %s", lost)
            return Fallback.NOT_TAKEN
        finally:
            self._acting = False

    async def _give_up(self, turn: YourTurn, code: ErrorCode) -> _Acted | Fallback:
        safe = safe_move(turn)
        try:
            await self._send(turn, safe)
            return _Acted(safe, f"the table refused it: {code}")
        except ClientError as failed:
            _LOG.warning("giving up was not taken either: %s", failed)
            return Fallback.NOT_TAKEN

    async def _send(self, turn: YourTurn, move: Move) -> None:
        """Once more a little later where the table hears too much from us at once."""
        amount = UNSET if move.amount is None else move.amount
        action = Action(turn_id=turn.turn_id, action=ActionKind(move.action), amount=amount)
        for wait_s in _WAITS_S:
            try:
                return await self._door.send_to_table(action)
            except Refused as refused:
                if refused.code is not ErrorCode.RATE_LIMITED:
                    raise
                await asyncio.sleep(wait_s)
        return await self._door.send_to_table(action)

    def _key(self, turn: YourTurn) -> TurnKey:
        return TurnKey(
            self._agent_id,
            TableId(turn.table_id),
            HandNumber(0 if turn.hand_number is UNSET else turn.hand_number),
            ActionIndex(turn.action_index),
        )

    def _finished(
        self, key: TurnKey, mind: Mind, knowledge: TurnKnowledge, clock: Clock, replied_at: float, outcome: Outcome
    ) -> FinishedTurn:
        return FinishedTurn(
            key=key,
            agent_version_id=mind.version_id,
            at_us=self._wall_us(),
            knowledge=knowledge.as_record(),
            messages=self._door.transcript.drain(),
            prompt_version=PROMPT_VERSION,
            temperature=mind.temperature,
            seed=mind.seed,
            max_tokens=mind.max_tokens,
            history_gap=knowledge.history_gap,
            latency_ms=round((replied_at - clock.asked_at) * 1000),
            outcome=outcome,
        )


_WAITS_S: Final = (0.1, 0.2, 0.4)


@dataclass(slots=True)
class _Taken:
    """How far a turn has come, so that one that is given up has a record, too."""

    outcome: Outcome | None
    replied_at: float


@dataclass(frozen=True, slots=True)
class _Acted:
    """`move`: what the table took. `why`: where that is not what was sent first."""

    move: Move
    why: str | None = None


def _fell_back(calls: tuple[Call, ...], reason: Fallback, acted: _Acted | Fallback | None = None) -> FellBack:
    """`acted`: what came of the safe move, where one was tried."""
    return FellBack(calls, acted.move if isinstance(acted, _Acted) else None, reason.value)


def _decided(calls: tuple[Call, ...], clamped: Clamped, acted: _Acted | Fallback) -> Outcome:
    """What did not get to the table is no decision."""
    if isinstance(acted, Fallback):
        return _fell_back(calls, acted)
    reasons = [why for why in (clamped.why, acted.why) if why is not None]
    return Decided(calls, len(calls) - 1, clamped.chosen, acted.move, "; ".join(reasons) or None)


def _provisional(turn: YourTurn, clamped: Clamped) -> AgentDecision:
    """What was chosen, where that can be said on the wire; else what is sent."""
    chosen = clamped.chosen
    sized = chosen.action in (ActionKind.BET, ActionKind.RAISE)
    said = chosen if not sized or (chosen.amount is not None and 1 <= chosen.amount <= MAX_CHIPS) else clamped.sent
    amount = UNSET if said.amount is None else said.amount
    return AgentDecision(turn_id=turn.turn_id, action=ActionKind(said.action), amount=amount)


async def _is_over(words: list[asyncio.Task[ClientError | None]]) -> bool:
    """Whether the table has said that the turn is over. What was said is written before this returns."""
    await asyncio.sleep(0)
    return any(task.done() and not task.cancelled() and isinstance(task.result(), StaleTurn) for task in words)


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - _loop_time()))


def _loop_time() -> float:
    return asyncio.get_running_loop().time()
