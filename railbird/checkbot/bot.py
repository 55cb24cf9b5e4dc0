"""The bot's process: started with the table's address and a token, ended with all its children, heard by its last lines."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Final

from railbird.embedded import bound_process
from railbird.embedded.bound_process import BoundProcess

_LAST_BYTES: Final = 8_192
_LAST_LINES: Final = 8
_STOPS_WITHIN_S: Final = 2.0


class Bot:
    """A bot that runs. It cannot outlive this process."""

    def __init__(self, process: BoundProcess, output: IO[bytes], token: str) -> None:
        self._process, self._output, self._token = process, output, token

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.exit_code

    def last_lines(self) -> tuple[str, ...]:
        """What it printed last; its token is left out (test_the_token_is_not_repeated)."""
        self._output.seek(0, 2)
        self._output.seek(max(0, self._output.tell() - _LAST_BYTES))
        text = self._output.read().decode(errors="replace").replace(self._token, "<token>")
        return tuple(line.rstrip() for line in text.splitlines()[-_LAST_LINES:])


@asynccontextmanager
async def running(command: Sequence[str], environment: Mapping[str, str], token: str) -> AsyncIterator[Bot]:
    """The bot runs within the block."""
    with tempfile.TemporaryFile() as output:
        process = bound_process.start(list(map(str, command)), env=environment, output=output.fileno(), cwd=Path.cwd())
        try:
            yield Bot(process, output, token)
        finally:
            await asyncio.to_thread(_end, process)


def _end(process: BoundProcess) -> None:
    """The bot first, then whatever it started (test_a_bot_leaves_nothing_behind)."""
    process.stop(_STOPS_WITHIN_S)
    with suppress(ProcessLookupError):
        os.killpg(process.session, signal.SIGKILL)
