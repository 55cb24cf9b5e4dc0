"""Takes finished turns and sees that they get into the buffer, beside the turns and never in their way.

A turn's own path puts it on a bounded queue and returns. One task makes entries of what is queued and writes them in batches.
Where the store is away, slow or full, a turn is held for a while and tried again, and then it is lost: counted, named for
later readers, and told to the log once in a while. Every decision is stored, waiting, or counted as lost, and nothing else
(test_every_decision_is_stored_waiting_or_counted_as_lost).

What it writes to is a `TurnStore`, such as `capture.buffer.writer.BufferWriter`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, Self, TypeAlias

from capture.captured import CapturedTurn
from capture.entry import Entry, EntryMaker, entry_of
from capture.errors import BufferUnavailable
from capture.hooks import MessageSent, TurnStarted
from capture.losses import Loss, Losses
from capture.record import Call, Decided, FinishedTurn, MissingReason, TurnKey

_AT_ONCE: Final = 16
"""So many entries are made before other tasks of the loop get their turn: about a millisecond's work."""

_NAMED_AT_ONCE: Final = 256


Watcher: TypeAlias = Callable[[CapturedTurn], None]
"""Is shown captured turns, redacted as they are kept, and returns soon."""


class TurnStore(Protocol):
    """Where entries go. Both raise BufferUnavailable, and can then be asked the same again."""

    async def write(self, entries: Sequence[Entry]) -> None: ...

    async def mark(self, losses: Sequence[Loss]) -> list[TurnKey]: ...


@dataclass(frozen=True, slots=True)
class RecorderSettings:
    """Bounds. `most_*`: of what waits; `batch_*`: of what is written at once. `attempt_s`: for one batch.

    `hold_s`: how long a turn waits for a store that does not take it.
    `most_unnamed`: so many losses are remembered, to be named in the store when it is back; more are counted and not named.
    """

    most_turns: int = 4096
    most_bytes: int = 64 * 1024**2
    batch_turns: int = 64
    batch_bytes: int = 2 * 1024**2
    hold_s: float = 5.0
    attempt_s: float = 2.0
    first_pause_s: float = 0.05
    longest_pause_s: float = 1.0
    most_unnamed: int = 10_000


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the turns so far: `decided` is the sum of `stored`, `waiting` and all of `lost`. `fallbacks` are no decisions."""

    decided: int
    stored: int
    waiting: int
    lost: Mapping[MissingReason, int]
    fallbacks: int


class _Queued(NamedTuple):
    """A turn that waits. `since_s`: by the recorder's clock."""

    turn: FinishedTurn
    decided: Decided
    since_s: float
    weight_bytes: int


class _Held(NamedTuple):
    """An entry that is being written."""

    entry: Entry
    since_s: float


class Recorder:
    """Listens to turns and records them: `async with Recorder(...) as recorder`. `clock_s`: any steady clock, in seconds.

    `watchers`: are shown each turn beside the turn's own path, as it will be read back. Hooks are called in the loop's thread.
    """

    def __init__(
        self,
        store: TurnStore,
        maker: EntryMaker,
        clock_s: Callable[[], float],
        settings: RecorderSettings | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        self._store = store
        self._maker = maker
        self._clock_s = clock_s
        self._watchers = tuple(watchers)
        self._settings = settings or RecorderSettings()
        self._queue: deque[_Queued] = deque()
        self._queued_bytes = 0
        self._in_flight: list[_Held] = []
        self._decided = self._stored = self._fallbacks = 0
        self._losses = Losses(self._settings.most_unnamed, clock_s)
        self._problem = "it was not asked"
        self._store_is_down = False
        self._closing = False
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="capture recorder")
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @property
    def counts(self) -> Counts:
        """What became of the turns so far."""
        waiting = len(self._queue) + len(self._in_flight)
        return Counts(self._decided, self._stored, waiting, self._losses.counted, self._fallbacks)

    def turn_started(self, event: TurnStarted, /) -> None:
        """Nothing: a turn is recorded when it is over."""

    def message_sent(self, event: MessageSent, /) -> None:
        """Nothing: the finished turn has its messages."""

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        """Takes a turn, or counts it as lost where there is no room; it does not wait."""
        decided = turn.outcome
        if not isinstance(decided, Decided):
            self._fallbacks += 1
            return
        self._decided += 1
        weight_bytes = _weight_bytes(decided.calls)
        settings = self._settings
        if (
            self._closing
            or len(self._queue) >= settings.most_turns
            or self._queued_bytes + weight_bytes > settings.most_bytes
        ):
            self._losses.add(turn.key, self._reason_at_the_door())
            return
        self._queue.append(_Queued(turn, decided, self._clock_s(), weight_bytes))
        self._queued_bytes += weight_bytes
        self._wake.set()

    async def settled(self) -> None:
        """Until nothing waits: each turn that was handed over is stored or lost."""
        while self._queue or self._in_flight:
            self._settled.clear()
            await self._settled.wait()

    async def close(self, timeout_s: float = 5.0) -> None:
        """Writes what waits; what is not written in this time is lost, counted and told to the log."""
        self._closing = True
        self._wake.set()
        if (task := self._task) is None:
            self._lose_the_rest()
            return
        await asyncio.wait({task}, timeout=timeout_s)
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
        self._task = None

    async def _run(self) -> None:
        try:
            while not self._closing or self._queue:
                await self._sleep_until_woken()
                while self._queue:
                    await self._write_batch()
                self._settled.set()
                await self._name_losses()
        finally:
            self._closing = True
            self._lose_the_rest()

    async def _sleep_until_woken(self) -> None:
        """Until there is a turn; not for long while the store is to be told of losses."""
        try:
            async with asyncio.timeout(self._settings.longest_pause_s if self._losses.are_to_be_named else None):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _write_batch(self) -> None:
        await self._take_batch()
        pause_s = self._settings.first_pause_s
        while self._in_flight and not await self._try_to_write():
            self._give_up_on_old()
            if self._in_flight:
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, self._settings.longest_pause_s)

    async def _take_batch(self) -> None:
        """Makes entries; other tasks of the loop get their turn in between."""
        left_bytes = self._settings.batch_bytes
        while self._queue and len(self._in_flight) < self._settings.batch_turns and left_bytes > 0:
            queued = self._queue.popleft()
            self._queued_bytes -= queued.weight_bytes
            left_bytes -= queued.weight_bytes
            try:
                captured = self._maker.captured(queued.turn, queued.decided)
                self._in_flight.append(_Held(entry_of(captured), queued.since_s))
            except Exception as error:  # noqa: BLE001  (one turn that cannot be encoded must not end the recorder)
                self._losses.add(queued.turn.key, MissingReason.DROPPED)
                self._losses.say(self._decided, f"a turn could not be encoded ({type(error).__name__})")
            else:
                self._show(captured)
            if len(self._in_flight) % _AT_ONCE == 0:
                await asyncio.sleep(0)

    def _show(self, captured: CapturedTurn) -> None:
        for watcher in self._watchers:
            try:
                watcher(captured)
            except Exception as error:  # noqa: BLE001  (who watches must not end the recorder)
                self._losses.say(self._decided, f"a watcher failed ({type(error).__name__})")

    async def _try_to_write(self) -> bool:
        try:
            async with asyncio.timeout(self._settings.attempt_s):
                await self._store.write([held.entry for held in self._in_flight])
        except (BufferUnavailable, TimeoutError) as error:
            self._store_is_down = True
            self._problem = str(error) or type(error).__name__
            return False
        except Exception as error:  # noqa: BLE001  (a fault in here must not end the recorder)
            self._lose_in_flight(MissingReason.DROPPED)
            self._losses.say(self._decided, f"a batch could not be written ({type(error).__name__})")
            return True
        self._stored += len(self._in_flight)
        self._in_flight.clear()
        self._store_is_down = False
        return True

    async def _name_losses(self) -> None:
        """Tells the store of losses, for its readers; what it cannot be told now it is told later."""
        try:
            while losses := self._losses.next_to_name(_NAMED_AT_ONCE):
                async with asyncio.timeout(self._settings.attempt_s):
                    there = await self._store.mark(losses)
                self._stored += self._losses.named(losses, there)
        except (BufferUnavailable, TimeoutError):
            pass
        except Exception as error:  # noqa: BLE001  (as above)
            self._losses.say(self._decided, f"losses could not be named ({type(error).__name__})")

    def _give_up_on_old(self) -> None:
        """A store that is only late is no alarm (test_a_store_that_is_late_is_no_alarm); what it did not take in time is one."""
        before = self._losses.total
        self._lose_old()
        if self._losses.total > before:
            self._losses.say(self._decided, f"the buffer does not take them ({self._problem})")

    def _lose_old(self) -> None:
        limit_s = self._clock_s() - self._settings.hold_s
        young = [held for held in self._in_flight if held.since_s > limit_s]
        for held in self._in_flight:
            if held.since_s <= limit_s:
                self._losses.add(held.entry.key, MissingReason.STORE_DOWN)
        self._in_flight = young
        while self._queue and self._queue[0].since_s <= limit_s:
            queued = self._queue.popleft()
            self._queued_bytes -= queued.weight_bytes
            self._losses.add(queued.turn.key, MissingReason.STORE_DOWN)

    def _lose_in_flight(self, reason: MissingReason) -> None:
        for held in self._in_flight:
            self._losses.add(held.entry.key, reason)
        self._in_flight = []

    def _lose_the_rest(self) -> None:
        if not self._in_flight and not self._queue:
            return
        self._lose_in_flight(MissingReason.STORE_DOWN)
        for queued in self._queue:
            self._losses.add(queued.turn.key, MissingReason.STORE_DOWN)
        self._queue.clear()
        self._queued_bytes = 0
        self._settled.set()
        self._losses.say(self._decided, "the recorder was closed before the buffer took them")

    def _reason_at_the_door(self) -> MissingReason:
        return MissingReason.STORE_DOWN if self._store_is_down else MissingReason.DROPPED


def _weight_bytes(calls: Sequence[Call]) -> int:
    """Roughly what a turn holds on to; an envelope is shared, so it is left out."""
    weight_bytes = 0
    for call in calls:
        weight_bytes += len(call.prompt.remainder) + len(call.request_body) + len(call.response_body)
        weight_bytes += len(call.completion or "")
    return weight_bytes
