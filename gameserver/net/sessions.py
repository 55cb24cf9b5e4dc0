"""SECURITY: names under which a lost stream can be taken up again. What a name says is believed by its MAC.

A name is 128 random bits, bound to who it was given to, to a table and to an audience. One that is unknown and one of
somebody else look alike. Nothing is kept of them, so that none is lost for the sake of others': who finds their own gone could
count those that were given out meanwhile (test_no_session_is_lost_to_others). They are of this process.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

import msgspec

from gameserver.errors import ErrorCode, Refusal
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from policy.ids import TableId

_AUDIENCE_BYTES: Final = 10
_MAC_BYTES: Final = 15

Bearer: TypeAlias = tuple[str, ...]
"""Whose a session is. An agent's owner counts: a sold agent does not take its old owner's session along."""


def bearer(identity: Identity) -> Bearer:
    """Whom a session is given to."""
    match identity:
        case AgentIdentity(agent_id=agent_id, owner=owner):
            return ("agent", agent_id, owner)
        case UserIdentity(user_id=user_id):
            return ("user", user_id)
        case Nobody():
            return ("nobody",)
        case _:
            assert_never(identity)


@dataclass(frozen=True, slots=True)
class Session:
    """One name: of its bearer's stream of one audience at one table."""

    name: str


class Sessions:
    """Gives out sessions, and knows its own again. `new_name`: 128 random bits in text, without a dot."""

    def __init__(self, new_name: Callable[[], str]) -> None:
        self._new_name = new_name
        self._key = new_name().encode()

    def open(self, identity: Identity, table_id: TableId, audience: Audience) -> Session:
        """A new session."""
        lot, of_audience = self._new_name(), self._of(audience)
        return Session(f"{lot}.{of_audience}.{self._mac(lot, of_audience, identity, table_id)}")

    def prove(self, name: str, identity: Identity, table_id: TableId) -> None:
        """Raises Refusal `resume_refused` where this is no session of this identity's at this table."""
        lot, _, rest = name.partition(".")
        of_audience, _, mac = rest.partition(".")
        if not hmac.compare_digest(self._mac(lot, of_audience, identity, table_id).encode(), mac.encode()):
            raise Refusal(ErrorCode.RESUME_REFUSED, "there is no such session of yours")

    def resumed(self, name: str, identity: Identity, table_id: TableId, audience: Audience) -> Session | None:
        """The session of this name; None where it is of another audience than is now the bearer's. Raises as `prove`."""
        self.prove(name, identity, table_id)
        return Session(name) if name.split(".")[1] == self._of(audience) else None

    def _of(self, audience: Audience) -> str:
        return self._digest("audience", _address(audience), size_bytes=_AUDIENCE_BYTES)

    def _mac(self, lot: str, of_audience: str, identity: Identity, table_id: TableId) -> str:
        return self._digest("session", (lot, of_audience, table_id, *bearer(identity)), size_bytes=_MAC_BYTES)

    def _digest(self, of_what: str, said: tuple[str, ...], *, size_bytes: int) -> str:
        digest = hashlib.blake2b(msgspec.json.encode((of_what, *said)), digest_size=size_bytes, key=self._key).digest()
        return base64.b32encode(digest).decode()  # in capitals: no two characters of it look like a card


def _address(audience: Audience) -> tuple[str, ...]:
    match audience:
        case PublicAudience():
            return ("public",)
        case AgentsAudience():
            return ("agents",)
        case SeatAudience(seat=seat, occupant=occupant):
            return ("seat", str(seat), occupant)
        case OwnerAudience(user_id=user_id):
            return ("owner", user_id)
        case _:
            assert_never(audience)
