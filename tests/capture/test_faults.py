"""The capture's faults on a real Valkey: away, slow, full, restarted, crowded; and no key of it that stays for ever."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from capture.buffer.keys import PREFIXES
from capture.captured import CapturedHand
from capture.entry import EntryMaker
from capture.errors import BufferUnavailable
from capture.record import MissingReason
from capture.recorder import Counts, Recorder, RecorderSettings
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.buffers import Buffered, buffered, entry_of, maker, wait_until
from tests.capture.turns import key, turn
from tests.conftest import ROOT
from tests.live.valkey import OwnValkey, cluster_in

ON_TIME_S = 0.1
"""What a turn's path may be longer by, at most, whatever the store does."""

IMPATIENT = RecorderSettings(hold_s=0.2, attempt_s=20, first_pause_s=0.01, longest_pause_s=0.05)
"""For a store that answers at once, if only that it will not."""

UNANSWERED = replace(IMPATIENT, attempt_s=0.2)


@asynccontextmanager
async def recording(url: str, settings: RecorderSettings = IMPATIENT) -> AsyncIterator[tuple[Recorder, Buffered]]:
    held = buffered(url)
    try:
        async with Recorder(held.writer, maker(), time.monotonic, settings) as recorder:
            yield recorder, held
    finally:
        await held.client.close()


def decide(recorder: Recorder, indexes: range) -> None:
    """Turns, which are on time: all but those in which this machine did something else."""
    delays_s = []
    for n in indexes:
        began_s = time.monotonic()
        recorder.turn_finished(turn(key(index=n)))
        delays_s.append(time.monotonic() - began_s)
    assert statistics.median(delays_s) < ON_TIME_S


async def read(held: Buffered, table: str = "t1") -> CapturedHand:
    return await held.buffer.hand(agent_id=AgentId("a1"), table_id=TableId(table), hand_number=HandNumber(7))


async def read_until(held: Buffered, condition: Callable[[CapturedHand], bool]) -> CapturedHand:
    """Reads until it is so."""
    async with asyncio.timeout(30):
        while not condition(found := await read(held)):  # noqa: ASYNC110 - what is waited for is in another process
            await asyncio.sleep(0.01)
    return found


async def goes_on(recorder: Recorder, begin: int) -> None:
    """A turn now and then, until one is stored."""
    before = stored(recorder)
    async with asyncio.timeout(30):
        for n in itertools.count(begin):
            decide(recorder, range(n, n + 1))
            await recorder.settled()
            if stored(recorder) > before:
                break


def stored(recorder: Recorder) -> int:
    return recorder.counts.stored


async def test_f28a_a_store_that_is_stopped(own_valkey: OwnValkey, caplog: pytest.LogCaptureFixture) -> None:
    """Every turn is on time, the loss is counted and told once, and later named where it can be read."""
    async with recording(own_valkey.url) as (recorder, held):
        own_valkey.stop()
        decide(recorder, range(20))
        await wait_until(lambda: recorder.counts.lost == {MissingReason.STORE_DOWN: 20})
        assert len([line for line in caplog.records if line.name.startswith("capture")]) == 1
        with pytest.raises(BufferUnavailable):
            await read(held)
        own_valkey.start()
        decide(recorder, range(20, 21))
        await wait_until(lambda: stored(recorder) == 1)
        found = await read_until(held, lambda found: len(found.missing) == 20)
    assert found.missing == dict.fromkeys(range(20), MissingReason.STORE_DOWN)
    assert [each.key.action_index for each in found.turns] == [20]
    assert recorder.counts == Counts(21, 1, 0, {MissingReason.STORE_DOWN: 20}, 0)


async def test_f28b_a_store_that_takes_connections_and_never_answers(own_valkey: OwnValkey) -> None:
    """Nobody waits for a timeout of the capture; a new connection and an old one fare alike."""
    for is_connected in (False, True):
        async with recording(own_valkey.url, UNANSWERED) as (recorder, held):
            if is_connected:
                await held.client.keys()
            own_valkey.freeze()
            decide(recorder, range(20))
            await wait_until(lambda: recorder.counts.lost.get(MissingReason.STORE_DOWN) == 20)
            own_valkey.thaw()
            await goes_on(recorder, 20)


async def test_f28c_a_store_that_is_full(own_valkey: OwnValkey, caplog: pytest.LogCaptureFixture) -> None:
    """It answers that there is no memory; when there is, recording goes on."""
    async with recording(own_valkey.url) as (recorder, held):
        await held.writer.write([entry_of(turn(key("b1")))])
        with redis.from_url(own_valkey.url) as operator:
            operator.config_set("maxmemory", "1")
            decide(recorder, range(20))
            await wait_until(lambda: recorder.counts.lost == {MissingReason.STORE_DOWN: 20})
            assert "it is full" in caplog.text
            operator.config_set("maxmemory", "0")
        decide(recorder, range(20, 21))
        await wait_until(lambda: stored(recorder) == 1)


async def test_f28d_a_store_that_is_restarted_between_two_turns(own_valkey: OwnValkey) -> None:
    """Recording goes on by itself: the script is unknown there, and the envelope is gone, and both are sent again."""
    async with recording(own_valkey.url, RecorderSettings()) as (recorder, held):
        decide(recorder, range(1))
        await wait_until(lambda: stored(recorder) == 1)
        own_valkey.kill()
        own_valkey.start()
        decide(recorder, range(1, 2))
        await wait_until(lambda: stored(recorder) == 2)
        (found,) = (await read(held)).turns
        assert found.key == key(index=1) and not found.missing
    assert recorder.counts == Counts(2, 2, 0, {}, 0)


async def test_f28e_five_hundred_turns_at_once(on_node: Buffered) -> None:
    """And many reads at once: callers wait for one of the few connections."""
    async with Recorder(on_node.writer, maker(), time.monotonic, RecorderSettings()) as recorder:
        decide(recorder, range(500))
    assert recorder.counts == Counts(500, 500, 0, {}, 0)
    found = await asyncio.gather(*(read(on_node) for _ in range(20)))
    assert all(len(each.turns) == 500 for each in found)


async def test_stopping_the_store_in_the_middle_delays_nothing(own_valkey: OwnValkey) -> None:
    """Turn after turn, before, while and after the store goes; the sum is right."""
    async with recording(own_valkey.url) as (recorder, _):
        for n in range(0, 300, 10):
            decide(recorder, range(n, n + 10))
            if n == 100:
                await asyncio.to_thread(own_valkey.stop)
            await asyncio.sleep(0)
        await asyncio.wait_for(recorder.settled(), 30)
        counts = recorder.counts
    assert counts.decided == 300 == counts.stored + sum(counts.lost.values()) and counts.lost


async def test_a_cluster_of_which_one_node_is_gone(tmp_path: Path) -> None:
    """Turns are on time, and each is stored or lost; what the living nodes have is no loss once all are there again."""
    with cluster_in(tmp_path) as url:
        async with recording(url, UNANSWERED) as (recorder, held):
            many = [key(index=n, table=f"t{n}") for n in range(60)]
            await held.writer.write([entry_of(turn(key("a2")))])
            pid = node_of(url, (await held.client.keys()).turn(many[0]))
            os.kill(pid, signal.SIGSTOP)
            try:
                for each in many:
                    recorder.turn_finished(turn(each))
                await asyncio.wait_for(recorder.settled(), 30)
                assert recorder.counts.lost == {MissingReason.STORE_DOWN: 60}
            finally:
                os.kill(pid, signal.SIGCONT)
            async with asyncio.timeout(30):
                hands = [await read(held, each.table_id) for each in many]
                while not all(hand.turns or hand.missing for hand in hands):
                    hands = [await read(held, each.table_id) for each in many]
            counts = recorder.counts
            assert counts.stored == sum(len(hand.turns) for hand in hands)
            assert counts.lost == {MissingReason.STORE_DOWN: sum(len(hand.missing) for hand in hands)}


def node_of(url: str, name: bytes) -> int:
    """The process that has a key of a cluster."""
    with redis.RedisCluster.from_url(url) as cluster:
        node = cluster.get_node_from_key(name.decode())
        assert node is not None and node.port is not None
        with redis.Redis(port=node.port) as client:
            return int(client.info("server")["process_id"])


async def test_a_cluster_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    """It is told like a single node that is gone."""
    with cluster_in(tmp_path) as url:
        held = buffered(url)
        await held.client.keys()
    for ask in (read(held), held.buffer.stats(), held.buffer.purge(), held.writer.write([entry_of(turn())])):
        with pytest.raises(BufferUnavailable):
            await ask
    await held.client.close()


# --- times to live ----------------------------------------------------------------------------------------------------

EVERY = """
local cursor, odd = '0', {}
repeat
  local page = redis.call('SCAN', cursor, 'COUNT', 1000)
  cursor = page[1]
  for _, key in ipairs(page[2]) do if redis.call('TTL', key) == -1 then odd[#odd + 1] = key end end
until cursor == '0'
return odd
"""
WRITES = """
import asyncio, sys
from tests.capture.buffers import buffered, entry_of
from tests.capture.turns import call, decided, key, turn
from capture.record import MissingReason, Prompt

async def main() -> None:
    held = buffered(sys.argv[1])
    for n in range(10 ** 9):
        said = decided(call(prompt=Prompt(b"envelope %d" % n, b"rest")))
        await held.writer.write([entry_of(turn(key(agent, hand=n, index=n), said)) for agent in ("a1", "b1")])
        await held.writer.mark([(key("c1", hand=n, index=n), MissingReason.DROPPED)])
        if not n:
            print("up", flush=True)

asyncio.run(main())
"""


@contextmanager
def endless_writer(url: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", WRITES, url], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "up\n"
            yield process
        finally:
            process.kill()


def test_every_key_has_a_time_to_live_at_every_instant(own_valkey: OwnValkey) -> None:
    """Another client looks at all keys again and again while a writer writes, and after it was killed at any instant."""
    with redis.from_url(own_valkey.url, decode_responses=True) as other:
        for _ in range(3):
            with endless_writer(own_valkey.url) as writer:
                for _ in range(20):
                    assert other.eval(EVERY, 0) == []
                time.sleep(random.random() / 20)
                writer.send_signal(signal.SIGKILL)
                writer.wait()
            assert other.eval(EVERY, 0) == []
        found = {key.partition(":")[0].encode() + b":" for key in other.scan_iter(count=1000)}
    assert found == set(PREFIXES)


async def test_indexes_and_envelopes_outlive_their_turns(on_either: Buffered) -> None:
    """Also where somebody shortened the time to live in between, and each turn renews what it uses."""
    longest = on_either.another_writer(ttl_s=5_000)
    for n, writer in enumerate((on_either.another_writer(ttl_s=100), longest, on_either.another_writer(ttl_s=10))):
        await writer.write([entry_of(turn(key(index=n)))])
    ends = {name: await on_either.client.command("PTTL", name) for name in await on_either.client.scan("*")}
    turns = [ms for name, ms in ends.items() if name.startswith(b"turn:")]
    assert len(turns) == 3 and max(turns) > 4_900_000
    for name, ms in ends.items():
        assert ms > 0, name
        if name.startswith((b"hand:", b"agents:", b"env:")):
            assert ms > max(turns), name


async def test_looking_at_the_books_changes_no_life(on_either: Buffered) -> None:
    """They live as long as what they count, however often somebody asks."""
    await on_either.another_writer(ttl_s=30 * 86_400).write([entry_of(turn())])
    await on_either.writer.write([entry_of(turn(key(index=9)))])
    await on_either.buffer.stats()
    names = sorted(set(await on_either.client.scan("books:*")))
    lives = [await on_either.client.command("TTL", name) for name in names]
    assert len(lives) == 3 and min(lives) > 29 * 86_400


async def test_a_turn_renews_its_envelope(on_either: Buffered) -> None:
    """An envelope about to expire lives on with the turn that uses it again."""
    await on_either.writer.write([entry_of(turn(key(index=1)))])
    (name,) = set(await on_either.client.scan("env:*"))
    await on_either.client.command("EXPIRE", name, 5)
    await on_either.writer.write([entry_of(turn(key(index=2)))])
    assert await on_either.client.command("TTL", name) > 86_000


async def test_turns_that_expire_are_told_as_expired_and_then_not_at_all(on_node: Buffered) -> None:
    """A real expiry: while the index is there it says expired; a hand that is gone whole is empty, and no error."""
    await on_node.another_writer(ttl_s=1).write([entry_of(turn())])
    assert (await read(on_node)).turns
    found = await read_until(on_node, lambda found: not found.turns)
    assert found == CapturedHand((), {key().action_index: MissingReason.EXPIRED})


async def test_f30_text_that_databases_refuse(on_either: Buffered) -> None:
    """NUL, half a character, two megabytes and three hundred levels come back as the model said them."""
    from tests.capture.turns import call, decided

    texts = ["\x00", "\ud83d", "x" * 2_000_000, "[" * 300 + "]" * 300]
    made: EntryMaker = maker()
    for n, text in enumerate(texts):
        said: Any = decided(call(completion=text, response_body=text.encode("utf-8", "surrogatepass")))
        await on_either.writer.write([made.entry(turn(key(index=n), said), said)])
    found = [each.deciding_call for each in (await read(on_either)).turns]
    assert [each.completion for each in found if each] == texts


async def test_f24_an_empty_log_is_not_told_as_nothing_happened(on_node: Buffered) -> None:
    """An agent that came back in mid-hand without its log: the record says that it knew less than the table."""
    await on_node.writer.write([entry_of(turn(key(index=1), knowledge={"actions": []}, history_gap=True))])
    await on_node.writer.write([entry_of(turn(key(index=2), knowledge={"actions": []}))])
    gap, none = (await read(on_node)).turns
    assert gap.knowledge == none.knowledge == b'{"actions":[]}'
    assert gap.verdict.history_gap and not none.verdict.history_gap
