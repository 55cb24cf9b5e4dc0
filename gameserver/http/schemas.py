"""`GET /schemas/client.<type>.json` and `/schemas/server.<type>.json`: the messages of the WebSocket for machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.problems import not_found
from gameserver.wire.schema import schemas

MEDIA_TYPE: Final = "application/schema+json"
_KEPT: Final[Mapping[str, str]] = {"Cache-Control": "public, max-age=3600"}


def schema_routes() -> list[BaseRoute]:
    """The schemas, for anybody. `/schemas/index.json` lists their names."""
    documents = {name: msgspec.json.encode(schema) for name, schema in schemas().items()}
    documents["index"] = msgspec.json.encode({"schemas": [f"{name}.json" for name in sorted(documents)]})

    async def show(request: Request) -> Response:
        found = documents.get(request.path_params["name"])
        return not_found() if found is None else Response(found, media_type=MEDIA_TYPE, headers=_KEPT)

    return [Route("/schemas/{name}.json", show, methods=["GET"], name="schema")]
