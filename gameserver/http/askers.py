"""Who asks, over HTTP: what a route may rely on before it does anything.

A browser sends its cookie along with any page's request, so a cookie is believed for a change only with our own page's origin
and its word (test_a_cookie_alone_changes_nothing). Headers that a program sets need neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from starlette.requests import HTTPConnection, Request

from gameserver.errors import ErrorCode, Refusal
from gameserver.identity.asker import Askers, credential_of_scope
from gameserver.identity.credentials import SessionCookie, StreamTicket, UserCredential
from gameserver.identity.origins import AllowedOrigins
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.sessions import CSRF_HEADER, csrf_word_fits
from gameserver.identity.who import Nobody, UserIdentity

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
Anybody: TypeAlias = UserIdentity | Nobody


class HttpAskers:
    """`anybody` for what all may read, `user` for what needs somebody."""

    def __init__(self, askers: Askers, origins: AllowedOrigins) -> None:
        self._askers, self._origins = askers, origins

    async def anybody(self, connection: HTTPConnection) -> Anybody:
        """Who asks, or nobody. For the handshake of a WebSocket too. Raises `Refusal`."""
        return await self._askers.identify(credential_of_scope(connection.scope))

    async def user(self, request: Request) -> UserIdentity:
        """The user who asks, and who means it. Raises `Refusal`: `bad_token` for nobody, `not_allowed` for a foreign page."""
        credential = credential_of_scope(request.scope)
        self._refuse_foreign(request, credential)
        identity = await self._askers.identify(credential)
        if isinstance(identity, Nobody):
            raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)
        return identity

    def refuse_foreign_page(self, request: Request) -> None:
        """For routes that sign somebody in: another site's page may not do that in a visitor's name."""
        if not self._origins.allows(_all(request, "origin")):
            raise Refusal(ErrorCode.NOT_ALLOWED, "another site's page")

    def _refuse_foreign(self, request: Request, credential: UserCredential) -> None:
        if isinstance(credential, StreamTicket):
            raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)  # a ticket opens a stream and does nothing else
        if not isinstance(credential, SessionCookie) or request.method in SAFE_METHODS:
            return
        words = _all(request, CSRF_HEADER)
        own_page = self._origins.allows_a_page(_all(request, "origin"))
        if not own_page or len(words) != 1 or not csrf_word_fits(credential.value, words[0]):
            raise Refusal(ErrorCode.NOT_ALLOWED, "not from a page of this site")


def _all(request: Request, name: str) -> Sequence[str]:
    return request.headers.getlist(name)
