"""What went wrong, as a problem document (RFC 9457) with a stable `code`.

A document is made of our own words and says nothing of what was sent. "Not yours" and "does not exist" are one document
(test_not_yours_and_not_there_are_the_same).
"""

from __future__ import annotations

import http
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from gameserver.errors import ErrorCode, Refusal
from policy.errors import PolicyRefusal, RefusalCode

MEDIA_TYPE: Final = "application/problem+json"
NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Handler: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]

_STATUSES: Final[Mapping[str, int]] = {
    ErrorCode.BAD_TOKEN: 401,
    ErrorCode.NOT_ALLOWED: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.HAND_LIVE: 409,
    ErrorCode.WHISPER_REFUSED: 409,
    ErrorCode.NO_CHIPS: 409,
    ErrorCode.NAME_CONFLICT: 409,
    ErrorCode.TABLE_CLOSED: 409,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.INTERNAL: 500,
    ErrorCode.BAD_JSON: 400,
    ErrorCode.TOO_DEEP: 400,
    ErrorCode.DUPLICATE_KEY: 400,
    ErrorCode.NOT_AN_OBJECT: 400,
}
_UNPROCESSABLE: Final = 422
"""Any other refusal: the request was understood, and what it asks for cannot be."""

_ALSO: Final[Mapping[int, Mapping[str, str]]] = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}}

_OF_STATUS: Final[Mapping[int, str]] = {
    400: "bad_request",
    401: str(ErrorCode.BAD_TOKEN),
    403: str(ErrorCode.NOT_ALLOWED),
    404: str(ErrorCode.NOT_FOUND),
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: str(ErrorCode.RATE_LIMITED),
    503: "unavailable",
}

_WORDS_OF_STATUS: Final[Mapping[int, str]] = {
    400: "A parameter or a field is missing, is there twice, or cannot be.",
    413: "The body is too large.",
    415: "A body has to be JSON: Content-Type: application/json.",
}
"""What is told of those, without a word of the request."""


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The document. `type` and `code` say the same, as a URI and as a word; `detail` is for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str = ""


def problem(status: int, code: str, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An answer with a problem document. It is not stored by anybody on the way."""
    document = Problem(
        type=f"urn:railbird:problem:{code}",
        title=http.HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
    )
    extra = headers_of(status)
    return Response(
        msgspec.json.encode(document), status, media_type=MEDIA_TYPE, headers={**NO_STORE, **extra, **(headers or {})}
    )


def headers_of(status: int) -> Mapping[str, str]:
    """What every answer of this status says beside its body."""
    return _ALSO.get(status, {})


def not_found() -> Response:
    """The one answer for what is not there, and for what is there and not for this asker."""
    return problem(404, ErrorCode.NOT_FOUND, "It is not there, or not yours.")


def problem_of(refusal: Refusal | PolicyRefusal) -> Response:
    """A refusal of any room as a document."""
    if refusal.code in (ErrorCode.NOT_FOUND, RefusalCode.NOT_FOUND):
        return not_found()
    return problem(status_of(refusal), str(refusal.code), refusal.why)


def status_of(refusal: Refusal | PolicyRefusal) -> int:
    """The status under which a refusal is answered."""
    return _STATUSES.get(refusal.code, _UNPROCESSABLE)


def problem_handlers(count: Callable[[str], None] = lambda code: None) -> dict[Any, Handler]:
    """For `Starlette(exception_handlers=...)`: refusals, what Starlette refuses by itself, and our own errors.

    The last is told as `internal` and no more; it is raised on after the answer, for the log. `count`: told each code.
    """

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal | PolicyRefusal)
        count(str(error.code))
        return problem_of(error)

    async def http_exception(request: Request, error: Exception) -> Response:
        """What Starlette refuses; its words are not told, since they may quote the request."""
        assert isinstance(error, HTTPException)
        code = code_of(error.status_code)
        count(code)
        words = _WORDS_OF_STATUS.get(error.status_code, "")
        return not_found() if error.status_code == 404 else problem(error.status_code, code, words, error.headers)

    async def gone(request: Request, error: Exception) -> Response:
        """Who asked went away in the middle of the body: an answer that nobody reads, and no fault of ours in the log
        (test_f21_a_body_that_breaks_off_is_no_fault_of_ours).
        """
        return problem(400, code_of(400))

    async def internal(request: Request, error: Exception) -> Response:
        count(ErrorCode.INTERNAL)
        return problem(500, ErrorCode.INTERNAL, "An error of ours.")

    return {
        Refusal: refused,
        PolicyRefusal: refused,
        HTTPException: http_exception,
        ClientDisconnect: gone,
        Exception: internal,
    }


def code_of(status: int) -> str:
    """The code of a status that Starlette answers with by itself."""
    return _OF_STATUS.get(status, "bad_request" if status < 500 else str(ErrorCode.INTERNAL))
