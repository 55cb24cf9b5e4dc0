"""`/agents`: a person's own agents, their versions, tokens, notes and transfers.

Every route finds the agent among the asker's own first (`own_agents`). What a hosted agent is deployed as is the hosting service's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.agent_answers import (
    Hosting,
    TokenAnswer,
    agent_answer,
    agent_details,
    version_answer,
    version_content,
)
from gameserver.http.body import MAX_VERSION_BYTES, read_body
from gameserver.http.notes import WaitingNotes
from gameserver.http.own_agents import OwnAgents
from gameserver.http.requests import NewAgent, NewNote, NewToken, NewVersion, Transfer
from gameserver.http.tables import json_answer
from gameserver.http.transfers import Transfers
from gameserver.store.people import People
from gameserver.store.stored import StoredAgent, StoredVersion
from policy import name_policy
from policy.ids import AgentId, AgentVersionId, TableId, UserId

MOST_AGENTS_EACH: Final = 100
MOST_VERSIONS_EACH: Final = 500
MOST_VERSION_BYTES_EACH: Final = 8 * 1024**2
"""Of all versions of an agent together: they are shown in one answer."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """`expires_at_ms`: Unix time."""

    token: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class AgentPorts:
    """`issue`: an agent token of a version for so many days; it signs with the agents' key, so it is not hosted.

    `new_id`: a fresh word with a prefix. `sits_at`: the tables where an agent has a seat.
    `hosting`: what is deployed of it, and where it is to play.
    """

    own: OwnAgents
    people: People
    notes: WaitingNotes
    transfers: Transfers
    issue: Callable[[StoredAgent, AgentVersionId, int], IssuedToken]
    new_id: Callable[[str], str]
    sits_at: Callable[[AgentId], Sequence[TableId]]
    hosting: Callable[[AgentId], Awaitable[Hosting]]


def agent_routes(ports: AgentPorts) -> list[BaseRoute]:
    """For whoever is signed in, about their own agents."""
    desk = _Desk(ports)
    routes: list[tuple[str, str, Callable[[Request], Awaitable[Response]]]] = [
        ("POST", "", desk.create),
        ("GET", "", desk.list_own),
        ("GET", "/{agent_id}", desk.show),
        ("POST", "/{agent_id}/versions", desk.publish),
        ("POST", "/{agent_id}/tokens", desk.issue),
        ("POST", "/{agent_id}/transfer", desk.transfer),
        ("POST", "/{agent_id}/notes", desk.note),
    ]
    return [
        Route(f"/agents{path}", endpoint, methods=[method], name=f"agents_{endpoint.__name__}")
        for method, path, endpoint in routes
    ]


class _Desk:
    def __init__(self, ports: AgentPorts) -> None:
        self._ports = ports

    async def create(self, request: Request) -> Response:
        asker = await self._ports.own.asker(request)
        name = name_policy.check_display_name(name=(await read_body(request, NewAgent)).name)
        if len(await self._ports.people.agents_of(asker)) >= MOST_AGENTS_EACH:
            raise Refusal(ErrorCode.RATE_LIMITED, f"a person has at most {MOST_AGENTS_EACH} agents")
        agent = await self._ports.people.create_agent(AgentId(self._ports.new_id("a")), name, asker)
        return json_answer(agent_details(agent, [], [], Hosting(seats=[])), 201)

    async def list_own(self, request: Request) -> Response:
        agents = await self._ports.people.agents_of(await self._ports.own.asker(request))
        return json_answer({"agents": [agent_answer(each, self._ports.sits_at(each.agent_id)) for each in agents]})

    async def show(self, request: Request) -> Response:
        agent = await self._ports.own.agent(request)
        versions = await self._ports.people.versions_of(agent.agent_id)
        hosting = await self._ports.hosting(agent.agent_id)
        return json_answer(agent_details(agent, self._ports.sits_at(agent.agent_id), versions, hosting))

    async def publish(self, request: Request) -> Response:
        agent = await self._ports.own.agent(request)
        asked = await read_body(request, NewVersion, max_bytes=MAX_VERSION_BYTES)
        content = version_content(asked)
        _refuse_too_many(await self._ports.people.versions_of(agent.agent_id), len(content))
        return json_answer(version_answer(await self._publish(agent.agent_id, content)), 201)

    async def issue(self, request: Request) -> Response:
        agent = await self._ports.own.agent(request)
        asked = await read_body(request, NewToken)
        wanted = None if asked.agent_version_id is UNSET else AgentVersionId(asked.agent_version_id)
        version_id = await self._version(agent.agent_id, wanted)
        issued = self._ports.issue(agent, version_id, asked.days)
        answer = TokenAnswer(
            agent_token=issued.token,
            expires_at=issued.expires_at_ms,
            agent_id=agent.agent_id,
            agent_version_id=version_id,
        )
        return json_answer(answer, 201)

    async def transfer(self, request: Request) -> Response:
        agent = await self._ports.own.agent(request)
        to = UserId((await read_body(request, Transfer)).to_user_id)
        if to == agent.owner:
            raise Refusal(ErrorCode.BAD_VALUE, "it is theirs already")
        done = await self._ports.transfers.transfer(agent.agent_id, to)
        content = {"agentId": agent.agent_id, "toUserId": to, "status": "transferred" if done else "after_hand"}
        return json_answer(content, 200 if done else 202)

    async def note(self, request: Request) -> Response:
        agent = await self._ports.own.agent(request)
        asked = await read_body(request, NewNote)
        await self._ports.notes.add(agent.agent_id, asked.text)
        return json_answer({"agentId": agent.agent_id, "takesEffect": "next_hand"}, 201)

    async def _version(self, agent_id: AgentId, wanted: AgentVersionId | None) -> AgentVersionId:
        """The wanted version, or the newest; who hosts an agent themselves need not publish one, and gets an empty first."""
        versions = await self._ports.people.versions_of(agent_id)
        if wanted is None:
            return versions[-1].version_id if versions else (await self._publish(agent_id, b"{}")).version_id
        if wanted not in {version.version_id for version in versions}:
            raise Refusal(ErrorCode.NOT_FOUND)
        return wanted

    async def _publish(self, agent_id: AgentId, content: bytes) -> StoredVersion:
        version_id = AgentVersionId(self._ports.new_id("v"))
        return await self._ports.people.publish_version(agent_id, version_id, content)


def _refuse_too_many(published: Sequence[StoredVersion], more_bytes: int) -> None:
    if len(published) >= MOST_VERSIONS_EACH:
        raise Refusal(ErrorCode.RATE_LIMITED, f"an agent has at most {MOST_VERSIONS_EACH} versions")
    if sum(len(each.content) for each in published) + more_bytes > MOST_VERSION_BYTES_EACH:
        raise Refusal(ErrorCode.RATE_LIMITED, "this agent's versions have no more room")
