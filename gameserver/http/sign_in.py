"""`POST /login`, `POST /logout`, `POST /stream-ticket`, `GET /signin/{code}`: how people come in and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.errors import Refusal
from gameserver.http.accept import prefers_html
from gameserver.http.askers import HttpAskers
from gameserver.http.body import bounded_body
from gameserver.http.problems import NO_STORE
from gameserver.http.rates import SignInRates
from gameserver.http.tables import json_answer, prefix_of
from gameserver.identity.asker import credential_of_scope
from gameserver.identity.compact import MAX_TOKEN_CHARACTERS, json_object
from gameserver.identity.credentials import SessionCookie, UserToken
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.sessions import OpenedSession, Sessions, SignInLinks, clear_cookie, session_name, set_cookie
from gameserver.identity.tickets import TICKET_LIFE_MS, StreamTickets
from gameserver.identity.verifier import TokenVerifier

_MAX_BODY_BYTES = MAX_TOKEN_CHARACTERS + 64


class SignedIn(msgspec.Struct, frozen=True, rename="camel"):
    """`csrfToken`: what this site's pages send as `x-csrf-token` with every change. `expiresAt`: Unix milliseconds."""

    user_id: str
    csrf_token: str
    expires_at: int


class Ticket(msgspec.Struct, frozen=True, rename="camel"):
    """Opens one stream as `?ticket=`, within `expiresInMs`."""

    ticket: str
    expires_in_ms: int


@dataclass(frozen=True, slots=True)
class SignInPorts:
    """`secure`: the site is served by https. `now_ms`: Unix time. `ended`: told the name of a session that somebody signed out of.

    `dead_link`: the page for a browser whose sign-in link is refused, under the refusal's own status.
    """

    askers: HttpAskers
    verifier: TokenVerifier
    sessions: Sessions
    tickets: StreamTickets
    links: SignInLinks
    rates: SignInRates
    secure: bool
    now_ms: Callable[[], int]
    ended: Callable[[str], None] = lambda name: None
    dead_link: Callable[[Request, Refusal], Response] | None = None


def sign_in_routes(ports: SignInPorts) -> list[BaseRoute]:
    """The four routes, under any prefix: the cookie is for the prefix that they are mounted under."""

    async def login(request: Request) -> Response:
        ports.askers.refuse_foreign_page(request)
        ports.rates.attempt(request)
        identity = ports.verifier.user(await _token(request))
        ports.rates.sign_in(identity.user_id)
        opened = await ports.sessions.open(
            identity.user_id,
            until_ms=identity.expires_at_ms,
            proof_id=identity.token_id,
            now_ms=ports.now_ms(),
        )
        answer = json_answer(SignedIn(identity.user_id, opened.csrf, opened.session.expires_at_ms))
        return _with_cookie(ports, request, answer, opened)

    async def logout(request: Request) -> Response:
        await ports.askers.user(request)
        credential = credential_of_scope(request.scope)
        if isinstance(credential, SessionCookie):
            await ports.sessions.end(credential.value, now_ms=ports.now_ms())
            await ports.tickets.drop_of(session_name(credential.value))
            ports.ended(session_name(credential.value))
        cookie = clear_cookie(secure=ports.secure, path=prefix_of(request))
        return Response(status_code=204, headers={**NO_STORE, "Set-Cookie": cookie})

    async def stream_ticket(request: Request) -> Response:
        identity = await ports.askers.user(request)
        ports.rates.ticket(identity.user_id)
        ticket = await ports.tickets.sell(identity, now_ms=ports.now_ms())
        return json_answer(Ticket(ticket, TICKET_LIFE_MS), 201)

    async def sign_in(request: Request) -> Response:
        try:
            return await follow_link(request)
        except Refusal as refused:
            if ports.dead_link is None or not prefers_html(request):
                raise
            return ports.dead_link(request, refused)

    async def follow_link(request: Request) -> Response:
        if request.method == "HEAD":  # whoever looks at a link before it is opened does not use it up
            raise HTTPException(405, headers={"Allow": "GET"})
        ports.rates.attempt(request)
        now_ms = ports.now_ms()
        user_id = await ports.links.take(request.path_params["code"], now_ms=now_ms)
        opened = await ports.sessions.open(user_id, now_ms=now_ms)
        answer = RedirectResponse(f"{prefix_of(request)}/", 303, headers={**NO_STORE, "Referrer-Policy": "no-referrer"})
        return _with_cookie(ports, request, answer, opened)

    return [
        Route("/login", login, methods=["POST"], name="login"),
        Route("/logout", logout, methods=["POST"], name="logout"),
        Route("/stream-ticket", stream_ticket, methods=["POST"], name="stream_ticket"),
        Route("/signin/{code}", sign_in, methods=["GET"], name="signin"),
    ]


async def _token(request: Request) -> str:
    """The user's token: in the `Authorization` header, or as `{"token": ...}`."""
    credential = credential_of_scope({**request.scope, "query_string": b""})
    if isinstance(credential, UserToken):
        return credential.token
    match json_object(await bounded_body(request, _MAX_BODY_BYTES), TokenReason.NOT_ONE_CREDENTIAL):
        case {"token": str() as token, **others} if not others:
            return token
        case _:
            raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)


def _with_cookie(ports: SignInPorts, request: Request, answer: Response, opened: OpenedSession) -> Response:
    cookie = set_cookie(opened, secure=ports.secure, path=prefix_of(request), now_ms=ports.now_ms())
    answer.headers["Set-Cookie"] = cookie
    return answer
