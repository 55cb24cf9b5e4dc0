"""One cell of the measurement: a server on one core, the receivers on another, and what both say afterwards."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

_HERE: Final = Path(__file__).parent
_ROOT: Final = _HERE.parents[1]
_OPENS_WITHIN_S: Final = 20.0


class NotHere(Exception):
    """Something that a measurement needs is not on this machine."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`server`: `c:NAME`, `node:FILE`, or `python:MODULE[:KIND]`. `mode`, `path`: of the receivers, `slow` of whom never read."""

    name: str
    server: str
    count: int
    mode: str
    path: str
    slow: int = 0
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a cell came to. `cpu_us`: of the server's core, for each message that arrived."""

    count: int
    cpu_us: float
    messages_per_s: float
    p50_ms: float
    p99_ms: float
    rss_mb: float


class Rig:
    """The compiled programs and the two cores. `size`: bytes of an update."""

    def __init__(self, seconds: float, size: int) -> None:
        self._seconds, self._size = seconds, size
        self._folder = tempfile.TemporaryDirectory(prefix="railbird-fanout-")

    def __enter__(self) -> Self:
        """Raises NotHere."""
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            raise NotHere("it needs two cores")
        self._server_core, self._receivers_core = cores[0], cores[1]
        compiler = shutil.which("cc")
        if compiler is None:
            raise NotHere("there is no C compiler (cc)")
        for name in ("floor", "receivers"):
            subprocess.run([compiler, "-O2", "-o", self._program(name), _HERE / f"{name}.c"], check=True)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8_192)), hard))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._folder.cleanup()

    def measure_all(self, cells: Sequence[Cell], rounds: int = 3) -> dict[Cell, Cost | NotHere]:
        """Each cell, in turns; of its rounds the one that cost least, since whatever else the machine does adds to it."""
        found: dict[Cell, Cost | NotHere] = {}
        for number in range(rounds):
            for cell in cells:
                print(f"  round {number + 1} of {rounds}: {cell.name}, {cell.count:,}", file=sys.stderr, flush=True)
                before = found.get(cell)
                if not isinstance(before, NotHere):
                    found[cell] = _better(before, self.measure(cell))
        return found

    def measure(self, cell: Cell) -> Cost | NotHere:
        """One cell; NotHere for a peer that is not installed."""
        try:
            return self._measure(cell)
        except NotHere as missing:
            return missing

    def _measure(self, cell: Cell) -> Cost:
        port = _free_port()
        command, folder = self._command(cell, port)
        server = subprocess.Popen(
            ["taskset", "-c", str(self._server_core), *command],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            _wait_until_open(server, port, probe=not cell.server.startswith("c:"))
            told = self._receive(cell, port)
            said, _ = server.communicate(timeout=30)
        except BaseException:
            server.kill()
            server.communicate()
            raise
        return _cost(cell, told, json.loads(said.strip().splitlines()[-1]))

    def _receive(self, cell: Cell, port: int) -> dict[str, Any]:
        receivers = [self._program("receivers"), str(port), str(cell.count), cell.mode, cell.path, str(cell.slow)]
        done = subprocess.run(
            ["taskset", "-c", str(self._receivers_core), *receivers, str(self._seconds + 5)],
            capture_output=True,
            text=True,
            timeout=self._seconds + 90,
            check=True,
        )
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def _command(self, cell: Cell, port: int) -> tuple[list[str], Path]:
        kind, _, rest = cell.server.partition(":")
        numbers = [str(port), str(cell.count), str(self._seconds)]
        match kind:
            case "c":
                return [self._program(rest), *numbers, str(self._size)], _ROOT
            case "node":
                return [_node(), str(_HERE / rest), *numbers, str(self._size)], _node_folder()
            case _:
                module, _, peer = rest.partition(":")
                if not peer:
                    return [sys.executable, "-m", module, *numbers, *cell.extra], _ROOT
                _refuse_missing(peer)
                return [sys.executable, "-m", module, peer, *numbers, str(self._size)], _ROOT

    def _program(self, name: str) -> str:
        return str(Path(self._folder.name) / name)


def _better(before: Cost | None, now: Cost | NotHere) -> Cost | NotHere:
    if before is None or (isinstance(now, Cost) and now.cpu_us < before.cpu_us):
        return now
    return before


def _cost(cell: Cell, told: dict[str, Any], said: dict[str, Any]) -> Cost:
    messages = told["messages"]
    return Cost(
        count=cell.count,
        cpu_us=said["cpu_s"] * 1e6 / messages,
        messages_per_s=messages / said["elapsed_s"],
        p50_ms=told["p50_ms"],
        p99_ms=told["p99_ms"],
        rss_mb=said["rss_mb"],
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_open(server: subprocess.Popen[str], port: int, *, probe: bool) -> None:
    """A server that counts its connections from the first one on is not probed."""
    until = time.monotonic() + _OPENS_WITHIN_S
    if not probe:
        time.sleep(0.5)
        return
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise NotHere("the server did not start")


def _refuse_missing(peer: str) -> None:
    import importlib.util

    module = {"sse-starlette": "sse_starlette"}.get(peer, peer)
    if importlib.util.find_spec(module) is None:
        raise NotHere(f"{peer} is not installed")


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        raise NotHere("there is no node")
    return node


def _node_folder() -> Path:
    folder = Path(os.environ.get("RAILBIRD_BENCH_NODE", _ROOT))
    if not (folder / "node_modules" / "ws").is_dir():
        raise NotHere("Node's ws is not installed; RAILBIRD_BENCH_NODE names a folder that has it")
    return folder
