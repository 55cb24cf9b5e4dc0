"""`GET /openapi.json`, `/asyncapi.json` and `/llms.txt`, for anybody."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.documents.description import Descriptions
from gameserver.http.documents.llms import MEDIA_TYPE as PLAIN
from gameserver.http.documents.llms import llms
from gameserver.http.documents.openapi import MEDIA_TYPE as OPENAPI
from gameserver.http.documents.openapi import openapi
from gameserver.http.documents.register import DESCRIPTIONS
from gameserver.wire.asyncapi import MEDIA_TYPE as ASYNCAPI
from gameserver.wire.asyncapi import asyncapi

_KEPT: Final[Mapping[str, str]] = {"Cache-Control": "public, max-age=3600"}


def document_routes(descriptions: Descriptions = DESCRIPTIONS) -> list[BaseRoute]:
    """The three documents, of the application that is asked, under whatever prefix. Each is made once."""

    @lru_cache(maxsize=16)
    def openapi_bytes(app: Starlette, prefix: str) -> bytes:
        return msgspec.json.encode(openapi(app.routes, descriptions, prefix=prefix))

    @lru_cache(maxsize=16)
    def llms_bytes(app: Starlette) -> bytes:
        return llms(app.routes, descriptions).encode()

    async def show_openapi(request: Request) -> Response:
        return _document(openapi_bytes(request.app, _prefix(request)), OPENAPI)

    async def show_asyncapi(request: Request) -> Response:
        return _document(_asyncapi_bytes(_prefix(request)), ASYNCAPI)

    async def show_llms(request: Request) -> Response:
        return _document(llms_bytes(request.app), PLAIN)

    return [
        Route("/openapi.json", show_openapi, methods=["GET"], name="openapi"),
        Route("/asyncapi.json", show_asyncapi, methods=["GET"], name="asyncapi"),
        Route("/llms.txt", show_llms, methods=["GET"], name="llms"),
    ]


def _prefix(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


@lru_cache(maxsize=16)
def _asyncapi_bytes(prefix: str) -> bytes:
    return msgspec.json.encode(asyncapi(prefix=prefix))


def _document(content: bytes, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers=_KEPT)
