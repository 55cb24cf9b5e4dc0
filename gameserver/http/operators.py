"""Who acts as an operator: the service key on `/internal/*`, or a user who is named as one. Each act leaves an audit row.

The row is written before the act; an act that cannot be written down is not carried out (test_what_cannot_be_audited_is_not_done).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request

from gameserver.errors import Refusal
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.service_key import ServiceKey
from gameserver.store.audit import Audit, Outcome
from policy.errors import PolicyRefusal
from policy.ids import UserId

SERVICE: Final = "service"
"""The operator in an audit row where the service key was shown; a named one is `user:<id>`."""
_HEADER: Final = "x-service-key"


def named(user_id: UserId) -> str:
    """A named operator in an audit row."""
    return f"user:{user_id}"


class OperatorDoor:
    """`key`: None where none is configured: then nobody comes in by one. `now_ms`: Unix time."""

    def __init__(self, key: ServiceKey | None, audit: Audit, now_ms: Callable[[], int]) -> None:
        self._key, self._audit, self._now_ms = key, audit, now_ms

    def require_service_key(self, request: Request) -> None:
        """Raises Refusal `bad_token`, the same for no key and for a wrong one."""
        if self._key is None or not self._key.matches(request.headers.getlist(_HEADER)):
            raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)

    @asynccontextmanager
    async def audited(
        self, action: str, about: Mapping[str, str | int], *, operator: str = SERVICE
    ) -> AsyncIterator[None]:
        """The act is written down as asked for, and once more where it is refused."""
        await self._write(operator, action, "asked", about)
        try:
            yield
        except (Refusal, PolicyRefusal) as refused:
            await self._write(operator, action, "refused", {**about, "code": str(refused.code)})
            raise

    async def _write(self, operator: str, action: str, outcome: Outcome, about: Mapping[str, str | int]) -> None:
        await self._audit.write(operator=operator, action=action, outcome=outcome, about=about, now_ms=self._now_ms())
