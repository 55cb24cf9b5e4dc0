"""Where the buffer is: configured, embedded, joined, taken over, or nowhere."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from capture.errors import BufferUnavailable
from railbird.embedded import valkey
from railbird.wiring.record.buffer_place import RecordSetup, buffer_of


async def test_who_joined_a_buffer_takes_over(tmp_path: Path) -> None:
    """The command that started it ends; the next one to ask starts it on the same data, and others find it there."""
    with ExitStack() as first_command:
        first = first_command.enter_context(valkey.running(tmp_path))
        with buffer_of(RecordSetup(folder=tmp_path)) as place:
            assert place is not None and place.url == first.url
            by_command, by_keys, by_scan = place.client(), place.client(), place.client()
            for client in (by_command, by_keys, by_scan):
                await client.command("SET", "turn:x", "y")
            first_command.close()
            assert await by_command.command("GET", "turn:x") == b"y"
            assert place.url != first.url
            assert await by_scan.scan("turn:*") == [b"turn:x"]
            assert (await by_keys.keys()).cluster is False and await by_keys.command("GET", "turn:x") == b"y"
            with valkey.running(tmp_path) as third:
                assert not third.owned and third.url == place.url
            for client in (by_command, by_keys, by_scan):
                await client.close()
    assert not await asyncio.to_thread(os.path.exists, place.url.removeprefix("unix://"))


async def test_a_configured_buffer_is_where_it_is(tmp_path: Path) -> None:
    """It is asked there and nowhere else."""
    with buffer_of(RecordSetup(redis_url=f"unix://{tmp_path}/nobody", folder=tmp_path)) as place:
        assert place is not None
        with pytest.raises(BufferUnavailable):
            await place.client().command("PING")
        place.look_again()
        assert place.url == f"unix://{tmp_path}/nobody" and os.listdir(tmp_path) == []


def test_without_a_server_program_there_is_no_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told, and nothing else stops for it."""

    def missing() -> valkey.Program:
        raise valkey.ServerMissing("install one")

    monkeypatch.setattr(valkey, "find_program", missing)
    with caplog.at_level(logging.WARNING), buffer_of(RecordSetup(folder=tmp_path)) as place:
        assert place is None
    assert "captured turns have no buffer: install one" in caplog.text
    with buffer_of(RecordSetup()) as place:
        assert place is None
