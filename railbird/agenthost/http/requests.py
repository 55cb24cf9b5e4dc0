"""What may be asked with a body. The table server's strict reader reads them."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gameserver.wire.fields import Chips, SeatNumber

ID: Final = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""As the table server writes its ids (test_an_id_is_what_the_table_server_says)."""

Named = Annotated[str, Meta(pattern=f"^{ID}$", description="An id that we gave out.")]


class Asked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The settings of all bodies: camelCase, and no field that is not named."""


class Deploy(Asked, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/deploy`."""

    agent_version_id: Named


class TakeSeat(Asked, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/seat`. Without `seat` whichever is free."""

    table_id: Named
    buy_in: Chips
    seat: SeatNumber | UnsetType = UNSET


class StopPlaying(Asked, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/stop`: no fields."""
