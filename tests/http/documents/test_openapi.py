"""The OpenAPI document is one, tells of the routes that are there, and of their bodies as they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import msgspec
import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute

from gameserver.http.body import Body, decode_body
from gameserver.http.documents.description import Answer, Description, Who
from gameserver.http.documents.found import found_routes
from gameserver.http.documents.of_streams import MEDIA_TYPE as STREAM
from gameserver.http.documents.openapi import openapi, undescribed
from gameserver.http.documents.routes import document_routes
from gameserver.http.health import health_routes
from gameserver.http.schemas import schema_routes
from gameserver.http.tables import table_routes
from gameserver.wire.asyncapi import ADDRESS, asyncapi
from gameserver.wire.schema import DIALECT
from railbird.wiring.descriptions import DESCRIPTIONS
from tests.house.real_table import RealTable, real_table
from tests.http.documents.published import faults
from tests.http.test_routes import TwoTables, identify


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealTable]:
    """A whole server with one table."""
    async with real_table(tmp_path_factory.mktemp("documents")) as table:
        yield table


async def test_every_route_is_described(server: RealTable) -> None:
    """Or is a page for people, and says so with `include_in_schema=False`.

    Where this fails: say what the new route is in `gameserver/http/documents`, then `python -m railbird.documents --write`.
    """
    assert undescribed(server.server.app.routes, DESCRIPTIONS) == []


async def test_the_document_tells_of_what_is_there_and_of_nothing_else(server: RealTable) -> None:
    """Path and method, both ways; sockets are in the AsyncAPI document."""
    routes = server.server.app.routes
    document = openapi(routes, DESCRIPTIONS)
    told = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    there = {route.key for route in found_routes(routes)}
    assert told == {key for key in there if not key.startswith("WS ")}
    assert {key for key in there if key.startswith("WS ")} == {f"WS {ADDRESS}"}


async def test_the_document_is_as_openapi_has_published(server: RealTable) -> None:
    """Valid under the published schema of 3.1, and so is each schema in it, under the dialect that it names."""
    document = openapi(server.server.app.routes, DESCRIPTIONS)
    assert faults("openapi-3.1", document) == []
    assert document["jsonSchemaDialect"] == DIALECT
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    broken = {**document, "paths": {"/x": {"get": {"responses": "none"}}}}
    assert faults("openapi-3.1", broken) != []


def test_what_is_said_of_every_route_can_be_told() -> None:
    """Also of one that this application has not: each example is as its own schema says, and no two operations share a name."""
    document = openapi(described_routes(), DESCRIPTIONS)
    assert faults("openapi-3.1", document) == []
    examples = 0
    for body in bodies(document):
        if "$ref" in body["schema"]:
            valid(body["schema"], document, body["example"])
            examples += 1
    assert examples > len(DESCRIPTIONS) // 3
    names = [method["operationId"] for methods in document["paths"].values() for method in methods.values()]
    assert len(names) == len(set(names))


def described_routes() -> list[Route]:
    """One route for each key of the register."""

    async def nothing(request: Any) -> PlainTextResponse:
        return PlainTextResponse("")

    routes = []
    for number, key in enumerate(DESCRIPTIONS):
        method, _, path = key.partition(" ")
        routes.append(Route(path, nothing, methods=[method], name=f"r{number}"))
    return routes


def bodies(part: Any) -> list[dict[str, Any]]:
    """Every body of a document: a schema with an example of it."""
    if isinstance(part, dict):
        own = [part] if "example" in part and "schema" in part else []
        return own + [body for value in part.values() for body in bodies(value)]
    return [body for value in part for body in bodies(value)] if isinstance(part, list) else []


def valid(schema: Any, document: Any, value: Any) -> None:
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


async def test_answers_are_as_the_document_says(server: RealTable) -> None:
    """Everything that anybody may ask for by GET without a parameter, and the tables: status, media type and schema."""
    document = openapi(server.server.app.routes, DESCRIPTIONS)
    host = server.page_url.partition("/tables/")[0]
    asked = 0
    async with httpx2.AsyncClient(base_url=host) as client:
        for path, methods in document["paths"].items():
            if "get" not in methods or {} not in methods["get"]["security"]:
                continue
            address = path.replace("{tableId}", server.table_id).replace("{name}", "client.action")
            if "{" in address or STREAM in methods["get"]["responses"]["200"].get("content", {}):
                continue
            answer = await client.get(address)
            said = methods["get"]["responses"][str(answer.status_code)]["content"]
            media_type = answer.headers["content-type"].partition(";")[0]
            assert media_type in said, path
            if "$ref" in said[media_type]["schema"]:
                valid(said[media_type]["schema"], document, answer.json())
            asked += 1
    assert asked >= 4


async def test_the_documents_are_served_under_any_prefix() -> None:
    """Each names the place where it was asked, and the routes of the application that was asked."""
    lobby = TwoTables()
    below = Starlette(
        routes=[
            *table_routes(lobby, identify),
            *health_routes(lobby),
            *schema_routes(),
            *document_routes(),
            WebSocketRoute("/games/poker/{table_id}/ws", PlainTextResponse("")),
        ]
    )
    app = Starlette(routes=[Mount("/poker", app=below), *document_routes()])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://railbird.test") as client:
        mounted, alone = (await client.get("/poker/openapi.json")).json(), (await client.get("/openapi.json")).json()
        assert (mounted["servers"], alone["servers"]) == ([{"url": "/poker"}], [{"url": "/"}])
        assert {"/games/poker", "/games/poker/{tableId}", "/healthz"} <= set(mounted["paths"])
        assert mounted == openapi(below.routes, DESCRIPTIONS, prefix="/poker")
        sockets = await client.get("/poker/asyncapi.json")
        assert sockets.json() == asyncapi(prefix="/poker")
        assert sockets.headers["content-type"] == "application/vnd.aai.asyncapi+json"
        plain = await client.get("/poker/llms.txt")
        assert plain.headers["content-type"] == "text/plain; charset=utf-8"
        assert "GET /games/poker/{tableId} (anybody)" in plain.text
        assert all(answer.headers["cache-control"] == "public, max-age=3600" for answer in (sockets, plain))


def test_routes_are_found_wherever_they_are() -> None:
    """Below routers too; pages and files for people are left out, HEAD and OPTIONS are not told."""

    async def nothing(request: Any) -> PlainTextResponse:
        return PlainTextResponse("")

    inner = [Route("/{hand_number:int}/x", nothing, methods=["GET", "POST"], name="x")]
    routes = [
        Mount("/games/{table_id}", routes=inner),
        Mount("/static", app=PlainTextResponse("")),
        Route("/", nothing, include_in_schema=False),
        WebSocketRoute("/ws", nothing),
    ]
    found = list(found_routes(routes))
    assert [route.key for route in found] == [
        "GET /games/{tableId}/{handNumber}/x",
        "POST /games/{tableId}/{handNumber}/x",
        "WS /ws",
    ]
    assert found[0].parameters == ("tableId", "handNumber")
    said = Description("tables", "Nothing.", Who.SERVICE, (Answer(204, "Done."),))
    assert undescribed(routes, {found[0].key: said}) == [found[1].key]


def test_every_body_of_the_examples_is_what_the_routes_take() -> None:
    """The strict reader of bodies takes each as it is shown."""
    bodies_of_routes = [said.body for said in DESCRIPTIONS.values() if isinstance(said.body, Body)]
    for body in bodies_of_routes:
        assert decode_body(msgspec.json.encode(body), type(body)) == body
    assert len(bodies_of_routes) > 8
