"""One's own agents' captured turns as the pages have them: through the owners' reads and their gate, with names for people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.requests import Request

from capture.durable.retention import Retention
from capture.http import parameters
from capture.reads.owner_read import OwnerReads
from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Watching
from gameserver.identity.asker import session_cookie
from gameserver.identity.sessions import csrf_word
from gameserver.identity.who import UserIdentity
from gameserver.store.people import People
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, TableId
from railbird.pages.turns import HANDS_A_PAGE, HandOfAgent, HandsOfAgent, Named, NoTurns

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OwnTurns:
    """`railbird.pages.turns.TurnsPort`. `user`: who is signed in; raises Refusal. `now_us`: microseconds since 1970 UTC."""

    user: Callable[[Request], Awaitable[UserIdentity]]
    reads: OwnerReads
    people: People
    floor: Floor
    retention: Retention
    now_us: Callable[[], int]

    async def hands(self, request: Request) -> HandsOfAgent | NoTurns:
        return await _or_none(self._hands(request))

    async def hand(self, request: Request) -> HandOfAgent | NoTurns:
        return await _or_none(self._hand(request))

    async def _hands(self, request: Request) -> HandsOfAgent:
        who = await self.user(request)
        agent_id = parameters.agent_of_path(request)
        _, before_us = parameters.page_asked_for(request)
        hands = await self.reads.recent(who.user_id, agent_id, limit=HANDS_A_PAGE, before_us=before_us)
        agent = await self.people.agent(agent_id)
        if not hands and (agent is None or agent.owner != who.user_id):
            raise PolicyRefusal(RefusalCode.NOT_FOUND, "no such turns")
        tables = {each.hand.table_id: self._table(who, each.hand.table_id) for each in hands}
        return HandsOfAgent(await self._agent(agent_id), tables, hands, is_last=len(hands) < HANDS_A_PAGE)

    async def _hand(self, request: Request) -> HandOfAgent:
        who = await self.user(request)
        hand = parameters.hand_of_path(request)
        turns = await self.reads.turns(who.user_id, hand)
        cookie = session_cookie(request.headers.getlist("cookie"))
        return HandOfAgent(
            agent=await self._agent(hand.agent_id),
            table=self._table(who, hand.table_id),
            turns=turns,
            lasting=await self.reads.lasting(who.user_id, turns),
            kept_until_us=self.retention.kept_until_us(self.now_us()),
            csrf_word="" if cookie is None else csrf_word(cookie),
        )

    async def _agent(self, agent_id: AgentId) -> Named:
        agent = await self.people.agent(agent_id)
        return Named(agent_id, agent_id if agent is None else agent.name, is_there=agent is not None)

    def _table(self, who: UserIdentity, table_id: TableId) -> Named:
        """By its name, where the asker may know of it now; else by its id, which they have asked for."""
        try:
            state = self.floor.visible_state(table_id, who)
        except Refusal:
            return Named(table_id, table_id, is_there=False)
        return Named(table_id, state.options.name, plays=self._plays(who, table_id))

    def _plays(self, who: UserIdentity, table_id: TableId) -> bool:
        try:
            self.floor.admit_watcher(table_id, who, Watching.OWNER)
        except Refusal:
            return False
        return True


async def _or_none(found: Awaitable[T]) -> T | NoTurns:
    """A refusal as the page for it. Raises what else is refused."""
    try:
        return await found
    except PolicyRefusal as refused:
        if refused.code is not RefusalCode.NOT_FOUND:
            raise
        return NoTurns.NOT_YOURS
    except Refusal as refused:
        if refused.code is not ErrorCode.BAD_TOKEN:
            raise
        return NoTurns.NOBODY
