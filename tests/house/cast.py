"""The demo's cast, played by tests themselves: its tokens, attested as the demo attests them, and its dice."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable

from gameserver.identity.issue import issue_hosted_token
from gameserver.identity.keys import SigningKey
from policy.ids import AgentVersionId
from railbird.demo import cast


def token_source(key: SigningKey, part: cast.Part, version: AgentVersionId) -> Callable[[], Awaitable[str]]:
    """A fresh attestation at each call. `key`: the hosting service's."""

    async def token() -> str:
        return issue_hosted_token(
            key,
            agent_id=part.agent_id,
            owner=part.owner,
            version_id=version,
            model=cast.MODEL,
            token_id=f"{part.agent_id}-{time.monotonic_ns()}",
            now_s=int(time.time()),
            life_s=300,
        )

    return token


def dice(part: cast.Part) -> random.Random:
    """Of pauses, and of the house model's seed."""
    return random.Random(part.seed)
