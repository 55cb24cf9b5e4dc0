"""Keys, ids and a time for the tests of this room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gameserver.identity.keys import KeyRing, KeyUse, SigningKey, new_key
from policy.ids import AgentId, AgentVersionId, UserId

NOW_S: Final = 1_800_000_000
AGENT: Final = AgentId("river-rat")
OTHER_AGENT: Final = AgentId("nit-42")
OWNER: Final = UserId("olga")
OTHER_OWNER: Final = UserId("otto")
VERSION: Final = AgentVersionId("river-rat-v1")

KEYS: Final[Mapping[KeyUse, SigningKey]] = {use: new_key(use) for use in KeyUse}
RING: Final = KeyRing(key.verifying() for key in KEYS.values())
