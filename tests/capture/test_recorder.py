"""A turn is recorded beside the turn: it never waits, and what is lost is counted, named and told."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture.captured import CapturedTurn
from capture.entry import Entry
from capture.errors import BufferUnavailable
from capture.hooks import MessageSent, TurnStarted
from capture.losses import Losses
from capture.record import MissingReason, TurnKey
from capture.recorder import Counts, Recorder, RecorderSettings
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.buffers import Buffered, maker, wait_until
from tests.capture.turns import call, decided, fell_back, key, turn

QUICK: Final = RecorderSettings(hold_s=0.0, attempt_s=0.05, first_pause_s=0.001, longest_pause_s=0.002)
UNBROKEN: Final = Counts(0, 0, 0, {}, 0)


@dataclass
class Store:
    """A store that does as it is told, and keeps what it took. `mode`: what it does with the next thing that it is asked."""

    mode: str = "works"
    there: set[TurnKey] = field(default_factory=set)
    marked: dict[TurnKey, MissingReason] = field(default_factory=dict)
    asked: int = 0

    async def write(self, entries: Sequence[Entry]) -> None:
        await self._behave()
        self.there |= {entry.key for entry in entries}
        if self.mode == "answer lost":
            raise BufferUnavailable("TimeoutError")

    async def mark(self, losses: Sequence[tuple[TurnKey, MissingReason]]) -> list[TurnKey]:
        await self._behave()
        self.marked |= {key: reason for key, reason in losses if key not in self.there}
        return [key for key, _ in losses if key in self.there]

    async def _behave(self) -> None:
        self.asked += 1
        match self.mode:
            case "down":
                raise BufferUnavailable("ConnectionError")
            case "full":
                raise BufferUnavailable("it is full")
            case "hangs":
                await asyncio.Event().wait()
            case "faulty":
                raise RuntimeError("a fault")
            case _:
                await asyncio.sleep(0)


def recorder(store: Any, settings: RecorderSettings = QUICK) -> Recorder:
    return Recorder(store, maker(), time.monotonic, settings)


def is_even(counts: Counts) -> bool:
    return counts.decided == counts.stored + counts.waiting + sum(counts.lost.values())


async def test_a_turn_is_stored_and_a_fallback_is_not(on_either: Buffered) -> None:
    """A fallback is no decision; the other hooks record nothing."""
    async with recorder(on_either.writer, RecorderSettings()) as recorded:
        recorded.turn_started(TurnStarted(key(), 1))
        recorded.message_sent(MessageSent(key(), b"{}"))
        recorded.turn_finished(turn())
        recorded.turn_finished(turn(key(index=9), fell_back()))
    assert recorded.counts == Counts(1, 1, 0, {}, 1)
    found = await on_either.buffer.hand(agent_id=AgentId("a1"), table_id=TableId("t1"), hand_number=HandNumber(7))
    assert [each.key for each in found.turns] == [key()] and found.missing == {}


async def test_a_clean_stop_loses_nothing() -> None:
    """All that waits is written first."""
    store = Store()
    async with recorder(store, RecorderSettings()) as recorded:
        for n in range(1_000):
            recorded.turn_finished(turn(key(index=n)))
    assert recorded.counts == Counts(1_000, 1_000, 0, {}, 0) and len(store.there) == 1_000


async def test_a_stop_takes_a_bounded_time_and_counts_what_it_leaves(caplog: pytest.LogCaptureFixture) -> None:
    """With a store that does not answer, all that waited is lost, and the log says so; later turns are lost at the door."""
    recorded = await recorder(Store("hangs"), RecorderSettings()).__aenter__()
    for n in range(70):
        recorded.turn_finished(turn(key(index=n)))
    await recorded.close(timeout_s=0.05)
    recorded.turn_finished(turn(key(index=99)))
    assert recorded.counts == Counts(71, 0, 0, {MissingReason.STORE_DOWN: 70, MissingReason.DROPPED: 1}, 0)
    assert "lacks 70 of 70 decisions" in caplog.text
    await recorded.close()


async def test_a_recorder_that_was_never_started_counts_too() -> None:
    """Its turns wait, and are lost when it is closed."""
    recorded = recorder(Store())
    recorded.turn_finished(turn())
    assert recorded.counts == Counts(1, 0, 1, {}, 0)
    await recorded.close()
    assert recorded.counts == Counts(1, 0, 0, {MissingReason.STORE_DOWN: 1}, 0)


async def test_a_cancelled_recorder_counts_what_it_had() -> None:
    """However its task ends, nothing is forgotten."""
    recorded = await recorder(Store("hangs"), RecorderSettings()).__aenter__()
    recorded.turn_finished(turn())
    await asyncio.sleep(0.01)
    assert recorded._task is not None
    recorded._task.cancel()
    await asyncio.wait({recorded._task})
    assert recorded.counts == Counts(1, 0, 0, {MissingReason.STORE_DOWN: 1}, 0)


async def test_a_queue_has_an_end_in_turns_and_in_bytes() -> None:
    """What is beyond it is dropped at the door, at once."""
    by_turns = recorder(Store(), RecorderSettings(most_turns=3))
    by_bytes = recorder(Store(), RecorderSettings(most_bytes=3_000))
    for n in range(5):
        by_turns.turn_finished(turn(key(index=n)))
        by_bytes.turn_finished(turn(key(index=n), decided(call(response_body=b"x" * 900))))
    for recorded in (by_turns, by_bytes):
        assert recorded.counts == Counts(5, 0, 3, {MissingReason.DROPPED: 2}, 0)
        await recorded.__aenter__()
        await recorded.close()
        assert recorded.counts == Counts(5, 3, 0, {MissingReason.DROPPED: 2}, 0)


@pytest.mark.parametrize("mode", ["down", "full", "hangs"])
async def test_a_store_that_does_not_take_turns_loses_them_after_a_while(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Counted and told once; named in the store when it is back; and recording goes on by itself."""
    store = Store(mode)
    async with recorder(store) as recorded:
        for n in range(5):
            recorded.turn_finished(turn(key(index=n)))
        await wait_until(lambda: recorded.counts.lost == {MissingReason.STORE_DOWN: 5})
        assert len(caplog.records) == 1
        store.mode = "works"
        recorded.turn_finished(turn(key(index=5)))
        await wait_until(lambda: recorded.counts == Counts(6, 1, 0, {MissingReason.STORE_DOWN: 5}, 0))
        await wait_until(lambda: store.marked == {key(index=n): MissingReason.STORE_DOWN for n in range(5)})


async def test_a_store_that_is_late_is_no_alarm(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is lost, so nothing is told; the turns wait, and are stored when it takes them."""
    store = Store("down")
    async with recorder(store, RecorderSettings(hold_s=60.0, first_pause_s=0.001, longest_pause_s=0.002)) as recorded:
        recorded.turn_finished(turn())
        await wait_until(lambda: store.asked >= 5)
        store.mode = "works"
        await wait_until(lambda: recorded.counts.stored == 1)
    assert not caplog.records


async def test_a_turn_that_got_there_without_an_answer_is_no_loss_in_the_end() -> None:
    """The store says so when it is told of the loss."""
    store = Store("answer lost")
    async with recorder(store) as recorded:
        for n in range(5):
            recorded.turn_finished(turn(key(index=n)))
        await wait_until(lambda: recorded.counts.stored == 5)
    assert is_even(recorded.counts) and not any(recorded.counts.lost.values()) and store.marked == {}


async def test_a_store_that_is_away_for_a_short_while_loses_nothing() -> None:
    """Turns are held and written when it is back."""
    store = Store("down")
    async with recorder(store, RecorderSettings(hold_s=30, first_pause_s=0.001, longest_pause_s=0.002)) as recorded:
        for n in range(5):
            recorded.turn_finished(turn(key(index=n)))
        await wait_until(lambda: store.asked > 3)
        assert recorded.counts == Counts(5, 0, 5, {}, 0)
        store.mode = "works"
        await wait_until(lambda: recorded.counts == Counts(5, 5, 0, {}, 0))


async def test_a_batch_has_an_end_in_bytes() -> None:
    """Large turns are written in smaller batches."""
    sizes: list[int] = []

    class Sizes(Store):
        async def write(self, entries: Sequence[Entry]) -> None:
            sizes.append(len(entries))

    async with recorder(Sizes(), RecorderSettings(batch_bytes=2_000)) as recorded:
        for n in range(9):
            recorded.turn_finished(turn(key(index=n), decided(call(response_body=b"x" * 900))))
    assert sizes == [3, 3, 3]


async def test_one_can_wait_until_nothing_waits() -> None:
    """Stored or lost, at once where there is nothing, and also when the recorder is closed."""
    store = Store()
    async with recorder(store) as recorded:
        await asyncio.wait_for(recorded.settled(), 30)
        for mode in ("works", "down"):
            store.mode = mode
            recorded.turn_finished(turn())
            await asyncio.wait_for(recorded.settled(), 30)
            assert recorded.counts.waiting == 0
    closed = recorder(Store())
    closed.turn_finished(turn())
    await closed.close()
    await asyncio.wait_for(closed.settled(), 30)


async def test_losses_are_named_without_another_turn() -> None:
    """The store is told when it is back, though nobody plays."""
    store = Store("down")
    async with recorder(store) as recorded:
        recorded.turn_finished(turn())
        await wait_until(lambda: bool(recorded.counts.lost))
        store.mode = "works"
        await wait_until(lambda: store.marked == {key(): MissingReason.STORE_DOWN})


async def test_a_fault_of_ours_takes_no_other_batch_along(caplog: pytest.LogCaptureFixture) -> None:
    """A turn that cannot be encoded, and a store that raises what it should not: lost, told without a word of it, and on."""
    store = Store()
    async with recorder(store) as recorded:
        recorded.turn_finished(turn(key(index=1), decided(call(input_tokens=2**70, provider="marker"))))
        recorded.turn_finished(turn(key(index=2)))
        await wait_until(lambda: recorded.counts.stored == 1)
        store.mode = "faulty"
        recorded.turn_finished(turn(key(index=3)))
        await wait_until(lambda: recorded.counts.lost == {MissingReason.DROPPED: 2})
        store.mode = "works"
        recorded.turn_finished(turn(key(index=4)))
        await wait_until(lambda: recorded.counts.stored == 2)
    assert "OverflowError" in caplog.text and "marker" not in caplog.text


async def test_watchers_are_shown_turns_as_they_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    """Redacted, beside the turn; one that fails is told of and changes nothing."""
    shown: list[CapturedTurn] = []

    def fails(captured: CapturedTurn) -> None:
        raise RuntimeError("marker")

    async with Recorder(Store(), maker(), time.monotonic, QUICK, [fails, shown.append]) as recorded:
        recorded.turn_finished(turn(messages=(b'{"agentToken":"secret"}',)))
        assert shown == []
    assert recorded.counts == Counts(1, 1, 0, {}, 0) and [each.key for each in shown] == [key()]
    assert "secret" not in str(shown) and "RuntimeError" in caplog.text and "marker" not in caplog.text


STEPS = st.lists(
    st.integers(1, 7)
    | st.sampled_from(["works", "down", "full", "hangs", "answer lost", "faulty", "rest", "long rest"]),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([0.0, 0.004]), st.integers(1, 4))
async def test_every_decision_is_stored_waiting_or_counted_as_lost(steps: Any, hold_s: float, most_turns: int) -> None:
    """At every instant, whatever the store does; at the end nothing waits, and what is counted as stored is there."""
    store, numbers = Store(), iter(range(1_000))
    tight = RecorderSettings(
        most_turns=most_turns, batch_turns=2, hold_s=hold_s, attempt_s=0.002, first_pause_s=0.001, longest_pause_s=0.001
    )
    recorded = await recorder(store, tight).__aenter__()
    for step in steps:
        match step:
            case int():
                for _ in range(step):
                    recorded.turn_finished(turn(key(index=next(numbers))))
                    assert is_even(recorded.counts)
            case "rest" | "long rest":
                await asyncio.sleep(0.01 if step == "long rest" else 0)
            case _:
                store.mode = step
        assert is_even(recorded.counts)
    await recorded.close(timeout_s=0.02)
    counts = recorded.counts
    assert is_even(counts) and counts.waiting == 0 and all(n >= 0 for n in counts.lost.values())
    assert counts.stored <= len(store.there) <= counts.decided
    assert "answer lost" in steps or counts.stored == len(store.there)


def test_losses_that_are_not_named_yet_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """The newest are; all are counted. The log has one line in a while."""
    now_s = 0.0
    losses = Losses(2, lambda: now_s)
    for n in range(5):
        losses.add(key(index=n), MissingReason.DROPPED)
        losses.say(5, "why")
    assert losses.total == 5 and losses.next_to_name(9) == [(key(index=n), MissingReason.DROPPED) for n in (3, 4)]
    assert losses.named(losses.next_to_name(1), there=[key(index=3)]) == 1
    assert losses.next_to_name(9) == [(key(index=4), MissingReason.DROPPED)] and losses.total == 4
    assert len(caplog.records) == 1
    now_s = 31.0
    losses.say(5, "why")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
