"""An owner's captured turns over HTTP: their own agent's by who owned it at the deal, and nothing of anybody else's."""

from __future__ import annotations

import itertools
import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from capture.hand import Hand
from capture.http.parameters import ID
from capture.reads.shapes import AgentTurnsShape
from gameserver.identity import ids
from policy.ids import AgentId, HandNumber, TableId, UserId
from railbird.wiring.record.buffer_place import RecordSetup
from tests.capture.buffers import maker as entry_maker
from tests.capture.http.conftest import HAND, Recorded
from tests.capture.turns import call, decided, key, turn
from tests.http.world import opened_world

OWN, RIVALS = b"told to A1", b"told to B1"


async def test_an_owner_reads_keeps_and_deletes_their_agents_turns(recorded: Recorded) -> None:
    """Each answer is not to be stored; what is kept outlives the buffer; what is deleted is gone."""
    ask = recorded.world.ask
    shown = await ask("GET", recorded.own, user="ann")
    assert shown.headers["cache-control"] == "no-store"
    told = msgspec.json.decode(shown.content, type=AgentTurnsShape, strict=True)
    assert [each.response for each in told.turns] == ["told to A1"]
    kept = await ask("POST", f"{recorded.own}/keep", user="ann")
    assert kept.json() == {"status": "pinned", "turns": 1, "missing": [], "keptUntil": None}
    await recorded.expire()
    assert (await ask("GET", recorded.own, user="ann")).content == shown.content
    assert (await ask("POST", f"{recorded.own}/keep", user="ann")).json()["status"] == "already_pinned"
    assert (await ask("DELETE", recorded.own, user="ann")).json() == {"deleted": 1}
    (gone,) = (await ask("GET", recorded.own, user="ann")).json()["turns"]
    assert gone["missing"] == {"all": "redacted"} and "prompt" not in gone


async def test_an_owner_reads_a_hand_in_play(recorded: Recorded) -> None:
    """Their own agent's turns so far; a cancelled hand stays theirs, too."""
    recorded.world.server.record.ledger.charge(recorded.turn(recorded.a1, "x", hand=8))
    await recorded.begin(HandNumber(8))
    await recorded.capture(recorded.turn(recorded.a1, "in play", hand=8))
    path = f"/agents/{recorded.a1}/hands/{recorded.table_id}/8"
    for end in (None, recorded.cancel):
        if end is not None:
            await end(HandNumber(8))
        (one,) = (await recorded.world.ask("GET", path, user="ann")).json()["turns"]
        assert one["response"] == "in play"
        assert (await recorded.world.ask("GET", path, user="bob")).status_code == 404


async def test_past_hands_stay_with_who_owned_the_agent_at_the_deal(recorded: Recorded) -> None:
    """Who bought it gets nothing of before; who sold it reads, keeps and takes along what was theirs."""
    await recorded.world.server.people.transfer_agent(recorded.a1, UserId("cat"))
    assert (await recorded.world.ask("GET", recorded.own, user="cat")).status_code == 404
    assert (await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands.jsonl", user="cat")).content == b""
    assert OWN in (await recorded.world.ask("GET", recorded.own, user="ann")).content
    assert OWN in (await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands.jsonl", user="ann")).content
    assert (await recorded.world.ask("POST", f"{recorded.own}/keep", user="ann")).json()["status"] == "pinned"
    assert (await recorded.world.ask("DELETE", recorded.own, user="cat")).status_code == 404


async def test_an_owner_takes_all_turns_along_as_lines(recorded: Recorded) -> None:
    """One JSON object a line, of every hand that is theirs; the list says which these are."""
    await recorded.begin(HandNumber(9))
    await recorded.capture(recorded.turn(recorded.a1, "hand nine", hand=9))
    await recorded.finish(HandNumber(9))
    answer = await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands.jsonl", user="ann")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [(line["handNumber"], line["response"]) for line in lines] == [(7, "told to A1"), (9, "hand nine")]
    assert answer.headers["content-type"] == "application/x-ndjson"
    listed = (await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands", user="ann")).json()
    assert listed == {"hands": [{"tableId": recorded.table_id, "handNumber": n} for n in (7, 9)]}
    deleted = await recorded.world.ask("DELETE", f"/agents/{recorded.a1}/hands", user="ann")
    assert deleted.json() == {"deleted": 2, "hands": 2}
    assert (await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands.jsonl", user="ann")).content == b""


def agents(recorded: Recorded) -> dict[str, str]:
    """What may stand for the agent in an address, by what it is."""
    both = (recorded.a1, recorded.b1)
    return {
        "a rival": recorded.b1,
        "unknown": "nobody",
        "did not play": recorded.idle,
        "empty": "",
        "both": ",".join(both),
        "both as one": f"{recorded.a1}:{recorded.b1}",
        "array": f"{recorded.a1}[]",
        "everything": "*",
        "NUL": f"{recorded.a1}%00",
        "NUL alone": "%00",
        "upwards": f"{recorded.a1}%2F..%2F{recorded.b1}",
        "not UTF-8": "%ff%fe",
        "long": "a" * 10_000,
        "other case": recorded.b1.upper(),
    }


async def test_f07_no_combination_reaches_anothers_turns(recorded: Recorded) -> None:
    """By every table, hand and agent, read, kept, taken along or deleted: one and the same answer, and nothing has happened.

    The service key's own route takes one agent by name, and a missing, doubled or odd one is a bad request, never "all".
    """
    refused: set[tuple[int, bytes]] = set()

    async def is_refused(what: str, method: str, path: str) -> None:
        answer = await recorded.world.ask(method, path, user="ann")
        assert RIVALS not in answer.content and recorded.b1.encode() not in answer.content
        if what not in ("empty", "upwards"):  # these are other addresses, which are not there for anybody
            refused.add((answer.status_code, answer.content))
        else:
            assert 400 <= answer.status_code < 500

    for (what, agent), table, number in itertools.product(
        agents(recorded).items(), (recorded.table_id, "t-none", "%00"), ("7", "8", "07")
    ):
        await is_refused(what, "GET", f"/agents/{agent}/hands/{table}/{number}")
    for what, agent in agents(recorded).items():
        hand = f"/agents/{agent}/hands/{recorded.table_id}/7"
        await is_refused(what, "POST", f"{hand}/keep")
        await is_refused(what, "DELETE", hand)
        if what != "did not play":
            for method, ending in (("GET", ""), ("GET", ".jsonl"), ("DELETE", "")):
                await is_refused(what, method, f"/agents/{agent}/hands{ending}")
    assert [status for status, _ in refused] == [404]
    hot = await recorded.world.server.record.stores.buffer.hand(
        agent_id=recorded.b1, table_id=recorded.table_id, hand_number=HAND
    )
    assert len(hot.turns) == 1
    assert (await recorded.world.server.record.stores.durable.counts()).turns == 0


async def test_nothing_is_told_of_a_private_tables_hand(recorded: Recorded) -> None:
    """With an agent of one's own that was not there: as if there were no such table."""
    private = await recorded.world.table("bob", private=True)
    for table in (private, "t-none"):
        answer = await recorded.world.ask("GET", f"/agents/{recorded.idle}/hands/{table}/7", user="ann")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


NUMBERS = ("-1", "0", "2147483648", "9223372036854775808", "1e3", "007", "٣", "1.0", "9" * 5_000)


@pytest.mark.parametrize("number", NUMBERS)
async def test_f32_an_odd_hand_is_not_there(recorded: Recorded, number: str) -> None:
    """On every route that takes one."""
    path = f"/agents/{recorded.a1}/hands/{recorded.table_id}/{number}"
    for method, ending in (("GET", ""), ("POST", "/keep"), ("DELETE", "")):
        assert (await recorded.world.ask(method, path + ending, user="ann")).status_code == 404


def test_every_id_of_the_table_server_is_one_here() -> None:
    """The record takes ids of other programs too, and none that leads out of its place."""
    import re

    taken = re.compile(ID)
    for id_ in ("a", "A-1", "a" * 64, "a.b_c-d"):
        assert ids.agent_id(id_) is not None and taken.fullmatch(id_)
    for odd in ("", "a/b", "..", "a b", "*", "a\n", "é", "a" * 201, "-a"):
        assert taken.fullmatch(odd) is None
    assert taken.fullmatch("made by:somebody".replace(" ", "-"))


async def test_a_buffer_that_is_away_hides_nothing_that_is_kept(recorded: Recorded, monkeypatch: Any) -> None:
    """Reading goes on with what is kept; to keep is 503, since nobody knows what there is."""
    await recorded.world.ask("POST", f"{recorded.own}/keep", user="ann")
    await recorded.capture(recorded.turn(AgentId(recorded.a1), "later", index=9))

    async def away(**asked: Any) -> Any:
        from capture.errors import BufferUnavailable

        raise BufferUnavailable("ConnectionError")

    monkeypatch.setattr(recorded.world.server.record.stores.buffer, "hand", away)
    one, two = (await recorded.world.ask("GET", recorded.own, user="ann")).json()["turns"]
    assert (one["response"], two["missing"]) == ("told to A1", {"all": "store_down"})
    answer = await recorded.world.ask("POST", f"{recorded.own}/keep", user="ann")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["cache-control"] == "no-store"


async def test_an_operators_limit_is_told_and_kept(tmp_path: Path) -> None:
    """Who keeps is told until when; a server that starts lets go of what is over it, and of nothing else."""
    day_us, now_us = 86_400_000_000, time.time_ns() // 1_000
    async with opened_world(tmp_path) as world:
        for hand, kept_us in ((1, now_us - 8 * day_us), (2, now_us - 6 * day_us)):
            said = decided(call())
            captured = entry_maker().captured(turn(key("a", hand, 1, "t"), said), said)
            of_hand = Hand(AgentId("a"), TableId("t"), HandNumber(hand))
            await world.server.record.stores.durable.keep(of_hand, [captured], now_us=kept_us)
    async with opened_world(tmp_path, record=RecordSetup(pinned_days=7)) as world:
        left = await world.server.record.stores.durable.hands_of(AgentId("a"))
        assert [each.hand_number for each in left] == [2]
        until_us = world.server.record.retention.kept_until_us(now_us)
        assert until_us == now_us + 7 * day_us
    async with opened_world(tmp_path) as world:
        assert (await world.server.record.stores.durable.counts()).turns == 1
