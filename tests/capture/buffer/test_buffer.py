"""What is written to the buffer is read back whole, under its own agent's keys, and what is missing says why."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from capture import transcript
from capture.buffer.keys import Keys
from capture.buffer.reader import BufferStats
from capture.captured import CapturedHand, CapturedPrompt, CapturedTurn, Part
from capture.envelope import hash_of
from capture.record import MissingReason, Move, Prompt, TurnKey
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.buffers import Buffered, entry_of, maker
from tests.capture.turns import call, decided, key, turn

TABLE, HAND = TableId("t1"), HandNumber(7)


async def read(held: Buffered, agent: str = "a1", table: str = TABLE, hand: int = HAND) -> CapturedHand:
    return await held.buffer.hand(agent_id=AgentId(agent), table_id=TableId(table), hand_number=HandNumber(hand))


def captured(at: TurnKey) -> CapturedTurn:
    return maker().captured(turn(at), decided())


async def test_turns_come_back_as_they_were_written(on_either: Buffered) -> None:
    """All of one agent's, in the order of their action indexes; others' are theirs."""
    keys = [key(index=12), key(index=3), key("b1", index=3), key(hand=8, index=0)]
    await on_either.writer.write([entry_of(turn(each)) for each in keys])
    assert (await read(on_either)).turns == (captured(keys[1]), captured(keys[0]))
    assert (await read(on_either, "b1")).turns == (captured(keys[2]),)
    assert (await read(on_either, hand=8)).turns == (captured(keys[3]),)
    assert await read(on_either, "c1") == CapturedHand((), {})
    found = await on_either.buffer.agents_of(table_id=TABLE, hand_number=HAND)
    assert found == {"a1", "b1"}


async def test_the_same_turn_written_twice_is_there_once(on_either: Buffered) -> None:
    """A writer that had no answer can ask again, also after somebody else asked."""
    for writer in (on_either.writer, on_either.writer, on_either.another_writer()):
        await writer.write([entry_of(turn())])
    assert len((await read(on_either)).turns) == 1
    assert (await on_either.buffer.stats()).turns == 1


async def test_an_envelope_is_stored_once_for_all_agents(on_either: Buffered) -> None:
    """As many envelopes as there are distinct beginnings of prompts."""
    entries = [
        entry_of(turn(key(agent, index=n), decided(call(prompt=Prompt(b"env %d" % (n % 2), b"rest %d" % n)))))
        for n in range(10)
        for agent in ("a1", "b1")
    ]
    await on_either.writer.write(entries[:7])
    await on_either.another_writer().write(entries[7:])
    assert len(set(await on_either.client.scan("env:*"))) == 2
    stats = await on_either.buffer.stats()
    assert (stats.turns, stats.envelopes, stats.turns_an_envelope) == (20, 2, 10.0)
    prompts = [each.deciding_call for each in (await read(on_either)).turns]
    assert all(each and isinstance(each.prompt, CapturedPrompt) and each.prompt.is_whole for each in prompts)


async def test_an_envelope_that_somebody_purged_is_written_again(on_either: Buffered) -> None:
    """The writer knew that it was there, and finds that it is not."""
    await on_either.writer.write([entry_of(turn(key(index=1)))])
    await on_either.buffer.purge()
    await on_either.writer.write([entry_of(turn(key(index=2)))])
    (found,) = (await read(on_either)).turns
    assert found == captured(key(index=2)) and not found.missing


async def test_a_member_of_an_index_whose_record_is_gone_is_expired(on_either: Buffered) -> None:
    """It is no empty turn, and no error."""
    await on_either.writer.write([entry_of(turn(key(index=n))) for n in (1, 2)])
    await on_either.client.command("DEL", (await on_either.client.keys()).turn(key(index=1)))
    found = await read(on_either)
    assert found.turns == (captured(key(index=2)),)
    assert found.missing == {1: MissingReason.EXPIRED}


async def test_a_turn_whose_envelope_is_gone_has_the_rest(on_node: Buffered) -> None:
    """Prompt and request say so; knowledge, response and decision are there."""
    await on_node.writer.write([entry_of(turn())])
    await on_node.client.command("DEL", (await on_node.client.keys()).envelope(hash_of(b"You play poker.")))
    (found,) = (await read(on_node)).turns
    assert found.missing == {Part.PROMPT: MissingReason.EXPIRED}
    assert found.knowledge == captured(key()).knowledge and found.messages == captured(key()).messages


async def test_marks_say_why_a_turn_is_missing(on_either: Buffered) -> None:
    """Only where its record is not there after all; a record that comes later takes the mark's place."""
    await on_either.writer.write([entry_of(turn(key(index=1)))])
    losses = [(key(index=n), MissingReason.STORE_DOWN) for n in (1, 2)]
    for _ in range(2):
        assert await on_either.writer.mark([*losses, (key("b1"), MissingReason.DROPPED)]) == [key(index=1)]
    assert (await read(on_either)).missing == {2: MissingReason.STORE_DOWN}
    assert (await read(on_either, "b1")).missing == {3: MissingReason.DROPPED}
    await on_either.writer.write([entry_of(turn(key(index=2)))])
    assert (await read(on_either)).missing == {}


async def test_what_the_ceiling_drops_is_named_and_the_oldest_clean_turns_go_first(on_either: Buffered) -> None:
    """A turn that was changed on its way out stays while there is a clean one."""
    changed = decided(chosen=Move("bet", 900), sent=Move("bet", 500), why="clamped")
    size = len(entry_of(turn()).record)
    writer = on_either.another_writer(ceiling_bytes=8 * (size + 100))
    await writer.write([entry_of(turn(key(index=0), changed))])
    for n in range(1, 30):
        await writer.write([entry_of(turn(key(index=n)))])
    found = await read(on_either)
    there = [each.key.action_index for each in found.turns]
    assert there[0] == 0 and there[1:] == list(range(there[1], 30)) and 3 < len(there) < 12
    assert found.missing == dict.fromkeys(range(1, there[1]), MissingReason.DROPPED)
    stats = await on_either.buffer.stats()
    assert (stats.turns, stats.dropped) == (len(there), len(found.missing))
    assert stats.stored_bytes <= 8 * (size + 100)


async def test_books_forget_what_has_expired(on_node: Buffered) -> None:
    """By the end that was written with each entry."""
    writer = on_node.another_writer(ttl_s=1)
    await writer.write([entry_of(turn())])
    while (await on_node.buffer.stats()).turns:
        pass
    stats = await on_node.buffer.stats()
    assert stats == BufferStats(0, 0, 0, 0, 0)


async def test_an_owner_can_have_a_hand_deleted(on_either: Buffered) -> None:
    """All of that agent's turns of that hand, and nothing else."""
    mine, other_hand, rival = key(index=1), key(hand=8, index=1), key("b1", index=1)
    await on_either.writer.write([entry_of(turn(each)) for each in (mine, other_hand, rival)])
    forgotten = await on_either.buffer.forget_hand(agent_id=AgentId("a1"), table_id=TABLE, hand_number=HAND)
    assert forgotten == 1 and await read(on_either) == CapturedHand((), {})
    assert await on_either.buffer.agents_of(table_id=TABLE, hand_number=HAND) == {"b1"}
    assert len((await read(on_either, hand=8)).turns) == len((await read(on_either, "b1")).turns) == 1
    again = await on_either.buffer.forget_hand(agent_id=AgentId("a1"), table_id=TABLE, hand_number=HAND)
    assert again == 0


async def test_purge_deletes_the_buffer_and_nothing_else(on_either: Buffered) -> None:
    """Another program's keys in the same server stay."""
    await on_either.client.command("SET", "environment", "stays", "EX", 60)
    await on_either.writer.write([entry_of(turn(key(index=n))) for n in range(3)])
    assert await on_either.buffer.purge() == 3 + 1 + 1 + 1 + 3  # turns, hand, agents, envelope, books
    assert await on_either.client.scan("*") == [b"environment"]
    await on_either.client.command("DEL", "environment")
    assert await on_either.buffer.stats() == BufferStats(0, 0, 0, 0, 0)


async def test_a_record_under_another_turns_key_is_not_read(
    on_node: Buffered, caplog: pytest.LogCaptureFixture
) -> None:
    """However it got there; nor is what is no record. The log says so without a word of it."""
    caplog.set_level(logging.ERROR)
    await on_node.writer.write([entry_of(turn(key(index=n))) for n in (1, 2, 3)])
    keys = await on_node.client.keys()
    foreign = transcript.encode(maker().captured(turn(key("b1", index=1)), decided()))
    await on_node.client.command("SET", keys.turn(key(index=1)), foreign, "KEEPTTL")
    await on_node.client.command("SET", keys.turn(key(index=2)), b"\x01marker", "KEEPTTL")
    found = await read(on_node)
    assert found.turns == (captured(key(index=3)),)
    assert found.missing == dict.fromkeys((1, 2), MissingReason.DROPPED)
    assert len(caplog.records) == 2 and "marker" not in caplog.text


async def test_ids_that_look_like_keys_meet_nobody(on_either: Buffered) -> None:
    """Colons, braces, percent signs, NUL and lone surrogates in ids: each agent has its own turns."""
    odd = [
        ("a:7", "t"),
        ("a", "t:7"),
        ("7:a", "t"),
        ("{a}", "{t}"),
        ("a%3A7", "t"),
        ("a\x00", "t"),
        ("\ud83d", "t\ud83d"),
    ]
    await on_either.writer.write([entry_of(turn(key(agent, table=table))) for agent, table in odd])
    for agent, table in odd:
        assert [each.key for each in (await read(on_either, agent, table)).turns] == [key(agent, table=table)]
    assert await on_either.buffer.agents_of(table_id=TableId("t"), hand_number=HAND) == {
        agent for agent, table in odd if table == "t"
    }


async def test_a_read_touches_no_other_agents_keys(on_node: Buffered) -> None:
    """What the server was asked, as it tells it."""
    await on_node.writer.write([entry_of(turn(key(agent, index=1))) for agent in ("a1", "rival")])
    asked: list[str] = []
    server = await on_node.client._connected()
    async with server.monitor() as monitor:  # type: ignore[union-attr]
        await read(on_node)
        await on_node.client.command("ECHO", "the end")
        while "the end" not in (line := str((await monitor.next_command())["command"])):
            asked.append(line)
    assert any("turn:t1:7:a1:1" in line for line in asked)
    assert not [line for line in asked if "rival" in line or "agents:" in line or "SCAN" in line]


def test_the_key_scheme() -> None:
    """Literal on a single node; in a cluster all keys of a hand have one tag."""
    odd = replace(key("a:{1}", table="t%"), hand_number=HandNumber(7))
    node, cluster = Keys(cluster=False), Keys(cluster=True)
    name = hash_of(b"")
    assert node.turn(odd) == b"turn:t%25:7:a%3A%7B1%7D:3"
    assert node.hand(odd.agent_id, odd.table_id, HAND) == b"hand:t%25:7:a%3A%7B1%7D"
    assert node.agents(odd.table_id, HAND) == b"agents:t%25:7"
    assert node.envelope(name) == cluster.envelope(name) == b"env:" + name.hex().encode()
    assert node.books("clean") == b"books:clean"
    assert cluster.turn(odd) == b"turn:{t%25:7}:a%3A%7B1%7D:3"
    assert cluster.hand(odd.agent_id, odd.table_id, HAND) == b"hand:{t%25:7}:a%3A%7B1%7D"
    assert cluster.agents(odd.table_id, HAND) == b"agents:{t%25:7}"
    assert cluster.books("clean") == b"books:{books}:clean"
