"""Start a program that cannot outlive the process that started it.

How: the program runs under a three-line shell that reads a pipe whose only writer is this process. When this process
ends, however it ends (`kill -9` too), the kernel closes the pipe, the read returns and the shell stops the program.

Why not the usual ways: PR_SET_PDEATHSIG is Linux only and fires when the *thread* that forked ends, not the process;
`preexec_fn` is unsafe beside threads and warns from Python 3.12 on; `atexit` does not run after `kill -9`.

Not covered: a child made by `os.fork` without exec (multiprocessing's "fork") inherits the pipe's end and keeps the
program alive for as long as it lives. Use "spawn" or "forkserver".
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

_SUPERVISOR = """
stop=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r _ <&3; kill -s "$stop" "$program"; } 2>/dev/null & reader=$!
exec 3<&-
wait "$program"; code=$?
kill "$reader" 2>/dev/null
exit "$code"
"""


class BoundProcess:
    """A running program; `stop()` ends it politely, and so does the end of this process."""

    def __init__(self, shell: subprocess.Popen[bytes]) -> None:
        self._shell = shell

    @property
    def exit_code(self) -> int | None:
        """The program's exit code (128 + n for signal n), or None while it runs."""
        return self._shell.poll()

    @property
    def session(self) -> int:
        """The process group that the program and all its children are in, unless they left it."""
        return self._shell.pid

    def stop(self, timeout_s: float = 10.0) -> int:
        """Close the pipe, wait, and only after `timeout_s` kill the whole session; returns the exit code."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        try:
            return self._shell.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(self._shell.pid, signal.SIGKILL)
            return self._shell.wait()


def start(
    argv: Sequence[str | Path],
    *,
    stop_signal: str = "TERM",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    output: IO[bytes] | int = subprocess.DEVNULL,
    keep_fds: Sequence[int] = (),
    umask: int = -1,
    user: int | None = None,
    group: int | None = None,
) -> BoundProcess:
    """Start `argv` in a session of its own (Ctrl-C reaches us first, so that we can flush before it stops).

    `env`: None passes ours on, secrets too. `keep_fds`: stay open in the program under the same numbers.
    `umask`: -1 keeps ours. `user` and `group`: drop to these, and to no other group; root only.
    """
    return BoundProcess(
        subprocess.Popen(
            ["/bin/sh", "-c", _SUPERVISOR, "supervisor", stop_signal, *map(str, argv)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=None if env is None else dict(env),
            pass_fds=tuple(keep_fds),
            start_new_session=True,
            umask=umask,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )
    )
