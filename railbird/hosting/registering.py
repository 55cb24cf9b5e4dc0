"""The agents of a file: found or made in the register, with the version that the file says; or known by a token that was given out.

A version is published where the file says another one than before. Publishing reaches no agent: what has a seat plays on until the table
takes the new one (test_a_file_moves_nothing_towards_an_agent_at_a_revealing_table).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from gameserver.store.people import People
from gameserver.store.stored import StoredAgent
from policy.ids import AgentId, AgentVersionId, UserId
from railbird.agenthost.file.agents import AgentEntry
from railbird.agenthost.file.toml import Bad
from railbird.agenthost.registry.versions import Version, version_bytes


@dataclass(frozen=True, slots=True)
class Registered:
    """An agent that can prove itself. `token`: one that was given out; `None`: this host signs its own."""

    agent_id: AgentId
    owner: UserId
    version: Version
    token: str | None = None


class Registering:
    """`new_id`: a fresh word with a prefix."""

    def __init__(self, people: People, new_id: Callable[[str], str]) -> None:
        self._people, self._new_id = people, new_id

    async def registered(self, entry: AgentEntry, owner: UserId) -> Registered:
        """The owner's agent of that name, with the version of the file."""
        agent = await self._agent(entry.name, owner)
        return Registered(agent.agent_id, owner, await self._version(agent.agent_id, wanted_version(entry)))

    async def _agent(self, name: str, owner: UserId) -> StoredAgent:
        for known in await self._people.agents_of(owner):
            if known.name == name:
                return known
        return await self._people.create_agent(AgentId(self._new_id("a")), name, owner)

    async def _version(self, agent_id: AgentId, wanted: Version) -> Version:
        content = version_bytes(wanted)
        for earlier in reversed(await self._people.versions_of(agent_id)):
            if earlier.content == content:
                return replace(wanted, version_id=earlier.version_id)
        version_id = AgentVersionId(self._new_id("v"))
        await self._people.publish_version(agent_id, version_id, content)
        return replace(wanted, version_id=version_id)


def wanted_version(entry: AgentEntry) -> Version:
    """What the file says; it has no id before it is published."""
    return Version(
        AgentVersionId(""),
        strategy=entry.strategy,
        skills=entry.skills,
        model=entry.model,
        temperature=entry.temperature,
        seed=entry.seed,
        max_tokens=entry.max_tokens,
    )


class _Claims(msgspec.Struct, frozen=True):
    sub: str
    owner: str
    ver: str


def known_by_token(entry: AgentEntry, token: str) -> Registered:
    """Whose token it is, as it says itself; whether that is true is the server's to say. Raises Bad."""
    try:
        payload = token.split(".")[1]
        data = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        claims = msgspec.json.decode(data, type=_Claims)
    except (IndexError, ValueError, binascii.Error, msgspec.DecodeError):
        raise Bad("bad_token", "the variable holds no agent's token") from None
    version = replace(wanted_version(entry), version_id=AgentVersionId(claims.ver))
    return Registered(AgentId(claims.sub), UserId(claims.owner), version, token)
