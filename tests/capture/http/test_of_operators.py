"""Operators' reads of captured turns over HTTP: by the service key, and by a named operator's own session; each with its audit row."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from capture.reads.shapes import AgentTurnsShape, HandTurnsShape, RecentHandsShape
from policy.ids import HandNumber
from tests.capture.http.conftest import HAND, Recorded
from tests.http.world import OPERATOR, SERVICE, SITE

SERVICE_ROUTES = "/internal/agent-capture"
SESSION_ROUTES = "/api/hosted-agent/agent-capture"
WAYS = (SERVICE_ROUTES, SESSION_ROUTES)


async def ask(recorded: Recorded, prefix: str, path: str, body: Any = None) -> Any:
    method = "GET" if body is None else "POST"
    if prefix == SERVICE_ROUTES:
        return await recorded.world.operate(method, prefix + path, body)
    return await recorded.world.ask(method, prefix + path, body, user=OPERATOR)


async def audit(recorded: Recorded) -> list[tuple[str, str, str, Any]]:
    """The latest rows first: who, what, how, and the code of a refusal."""
    entries = (await recorded.world.operate("GET", "/internal/audit")).json()["entries"]
    return [(each["operator"], each["action"], each["outcome"], each["about"].get("code")) for each in entries]


def named(recorded: Recorded, agent: str) -> dict[str, object]:
    return {"tableId": recorded.table_id, "handNumber": HAND, "agentId": agent}


@pytest.mark.parametrize("prefix", WAYS)
async def test_an_operator_reads_and_keeps_every_agents_turns(recorded: Recorded, prefix: str) -> None:
    """One agent's, all of them, the hands of late; and each act is in the audit under its operator's name."""
    one = await ask(recorded, prefix, f"/hand?{recorded.asked(recorded.a1)}")
    told = msgspec.json.decode(one.content, type=AgentTurnsShape, strict=True)
    assert [each.response for each in told.turns] == ["told to A1"]
    every = await ask(recorded, prefix, f"/hand-all?{recorded.asked('', agentId=None)}")
    all_told = msgspec.json.decode(every.content, type=HandTurnsShape, strict=True)
    assert {each.response for each in all_told.turns} == {"told to A1", "told to B1"}
    recent = msgspec.json.decode((await ask(recorded, prefix, "/recent?limit=5")).content, type=RecentHandsShape)
    assert [(each.table_id, each.hand_number, each.decided, each.expired) for each in recent.hands] == [
        (recorded.table_id, HAND, 2, False)
    ]
    kept = await ask(recorded, prefix, "/promote", named(recorded, recorded.b1))
    assert kept.json() == {"status": "pinned", "turns": 1, "missing": []}
    assert {answer.headers["cache-control"] for answer in (one, every, kept)} == {"no-store"}
    who = "service" if prefix == SERVICE_ROUTES else f"user:{OPERATOR}"
    assert await audit(recorded) == [
        (who, action, "asked", None) for action in ("keep_turns", "read_recent_hands", "read_all_turns", "read_turns")
    ]


@pytest.mark.parametrize("prefix", WAYS)
async def test_a_hand_in_play_is_live_to_every_operator(recorded: Recorded, prefix: str) -> None:
    """409 by every way, with its row in the audit; over or cancelled it is not, and neither is one that never was."""
    number = HandNumber(8)
    await recorded.begin(number)
    await recorded.capture(recorded.turn(recorded.a1, "secret", hand=number))
    query = recorded.asked(recorded.a1, handNumber=number)
    asked = (
        (f"/hand?{query}", None),
        (f"/hand-all?{recorded.asked('', agentId=None, handNumber=number)}", None),
        ("/promote", {**named(recorded, recorded.a1), "handNumber": number}),
    )
    for path, body in asked:
        answer = await ask(recorded, prefix, path, body)
        assert (answer.status_code, answer.json()["code"]) == (409, "hand_live")
        assert b"secret" not in answer.content and answer.headers["cache-control"] == "no-store"
        assert [row[2:] for row in (await audit(recorded))[:2]] == [("refused", "hand_live"), ("asked", None)]
    assert (await recorded.world.server.record.stores.durable.counts()).turns == 0
    (live, over) = (await ask(recorded, prefix, "/recent")).json()["hands"]
    assert (live["inPlay"], over["inPlay"]) == (True, False)
    await recorded.cancel(number)
    for path, body in asked:
        assert (await ask(recorded, prefix, path, body)).status_code == 200
    for unknown in (recorded.asked(recorded.a1, tableId="t-none"), recorded.asked(recorded.a1, handNumber=99)):
        answer = await ask(recorded, prefix, f"/hand?{unknown}")
        assert (answer.status_code, answer.json()["turns"], answer.json()["missing"]) == (
            200,
            [],
            {"all": "before_capture"},
        )


async def test_an_operators_page_needs_no_service_key(recorded: Recorded) -> None:
    """A named operator's session is enough, and nobody else's; the key itself is no session."""
    path = f"{SESSION_ROUTES}/hand?{recorded.asked(recorded.a1)}"
    client = recorded.world.client
    signed_in = await client.post("/login", headers=recorded.world.be(OPERATOR))
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    client.cookies.clear()
    assert (await client.get(path, headers={"cookie": cookie})).status_code == 200
    assert (await client.get(path, headers=SERVICE)).status_code == 401
    other = await recorded.world.ask("GET", path, user="ann")
    assert (other.status_code, other.json()["code"]) == (403, "not_allowed")
    assert b"told to" not in other.content
    body = named(recorded, recorded.a1)
    for headers in ({}, {"origin": SITE}, {"origin": "https://evil.example", "x-csrf-token": "guess"}):
        foreign = await client.post(f"{SESSION_ROUTES}/promote", json=body, headers={"cookie": cookie, **headers})
        assert foreign.status_code == 403
    word = signed_in.json()["csrfToken"]
    own = await client.post(
        f"{SESSION_ROUTES}/promote", json=body, headers={"cookie": cookie, "origin": SITE, "x-csrf-token": word}
    )
    assert own.json()["status"] == "pinned"


def odd_queries(recorded: Recorded) -> dict[str, str]:
    """Queries that name no one agent's turns of one hand."""
    a1, b1 = recorded.a1, recorded.b1
    whole = recorded.asked(a1)
    without = {name: "&".join(part for part in whole.split("&") if not part.startswith(name)) for name in
               ("tableId", "handNumber", "agentId")}  # fmt: skip
    agents = {"empty": "", "both": f"{a1},{b1}", "all": "*", "NUL": "%00", "not UTF-8": "%ff", "long": "a" * 10_000}
    odd = {
        "nothing": "",
        **{f"without {name}": query for name, query in without.items()},
        **{f"agent {name}": f"{without['agentId']}&agentId={value}" for name, value in agents.items()},
        "two agents": f"{whole}&agentId={b1}",
        "two agents turned round": f"{without['agentId']}&agentId={b1}&agentId={a1}",
        "an array": f"{without['agentId']}&agentId[]={a1}&agentId[]={b1}",
        "two tables": f"{whole}&tableId=t-none",
        "a path": f"{without['agentId']}&agentId=..%2F{b1}",
    }
    numbers = ("-1", "0", "2147483648", "9223372036854775808", "1e3", "007", "%D9%A3", "1.0", "", "9" * 5_000)
    odd |= {f"hand {number[:5]}": f"{without['handNumber']}&handNumber={number}" for number in numbers}
    tables = ("", "a/b", "..", "%00", "%ff", "t" * 10_000)
    return odd | {f"table {table[:5]}": f"{without['tableId']}&tableId={table}" for table in tables}


@pytest.mark.parametrize("prefix", WAYS)
async def test_a_query_that_names_no_ones_turns_is_a_bad_request(recorded: Recorded, prefix: str) -> None:
    """F07, F32: missing, doubled, odd: 400, and nothing of anybody."""
    for what, query in odd_queries(recorded).items():
        answer = await ask(recorded, prefix, f"/hand?{query}")
        assert (answer.status_code, b"told to" in answer.content) == (400, False), what
    for query in (recorded.asked(recorded.a1), f"tableId={recorded.table_id}", "handNumber=7", ""):
        assert (await ask(recorded, prefix, f"/hand-all?{query}")).status_code == 400
    for query in ("limit=0", "limit=201", "limit=1&limit=2", "before=-1", "before=x", "before=99999999999999999999"):
        assert (await ask(recorded, prefix, f"/recent?{query}")).status_code == 400
    assert await audit(recorded) == []


@pytest.mark.parametrize("prefix", WAYS)
async def test_a_body_that_names_no_ones_turns_is_a_bad_request(recorded: Recorded, prefix: str) -> None:
    """It keeps nothing."""
    whole = named(recorded, recorded.a1)
    odd: list[Any] = [{}, [], *({**whole, name: value} for name, value in itertools.chain(
        (("agentId", value) for value in ("", "*", "a/b", "\x00", "a" * 10_000, None, [recorded.a1], 7)),
        (("handNumber", value) for value in (-1, 0, 2**31, 2**63, "7", "007", 1.5, None, [7])),
        (("tableId", value) for value in ("", "..", 7, None)),
        (("more", 1),),
    ))]  # fmt: skip
    odd += [{name: value for name, value in whole.items() if name != left_out} for left_out in whole]
    for body in odd:
        answer = await ask(recorded, prefix, "/promote", body)
        assert answer.status_code == 400, body
    client, path = recorded.world.client, f"{prefix}/promote"
    headers = SERVICE if prefix == SERVICE_ROUTES else recorded.world.be(OPERATOR)
    doubled = f'{{"agentId":"{recorded.a1}","agentId":"{recorded.b1}","tableId":"{recorded.table_id}","handNumber":7}}'
    for raw in (doubled.encode(), b"\xff", b"{", b'{"agentId":'):
        assert (await client.post(path, content=raw, headers=headers)).status_code == 400
    assert (await recorded.world.server.record.stores.durable.counts()).turns == 0


async def test_what_cannot_be_audited_is_not_read(recorded: Recorded, monkeypatch: Any) -> None:
    """The row comes first."""

    async def broken(**row: Any) -> None:
        raise OSError("no disk")

    monkeypatch.setattr("gameserver.store.audit.Audit.write", lambda self, **row: broken(**row))
    answer = await recorded.world.operate("GET", f"{SERVICE_ROUTES}/hand?{recorded.asked(recorded.a1)}")
    assert answer.status_code == 500 and b"told to" not in answer.content


async def test_what_became_of_turns_is_counted(recorded: Recorded) -> None:
    """In the server's metrics, by what became of them and by no name."""
    for listener in recorded.world.server.record.listeners:
        listener.turn_finished(recorded.turn(recorded.a1, "counted", index=20))
    recorder = recorded.world.server.record.recorder
    assert recorder is not None
    await recorder.settled()
    numbers = (await recorded.world.operate("GET", "/metrics")).text.splitlines()
    assert 'railbird_captured_turns{state="stored"} 1' in numbers
    assert 'railbird_charged_turns{state="written"} 2' in numbers
    assert not [line for line in numbers if recorded.a1 in line or recorded.table_id in line]
