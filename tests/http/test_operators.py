"""What operators do with the service key: grants, hands cancelled, seats freed, credentials revoked; and what is written of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

from gameserver.http.metrics import Metric, single, text_of
from gameserver.store.audit import Audit
from policy.ids import TableId, UserId
from tests.http.test_agents import at_the_table, error_on_entering
from tests.http.world import World, live, opened_world
from tests.system.process import Player, entered, until

Rows = list[dict[str, object]]


async def audit(world: World, query: str = "") -> Rows:
    answer = await world.operate("GET", f"/internal/audit{query}")
    assert answer.status_code == 200
    found: Rows = answer.json()["entries"]
    return found


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_grant_is_in_the_bankroll(world: World) -> None:
    """On top of the starting chips of somebody who was never seen."""
    assert (await world.ask("GET", "/bankroll", user="olga")).json() == {"userId": "olga", "balance": 10_000}
    answer = await world.operate("POST", "/internal/bankroll", {"userId": "otto", "amount": 500})
    assert (answer.status_code, answer.json()) == (200, {"userId": "otto", "balance": 10_500})
    assert (await world.ask("GET", "/bankroll", user="otto")).json()["balance"] == 10_500
    assert (await audit(world))[0]["about"] == {"userId": "otto", "amount": 500}


@pytest.mark.parametrize("amount", [0, -5, 1.5, "5", True, 10**10, None])
async def test_a_grant_is_of_a_whole_number_above_zero(world: World, amount: object) -> None:
    answer = await world.operate("POST", "/internal/bankroll", {"userId": "otto", "amount": amount})
    assert answer.status_code == 422
    assert await audit(world) == []


async def test_a_hand_is_cancelled_by_an_operator(world: World) -> None:
    """Every bet goes back, everybody is told, and a hand that is not there is not found."""
    table_id = await world.table(maxSeats=3)
    path = f"/internal/tables/{table_id}/cancel-hand"
    assert refusal(await world.operate("POST", path)) == (404, "not_found")
    async with live(world) as base, two_players(world, base, table_id) as (ann, bob):
        await ann.sees("hand_started")
        answer = await world.operate("POST", path)
        assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
        for player in (ann, bob):
            assert "operator" in (await player.sees("hand_cancelled"))["why"]
    outcomes = [(row["action"], row["outcome"], row["about"]) for row in await audit(world)]
    assert outcomes == [
        ("cancel_hand", "asked", {"tableId": table_id}),
        ("cancel_hand", "refused", {"tableId": table_id, "code": "not_found"}),
        ("cancel_hand", "asked", {"tableId": table_id}),
    ]


async def test_a_seat_is_freed_by_an_operator(world: World) -> None:
    """And paid out; a seat that is empty or not there is refused, and written down as refused."""
    table_id = await world.table(maxSeats=3)
    path = f"/internal/tables/{table_id}/remove"
    async with live(world) as base, at_the_table(world, base, table_id, "ann", 0) as ann:
        assert refusal(await world.operate("POST", path, {"seat": 1})) == (404, "not_found")
        assert refusal(await world.operate("POST", path, {"seat": 99})) == (422, "no_such_seat")
        assert (await world.operate("POST", path, {"seat": 0})).status_code == 200
        await until(lambda: not world.server.floor.state(TableId(table_id)).seats)
        await ann.sees("table_status")
    assert (await world.ask("GET", "/bankroll", user="ann")).json()["balance"] == 10_000
    assert [row["outcome"] for row in await audit(world)] == ["asked", "refused", "asked", "refused", "asked"]


@asynccontextmanager
async def two_players(world: World, base: str, table_id: str) -> AsyncIterator[tuple[Player, Player]]:
    async with (
        at_the_table(world, base, table_id, "ann", 0) as ann,
        at_the_table(world, base, table_id, "bob", 1) as bob,
    ):
        yield ann, bob


async def test_a_revoked_agent_is_out_and_stays_out(tmp_path: Path) -> None:
    """What it has open is closed, its tokens are void over a restart too, and a new one is good."""
    async with opened_world(tmp_path) as world:
        table_id, agent_id = await world.table(), await world.agent()
        token = await world.issued(agent_id)
        async with live(world) as base, entered(base, TableId(table_id), token) as player:
            answer = await world.operate("POST", "/internal/revocations", {"agentId": agent_id})
            assert (answer.status_code, answer.json()) == (201, {"agentId": agent_id, "closed": 1})
            assert (await player.sees("error"))["code"] == "bad_token"
            assert await player.is_closed() == 4401
            assert await error_on_entering(base, table_id, token) == "bad_token"
        assert (await audit(world))[0]["about"] == {"agentId": agent_id}
    async with opened_world(tmp_path) as world, live(world) as base:
        assert await error_on_entering(base, table_id, token) == "bad_token"
        async with entered(base, TableId(table_id), await world.issued(agent_id)):
            pass


async def test_a_revoked_token_is_out_and_no_other(tmp_path: Path) -> None:
    """A user's by its `jti`: its sockets, streams and tickets are over; another of the same user goes on."""
    async with opened_world(tmp_path) as world:
        table_id = await world.table()
        bad, good = world.user_token("olga", token_id="lost"), world.user_token("olga", token_id="kept")
        async with live(world) as base, socket(base, table_id, bad) as lost, socket(base, table_id, good) as kept:
            answer = await world.operate("POST", "/internal/revocations", {"jti": "lost"})
            assert (answer.status_code, answer.json()["closed"]) == (201, 1)
            await lost.wait_closed()
            assert lost.close_code == 4401
            await kept.send('{"type":"ping"}')
            while "pong" not in str(await kept.recv()):
                pass
    async with opened_world(tmp_path) as world:
        for token, status in ((bad, 401), (good, 200)):
            answer = await world.client.get("/bankroll", headers={"authorization": f"Bearer {token}"})
            assert answer.status_code == status


@asynccontextmanager
async def socket(base: str, table_id: str, token: str) -> AsyncIterator[ClientConnection]:
    async with connect(f"{base.replace('http', 'ws')}games/poker/{table_id}/ws?token={token}", proxy=None) as opened:
        yield opened


@pytest.mark.parametrize(
    "body",
    [{}, {"jti": "a", "agentId": "b"}, {"jti": ""}, {"jti": "a b"}, {"agentId": "a:b"}, {"jti": 7}, {"userId": "olga"}],
)
async def test_one_thing_is_revoked_at_a_time(world: World, body: Mapping[str, object]) -> None:
    answer = await world.operate("POST", "/internal/revocations", body)
    assert answer.status_code == 422
    assert await audit(world) == []


async def test_the_audit_comes_in_pages(world: World) -> None:
    """Newest first; what is no number is refused (F32)."""
    for amount in (1, 2, 3):
        await world.operate("POST", "/internal/bankroll", {"userId": "otto", "amount": amount})
    newest = await audit(world, "?limit=2")
    assert [row["about"] for row in newest] == [{"userId": "otto", "amount": 3}, {"userId": "otto", "amount": 2}]
    rest = await audit(world, f"?before={newest[-1]['id']}")
    assert [row["about"] for row in rest] == [{"userId": "otto", "amount": 1}]
    for query in (
        "limit=-1",
        "limit=1e3",
        "limit=",
        "limit=%D9%A3",
        "before=1.0",
        "limit=1&limit=2",
        f"before={'9' * 5_000}",
    ):
        answer = await world.operate("GET", f"/internal/audit?{query}")
        assert refusal(answer) == (400, "bad_request")


@pytest.mark.parametrize("table_id", ["none-such", "%00", "a%2fb", "x" * 10_000, "%ff", "٣", "-1"])
async def test_an_operators_table_that_is_not_there_is_not_found(world: World, table_id: str) -> None:
    """Whatever the id is (F32)."""
    for path, body in (("cancel-hand", None), ("remove", {"seat": 0})):
        answer = await world.operate("POST", f"/internal/tables/{table_id}/{path}", body)
        assert refusal(answer) == (404, "not_found")


async def test_what_cannot_be_audited_is_not_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """No row, no act; and the answer says nothing of the store."""

    async def broken(self: Audit, **_: object) -> None:
        raise OSError("MARKER")

    monkeypatch.setattr(Audit, "write", broken)
    answer = await world.operate("POST", "/internal/bankroll", {"userId": "otto", "amount": 5})
    assert refusal(answer) == (500, "internal")
    assert "MARKER" not in answer.text
    assert await world.server.ledger.bankroll_chips(UserId("otto")) == 10_000


async def test_metrics_count_and_name_nobody(world: World) -> None:
    """Tables, connections, frames, refusals; behind the service key."""
    table_id = await world.table(maxSeats=3)
    agent_id = await world.agent("olga", "Zanzibar")
    await world.ask("GET", "/games/poker/none-such")
    await world.client.get("/bankroll", headers={"authorization": "Bearer x"})
    async with live(world) as base, two_players(world, base, table_id) as (ann, _):
        await ann.sees("hand_started")
        text = (await world.operate("GET", "/metrics")).text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    counted = dict(line.rsplit(" ", 1) for line in lines)
    assert counted['railbird_tables{status="open"}'] == "1"
    assert (counted["railbird_seats_taken"], counted["railbird_websockets"]) == ("2", "2")
    assert int(counted["railbird_frames_total"]) > 0
    assert (counted["railbird_tripwire_total"], counted["railbird_table_faults_total"]) == ("0", "0")
    assert counted['railbird_http_refusals_total{code="bad_token"}'] == "1"
    assert counted['railbird_refused_credentials_total{reason="not_compact"}'] == "1"
    for word in ("olga", "ann", table_id, agent_id, "Zanzibar", "Kitchen"):
        assert word not in text


def test_no_label_names_anybody() -> None:
    """The form of the text: one help, one type, and a value of a label from a closed list."""
    metrics = [single("a", "gauge", "Words.", 3), Metric("b", "counter", "More.", {"y": 2, "x": 1}, "kind")]
    assert text_of(metrics).splitlines() == [
        "# HELP a Words.",
        "# TYPE a gauge",
        "a 3",
        "# HELP b More.",
        "# TYPE b counter",
        'b{kind="x"} 1',
        'b{kind="y"} 2',
    ]


async def test_without_a_service_key_nobody_is_an_operator(tmp_path: Path) -> None:
    """Whatever is shown."""
    async with opened_world(tmp_path, service_key=None) as world:
        for key in ("", "None", "the service key of these tests"):
            answer = await world.client.get("/internal/audit", headers={"x-service-key": key})
            assert refusal(answer) == (401, "bad_token")


async def test_readiness_tells_of_each_store(world: World) -> None:
    """By its name, and without its address."""
    assert (await world.ask("GET", "/readyz")).json() == {"status": "ready", "stores": {"database": "up"}}
