"""Tables and health over HTTP, and the documents that say what went wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.health import health_routes
from gameserver.http.lobby import ListedTable, PublicTable
from gameserver.http.problems import problem_handlers
from gameserver.http.schemas import schema_routes
from gameserver.http.tables import table_routes
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.wire.messages import GameState, Snapshot
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import TableId, UserId
from tests.wire.frames import SAMPLES

OLGA: Final = UserIdentity(UserId("olga"), 0, None)


def listed(table_id: str) -> ListedTable:
    return ListedTable(
        table_id=table_id,
        name="Kitchen",
        table_kind="agent",
        variant="nlhe",
        status="open",
        small_blind=5,
        big_blind=10,
        ante=0,
        min_buy_in=400,
        max_buy_in=1_000,
        max_seats=6,
        seated=2,
        hand_number=7,
        show_hands=False,
        show_thoughts=False,
        spectator_delay_ms=0,
    )


class TwoTables:
    """`open` is for anybody, `closed-door` for Olga; both for the tests, which also look at who asked."""

    def __init__(self) -> None:
        self.asked: list[TableId] = []
        self.stores_up = {"database": True, "buffer": True}

    async def tables(self, asker: UserIdentity | Nobody) -> Sequence[ListedTable]:
        return [listed("open"), *([listed("closed-door")] if asker == OLGA else [])]

    async def table(self, asker: UserIdentity | Nobody, table_id: TableId) -> PublicTable | None:
        self.asked.append(table_id)
        if table_id not in {table.table_id for table in await self.tables(asker)}:
            return None
        return PublicTable(table_id=table_id, rules=SAMPLES[Snapshot].rules, state=SAMPLES[GameState])

    async def stores(self) -> dict[str, bool]:
        return self.stores_up


async def identify(request: Request) -> UserIdentity | Nobody:
    match request.headers.get("authorization"):
        case None:
            return Nobody()
        case "Bearer olga":
            return OLGA
        case _:
            raise TokenRefused(TokenReason.EXPIRED)


async def fail(request: Request) -> Response:
    match request.path_params["how"]:
        case "refusal":
            raise Refusal(ErrorCode.HAND_LIVE, "the hand is still in play")
        case "policy":
            raise PolicyRefusal(RefusalCode.SPECTATOR_REVEAL_NEEDS_AGENT_TABLE, "an agent table reveals, no other")
        case "not-yours":
            raise PolicyRefusal(RefusalCode.NOT_FOUND, "another owner's")
        case "http":
            raise HTTPException(400, "MARKER")
        case _:
            raise RuntimeError("MARKER")


@pytest.fixture
def lobby() -> TwoTables:
    """Two tables."""
    return TwoTables()


@pytest.fixture
async def client(lobby: TwoTables) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of an application with these routes, below a prefix as well."""
    routes = [*table_routes(lobby, identify), *health_routes(lobby), *schema_routes(), Route("/fail/{how}", fail)]
    app = Starlette(routes=[*routes, Mount("/below", routes=routes)], exception_handlers=problem_handlers())
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://railbird.test") as opened:
        yield opened


def document(answer: httpx2.Response) -> dict[str, Any]:
    """The problem document, whose form is the same for all."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    found: dict[str, Any] = answer.json()
    assert found["status"] == answer.status_code
    assert found["type"] == f"urn:railbird:problem:{found['code']}"
    return found


@pytest.mark.parametrize("prefix", ["", "/below"])
async def test_anybody_sees_the_tables(client: httpx2.AsyncClient, prefix: str) -> None:
    """The list and the public view, fresh each time, under any prefix."""
    answer = await client.get(f"{prefix}/games/poker")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert [table["tableId"] for table in answer.json()["tables"]] == ["open"]
    one = await client.get(f"{prefix}/games/poker/open")
    assert one.status_code == 200
    assert set(one.json()) == {"tableId", "rules", "state"}
    assert one.json()["state"]["type"] == "game_state"


async def test_who_is_invited_sees_more(client: httpx2.AsyncClient) -> None:
    """The lobby is told who asks."""
    olga = {"authorization": "Bearer olga"}
    answer = await client.get("/games/poker", headers=olga)
    assert [table["tableId"] for table in answer.json()["tables"]] == ["open", "closed-door"]
    assert (await client.get("/games/poker/closed-door", headers=olga)).status_code == 200


async def test_not_yours_and_not_there_are_the_same(client: httpx2.AsyncClient) -> None:
    """Status, body and headers: nobody learns which it was."""
    answers = [
        await client.get(path)
        for path in ("/games/poker/closed-door", "/games/poker/none-such", "/fail/not-yours", "/no/such/route")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert len({json.dumps(dict(answer.headers)) for answer in answers}) == 1


@pytest.mark.parametrize("table_id", ["%00", "a%20b", "..%2f..", "%2e%2e", "-", "x" * 65, "%F0%9F%98%80", "a:b", "*"])
async def test_what_is_no_id_is_not_found(client: httpx2.AsyncClient, lobby: TwoTables, table_id: str) -> None:
    """It is never looked up."""
    answer = await client.get(f"/games/poker/{table_id}")
    assert answer.status_code == 404
    assert document(answer)["code"] == "not_found"
    assert lobby.asked == []


async def test_a_bad_credential_is_told(client: httpx2.AsyncClient) -> None:
    """401, the same for every reason, also on routes that are for anybody."""
    for path in ("/games/poker", "/games/poker/open"):
        answer = await client.get(path, headers={"authorization": "Bearer MARKER"})
        assert answer.status_code == 401
        assert document(answer) == {
            "type": "urn:railbird:problem:bad_token",
            "title": "Unauthorized",
            "status": 401,
            "code": "bad_token",
        }
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("refusal", 409, "hand_live"),
        ("policy", 422, "spectator_reveal_needs_agent_table"),
        ("http", 400, "bad_request"),
        ("bug", 500, "internal"),
    ],
)
async def test_each_error_is_a_document(client: httpx2.AsyncClient, how: str, status: int, code: str) -> None:
    """With its stable code; an error of ours says no more than that, and Starlette's words are not handed on."""
    answer = await client.get(f"/fail/{how}")
    assert (answer.status_code, document(answer)["code"]) == (status, code)
    assert "MARKER" not in answer.text


async def test_another_method_is_a_document_too(client: httpx2.AsyncClient) -> None:
    """405, with what is allowed."""
    answer = await client.put("/games/poker/open")
    assert (answer.status_code, document(answer)["code"]) == (405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]


async def test_health_and_readiness(client: httpx2.AsyncClient, lobby: TwoTables) -> None:
    """The process lives whatever its stores do; it is ready when all of them answer."""
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()) == (
        200,
        {"status": "ready", "stores": {"database": "up", "buffer": "up"}},
    )
    lobby.stores_up = {"database": True, "buffer": False}
    not_ready = await client.get("/readyz")
    assert (not_ready.status_code, not_ready.json()["stores"]) == (503, {"database": "up", "buffer": "down"})
    assert (await client.get("/healthz")).status_code == 200


async def test_every_message_has_its_schema_here(client: httpx2.AsyncClient) -> None:
    """The index names them, each is there under the name that it gives itself, and any other is not found."""
    names = (await client.get("/schemas/index.json")).json()["schemas"]
    assert {"client.action.json", "server.game_state.json", "client.chat.json", "server.chat.json"} <= set(names)
    for name in names:
        answer = await client.get(f"/schemas/{name}")
        assert (answer.headers["content-type"], answer.json()["$id"]) == ("application/schema+json", name)
    assert (await client.get("/schemas/client.nope.json")).status_code == 404
