"""The real application on loopback, with tables at which a case can happen, and a probe pair that must not notice it.

The probe pair is one healthy agent P in a seat and one spectator S at the same table, connected before a case begins. After it
both are still connected, get the next public frame, and nothing was logged as a fault of ours.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starlette.routing import Route

from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token, issue_user_token
from gameserver.identity.key_files import StoredKeys, init_keys
from gameserver.identity.keys import KeyUse
from gameserver.identity.service_key import ServiceKey
from gameserver.net.event_stream import TableEvents
from gameserver.table.options import Clocks, TableOptions
from gameserver.token_bucket import TokenBucket
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.table_kind import TableKind
from railbird.app import Server, Setup, opened
from railbird.serving import served
from railbird.wiring.keys import FolderKeys
from tests.faults import wire
from tests.faults.log import Log, logged
from tests.faults.sse import Events, open_events
from tests.faults.wire import Answer, Message, Peer

HOST: Final = "127.0.0.1"
OUR_ORIGIN: Final = "https://ours.example"
SERVICE_KEY: Final = "a-service-key-of-these-tests"
NEXT_FRAME_WITHIN_S: Final = 10.0
LONG: Final = Clocks(turn_ms=600_000, disconnect_bank_ms=600_000)
OPTIONS: Final = TableOptions(
    name="Heron",
    kind=TableKind.AGENT,
    max_seats=6,
    small_blind_chips=10,
    big_blind_chips=20,
    min_buy_in_chips=400,
    max_buy_in_chips=2_000,
    created_by=UserId("u-host"),
    clocks=LONG,
    agent_chat=True,
)


@dataclass
class World:
    """A server that is open. `port`: where it listens."""

    server: Server
    port: int
    keys: StoredKeys
    log: Log
    folder: Path
    names: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    peers: list[Peer] = field(default_factory=list)
    streams: list[Events] = field(default_factory=list)
    _quiet: Stage | None = None

    # --- who --------------------------------------------------------------------------------------------------------------

    async def agent(self, name: str, *, owner: str | None = None, life_s: int = 3_600) -> str:
        """Register an agent with its owner. Returns a token of it."""
        agent_id, held_by = AgentId(name), UserId(owner or f"owner-of-{name}")
        await self.server.people.create_agent(agent_id, name, held_by)
        await self.server.people.publish_version(agent_id, version_of(name), b"{}")
        return self.agent_token(name, owner=owner, life_s=life_s)

    def agent_token(self, name: str, *, owner: str | None = None, life_s: int = 3_600) -> str:
        return issue_agent_token(
            self.keys.signing[KeyUse.AGENT],
            agent_id=AgentId(name),
            owner=UserId(owner or f"owner-of-{name}"),
            version_id=version_of(name),
            token_id=f"jti-{next(self.names)}",
            now_s=int(time.time()),
            life_s=life_s,
        )

    def user_token(self, name: str, *, life_s: int = 3_600) -> str:
        return issue_user_token(
            self.keys.signing[KeyUse.USER],
            user_id=UserId(name),
            token_id=f"jti-{next(self.names)}",
            now_s=int(time.time()),
            life_s=life_s,
        )

    # --- ways in ----------------------------------------------------------------------------------------------------------

    async def connect(
        self, table: TableId | str, query: str = "", headers: Sequence[tuple[str, str]] = (), *, reads: bool = True
    ) -> Peer:
        """A socket at a table, with `hello` read."""
        path = f"/games/poker/{table}/ws{query}"
        peer = await wire.connect(HOST, self.port, path, headers, reads=reads)
        self.peers.append(peer)
        if reads:
            await peer.sees(lambda m: m["type"] == "hello")
        return peer

    async def entered(self, table: TableId, token: str | None = None, query: str = "", **options: Any) -> Peer:
        """A socket that has its snapshot."""
        peer = await self.connect(table, query, **options)
        peer.say("enter", **({} if token is None else {"agentToken": token}))
        await peer.sees(lambda m: m["type"] == "snapshot")
        return peer

    async def events(self, path: str, headers: Sequence[tuple[str, str]] = ()) -> Events:
        """An event stream. Raises `StreamRefused`."""
        events = await open_events(HOST, self.port, path, headers)
        self.streams.append(events)
        return events

    @property
    def table_events(self) -> TableEvents:
        """The endpoints of event streams."""
        (route,) = [r for r in self.server.app.routes if isinstance(r, Route) and r.path.endswith("/owner-stream")]
        found = getattr(route.endpoint, "__self__", None)
        assert isinstance(found, TableEvents)
        return found

    async def get(self, path: str | bytes, headers: Sequence[tuple[str, str]] = ()) -> Answer:
        return await self.send("GET", path, headers)

    async def send(
        self, method: str, path: str | bytes, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
    ) -> Answer:
        """One HTTP request. A body is said to be JSON."""
        kind = [("Content-Type", "application/json")] if body else []
        return await wire.request(HOST, self.port, method, path, [*kind, *headers], body)

    async def quiet_stage(self) -> Stage:
        """One table for all the cases that do not play: the same one as long as its people are there."""
        if self._quiet is None or not all(peer.is_open for peer in (self._quiet.P, self._quiet.S, self._quiet.A)):
            self._quiet = await self.stage()
        return self._quiet

    async def stage(self, options: TableOptions = OPTIONS) -> Stage:
        """A new table with its probe pair, and the agent A in another seat; the first hand is in play."""
        number = next(self.names)
        table = await self.server.floor.create(options)
        tokens = {who: await self.agent(f"{who}-{number}") for who in "PAC"}
        probe, actor = await self.entered(table, tokens["P"]), await self.entered(table, tokens["A"])
        spectator = await self.entered(table)
        stage = Stage(self, table, tokens, probe, spectator, actor, number)
        for seat, peer in ((0, probe), (2, actor)):
            assert (await peer.ask("sit", seat=seat, buyIn=1_000))["type"] == "ack"
        await spectator.sees(lambda m: m["type"] == "hand_started")
        return stage


@dataclass
class Stage:
    """One table. P has seat 0, A seat 2; C is an agent without a seat, not connected."""

    world: World
    table: TableId
    tokens: dict[str, str]
    P: Peer
    S: Peer
    A: Peer
    number: int
    said: int = 0
    _may_say: TokenBucket = field(default_factory=lambda: TokenBucket(16, 30, time.monotonic()))
    """A little less than P may, since it acts too."""

    # --- the game ---------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        return self.world.server.floor.state(self.table)

    @property
    def hand(self) -> Any:
        hand = self.state.hand
        assert hand is not None and hand.turn is not None
        return hand

    @property
    def turn_id(self) -> str:
        return str(self.hand.turn.turn_id)

    @property
    def to_act(self) -> str:
        return "P" if self.hand.turn.turn.seat == 0 else "A"

    async def act(self, action: str, **fields: object) -> Message:
        """Whoever is to act does this."""
        peer = self.P if self.to_act == "P" else self.A
        answer = await peer.ask("action", turnId=self.turn_id, action=action, **fields)
        assert answer["type"] == "ack", answer
        return answer

    async def next_hand(self) -> None:
        """Fold this hand and wait for the next."""
        number = self.hand.hand_number
        await self.act("fold")
        await until(lambda: self.state.hand is not None and self.state.hand.hand_number > number)
        await until(lambda: self.state.hand.turn is not None)

    def picture(self) -> object:
        """What must be as before: who is to act and how, stacks, bets, pot, board, actions, and the end of the turn."""
        state, hand = self.state, self.state.hand
        seats = [(s.seat, s.player, s.name, s.stack_chips, s.bet_chips, s.status, s.missed) for s in state.seats]
        turn = None if hand.turn is None else (hand.turn.turn_id, hand.turn.turn, hand.turn.turn_ends_at_ms)
        table = (state.status, state.hand_number, len(state.recent), seats)
        return table, (hand.street, hand.board, hand.pots, hand.pot_chips, dict(hand.bets), hand.moves), turn

    def total_chips(self) -> int:
        """All chips at the table."""
        state = self.state
        return int(sum(seat.stack_chips for seat in state.seats) + (state.hand.pot_chips if state.hand else 0))

    # --- streams ----------------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        return f"/games/poker/{self.table}"

    async def public_events(self, *headers: tuple[str, str], query: str = "") -> Events:
        """The public stream, with its snapshot read."""
        events = await self.world.events(f"{self.path}/stream{query}", headers)
        await events.snapshot()
        return events

    async def owner_events(self, *headers: tuple[str, str], who: str = "A", query: str = "") -> Events:
        """The stream of this agent's owner, with its snapshot read."""
        events = await self.world.events(f"{self.path}/owner-stream{query}", [self.owner(who), *headers])
        await events.snapshot()
        return events

    def owner(self, who: str) -> tuple[str, str]:
        """The header of this agent's owner."""
        return "Authorization", f"Bearer {self.world.user_token(f'owner-of-{who}-{self.number}')}"

    # --- the probe pair ---------------------------------------------------------------------------------------------------

    async def next_public_frame(self) -> str:
        """P says something, and both have it in time. Not faster than P may speak."""
        while not self._may_say.take(time.monotonic()):  # noqa: ASYNC110 - what is waited for is the time
            await asyncio.sleep(0.02)
        self.said += 1
        text = f"said {self.said}"
        here = (len(self.P.messages), len(self.S.messages))
        self.P.say("chat", text=text)
        for peer, since in zip((self.P, self.S), here, strict=True):
            await peer.sees(lambda m: m.get("text") == text, since=since, within_s=NEXT_FRAME_WITHIN_S)
        return text

    @asynccontextmanager
    async def undisturbed(self) -> AsyncIterator[None]:
        """Whatever happens within the block, the probe pair does not notice, and nothing is a fault of ours."""
        faults = len(self.world.log.all_faults())
        assert self.P.is_open and self.S.is_open
        yield
        await self.next_public_frame()
        assert self.P.is_open and self.S.is_open
        assert self.world.log.all_faults()[faults:] == []


def version_of(name: str) -> AgentVersionId:
    """The one version of an agent of these tests."""
    return AgentVersionId(f"v-{name}")


@asynccontextmanager
async def world(folder: Path, *, level: str = "warning", **settings: Any) -> AsyncIterator[World]:
    """Open a server in a folder. `settings`: of its `Setup`."""
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    setup = Setup(
        **{
            "database_url": f"sqlite:///{folder / 'railbird.sqlite'}",
            "keys": keys.ring,
            "key_source": FolderKeys(folder / "keys", now_ms=lambda: int(time.time() * 1_000)),
            "service_key": ServiceKey(SERVICE_KEY),
            "origins": (OUR_ORIGIN,),
            "floor": FloorSettings(hand_gap_ms=0),
            "grace_ms": 200,
            **settings,
        }
    )
    with logged(level) as log, socket.create_server((HOST, 0), backlog=512) as listener:
        async with opened(setup) as server, served(server, listener):
            now = World(server, listener.getsockname()[1], keys, log, folder)
            try:
                yield now
            finally:
                for peer in now.peers:
                    await peer.end()
                for stream in now.streams:
                    await stream.end()


async def until(condition: Callable[[], object], within_s: float = 30.0) -> None:
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)
