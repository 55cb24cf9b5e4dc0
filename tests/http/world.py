"""A whole server on a file of its own, asked without a network; with tokens for people and agents."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2

from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token, issue_hosted_token, issue_user_token
from gameserver.identity.key_files import StoredKeys, init_keys
from gameserver.identity.keys import KeyUse
from gameserver.identity.service_key import ServiceKey
from policy.ids import AgentId, AgentVersionId, UserId
from railbird.app import Server, Setup, opened
from railbird.serving import listen, served
from railbird.wiring.keys import FolderKeys

SITE: Final = "http://railbird.test"
SERVICE_KEY: Final = "the service key of these tests"
OPERATOR: Final = UserId("oscar")
SERVICE: Final = {"x-service-key": SERVICE_KEY}
TABLE: Final[dict[str, Any]] = {"name": "Kitchen", "tableKind": "agent", "smallBlind": 10, "bigBlind": 20}
_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class World:
    """`client`: as nobody, without a jar of cookies. `url`: of the site."""

    server: Server
    client: httpx2.AsyncClient
    keys: StoredKeys

    def user_token(self, name: str, *, life_s: int = 600, token_id: str | None = None) -> str:
        return issue_user_token(
            self.keys.signing[KeyUse.USER],
            user_id=UserId(name),
            token_id=token_id or f"u-{next(_ids)}",
            now_s=int(time.time()),
            life_s=life_s,
        )

    def agent_token(self, agent_id: str, owner: str, version: str, *, token_id: str | None = None) -> str:
        return issue_agent_token(
            self.keys.signing[KeyUse.AGENT],
            agent_id=AgentId(agent_id),
            owner=UserId(owner),
            version_id=AgentVersionId(version),
            token_id=token_id or f"a-{next(_ids)}",
            now_s=int(time.time()),
            life_s=600,
        )

    def hosted_token(self, agent_id: str, owner: str, version: str) -> str:
        """As the hosting service signs it, for the house model."""
        return issue_hosted_token(
            self.keys.signing[KeyUse.HOSTING],
            agent_id=AgentId(agent_id),
            owner=UserId(owner),
            version_id=AgentVersionId(version),
            model="house",
            token_id=f"h-{next(_ids)}",
            now_s=int(time.time()),
            life_s=600,
        )

    def be(self, name: str) -> dict[str, str]:
        """The headers of somebody with a token."""
        return {"authorization": f"Bearer {self.user_token(name)}"}

    async def ask(self, method: str, path: str, body: object = None, *, user: str | None = None) -> httpx2.Response:
        """Ask as a user, or as nobody."""
        self.client.cookies.clear()
        headers = {} if user is None else self.be(user)
        return await self.client.request(method, path, json=body, headers=headers)

    async def operate(self, method: str, path: str, body: object = None) -> httpx2.Response:
        """Ask with the service key."""
        return await self.client.request(method, path, json=body, headers=SERVICE)

    async def table(self, user: str = "olga", **changed: object) -> str:
        """A table that somebody made."""
        answer = await self.ask("POST", "/games/poker", {**TABLE, **changed}, user=user)
        assert answer.status_code == 201, answer.text
        table_id: str = answer.json()["tableId"]
        return table_id

    async def agent(self, user: str = "olga", name: str = "Rocky") -> str:
        """An agent that somebody registered."""
        answer = await self.ask("POST", "/agents", {"name": name}, user=user)
        assert answer.status_code == 201, answer.text
        agent_id: str = answer.json()["agentId"]
        return agent_id

    async def issued(self, agent_id: str, user: str = "olga") -> str:
        """A token for it, by the route."""
        answer = await self.ask("POST", f"/agents/{agent_id}/tokens", user=user)
        assert answer.status_code == 201, answer.text
        token: str = answer.json()["agentToken"]
        return token


def setup(folder: Path, keys: StoredKeys, **changed: Any) -> Setup:
    whole: dict[str, Any] = {
        "database_url": f"sqlite:///{folder / 'railbird.sqlite'}",
        "keys": keys.ring,
        "key_source": FolderKeys(folder / "keys", now_ms=lambda: int(time.time() * 1_000)),
        "service_key": ServiceKey(SERVICE_KEY),
        "origins": (SITE,),
        "floor": FloorSettings(hand_gap_ms=0, operators=frozenset({OPERATOR})),
        "grace_ms": 0,
        **changed,
    }
    return Setup(**whole)


@asynccontextmanager
async def opened_world(folder: Path, **changed: Any) -> AsyncIterator[World]:
    """Open a server in a folder; a second one finds what the first left."""
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    async with opened(setup(folder, keys, **changed)) as server:
        transport = httpx2.ASGITransport(app=server.app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
            yield World(server, client, keys)


@asynccontextmanager
async def live(world: World) -> AsyncIterator[str]:
    """The same server on a real socket: its address, with a slash at the end. The tables stop at the end of the block."""
    with listen("127.0.0.1", 0) as listener:
        async with served(world.server, listener):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
