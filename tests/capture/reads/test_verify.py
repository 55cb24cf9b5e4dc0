"""Hashing again what is in a buffer, on one node and on a cluster: every damage is named, and nothing of a record is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from sqlalchemy import make_url

from capture.durable.turns import Durable
from capture.reads.verify import Verified, verify
from capture.record import MissingReason, Prompt
from gameserver.store.engine import Database
from tests.capture.buffers import Buffered, entry_of
from tests.capture.turns import call, decided, key, turn


@pytest_asyncio.fixture
async def durable(migrated_sqlite: Path) -> AsyncIterator[Durable]:
    """Nothing is kept."""
    database = Database(make_url(f"sqlite+pysqlite:///{migrated_sqlite}"))
    yield Durable(database)
    await database.dispose()


async def written(on: Buffered) -> None:
    """Four turns of two agents in two hands with two envelopes, and a mark where one was lost."""
    keys = (key("a1", 7, 1), key("a1", 8, 2), key("b1", 7, 1), key("o:{d%}\x00", 7, 3))
    prompts = (Prompt(b"one", b"x"), Prompt(b"one", b"y"), Prompt(b"two", b""), Prompt(b"two", b"\xff\x00"))
    said = [turn(at, decided(call(prompt=prompt))) for at, prompt in zip(keys, prompts, strict=True)]
    await on.writer.write([entry_of(each) for each in said])
    await on.writer.mark([(key("a1", 9, 1), MissingReason.DROPPED)])


async def hashed(on: Buffered, durable: Durable) -> Verified:
    return await verify(on.client, durable)


async def test_what_is_as_it_was_has_no_difference(on_either: Buffered, durable: Durable) -> None:
    """Every turn and every envelope was looked at; a mark is no record."""
    await written(on_either)
    found = await hashed(on_either, durable)
    assert (found.buffered, found.envelopes, found.prompts, found.without_prompt) == (4, 2, 4, 0)
    assert (found.kept, found.differences) == (0, [])


async def test_every_damage_is_named(on_either: Buffered, durable: Durable) -> None:
    """A record cut short, one under another's name, and an envelope that is not its hash; what expired is no difference."""
    await written(on_either)
    client, keys = on_either.client, await on_either.client.keys()
    one, other, third = keys.turn(key("a1", 7, 1)), keys.turn(key("a1", 8, 2)), keys.turn(key("b1", 7, 1))
    await client.command("SET", one, (await client.command("GET", one))[:-9])
    await client.command("SET", other, await client.command("GET", third))
    (envelope,) = [name for name in await client.scan("env:*") if await client.command("GET", name) == b"two"]
    await client.command("SET", envelope, "TWO")
    found = await hashed(on_either, durable)
    named = {(each.name.encode(), each.what) for each in found.differences}
    assert named == {
        (envelope, "an envelope is not what its name says"),
        (one, "a record is damaged"),
        (other, "a record lies under another turn's name"),
    }
    assert found.without_prompt == 3 and found.prompts == 0
    assert not any("poker" in each.what for each in found.differences)


async def test_without_a_buffer_what_is_kept_is_hashed(on_node: Buffered, durable: Durable) -> None:
    """There is nothing else."""
    assert await verify(None, durable) == Verified()
