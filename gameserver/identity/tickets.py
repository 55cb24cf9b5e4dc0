"""Tickets: since a browser cannot set a header on a WebSocket or an event stream, a page buys a ticket and shows that.

A ticket opens one stream, within 30 seconds, and is worth nothing afterwards. The stream lives as long as the credential that
bought the ticket (test_a_ticket_opens_once_and_lives_as_its_credential).
"""

from __future__ import annotations

from typing import Final

from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.secrets_store import SecretStore
from gameserver.identity.who import UserIdentity

TICKET_LIFE_MS: Final = 30_000


class StreamTickets:
    """Sells and takes tickets."""

    def __init__(self, store: SecretStore[UserIdentity]) -> None:
        self._store = store

    async def sell(self, identity: UserIdentity, *, now_ms: int) -> str:
        """A ticket for whoever proved to be this user."""
        expires_at_ms = min(now_ms + TICKET_LIFE_MS, identity.expires_at_ms)
        return await self._store.put(identity, expires_at_ms=expires_at_ms, now_ms=now_ms)

    async def drop_of(self, token_id: str) -> None:
        """Void every ticket that this token or session bought."""
        await self._store.drop_where(lambda identity: identity.token_id == token_id)

    async def take(self, ticket: str, *, now_ms: int) -> UserIdentity:
        """Who bought it; once. Raises `TokenRefused`."""
        identity = await self._store.take(ticket, now_ms=now_ms)
        if identity is None:
            raise TokenRefused(TokenReason.UNKNOWN_TICKET)
        return identity
