"""A bound program ends with us, however we end."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from railbird.embedded import bound_process
from tests.conftest import ROOT

PARENT = """
import sys, time, threading
from railbird.embedded import bound_process
out = open(sys.argv[1], "wb")
def go() -> None:
    global p
    p = bound_process.start(["/bin/sh", "-c", "echo $$; exec sleep 60"], output=out)
t = threading.Thread(target=go); t.start(); t.join()
print("up", flush=True); time.sleep(60)
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> bool:
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_stop_gives_the_exit_code_and_a_program_that_ends_alone_is_seen() -> None:
    """`stop` returns the program's own exit code, or 128 + 15 where it had not set its trap yet."""
    assert bound_process.start(["/bin/sh", "-c", "trap 'exit 7' TERM; while :; do sleep .05; done"]).stop() in (7, 143)
    ended = bound_process.start(["/bin/sh", "-c", "exit 3"])
    assert wait_until(lambda: ended.exit_code == 3)
    assert ended.stop() == 3


def test_a_program_that_ignores_the_signal_is_killed(tmp_path: Path) -> None:
    """After `timeout_s` the whole session is killed."""
    said = tmp_path / "said"
    with said.open("wb") as out:
        stubborn = bound_process.start(["/bin/sh", "-c", "trap '' TERM; echo; while :; do sleep .05; done"], output=out)
    assert wait_until(lambda: said.read_bytes() == b"\n"), "from now on it ignores the signal"
    assert stubborn.stop(timeout_s=0.2) == -signal.SIGKILL


def test_it_survives_the_end_of_the_thread_that_started_it_but_not_kill_9_of_the_process(tmp_path: Path) -> None:
    """The pipe belongs to the process and not to a thread, and the kernel closes it."""
    out = tmp_path / "out"
    with subprocess.Popen([sys.executable, "-c", PARENT, str(out)], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"up\n"
        assert wait_until(lambda: out.read_bytes().strip().isdigit())
        program = int(out.read_bytes())
        time.sleep(0.3)
        assert is_alive(program), "a thread's end must not end the program (PDEATHSIG would)"
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert wait_until(lambda: not is_alive(program))


def test_two_from_two_threads() -> None:
    """Neither program holds the other's pipe open: each stops alone."""
    started: list[bound_process.BoundProcess] = []
    threads = [
        threading.Thread(target=lambda: started.append(bound_process.start(["/bin/sleep", "60"]))) for _ in range(2)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [p.stop(5) for p in started] == [143, 143]


def test_the_program_gets_only_the_environment_and_the_umask_that_it_is_given(tmp_path: Path) -> None:
    """What is not in `env` does not reach it, and its files have the mode that `umask` leaves."""
    with open(tmp_path / "out", "wb") as out:
        ended = bound_process.start(
            ["/bin/sh", "-c", "env; : > made"], env={"KEPT": "yes"}, umask=0o077, cwd=tmp_path, output=out
        )
        assert wait_until(lambda: ended.exit_code is not None)
        assert ended.stop() == 0
    names = {line.split("=")[0] for line in (tmp_path / "out").read_text().splitlines()}
    assert "KEPT" in names and names <= {"KEPT", "PWD", "SHLVL", "OLDPWD", "_"}
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o600
