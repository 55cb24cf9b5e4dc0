"""All rooms of one server, put together over an open database. It holds no rule."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, WebSocketRoute

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.http.departures import Departures
from gameserver.http.documents.routes import document_routes
from gameserver.http.history import HistoryPorts, history_routes
from gameserver.http.invitations import Invitations
from gameserver.http.metrics import Metric
from gameserver.http.notes import WaitingNotes
from gameserver.http.operators import OperatorDoor
from gameserver.http.problems import code_of, problem, problem_handlers, problem_of, status_of
from gameserver.http.schemas import schema_routes
from gameserver.http.transfers import TransferPorts, Transfers
from gameserver.identity.addresses import Addresses
from gameserver.identity.origins import AllowedOrigins
from gameserver.identity.who import Identity
from gameserver.net.address_places import AddressPlaces
from gameserver.net.delivery import Delivery
from gameserver.net.event_stream import EventPorts, TableEvents
from gameserver.net.websocket import SocketPorts, TableSocket
from gameserver.store.audit import Audit
from gameserver.store.engine import Database
from gameserver.store.hands import Hands
from gameserver.store.invitations import StoredInvitations
from gameserver.store.ledger import Ledger
from gameserver.store.notes import StoredNotes
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from gameserver.store.revocations import StoredRevocations
from gameserver.store.tables import SqlTableStore
from gameserver.table.facts import Fact
from policy.ids import AgentId, TableId, UserId
from railbird.lobby import OpenTables
from railbird.own_turns import OwnTurns
from railbird.owners import Identify, OwnersAgents
from railbird.pages.people import agents_page, dead_link, with_page
from railbird.pages.routes import page_routes
from railbird.pages.turns import hand_page, hands_page
from railbird.wiring.descriptions import DESCRIPTIONS
from railbird.wiring.hosting import AgentHosting, HouseAgentIds
from railbird.wiring.keys import FixedKeys, KeySource
from railbird.wiring.metrics import Counted, metrics_of
from railbird.wiring.names import RegisteredNames
from railbird.wiring.people import Revoking, doors
from railbird.wiring.record.buffer_place import BufferPlace
from railbird.wiring.record.metrics import record_metrics
from railbird.wiring.record.record import Record, owner_reads
from railbird.wiring.routes import Behind, http_routes
from railbird.wiring.setup import Server, Setup
from railbird.wiring.signing import HostSigning
from railbird.wiring.stores import Stores

_FORGET_EVERY_S: Final = 3_600


class House:
    """Everything of one server, put together over an open database. `buffer`: where captured turns lie; None: nowhere."""

    def __init__(self, setup: Setup, database: Database, buffer: BufferPlace | None = None) -> None:
        self._setup, self._database, self._clock = setup, database, setup.clock
        self._house_agents = HouseAgentIds(setup.floor.house_agents)
        books = Bookkeeping(setup.clock.wall_ms, setup.starting_chips)
        self.store, self.people = SqlTableStore(database, books), People(database, books)
        self.ledger, self.audit = Ledger(database, books), Audit(database)
        self.door = Delivery(new_name=setup.new_name, clock=setup.clock)
        self.keys: KeySource = FixedKeys(setup.keys) if setup.key_source is None else setup.key_source
        self.doors = doors(
            keys=self.keys,
            rules=setup.token_rules,
            origins=AllowedOrigins(setup.origins),
            people=self.people,
            clock=setup.clock,
            new_secret=setup.new_name,
        )
        self.invitations = Invitations(StoredInvitations(database))
        self.floor = self._floor()
        self.addresses = Addresses(setup.trusted_proxies)
        self.places = AddressPlaces(self.addresses, setup.connections_per_address)
        self.socket = TableSocket(self._socket_ports(), places=self.places)
        self.events = TableEvents(self._event_ports(), places=self.places)
        self.revoking = self._revoking()
        self.notes = WaitingNotes(StoredNotes(database), self.floor.sits_at, setup.clock.wall_ms)
        self.departures = Departures(self.floor)
        self.hosting = self._hosting()
        self.transfers = Transfers(TransferPorts(self.floor, self.hosting.deployments.withdraw, self._hand_over))
        self.record = Record(setup.record, database, buffer, setup.clock.wall_ms)
        self.refusals: Counter[str] = Counter()

    async def load(self) -> None:
        """Read what outlived the last process. Before a table is opened."""
        await self.invitations.load()
        await self.revoking.load()
        await self.notes.load()
        await self.record.open()

    def server(self) -> Server:
        """The server, whose tables do not run yet."""
        return Server(
            app=self._app(),
            floor=self.floor,
            people=self.people,
            ledger=self.ledger,
            store=self.store,
            socket=self.socket,
            door=self.door,
            grace_ms=self._setup.grace_ms,
            come_back_after_ms=self._setup.floor.come_back_after_ms,
            trusted_proxies=self._setup.trusted_proxies,
            metrics=self._metrics,
            hosting=self.hosting,
            record=self.record,
            sign_in_link=self._sign_in_link,
        )

    async def keep(self) -> None:
        """What has to be done now and then, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.keys.follow())
            group.create_task(self._forget_now_and_then())

    async def settle(self) -> None:
        """Let what was begun come to its end. After the tables."""
        await self.transfers.stop()
        await self.departures.stop()
        await self.notes.stop()
        await self.record.close()

    # --- parts ----------------------------------------------------------------------------------------------------------

    def _floor(self) -> Floor:
        return Floor(
            store=self.store,
            door=self.door,
            names=RegisteredNames(self.people),
            clock=self._clock,
            chances=self._setup.chances,
            settings=replace(self._setup.floor, house_agents=self._house_agents),
            observe=self._observe,
            invited=self.invitations.of,
            give_notes=lambda agent_id: self.notes.take(agent_id),
        )

    def _observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        self.transfers.observe(table_id, facts)
        self.departures.observe(table_id, facts)
        self._setup.observe(table_id, facts)

    def _socket_ports(self) -> SocketPorts:
        return SocketPorts(
            floor=self.floor,
            sessions=self.door,
            identify=self.doors.askers.anybody,
            authenticate_agent=self.doors.admission.agent,
            is_origin_allowed=lambda origin: self.doors.origins.allows([origin]),
            clock=self._clock,
            new_name=self._setup.new_name,
        )

    def _event_ports(self) -> EventPorts:
        return EventPorts(
            floor=self.floor,
            identify=self.doors.askers.anybody,
            refused=problem_of,
            busy=lambda status, seconds: problem(status, code_of(status), headers={"Retry-After": str(seconds)}),
            is_origin_allowed=lambda origin: self.doors.origins.allows([origin]),
            clock=self._clock,
            new_name=self._setup.new_name,
            chance=random.random,
        )

    def _close_revoked(self, is_revoked: Callable[[Identity], bool]) -> int:
        return self.socket.close_revoked(is_revoked) + self.events.close_revoked(is_revoked)

    def _hosting(self) -> AgentHosting:
        return AgentHosting(
            database=self._database,
            people=self.people,
            floor=self.floor,
            platform_models=self._setup.floor.platform_models,
            unseat=self.departures.leave,
            clock=self._clock,
            attest=HostSigning(self.keys.signing, self._good_from_s, self._setup.new_name),
            house_agents=self._house_agents,
        )

    def _good_from_s(self, agent_id: AgentId) -> int:
        """A token of now is good, unless its agent's were revoked in this very second."""
        return self.doors.revocations.first_good_second(agent_id, now_s=self._clock.wall_ms() // 1_000)

    def _revoking(self) -> Revoking:
        rules = self._setup.token_rules
        longest_s = max(rules.longest_agent_life_s, rules.longest_user_life_s) + 2 * rules.leeway_s
        return Revoking(
            self.doors.revocations,
            StoredRevocations(self._database),
            self._close_revoked,
            self._clock,
            longest_s * 1_000,
        )

    async def _hand_over(self, agent_id: AgentId, to: UserId) -> None:
        """Its tokens first, so that nobody of before comes in while it changes hands."""
        await self.revoking.agent(agent_id)
        await self.people.transfer_agent(agent_id, to)
        self.notes.forget(agent_id)

    async def _sign_in_link(self, user_id: UserId) -> str:
        return f"/signin/{await self.doors.links.make(user_id, now_ms=self._clock.wall_ms())}"

    async def _forget_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(_FORGET_EVERY_S)
            self.revoking.forget()
            await self.record.forget()

    def _app(self) -> Starlette:
        app = Starlette(
            routes=self._routes(),
            exception_handlers=problem_handlers(lambda code: self.refusals.update([code])),
        )
        # An address with a slash too many is not there: a redirect would lead to whatever host the request names
        # (test_f32_identifiers_out_of_range).
        app.router.redirect_slashes = False
        return app

    # --- routes ---------------------------------------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        identify = self.doors.askers.anybody
        history = HistoryPorts(
            tables=self.store,
            hands=Hands(self._database),
            identify=identify,
            admit=self.floor.admit,
            now_ms=self._clock.wall_ms,
        )
        return [
            WebSocketRoute("/games/poker/{table_id}/ws", self.socket.endpoint, name="table_socket"),
            *self.events.routes(),
            *self._with_own_pages(http_routes(self._behind()), identify),
            *history_routes(history),
            *schema_routes(),
            *document_routes(DESCRIPTIONS),
            *page_routes(OpenTables(self.floor, identify)),
        ]

    def _with_own_pages(self, routes: Sequence[BaseRoute], identify: Identify) -> list[BaseRoute]:
        """What is one's own is a page in a browser."""
        own_turns = self._own_turns()
        routes = with_page(routes, "agents_list_own", agents_page(self._owners(identify)))
        routes = with_page(routes, "captured_hands", hands_page(own_turns))
        return with_page(routes, "captured_hand", hand_page(own_turns))

    def _own_turns(self) -> OwnTurns:
        reads = owner_reads(self.record, Hands(self._database), self.people, self.floor)
        stores = self.record.stores
        return OwnTurns(self.doors.askers.user, reads, self.people, self.floor, self.record.retention, stores.now_us)

    def _owners(self, identify: Identify) -> OwnersAgents:
        return OwnersAgents(identify, self.people, self.floor, self.hosting.shown)

    def _dead_link(self, request: Request, refused: Refusal) -> Response:
        self.refusals.update([str(refused.code)])
        return dead_link(request, status_of(refused))

    def _behind(self) -> Behind:
        setup = self._setup
        return Behind(
            floor=self.floor,
            doors=self.doors,
            revoking=self.revoking,
            invitations=self.invitations,
            notes=self.notes,
            transfers=self.transfers,
            hosting=self.hosting,
            record=self.record,
            hands=Hands(self._database),
            people=self.people,
            ledger=self.ledger,
            audit=self.audit,
            operator_door=OperatorDoor(setup.service_key, self.audit, self._clock.wall_ms),
            operators=setup.floor.operators,
            keys=self.keys,
            readiness=Stores(self._database, self.keys),
            metrics=self._metrics,
            clock=self._clock,
            new_name=setup.new_name,
            addresses=self.addresses,
            dead_link=self._dead_link,
            secure=bool(setup.origins) and all(origin.startswith("https://") for origin in setup.origins),
        )

    def _metrics(self) -> Sequence[Metric]:
        return [
            *metrics_of(self._counted()),
            *self.hosting.metrics(),
            *record_metrics(self.record.ledger, self.record.recorder),
        ]

    def _counted(self) -> Counted:
        return Counted(
            floor=self.floor,
            sockets=lambda: self.socket.open_connections,
            streams=lambda: self.events.open_streams,
            frames=lambda: self.door.frames_total,
            tripwire=lambda: self.door.refused_total,
            crowded=lambda: self.places.refused_total,
            faults=lambda: self.floor.faults,
            refused_tokens=self.doors.refused_tokens,
            refusals=self.refusals,
        )
