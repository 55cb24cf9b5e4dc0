"""Which stream a connection may be put into, by the identity that it proved. The door asks for every subscription.

A connection carries a user's identity or an agent's, and none carries both; so nothing that is addressed to a user can reach an
agent's connection, and an agent's connection is in no public stream (test_routing_primitive).
"""

from __future__ import annotations

from typing import assert_never

from gameserver.errors import Bug
from gameserver.floor.dispatch import player_id_of
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.table.commands import PlayerId
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience


def check_address(audience: Audience, identity: Identity) -> None:
    """Raises Bug where this identity is not whom the stream is for."""
    match audience:
        case PublicAudience():
            fits = not isinstance(identity, AgentIdentity)
        case AgentsAudience():
            fits = isinstance(identity, AgentIdentity)
        case SeatAudience(occupant=occupant):
            fits = _player(identity) == occupant
        case OwnerAudience(user_id=user_id):
            fits = isinstance(identity, UserIdentity) and identity.user_id == user_id
        case _:
            assert_never(audience)
    if not fits:
        raise Bug(f"a connection was put into a stream that is not its own: {type(audience).__name__}")


def _player(identity: Identity) -> PlayerId | None:
    match identity:
        case Nobody():
            return None
        case AgentIdentity() | UserIdentity():
            return player_id_of(identity)
        case _:
            assert_never(identity)
