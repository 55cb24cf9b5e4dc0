"""The table server of the agent host's benchmark, as a process of its own: tables of six seats, and a token for each seat's agent.

    python -m benchmarks.agenthost_server TABLES

It prints one JSON line when it serves: `{"address": ..., "seats": [{"table": ..., "seat": ..., "agent": ..., "token": ...}]}`, and ends
when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse, SigningKey
from gameserver.table.options import TableOptions
from policy.ids import AgentId, AgentVersionId, UserId
from policy.table_kind import TableKind
from railbird.app import Server, Setup, opened
from railbird.interpreter import tuned
from railbird.serving import listen, served

SEATS: Final = 6
BUY_IN_CHIPS: Final = 2_000
_HOST: Final = "127.0.0.1"


async def _serve(folder: Path, tables: int) -> None:
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    setup = Setup(
        database_url=f"sqlite:///{folder / 'railbird.sqlite'}",
        keys=keys.ring,
        floor=FloorSettings(hand_gap_ms=100),
        grace_ms=0,
        starting_chips=1_000 * BUY_IN_CHIPS,
    )
    with listen(_HOST, 0) as listener:
        async with tuned(), opened(setup) as server, served(server, listener):
            seats = [
                seat for number in range(tables) for seat in await _table(server, keys.signing[KeyUse.AGENT], number)
            ]
            print(
                json.dumps({"address": f"http://{_HOST}:{listener.getsockname()[1]}", "seats": seats}),
                flush=True,
            )
            await asyncio.to_thread(sys.stdin.read)


async def _table(server: Server, key: SigningKey, number: int) -> list[dict[str, Any]]:
    options = TableOptions(
        name=f"Table {number}",
        kind=TableKind.AGENT,
        max_seats=SEATS,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=BUY_IN_CHIPS,
        created_by=UserId("u-host"),
    )
    table_id = await server.floor.create(options)
    return [{"table": table_id, "seat": seat, **await _agent(server, key, f"{number}-{seat}")} for seat in range(SEATS)]


async def _agent(server: Server, key: SigningKey, name: str) -> dict[str, str]:
    agent_id, owner, version = AgentId(f"a-{name}"), UserId(f"u-{name}"), AgentVersionId(f"v-{name}")
    await server.people.create_agent(agent_id, f"Agent {name}", owner)
    await server.people.publish_version(agent_id, version, b"{}")
    token = issue_agent_token(
        key,
        agent_id=agent_id,
        owner=owner,
        version_id=version,
        token_id=f"t-{name}",
        now_s=int(time.time()),
        life_s=3_600,
    )
    return {"agent": agent_id, "token": token}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_serve(Path(folder), int(sys.argv[1])))


if __name__ == "__main__":
    main()
