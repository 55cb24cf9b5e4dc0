"""Answers with captured turns in them: for this asker, now, and to be stored by nobody on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from capture.errors import BufferUnavailable
from capture.reads import document

_NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def json_answer(content: msgspec.Struct, status: int = 200) -> Response:
    """One JSON object."""
    return Response(document.encode(content), status, media_type="application/json", headers=_NO_STORE)


def lines_answer(lines: AsyncIterator[bytes], name: str) -> Response:
    """JSON objects, one a line, as a file. `name`: of ASCII letters that need no quoting."""
    headers = {**_NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@contextmanager
def later() -> Iterator[None]:
    """What needs the buffer is to be tried again where that does not answer. Raises HTTPException 503."""
    try:
        yield
    except BufferUnavailable:
        raise HTTPException(503) from None
