"""Whose agent a request is about: the asker's own, or none. Somebody else's agent and none at all are one answer
(test_somebody_elses_agent_is_not_there).
"""

from __future__ import annotations

from starlette.requests import Request

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.askers import SAFE_METHODS, HttpAskers
from gameserver.http.rates import Rates
from gameserver.identity import ids
from gameserver.store.people import People
from gameserver.store.stored import StoredAgent
from policy.ids import UserId


class OwnAgents:
    """For the routes of a person's own agents. A request that changes something counts as one change of this person."""

    def __init__(self, askers: HttpAskers, people: People, rates: Rates) -> None:
        self._askers, self._people, self._rates = askers, people, rates

    async def asker(self, request: Request) -> UserId:
        """Who is signed in. Raises Refusal `bad_token`, `rate_limited`."""
        asker = await self._askers.user(request)
        if request.method not in SAFE_METHODS:
            self._rates.take(asker.user_id)
        return asker.user_id

    async def agent(self, request: Request) -> StoredAgent:
        """The agent of the path, where it is the asker's. Raises Refusal as `asker`, and `not_found`."""
        asker = await self.asker(request)
        agent_id = ids.agent_id(request.path_params["agent_id"])
        agent = None if agent_id is None else await self._people.agent(agent_id)
        if agent is None or agent.owner != asker:
            raise Refusal(ErrorCode.NOT_FOUND)
        return agent
