"""A whole server with one table, on a free loopback port, and tokens for its agents."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse, SigningKey
from gameserver.table.options import TableOptions
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.table_kind import TableKind
from railbird.app import Server, Setup, opened
from railbird.client import table_url
from railbird.serving import served


@dataclass(frozen=True, slots=True)
class RealTable:
    """`page_url`: of the table's page. `url`: of its WebSocket."""

    server: Server
    table_id: TableId
    url: str
    page_url: str
    signing: SigningKey

    async def token(self, name: str) -> str:
        """Register an agent with an owner of its own, and give out its token."""
        agent_id, owner, version = AgentId(f"a-{name}"), UserId(f"u-{name}"), AgentVersionId(f"v-{name}")
        await self.server.people.create_agent(agent_id, name, owner)
        await self.server.people.publish_version(agent_id, version, b"{}")
        return issue_agent_token(
            self.signing,
            agent_id=agent_id,
            owner=owner,
            version_id=version,
            token_id=f"t-{name}",
            now_s=int(time.time()),
            life_s=3_600,
        )

    def hands(self) -> int:
        """The present hand's number."""
        return self.server.floor.state(self.table_id).hand_number


@asynccontextmanager
async def real_table(folder: Path, *, max_seats: int = 6) -> AsyncIterator[RealTable]:
    """Open a server in a folder, with the shortest pause between hands."""
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    setup = Setup(
        database_url=f"sqlite:///{folder / 'railbird.sqlite'}",
        keys=keys.ring,
        origins=(address,),
        floor=FloorSettings(hand_gap_ms=0),
        grace_ms=2_000,
    )
    with listener:
        async with opened(setup) as server, served(server, listener):
            table_id = await server.floor.create(_options(max_seats))
            page_url = f"{address}/tables/{table_id}"
            yield RealTable(server, table_id, table_url(address, table_id), page_url, keys.signing[KeyUse.AGENT])


def _options(max_seats: int) -> TableOptions:
    return TableOptions(
        name="Heron",
        kind=TableKind.AGENT,
        max_seats=max_seats,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=2_000,
        created_by=UserId("u-host"),
    )
