"""A server on loopback, with a practice table for each fault and a rival who plays quickly and comes to every hand."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gameserver.errors import Refusal
from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse, SigningKey
from gameserver.table.commands import Close
from gameserver.table.options import Clocks, TableOptions
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.table_kind import TableKind
from railbird.agenthost.house.seat import house_player
from railbird.agenthost.house.styles import STYLES
from railbird.app import Server, Setup, opened
from railbird.client import ClientError, table_url
from railbird.serving import listen, served

_HOST: Final = "127.0.0.1"
_OWNER: Final = UserId("bot-author")
_TOKEN_LIFE_S: Final = 3_600
_DISCONNECT_BANK_MS: Final = 10_000
_BUY_IN_CHIPS: Final = 2_000


@dataclass(frozen=True, slots=True)
class PracticeTable:
    """`url`: of its WebSocket. `token`: of the bot."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class Practice:
    """The server. `turn_ms`: the time for a move; the time bank is as much once more, and is not filled again."""

    server: Server
    address: str
    signing: SigningKey
    turn_ms: int

    @property
    def longest_turn_ms(self) -> int:
        """The longest that a turn can take."""
        return 2 * self.turn_ms

    @asynccontextmanager
    async def table(self, name: str) -> AsyncIterator[PracticeTable]:
        """A table of two seats, while the block runs; the rival sits there."""
        table_id = await self.server.floor.create(_options(name, self.turn_ms))
        url = table_url(self.address, table_id)
        token, rivals_token = await self._token("The Bot"), await self._token("The Rival")
        playing = asyncio.create_task(self._rival(url, rivals_token), name="rival")
        try:
            yield PracticeTable(url, token)
        finally:
            playing.cancel()
            await asyncio.wait({playing})
            await self._close(table_id)

    async def _rival(self, url: str, token: str) -> None:
        with suppress(ClientError):
            await house_player(
                url,
                agent_id=AgentId("a-rival"),
                agent_token=token,
                style=STYLES["rock"],
                rng=random.Random(secrets.randbits(64)),
                buy_in_chips=_BUY_IN_CHIPS,
                min_turn_ms=50,
            ).run()

    async def _token(self, name: str) -> str:
        """Register an agent of that name, and give out its token."""
        agent_id, version = AgentId(f"a-{secrets.token_hex(8)}"), AgentVersionId(f"v-{secrets.token_hex(8)}")
        await self.server.people.create_agent(agent_id, name, _OWNER)
        await self.server.people.publish_version(agent_id, version, b"{}")
        return issue_agent_token(
            self.signing,
            agent_id=agent_id,
            owner=_OWNER,
            version_id=version,
            token_id=secrets.token_hex(8),
            now_s=int(time.time()),
            life_s=_TOKEN_LIFE_S,
        )

    async def _close(self, table_id: TableId) -> None:
        with suppress(Refusal):
            await self.server.floor.operate(table_id, Close())


@asynccontextmanager
async def practice(folder: Path, *, turn_ms: int) -> AsyncIterator[Practice]:
    """A server whose store and keys are in an empty folder."""
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    setup = Setup(
        database_url=f"sqlite:///{folder / 'railbird.sqlite'}",
        keys=keys.ring,
        floor=FloorSettings(hand_gap_ms=100),
        grace_ms=0,
    )
    with listen(_HOST, 0) as listener:
        address = f"http://{_HOST}:{listener.getsockname()[1]}"
        async with opened(setup) as server, served(server, listener):
            yield Practice(server, address, keys.signing[KeyUse.AGENT], turn_ms)


def _options(name: str, turn_ms: int) -> TableOptions:
    return TableOptions(
        name=name,
        kind=TableKind.AGENT,
        max_seats=2,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=_BUY_IN_CHIPS,
        created_by=_OWNER,
        clocks=Clocks(turn_ms=turn_ms, time_bank_ms=turn_ms, refill_ms=0, disconnect_bank_ms=_DISCONNECT_BANK_MS),
        practice=True,
    )
