"""The HTTP routes of the server, put together. It holds no rule."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Clock
from gameserver.http.agents import AgentPorts, IssuedToken, agent_routes
from gameserver.http.bankroll import bankroll_routes
from gameserver.http.floor_lobby import FloorLobby
from gameserver.http.health import health_routes
from gameserver.http.internal import InternalPorts, internal_routes
from gameserver.http.invitations import Invitations
from gameserver.http.lobby import Readiness
from gameserver.http.metrics import Metric, metrics_routes
from gameserver.http.notes import WaitingNotes
from gameserver.http.operators import OperatorDoor
from gameserver.http.own_agents import OwnAgents
from gameserver.http.rates import Rates, sign_in_rates
from gameserver.http.sign_in import SignInPorts, sign_in_routes
from gameserver.http.table_desk import DeskPorts, table_desk_routes
from gameserver.http.tables import table_routes
from gameserver.http.transfers import Transfers
from gameserver.identity.addresses import Addresses
from gameserver.identity.admission import Revocations
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.keys import KeyUse
from gameserver.store.audit import Audit
from gameserver.store.hands import Hands
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.store.stored import StoredAgent
from gameserver.table.commands import AgentPlayer
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from railbird.wiring.hosting import AgentHosting
from railbird.wiring.keys import KeySource
from railbird.wiring.people import Doors, Revoking
from railbird.wiring.record.record import Record, RecordBehind, record_routes

_DAY_S = 86_400


class NotSigning(RuntimeError):
    """This server has no key to sign with; an error of whoever set it up."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What the routes stand on. `secure`: the site is served by https. `operators`: users who are named as such."""

    floor: Floor
    doors: Doors
    revoking: Revoking
    invitations: Invitations
    notes: WaitingNotes
    transfers: Transfers
    hosting: AgentHosting
    record: Record
    hands: Hands
    people: People
    ledger: Ledger
    audit: Audit
    operator_door: OperatorDoor
    operators: AbstractSet[UserId]
    keys: KeySource
    readiness: Readiness
    metrics: Callable[[], Sequence[Metric]]
    clock: Clock
    new_name: Callable[[], str]
    secure: bool
    addresses: Addresses
    dead_link: Callable[[Request, Refusal], Response]


def http_routes(behind: Behind) -> list[BaseRoute]:
    """All of them but the history's, the documents', the streams' and the pages'."""
    askers, now_ms = behind.doors.askers, behind.clock.wall_ms
    rates = Rates(behind.clock.monotonic_ms)
    own = OwnAgents(askers, behind.people, rates)
    desk = DeskPorts(behind.floor, askers, behind.invitations, behind.operator_door, behind.operators, rates, now_ms)
    return [
        *health_routes(behind.readiness),
        *metrics_routes(behind.metrics, behind.operator_door),
        *sign_in_routes(_sign_in_ports(behind)),
        *table_routes(FloorLobby(behind.floor, behind.clock), askers.anybody),
        *table_desk_routes(desk),
        *agent_routes(_agent_ports(behind, own)),
        *behind.hosting.routes(own),
        *record_routes(behind.record, _record_behind(behind, own)),
        *bankroll_routes(askers, behind.ledger),
        *internal_routes(
            InternalPorts(
                door=behind.operator_door,
                audit=behind.audit,
                floor=behind.floor,
                ledger=behind.ledger,
                revoke_token=behind.revoking.token,
                revoke_agent=behind.revoking.agent,
            )
        ),
    ]


def _sign_in_ports(behind: Behind) -> SignInPorts:
    doors = behind.doors
    return SignInPorts(
        askers=doors.askers,
        verifier=doors.verifier,
        sessions=doors.sessions,
        tickets=doors.tickets,
        links=doors.links,
        rates=sign_in_rates(behind.addresses, behind.clock.monotonic_ms),
        secure=behind.secure,
        now_ms=behind.clock.wall_ms,
        ended=behind.revoking.session,
        dead_link=behind.dead_link,
    )


def _record_behind(behind: Behind, own: OwnAgents) -> RecordBehind:
    return RecordBehind(
        hands=behind.hands,
        people=behind.people,
        floor=behind.floor,
        askers=behind.doors.askers,
        own=own,
        door=behind.operator_door,
        operators=behind.operators.__contains__,
    )


def _agent_ports(behind: Behind, own: OwnAgents) -> AgentPorts:
    return AgentPorts(
        own=own,
        people=behind.people,
        notes=behind.notes,
        transfers=behind.transfers,
        issue=_issuing(behind.keys, behind.doors.revocations, behind.clock, behind.new_name),
        new_id=lambda kind: f"{kind}-{hashlib.sha256(behind.new_name().encode()).hexdigest()[:16]}",
        sits_at=lambda agent_id: _tables_of(behind.floor, agent_id),
        hosting=behind.hosting.shown,
    )


def _issuing(
    keys: KeySource, revocations: Revocations, clock: Clock, new_name: Callable[[], str]
) -> Callable[[StoredAgent, AgentVersionId, int], IssuedToken]:
    def issue(agent: StoredAgent, version_id: AgentVersionId, days: int) -> IssuedToken:
        key = keys.signing(KeyUse.AGENT)
        if key is None:
            raise NotSigning("there is no key that signs agents' tokens")
        now_s = revocations.first_good_second(agent.agent_id, now_s=clock.wall_ms() // 1_000)
        token = issue_agent_token(
            key,
            agent_id=agent.agent_id,
            owner=agent.owner,
            version_id=version_id,
            token_id=new_name(),
            now_s=now_s,
            life_s=days * _DAY_S,
        )
        return IssuedToken(token, (now_s + days * _DAY_S) * 1_000)

    return issue


def _tables_of(floor: Floor, agent_id: AgentId) -> Sequence[TableId]:
    return [
        table_id
        for table_id, state in floor.states().items()
        if any(isinstance(s.player, AgentPlayer) and s.player.agent_id == agent_id for s in state.seats)
    ]
