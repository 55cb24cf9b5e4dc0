"""Who may come in: verifier, register, revocations, sessions, tickets and links, put together over one database. It holds no rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from gameserver.floor.ports import Clock
from gameserver.http.askers import HttpAskers
from gameserver.identity.admission import AgentAdmission, Register, RegisteredAgent, Revocations
from gameserver.identity.asker import Askers
from gameserver.identity.origins import AllowedOrigins
from gameserver.identity.secrets_store import MemorySecrets
from gameserver.identity.sessions import Session, Sessions, SignInLinks
from gameserver.identity.tickets import StreamTickets
from gameserver.identity.tokens import TokenRules
from gameserver.identity.verifier import TokenVerifier
from gameserver.identity.who import Identity, UserIdentity
from gameserver.store.people import People
from gameserver.store.revocations import StoredRevocation, StoredRevocations
from policy.ids import AgentId, AgentVersionId, UserId
from railbird.wiring.keys import KeySource


@dataclass(frozen=True, slots=True)
class Doors:
    """Every proof of an identity. `refused_tokens`: how many credentials were refused, by reason."""

    verifier: TokenVerifier
    admission: AgentAdmission
    revocations: Revocations
    sessions: Sessions
    tickets: StreamTickets
    links: SignInLinks
    askers: HttpAskers
    origins: AllowedOrigins
    refused_tokens: Counter[str]


def doors(
    *,
    keys: KeySource,
    rules: TokenRules,
    origins: AllowedOrigins,
    people: People,
    clock: Clock,
    new_secret: Callable[[], str],
) -> Doors:
    """Put them together. `new_secret`: at least 128 random bits in text."""
    refused: Counter[str] = Counter()
    revocations = Revocations()
    verifier = TokenVerifier(
        keys=keys.ring,
        rules=rules,
        revocations=revocations,
        now_s=lambda: clock.wall_ms() / 1_000,
        count=lambda reason: refused.update([reason.value]),
    )
    sessions = Sessions(MemorySecrets[Session](new_secret=new_secret, holder=lambda session: session.user_id))
    tickets = StreamTickets(MemorySecrets[UserIdentity](new_secret=new_secret, holder=lambda buyer: buyer.user_id))
    askers = Askers(verifier=verifier, tickets=tickets, sessions=sessions, now_ms=clock.wall_ms)
    return Doors(
        verifier=verifier,
        admission=AgentAdmission(
            verify=verifier.agent,
            register=_register(people),
            revocations=revocations,
            count=lambda reason: refused.update([reason.value]),
        ),
        revocations=revocations,
        sessions=sessions,
        tickets=tickets,
        links=SignInLinks(MemorySecrets[UserId](new_secret=new_secret)),
        askers=HttpAskers(askers, origins),
        origins=origins,
        refused_tokens=refused,
    )


def _register(people: People) -> Register:
    async def registered(agent_id: AgentId, version_id: AgentVersionId) -> RegisteredAgent | None:
        found = await people.agent_with_version(agent_id, version_id)
        return None if found is None else RegisteredAgent(agent_id, found[0].owner, has_version=found[1])

    return registered


class Revoking:
    """Makes a revocation so: in the store, in memory, and for what is open. `close`: everything that is such a one."""

    def __init__(
        self,
        revocations: Revocations,
        store: StoredRevocations,
        close: Callable[[Callable[[Identity], bool]], int],
        clock: Clock,
        longest_life_ms: int,
    ) -> None:
        self._revocations, self._store, self._close = revocations, store, close
        self._clock, self._longest_life_ms = clock, longest_life_ms

    async def load(self) -> None:
        """Read what is stored, and forget what has run out."""
        await self._store.forget(now_ms=self._clock.wall_ms())
        for each in await self._store.all():
            self._apply(each)

    async def token(self, token_id: str) -> int:
        """One token, by its name; how many connections were closed."""
        return await self._revoke(StoredRevocation("token", token_id, self._clock.wall_ms() + self._longest_life_ms))

    async def agent(self, agent_id: AgentId) -> int:
        """Every token of an agent that was issued until now; how many connections were closed."""
        return await self._revoke(StoredRevocation("agent", agent_id, self._clock.wall_ms()))

    def session(self, name: str) -> None:
        """Somebody signed out: what the session opened is closed; it is over itself already."""
        self._close(lambda identity: isinstance(identity, UserIdentity) and identity.token_id == name)

    def forget(self) -> None:
        """Drop what has run out."""
        self._revocations.forget(now_ms=self._clock.wall_ms())

    async def _revoke(self, revocation: StoredRevocation) -> int:
        self._apply(revocation)
        closed = self._close(self._revocations.is_revoked)
        await self._store.add(revocation)
        return closed

    def _apply(self, revocation: StoredRevocation) -> None:
        if revocation.kind == "token":
            self._revocations.revoke_token(revocation.name, until_ms=revocation.until_ms)
        else:
            self._revocations.revoke_agent(AgentId(revocation.name), issued_until_ms=revocation.until_ms)
