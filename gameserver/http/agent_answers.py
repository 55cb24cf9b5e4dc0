"""What travels of an owner's agents. An agent is told to its owner and to nobody else."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gameserver.http.requests import NewVersion
from gameserver.store.stored import StoredAgent, StoredVersion


class VersionAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One version. `content`: as it was published. `publishedAt`: Unix milliseconds."""

    agent_version_id: str
    number: int
    published_at: int
    content: msgspec.Raw


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One agent of the list. `createdAt`: Unix milliseconds. `sitsAt`: the tables where it has a seat."""

    agent_id: str
    name: str
    owner: str
    created_at: int
    sits_at: Sequence[str]


class HostedSeat(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where a hosted agent is to play. `askedAt`: Unix milliseconds. `hosted`: a host plays it now.

    `problem`: where it is hosted, what it waits for: `table_full` or `seat_taken`; else why none goes on trying: a code of an error,
    or a word of the host's.
    """

    table_id: str
    buy_in: int
    asked_at: int
    hosted: bool
    seat: int | None = None
    problem: str | None = None


class Hosting(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What is deployed of an agent; nothing of it, where the hosting service has none. `deployedAt`: Unix milliseconds.

    `host`: whether one runs that can play it: `running`, `no_host`, `no_host_has_the_model`.
    """

    seats: Sequence[HostedSeat]
    agent_version_id: str | None = None
    deployed_at: int | None = None
    host: str | None = None


class AgentDetails(AgentAnswer, frozen=True, kw_only=True, rename="camel"):
    """One agent with its versions, oldest first."""

    versions: Sequence[VersionAnswer]
    hosting: Hosting


class TokenAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A token for the agent's own process; it is shown once. `expiresAt`: Unix milliseconds."""

    agent_token: str
    expires_at: int
    agent_id: str
    agent_version_id: str


def agent_answer(agent: StoredAgent, sits_at: Sequence[str]) -> AgentAnswer:
    """An agent as the list has it."""
    return AgentAnswer(
        agent_id=agent.agent_id, name=agent.name, owner=agent.owner, created_at=agent.created_ms, sits_at=sits_at
    )


def agent_details(
    agent: StoredAgent, sits_at: Sequence[str], versions: Sequence[StoredVersion], hosting: Hosting
) -> AgentDetails:
    """An agent with everything."""
    return AgentDetails(
        agent_id=agent.agent_id,
        name=agent.name,
        owner=agent.owner,
        created_at=agent.created_ms,
        sits_at=sits_at,
        versions=[version_answer(version) for version in versions],
        hosting=hosting,
    )


def version_answer(version: StoredVersion) -> VersionAnswer:
    """A version; what is no JSON (it was stored by something else than the route) is told as null."""
    return VersionAnswer(
        agent_version_id=version.version_id,
        number=version.number,
        published_at=version.created_ms,
        content=_json_or_null(version.content),
    )


def _json_or_null(content: bytes) -> msgspec.Raw:
    try:
        msgspec.json.decode(content)
    except msgspec.DecodeError:
        return msgspec.Raw(b"null")
    return msgspec.Raw(content)


def version_content(version: NewVersion) -> bytes:
    """A version's own bytes, as they are kept for good."""
    return msgspec.json.encode(version)
