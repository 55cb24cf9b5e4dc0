"""What a server is made from, and what an open one offers. It holds no rule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.applications import Starlette

from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Chances, Floor
from gameserver.floor.ports import Clock
from gameserver.floor.settings import FloorSettings
from gameserver.http.metrics import Metric
from gameserver.identity.keys import KeyRing
from gameserver.identity.service_key import ServiceKey
from gameserver.identity.tokens import TokenRules
from gameserver.net.address_places import CONNECTIONS_PER_ADDRESS
from gameserver.net.delivery import Delivery
from gameserver.net.websocket import TableSocket
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.store.tables import SqlTableStore
from gameserver.table.facts import Fact
from gameserver.wire.close_codes import CloseCode
from policy.ids import TableId, UserId
from railbird.wiring.hosting import AgentHosting
from railbird.wiring.keys import KeySource
from railbird.wiring.names import system_chances, system_name
from railbird.wiring.record.buffer_place import RecordSetup
from railbird.wiring.record.record import Record

THIS_MACHINE: Final = ("127.0.0.0/8", "::1/128")
"""A proxy beside the server."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a server is made from. `keys`: public keys that verify tokens. `origins`: of our own pages.

    `key_source`: keys that sign too and are followed, in place of `keys`. `service_key`: of operators' programs; None: nobody has it.
    `connections_per_address`: sockets and event streams together. `trusted_proxies`: networks whose word on the client's address is
    taken. `grace_ms`: how long a hand may go on once the server stops. `observe`: is told every table's facts once they are stored.
    `clock`, `chances` and `new_name` (128 random bits in text) are all that a server takes from time and chance; what is there
    by default is the operating system's.
    """

    database_url: str
    keys: KeyRing = field(repr=False)
    key_source: KeySource | None = field(default=None, repr=False)
    service_key: ServiceKey | None = field(default=None, repr=False)
    origins: Sequence[str] = ()
    connections_per_address: int = CONNECTIONS_PER_ADDRESS
    trusted_proxies: Sequence[str] = THIS_MACHINE
    starting_chips: int = 10_000
    grace_ms: int = 10_000
    clock: Clock = field(default_factory=SystemClock)
    chances: Chances = field(default_factory=system_chances)
    new_name: Callable[[], str] = system_name
    floor: FloorSettings = field(default_factory=FloorSettings)
    token_rules: TokenRules = field(default_factory=TokenRules)
    record: RecordSetup = field(default_factory=RecordSetup)
    observe: Callable[[TableId, Sequence[Fact]], None] = lambda table_id, facts: None


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is open: its tables run."""

    app: Starlette
    floor: Floor
    people: People
    ledger: Ledger
    store: SqlTableStore
    socket: TableSocket
    door: Delivery
    grace_ms: int
    come_back_after_ms: int
    trusted_proxies: Sequence[str]
    metrics: Callable[[], Sequence[Metric]]
    hosting: AgentHosting
    record: Record
    sign_in_link: Callable[[UserId], Awaitable[str]]
    """The path, below where the application is mounted, that signs this person in once."""

    async def stop(self) -> None:
        """No new hand; those in play end within the grace time or are cancelled. Once is enough, and twice does no harm."""
        await self.floor.stop(grace_ms=self.grace_ms)
        self.door.close_all(CloseCode.RESTART, reconnect_after_ms=self.come_back_after_ms)
