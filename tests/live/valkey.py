"""Real Valkeys: one for the session, started as the product's embedded default starts it; a cluster of three nodes; and one that
a test can stop, kill, freeze and fill."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis

from railbird.embedded import bound_process, valkey

_READY_S = 30.0
_SLOTS = 16_384
_NODES = 3


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """For `redis.asyncio.from_url`. One server for all tests: use keys of your own, and flush nothing."""
    with valkey.running(tmp_path_factory.mktemp("valkey")) as server:
        yield server.url


class OwnValkey:
    """A server of one test, always under the same address; it starts stopped, and keeps nothing over a stop."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.socket_path = str(folder / "s")
        self.url = f"unix://{self.socket_path}"
        self._folder = folder
        self._arguments = arguments
        self._process: bound_process.BoundProcess | None = None
        self._frozen: int | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        self._process = _started(
            self._folder, "--port", "0", "--unixsocket", self.socket_path, "--save", "", *self._arguments
        )
        _wait_until_ready(self.url)

    def stop(self) -> None:
        """Ends it, if it runs; whoever connects is refused."""
        if self._process is not None:
            self.thaw()
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """Ends it without a word."""
        assert self._process is not None
        os.kill(self.pid, signal.SIGKILL)
        self._process.stop()
        self._process = None

    def freeze(self) -> None:
        """It takes connections, and answers nobody."""
        self._frozen = self.pid
        os.kill(self._frozen, signal.SIGSTOP)

    def thaw(self) -> None:
        """It answers again."""
        if self._frozen is not None:
            os.kill(self._frozen, signal.SIGCONT)
            self._frozen = None

    @property
    def pid(self) -> int:
        """The server's process."""
        with redis.from_url(self.url) as client:
            return int(client.info("server")["process_id"])


@pytest.fixture
def own_valkey() -> Iterator[OwnValkey]:
    """A running server for one test."""
    with tempfile.TemporaryDirectory(prefix="rbt-", dir="/tmp") as folder:  # a socket's path is short
        server = OwnValkey(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def valkey_cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of three nodes without replicas, for the session; one of its nodes' addresses."""
    with cluster_in(tmp_path_factory.mktemp("cluster")) as url:
        yield url


@contextmanager
def cluster_in(folder: Path) -> Iterator[str]:
    """Three nodes that have all slots between them."""
    with ExitStack() as stack:
        ports = [free_port() for _ in range(_NODES)]
        for port in ports:
            process = _started(_made(folder / str(port)), *_cluster_arguments(port))
            stack.callback(process.stop)
        nodes = [stack.enter_context(redis.Redis(port=port)) for port in ports]
        for number, (port, node) in enumerate(zip(ports, nodes, strict=True)):
            _wait_until_ready(f"redis://127.0.0.1:{port}")
            slots = (number * _SLOTS // _NODES, (number + 1) * _SLOTS // _NODES - 1)
            node.cluster("addslotsrange", *slots)
            node.cluster("meet", "127.0.0.1", ports[0], bus_port(ports[0]))
        _wait_for(lambda: all(_agrees(node) for node in nodes))
        yield f"redis://127.0.0.1:{ports[0]}"


def free_port() -> int:
    """A port that nobody has, and whose neighbour for the cluster's own talk is free, too."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            try:
                other.bind(("127.0.0.1", bus_port(port)))
            except (OSError, OverflowError):
                continue
            return port


def bus_port(port: int) -> int:
    """Where a node talks to the others; below the port, as there is no port above 65535."""
    return port - 10_000


def _cluster_arguments(port: int) -> list[str]:
    return [
        "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-port", str(bus_port(port)),
        "--cluster-node-timeout", "15000", "--save", "", "--protected-mode", "no",
    ]  # fmt: skip


def _agrees(node: redis.Redis) -> bool:
    said = node.cluster("info")
    return bool(said["cluster_state"] == "ok" and int(said["cluster_known_nodes"]) == _NODES)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _started(folder: Path, *arguments: str) -> bound_process.BoundProcess:
    with open(folder / "log", "ab") as log:
        return bound_process.start(
            [valkey.find_program().path, "--daemonize", "no", *arguments], cwd=folder, output=log
        )


def _wait_until_ready(url: str) -> None:
    def answers() -> bool:
        with redis.from_url(url, socket_timeout=1) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    _wait_for(answers)


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + _READY_S
    while not condition():
        assert time.monotonic() < end, "the server did not come up"
        time.sleep(0.01)
