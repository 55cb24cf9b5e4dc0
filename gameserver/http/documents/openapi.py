"""The OpenAPI 3.1 document, from the routes of an application and what is said of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from starlette.routing import BaseRoute

from gameserver.http import problems
from gameserver.http.documents.description import Answer, Description, Descriptions, Query, Who, as_json
from gameserver.http.documents.found import FoundRoute, found_routes
from gameserver.http.problems import Problem
from gameserver.wire.messages import PROTOCOL
from gameserver.wire.schema import DIALECT, Schema

VERSION: Final = "3.1.0"
MEDIA_TYPE: Final = "application/openapi+json"
_SCHEMAS: Final = "#/components/schemas/{name}"

_PARAMETERS: Final[Mapping[str, str]] = {
    "tableId": "A table, as `GET /games/poker` lists it.",
    "agentId": "An agent.",
    "number": "The number of a hand at its table.",
    "code": "A sign-in code; it works once.",
    "name": "The name of a message, as `/schemas/index.json` lists it.",
}

_SECURITY: Final[Mapping[Who, list[dict[str, list[str]]]]] = {
    Who.ANYBODY: [{}, {"userToken": []}, {"session": []}],
    Who.USER: [{"userToken": []}, {"session": []}],
    Who.OPERATOR: [{"session": []}],
    Who.SERVICE: [{"serviceKey": []}],
}

_SCHEMES: Final[Schema] = {
    "userToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "A user's token."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "railbird_session",
        "description": "The site's session; a change needs the site's own origin and `x-csrf-token` too.",
    },
    "serviceKey": {"type": "apiKey", "in": "header", "name": "x-service-key", "description": "The operator's key."},
}


def openapi(routes: Iterable[BaseRoute], descriptions: Descriptions, *, prefix: str = "") -> Schema:
    """The whole document: every route of HTTP that is there and that something is said of. `prefix`: where it is mounted."""
    described = [(route, descriptions[route.key]) for route in found_routes(routes) if route.key in descriptions]
    paths: dict[str, Schema] = {}
    for route, description in described:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, description)
    return {
        "openapi": VERSION,
        "jsonSchemaDialect": DIALECT,
        "info": {
            "title": "Railbird over HTTP",
            "version": str(PROTOCOL),
            "description": "Tables are played over WebSockets: see `/asyncapi.json`, and `/llms.txt` for both in plain text.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
        "components": {
            "schemas": _schemas(description for _, description in described),
            "responses": {"Problem": _problem()},
            "securitySchemes": _SCHEMES,
        },
    }


def undescribed(routes: Iterable[BaseRoute], descriptions: Descriptions) -> list[str]:
    """Routes that nothing is said of. WebSockets are in the AsyncAPI document."""
    return [route.key for route in found_routes(routes) if route.method != "WS" and route.key not in descriptions]


def _operation(route: FoundRoute, said: Description) -> Schema:
    return {
        "operationId": f"{route.method.lower()}_{route.name}",
        "tags": [said.group],
        "summary": said.summary,
        **({"description": _words(said)} if _words(said) else {}),
        "security": _SECURITY[said.who],
        **_some("parameters", [*map(_in_path, route.parameters), *map(_in_query, said.query)]),
        **_request(said),
        "responses": {**dict(map(_response, said.answers)), "default": {"$ref": "#/components/responses/Problem"}},
    }


def _words(said: Description) -> str:
    refusals = "Refusals of its own: " + ", ".join(f"`{code}`" for code in said.refusals) + "." if said.refusals else ""
    return "\n\n".join(part for part in (said.words, refusals) if part)


def _some(key: str, values: list[Schema]) -> Schema:
    return {key: values} if values else {}


def _in_path(name: str) -> Schema:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": _PARAMETERS.get(name, f"`{name}`."),
        "schema": {"type": "integer" if name == "number" else "string"},
    }


def _in_query(query: Query) -> Schema:
    return {
        "name": query.name,
        "in": "query",
        "required": query.required,
        "description": query.words,
        "schema": {"type": "string"},
    }


def _request(said: Description) -> Schema:
    if said.body is None:
        return {}
    return {"requestBody": {"required": said.body_required, "content": _json(said.body)}}


def _response(answer: Answer) -> tuple[str, Schema]:
    content: Schema = {}
    match answer.example:
        case None:
            pass
        case str() as text:
            content = {answer.media_type: {"schema": {"type": "string"}, "example": text}}
        case struct:
            content = _json(struct, answer.media_type)
    return str(answer.status), {"description": answer.words, **({"content": content} if content else {})}


def _json(example: msgspec.Struct, media_type: str = "application/json") -> Schema:
    return {media_type: {"schema": _reference(type(example)), "example": as_json(example)}}


def _reference(model: type[msgspec.Struct]) -> Schema:
    return {"$ref": _SCHEMAS.format(name=model.__name__)}


def _problem() -> Schema:
    example = Problem(
        type="urn:railbird:problem:not_found",
        title="Not Found",
        status=404,
        code="not_found",
        detail="It is not there, or not yours.",
    )
    return {
        "description": "A problem document (RFC 9457); `code` is stable. What is not yours and what is not there are the same.",
        "content": _json(example, problems.MEDIA_TYPE),
    }


def _schemas(described: Iterable[Description]) -> dict[str, Any]:
    models: set[type[msgspec.Struct]] = {Problem, *(type(struct) for said in described for struct in _structs(said))}
    _, found = msgspec.json.schema_components(sorted(models, key=lambda model: model.__name__), ref_template=_SCHEMAS)
    return found


def _structs(said: Description) -> Iterator[msgspec.Struct]:
    examples = (said.body, *(answer.example for answer in said.answers))
    yield from (example for example in examples if isinstance(example, msgspec.Struct))
