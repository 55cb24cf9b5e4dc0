"""Recording the turns of any agent program: `with capture.turn(...) as turn:` around what it does to decide.

    with capturing(url, hash_key=key) as capture:
        with capture.turn(agent_id="triage", table_id="inbox", hand_number=day, action_index=n) as turn:
            turn.knew(ticket)
            turn.called(provider="openai", model="gpt-x", envelope=rules, remainder=question, completion=reply)
            turn.chose("escalate")
            turn.sent(message, "escalate")

A table is whatever a program's decisions belong to, a hand one run of them, an action index counts within it. A turn in which
nothing is chosen, or that ends by an error, is no decision and leaves no record; the error goes on to the program. What goes
wrong in recording does not.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, Self, TypeVar

from capture.buffer.client import BufferClient
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.hooks import MessageSent, TurnHooks, TurnStarted
from capture.record import FinishedTurn, TurnKey
from capture.recorder import Counts, Recorder, RecorderSettings
from capture.redaction import Redactor
from capture.turn import AS_THEY_ARE, Turn, TurnSettings
from policy.ids import ActionIndex, AgentId, HandNumber, TableId

_log: Final = logging.getLogger(__name__)
_T = TypeVar("_T")
_E = TypeVar("_E")


class Capture:
    """Hands turns to hooks. `wall_us`: the time since 1970. `counts`: what became of them."""

    def __init__(self, hooks: TurnHooks, wall_us: Callable[[], int], counts: Callable[[], Counts]) -> None:
        self._hooks = hooks
        self._wall_us = wall_us
        self._counts = counts
        self.failures = 0
        """How often a hook raised; the turns went on."""

    @property
    def counts(self) -> Counts:
        """What became of the turns so far."""
        return self._counts()

    @contextmanager
    def turn(
        self,
        *,
        agent_id: str,
        table_id: str,
        hand_number: int,
        action_index: int,
        settings: TurnSettings = AS_THEY_ARE,
    ) -> Iterator[Turn]:
        """Around all that an agent does to decide; in asynchronous code, too."""
        key = TurnKey(AgentId(agent_id), TableId(table_id), HandNumber(hand_number), ActionIndex(action_index))
        began_us = self._wall_us()
        self._tell(lambda: self._hooks.turn_started(TurnStarted(key, began_us)))
        turn = Turn(key, began_us)
        try:
            yield turn
        except BaseException as error:
            self._finish(turn, settings, error)
            raise
        self._finish(turn, settings, None)

    def from_threads(self, beside: _Beside) -> Capture:
        """The same for callers in other threads than the hooks'."""
        return Capture(_FromThreads(beside, self._hooks), self._wall_us, self._counts)

    def _finish(self, turn: Turn, settings: TurnSettings, error: BaseException | None) -> None:
        self._tell(lambda: self._hooks.turn_finished(turn.finished(self._wall_us(), settings, error)))

    def _tell(self, hook: Callable[[], None]) -> None:
        try:
            hook()
        except Exception as error:  # noqa: BLE001  (recording must not end a program's turn)
            self.failures += 1
            if self.failures == 1:
                _log.error("a turn could not be told of (%s); later ones are counted only", type(error).__name__)


@asynccontextmanager
async def capturing_here(
    url: str,
    *,
    hash_key: bytes,
    buffer: BufferSettings | None = None,
    recorder: RecorderSettings | None = None,
) -> AsyncIterator[Capture]:
    """Records in the running loop, into the buffer at this Redis address. On the way out it writes what waits, for a bounded time.

    `hash_key`: of the rule that hashes; at least 16 bytes.
    """
    client = BufferClient(url)
    writer = BufferWriter(client, buffer or BufferSettings(), _wall_ms)
    maker = EntryMaker(Redactor(hash_key), EnvelopeHasher())
    try:
        async with Recorder(writer, maker, time.monotonic, recorder) as recording:
            yield Capture(recording, _wall_us, lambda: recording.counts)
    finally:
        await client.close()


@contextmanager
def capturing(
    url: str,
    *,
    hash_key: bytes,
    buffer: BufferSettings | None = None,
    recorder: RecorderSettings | None = None,
) -> Iterator[Capture]:
    """The same for a program without a loop: it records in a thread of its own, and turns may come from any thread."""
    with _Beside() as beside:
        opened = capturing_here(url, hash_key=hash_key, buffer=buffer, recorder=recorder)
        capture = beside.do(opened.__aenter__())
        try:
            yield capture.from_threads(beside)
        finally:
            beside.do(opened.__aexit__(None, None, None))


class _Beside:
    """A loop in a thread of its own."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="capture", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Its answer, which the caller waits for."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def soon(self, work: Callable[[_E], None], event: _E) -> None:
        """Lets it be done there; the caller does not wait."""
        self._loop.call_soon_threadsafe(work, event)


class _FromThreads:
    """Hooks that may be called from any thread."""

    def __init__(self, beside: _Beside, hooks: TurnHooks) -> None:
        self._beside = beside
        self._hooks = hooks

    def turn_started(self, event: TurnStarted, /) -> None:
        self._beside.soon(self._hooks.turn_started, event)

    def message_sent(self, event: MessageSent, /) -> None:
        self._beside.soon(self._hooks.message_sent, event)

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self._beside.soon(self._hooks.turn_finished, turn)


def _wall_us() -> int:
    return time.time_ns() // 1_000


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
