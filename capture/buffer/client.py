"""One way to the buffer's server, whether it is a single node or a cluster; which, it asks the server.

It raises BufferUnavailable for whatever keeps the server from doing what was asked, and repeats neither the server's address
(which may hold a password) nor what was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

from capture.buffer.keys import Keys
from capture.buffer.scripts import Script
from capture.errors import BufferUnavailable

Argument: TypeAlias = bytes | str | int


@dataclass(frozen=True, slots=True)
class Run:
    """An order to run a script."""

    script: Script
    keys: Sequence[bytes]
    arguments: Sequence[Argument]

    @property
    def by_hash(self) -> tuple[Argument, ...]:
        """The command for a server that has run the script before."""
        return ("EVALSHA", self.script.sha1, len(self.keys), *self.keys, *self.arguments)

    @property
    def by_text(self) -> tuple[Argument, ...]:
        """The command for any server."""
        return ("EVAL", self.script.text, len(self.keys), *self.keys, *self.arguments)


Order: TypeAlias = Run | Sequence[Argument]
"""A script to run, or a command's parts."""

_SCAN_COUNT: Final = 1000
_POOL_WAIT_S: Final = 10.0
_AT_ONCE: Final = 32
"""So many orders are on their way to a cluster side by side: each has a connection."""

_REDIRECTIONS: Final = 3
"""So often is an order sent on within a cluster, whose slots may be moving."""


class BufferClient:
    """Commands to the buffer. `timeout_s`: for each answer. `connections`: at most so many, and callers wait for one."""

    def __init__(self, url: str, *, timeout_s: float = 1.0, connections: int = 8) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._connections = connections
        self._server: Redis | RedisCluster | None = None
        self._connecting = asyncio.Lock()

    async def keys(self) -> Keys:
        """How keys are named there; asks the server the first time."""
        return Keys(cluster=isinstance(await self._connected(), RedisCluster))

    async def run(self, script: Script, keys: Sequence[bytes], arguments: Sequence[Argument]) -> Any:
        """A script's answer. In a cluster all keys must be in one slot."""
        return (await self.all(Run(script, keys, arguments)))[0]

    async def command(self, *parts: Argument) -> Any:
        """One command's answer."""
        return (await self.all(parts))[0]

    async def all(self, *orders: Order) -> list[Any]:
        """Their answers, carried out in this order; in one journey where the server is a single node."""
        return [answer for (answer,) in await self.steps(*([order] for order in orders))]

    async def steps(self, *steps: Sequence[Order]) -> list[list[Any]]:
        """The answers of each step. A cluster carries out the orders of a step side by side, and step after step.

        A single node carries out all of them in order, in one journey.
        """
        server = await self._connected()
        with told():
            if isinstance(server, RedisCluster):
                return [await _side_by_side(server, step) for step in steps]
            answers = iter(await _in_order(server, [order for step in steps for order in step]))
            return [list(islice(answers, len(step))) for step in steps]

    async def scan(self, pattern: str) -> list[bytes]:
        """All keys that fit, on every node; one may stand twice."""
        server = await self._connected()
        with told():
            return [key async for key in server.scan_iter(match=pattern, count=_SCAN_COUNT)]

    async def close(self) -> None:
        """Ends the connections."""
        server, self._server = self._server, None
        if server is not None:
            await server.aclose()

    async def _connected(self) -> Redis | RedisCluster:
        async with self._connecting:
            if self._server is None:
                with told():
                    self._server = await self._connect()
            return self._server

    async def _connect(self) -> Redis | RedisCluster:
        node = self._node()
        try:
            is_cluster = await _is_cluster(node)
        except BaseException:
            await node.aclose()
            raise
        if not is_cluster:
            return node
        await node.aclose()
        return self._cluster()

    def _node(self) -> Redis:
        pool = BlockingConnectionPool.from_url(
            self._url, max_connections=self._connections, timeout=_POOL_WAIT_S, **self._manners()
        )
        return Redis.from_pool(pool)

    def _cluster(self) -> RedisCluster:
        return RedisCluster.from_url(self._url, **{**self._manners(), "retry": Retry(NoBackoff(), _REDIRECTIONS)})

    def _manners(self) -> dict[str, Any]:
        """One try for each order: who asks decides what comes of a failure."""
        return {
            "socket_timeout": self._timeout_s,
            "socket_connect_timeout": self._timeout_s,
            "retry": Retry(NoBackoff(), 0),
        }


async def _is_cluster(node: Redis) -> bool:
    try:
        said = await node.info("cluster")
    except NoPermissionError:
        return False
    return bool(said.get("cluster_enabled"))


async def _carry_out(server: Redis | RedisCluster, order: Order) -> Any:
    carry_out = cast(Callable[..., Awaitable[Any]], server.execute_command)
    if not isinstance(order, Run):
        return await carry_out(*order)
    try:
        return await carry_out(*order.by_hash)
    except NoScriptError:
        return await carry_out(*order.by_text)


async def _side_by_side(server: RedisCluster, orders: Sequence[Order]) -> list[Any]:
    answers: list[Any] = []
    for begin in range(0, len(orders), _AT_ONCE):
        some = [_carry_out(server, order) for order in orders[begin : begin + _AT_ONCE]]
        for answer in await asyncio.gather(*some, return_exceptions=True):
            if isinstance(answer, BaseException):
                raise answer
            answers.append(answer)
    return answers


async def _in_order(server: Redis, orders: Sequence[Order]) -> list[Any]:
    if not orders:
        return []
    async with server.pipeline(transaction=False) as pipeline:
        for order in orders:
            pipeline.execute_command(*(order.by_hash if isinstance(order, Run) else order))
        answers = await pipeline.execute(raise_on_error=False)
    for number, (order, answer) in enumerate(zip(orders, answers, strict=True)):
        if isinstance(answer, NoScriptError) and isinstance(order, Run):
            answers[number] = await _carry_out(server, order)
        elif isinstance(answer, Exception):
            raise answer
    return answers


@contextmanager
def told() -> Iterator[None]:
    """Tells what went wrong with the server in one kind of error, by the kind of what it was."""
    try:
        yield
    except (RedisError, RedisClusterException, OSError, TimeoutError) as error:
        raise BufferUnavailable(_in_words(error)) from None


def _in_words(error: Exception) -> str:
    if isinstance(error, OutOfMemoryError) or (isinstance(error, ResponseError) and "OOM" in str(error)[:200]):
        return "it is full"
    return type(error).__name__
