"""Who asks: the one user behind a request's headers and address, or nobody, or a refusal.

For HTTP, event streams and the handshake of a WebSocket alike. An agent's token is none of a user's credentials, wherever it
is shown (test_a_hostile_token_gets_its_answer).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, assert_never
from urllib.parse import parse_qsl

from gameserver.identity.credentials import (
    NoCredential,
    SessionCookie,
    StreamTicket,
    UserCredential,
    UserToken,
    user_credential,
)
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.sessions import COOKIE, Sessions
from gameserver.identity.tickets import StreamTickets
from gameserver.identity.verifier import TokenVerifier
from gameserver.identity.who import Nobody, UserIdentity

_MOST_PARAMETERS: Final = 64


class Askers:
    """Turns what a request shows into an identity. `now_ms`: Unix time."""

    def __init__(
        self, *, verifier: TokenVerifier, tickets: StreamTickets, sessions: Sessions, now_ms: Callable[[], int]
    ) -> None:
        self._verifier, self._tickets, self._sessions, self._now_ms = verifier, tickets, sessions, now_ms

    async def identify(self, credential: UserCredential) -> UserIdentity | Nobody:
        """The user behind one credential; a ticket is used up by it. Raises `TokenRefused`.

        A cookie whose session is over is nobody and no refusal: a browser sends it without being asked, and whoever may watch
        without signing in still may.
        """
        match credential:
            case NoCredential():
                return Nobody()
            case UserToken(token=token):
                return self._verifier.user(token)
            case StreamTicket(ticket=ticket):
                identity = await self._tickets.take(ticket, now_ms=self._now_ms())
                self._verifier.refuse_revoked(identity)  # it may have been revoked after it bought the ticket
                return identity
            case SessionCookie(value=cookie):
                return await self._of_session(cookie)
            case _:
                assert_never(credential)

    async def _of_session(self, cookie: str) -> UserIdentity | Nobody:
        session = await self._sessions.find(cookie, now_ms=self._now_ms())
        if session is None:
            return Nobody()
        try:
            self._verifier.refuse_revoked(session.identity(cookie))
        except TokenRefused:
            return Nobody()
        return session.identity(cookie)


def credential_of_scope(scope: Mapping[str, Any]) -> UserCredential:
    """What an ASGI scope (HTTP or WebSocket) shows. Raises `TokenRefused` for more than one."""
    headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
    query = _query(scope.get("query_string", b""))
    return user_credential(
        authorization=_values(headers, b"authorization"),
        tokens=[value for name, value in query if name == "token"],
        tickets=[value for name, value in query if name == "ticket"],
        cookie=session_cookie(_values(headers, b"cookie")),
    )


def _query(query: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL) from None


def session_cookie(headers: Iterable[str]) -> str | None:
    """The session cookie's value. Of two neither counts: another site under our host may have set one."""
    pairs = [part.strip().partition("=") for header in headers for part in header.split(";")]
    found = [value for name, _, value in pairs if name == COOKIE]
    return found[0] if len(found) == 1 else None


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]
