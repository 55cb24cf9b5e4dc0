"""What the agents of a real demo decided is read, kept and verified after the demo has ended, and after the buffer is gone."""

from __future__ import annotations

import os
from pathlib import Path

from capture.hand import Hand
from capture.reads import document
from capture.reads.verify import Verified, verify
from railbird.config import Settings, load_settings
from railbird.record_folder import RecordFolder, opened_folder
from tests.system.test_demo import ENDS_WITHIN_S, demo

HANDS = 6


async def test_a_demos_turns_outlive_it_and_the_buffer(tmp_path: Path) -> None:
    """Every prompt of every agent hashes to what was sent; each agent's turns are kept; with the buffer emptied all reads as before."""
    async with demo(tmp_path, "--hands", str(HANDS)) as process:
        assert await process.ended(2 * ENDS_WITHIN_S) == 0
    settings = load_settings({"RAILBIRD_HOME": str(tmp_path)})
    async with opened_folder(settings, os.geteuid()) as folder:
        recent = await folder.reads.recent(folder.operator, limit=200, before_us=None)
        parts = [
            (Hand(agent_id, each.hand.table_id, each.hand.hand_number), decided)
            for each in recent
            for agent_id, decided in each.hand.agents
        ]
        turns = sum(decided for _, decided in parts)
        assert len(recent) >= 2 * HANDS and turns > 5 * HANDS and not any(each.in_play for each in recent)
        assert_all_whole(await hashed(folder), buffered=turns, kept=0)
        before = await read(folder, parts)
        for hand, decided in parts:
            promoted = await folder.reads.promote(folder.operator, hand)
            assert (promoted.turns, promoted.missing) == (decided, ())
        assert folder.buffer is not None and await folder.buffer.purge() > turns
    await assert_it_reads_as_before(settings, parts, before, turns)


async def assert_it_reads_as_before(
    settings: Settings, parts: list[tuple[Hand, int]], before: list[bytes], turns: int
) -> None:
    """In another process's place: the folder is opened anew."""
    async with opened_folder(settings, os.geteuid()) as folder:
        assert_all_whole(await hashed(folder), buffered=0, kept=turns)
        assert await read(folder, parts) == before


async def hashed(folder: RecordFolder) -> Verified:
    return await verify(folder.client, folder.record.stores.durable)


def assert_all_whole(found: Verified, *, buffered: int, kept: int) -> None:
    assert found.differences == [] and found.without_prompt == 0
    assert (found.buffered, found.kept) == (buffered, kept) and found.prompts >= buffered + kept


async def read(folder: RecordFolder, parts: list[tuple[Hand, int]]) -> list[bytes]:
    return [document.encode(document.of_agent(await folder.reads.hand(folder.operator, hand))) for hand, _ in parts]
