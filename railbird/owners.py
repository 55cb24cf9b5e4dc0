"""An owner's agents as the page has them: the register, the tables and what is deployed, and nothing that a route would not tell them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from starlette.requests import HTTPConnection

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.http.agent_answers import Hosting
from gameserver.identity.asker import session_cookie
from gameserver.identity.sessions import csrf_word
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.store.people import People
from gameserver.store.stored import StoredAgent, StoredVersion
from gameserver.table.commands import AgentPlayer
from policy.ids import AgentId, TableId
from railbird.pages.owners import AgentSummary, OwnerSummary, SeatOfAgent, VersionOfAgent, WantedSeat

Identify: TypeAlias = Callable[[HTTPConnection], Awaitable[UserIdentity | Nobody]]


@dataclass(frozen=True, slots=True)
class OwnersAgents:
    """`railbird.pages.owners.OwnersPort`. `hosting`: what is deployed of an agent."""

    identify: Identify
    people: People
    floor: Floor
    hosting: Callable[[AgentId], Awaitable[Hosting]]

    async def owner(self, asker: HTTPConnection) -> OwnerSummary | None:
        who = await self._who(asker)
        if who is None:
            return None
        cookie = session_cookie(asker.headers.getlist("cookie"))
        agents = [await self._agent(agent) for agent in await self.people.agents_of(who.user_id)]
        return OwnerSummary(who.user_id, "" if cookie is None else csrf_word(cookie), tuple(agents))

    async def _who(self, asker: HTTPConnection) -> UserIdentity | None:
        """Whoever shows a credential that is no good is nobody, and is asked to sign in."""
        try:
            who = await self.identify(asker)
        except Refusal:
            return None
        return None if isinstance(who, Nobody) else who

    async def _agent(self, agent: StoredAgent) -> AgentSummary:
        hosting = await self.hosting(agent.agent_id)
        versions = await self.people.versions_of(agent.agent_id)
        seats = tuple(self._seats(agent.agent_id))
        return AgentSummary(
            agent_id=agent.agent_id,
            name=agent.name,
            seats=seats,
            wanted=tuple(self._wanted(hosting, {seat.table_id for seat in seats})),
            versions=_versions(versions, hosting.agent_version_id),
            host=hosting.host,
        )

    def _seats(self, agent_id: AgentId) -> Iterator[SeatOfAgent]:
        for table_id, state in self.floor.states().items():
            for seat in state.seats:
                if isinstance(seat.player, AgentPlayer) and seat.player.agent_id == agent_id and not seat.paid_out:
                    yield SeatOfAgent(table_id, state.options.name, seat.seat)

    def _wanted(self, hosting: Hosting, sits_at: set[str]) -> Iterator[WantedSeat]:
        states = self.floor.states()
        for wanted in hosting.seats:
            if wanted.table_id not in sits_at:
                state = states.get(TableId(wanted.table_id))
                name = wanted.table_id if state is None else state.options.name
                yield WantedSeat(wanted.table_id, name, wanted.hosted, wanted.problem)


def _versions(versions: Sequence[StoredVersion], deployed: str | None) -> tuple[VersionOfAgent, ...]:
    return tuple(
        VersionOfAgent(
            number=version.number,
            version_id=version.version_id,
            published=datetime.fromtimestamp(version.created_ms / 1_000, UTC).date().isoformat(),
            deployed=version.version_id == deployed,
        )
        for version in reversed(versions)
    )
