"""SECURITY: the ids of events. An id says at which event of which stream a client was; what it says is believed by its MAC.

An id that is another viewer's, another table's or an older process's is no place in this viewer's stream: they all look alike
(test_f13_what_is_no_id_of_this_stream_is_one_resync).
An id tells its holder nothing: no name of a person, no count of anything but the stream's own events.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Final, assert_never

from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from policy.ids import TableId

_ID: Final = re.compile(r"([a-z]+)\.([A-Za-z0-9_-]{1,64})\.(0|[1-9][0-9]{0,17})\.([A-Za-z0-9_-]{16})")
_MAX_CHARACTERS: Final = 128
_MAC_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client was in a stream."""

    epoch: str
    seq: int


class EventNames:
    """`key`: random bytes of this process, which its epochs do not outlive either."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def name(self, table_id: TableId, audience: Audience, place: Place) -> bytes:
        """The id of an event."""
        return b"%b.%b.%d.%b" % (
            _kind(audience).encode(),
            place.epoch.encode(),
            place.seq,
            self._mac(table_id, audience, place),
        )

    def place(self, event_id: str, table_id: TableId, audience: Audience) -> Place | None:
        """Where in this audience's stream an id was given out; None for whatever is no id of this stream."""
        found = _ID.fullmatch(event_id) if len(event_id) <= _MAX_CHARACTERS else None
        if found is None:
            return None
        place = Place(found[2], int(found[3]))
        return place if hmac.compare_digest(self.name(table_id, audience, place), event_id.encode("ascii")) else None

    def _mac(self, table_id: TableId, audience: Audience, place: Place) -> bytes:
        said = f"{table_id}\0{_address(audience)}\0{place.epoch}\0{place.seq}".encode()
        digest = hashlib.blake2b(said, digest_size=_MAC_BYTES, key=self._key).digest()
        return base64.urlsafe_b64encode(digest)


def _kind(audience: Audience) -> str:
    match audience:
        case PublicAudience():
            return "public"
        case AgentsAudience():
            return "agents"
        case SeatAudience():
            return "seat"
        case OwnerAudience():
            return "owner"
        case _:
            assert_never(audience)


def _address(audience: Audience) -> str:
    match audience:
        case PublicAudience() | AgentsAudience():
            return _kind(audience)
        case SeatAudience(seat=seat, occupant=occupant):
            return f"seat\0{seat}\0{occupant}"
        case OwnerAudience(user_id=user_id):
            return f"owner\0{user_id}"
        case _:
            assert_never(audience)
