"""Names under which a lost stream can be taken up again.

A name is 128 random bits, bound to who it was given to, to a table and to an audience. One that is unknown and one of
somebody else look alike. They live in this process only, the last ones of a bounded number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from gameserver.errors import ErrorCode, Refusal
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.views.audience import Audience
from policy.ids import TableId

MAX_SESSIONS: Final = 50_000

Bearer: TypeAlias = tuple[str, ...]
"""Whose a session is. An agent's owner counts: a sold agent does not take its old owner's session along."""


def bearer(identity: Identity) -> Bearer:
    """Whom a session is given to."""
    match identity:
        case AgentIdentity(agent_id=agent_id, owner=owner):
            return ("agent", agent_id, owner)
        case UserIdentity(user_id=user_id):
            return ("user", user_id)
        case Nobody():
            return ("nobody",)
        case _:
            assert_never(identity)


@dataclass(frozen=True, slots=True)
class Session:
    """One name. `audience`: whose stream it resumes."""

    name: str
    bearer: Bearer
    table_id: TableId
    audience: Audience


class Sessions:
    """All sessions of this process."""

    def __init__(self, new_name: Callable[[], str], max_sessions: int = MAX_SESSIONS) -> None:
        self._new_name = new_name
        self._max_sessions = max_sessions
        self._sessions: dict[str, Session] = {}

    def open(self, identity: Identity, table_id: TableId, audience: Audience) -> Session:
        """A new session; the oldest goes where there are too many."""
        if len(self._sessions) >= self._max_sessions:
            del self._sessions[next(iter(self._sessions))]
        session = Session(self._new_name(), bearer(identity), table_id, audience)
        self._sessions[session.name] = session
        return session

    def prove(self, name: str, identity: Identity, table_id: TableId) -> Session:
        """The session of this name, if it is this identity's at this table. Raises Refusal `resume_refused`."""
        session = self._sessions.get(name)
        if session is None or session.bearer != bearer(identity) or session.table_id != table_id:
            raise Refusal(ErrorCode.RESUME_REFUSED, "there is no such session of yours")
        return session
