"""Which one credential a request shows. It verifies none of them.

What somebody shows on purpose (a header, a ticket, a token in the address) comes before the cookie, which a browser sends along
by itself; two of the former are refused, so that no request is ever judged by a mixture (test_two_credentials_are_refused).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from gameserver.identity.refusals import TokenReason, TokenRefused

_BEARER: Final = re.compile(r"bearer (\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UserToken:
    """A user's JWT."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StreamTicket:
    """A single-use ticket for one stream."""

    ticket: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SessionCookie:
    """The site's own cookie."""

    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoCredential:
    """Nothing was shown."""


UserCredential: TypeAlias = UserToken | StreamTicket | SessionCookie | NoCredential


def user_credential(
    *, authorization: Sequence[str], tokens: Sequence[str], tickets: Sequence[str], cookie: str | None
) -> UserCredential:
    """The one credential of a request: every `Authorization` header, every `?token=` and `?ticket=`, and the session cookie.

    Raises `TokenRefused` for two at a time and for a header that is not one bearer token.
    """
    shown: list[UserCredential] = [UserToken(_bearer(value)) for value in authorization]
    shown += [UserToken(token) for token in tokens]
    shown += [StreamTicket(ticket) for ticket in tickets]
    if len(shown) > 1:
        raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)
    if shown:
        return shown[0]
    return NoCredential() if cookie is None else SessionCookie(cookie)


def _bearer(value: str) -> str:
    found = _BEARER.fullmatch(value)
    if found is None:
        raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)
    return found[1]
