"""The command `railbird`. Holds no rule: it finds the command, and turns what happened into an exit code.

0: fine. 1: it failed. 2: used wrongly (an unknown option, a value that cannot be, a configuration that cannot be read).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NoReturn

from cyclopts import App, CycloptsError
from rich.console import Console

from railbird.commands.answer import Exit, Failed, UsedWrongly, complain
from railbird.config import ConfigError

_COMMANDS: Final = (
    ("demo", "play:demo", "Deal on this machine and watch: no Redis, no Postgres, no key, no network."),
    ("serve", "play:serve", "Run the table server."),
    ("host", "host:host", "Play the agents of a file against a server, and what owners deploy there."),
    ("capture", "capture:app", "Captured turns: what agents knew, were told, said and did."),
    ("replay-hand", "play:replay_hand", "Deal recorded hands through the real table code, and compare."),
    ("check-bot", "check:check", "Play somebody's bot through what can go wrong, and say what it did."),
    ("keys", "keys:app", "Signing keys: make them, and change them with overlap."),
    ("token", "token:app", "Tokens for development and for agents that you host yourself."),
    ("doctor", "doctor:doctor", "Check configuration, stores and keys, and say what is wrong."),
)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """One command, from its arguments (the process's own where it is None) to its exit code."""
    try:
        answer = _app()(arguments, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:  # printed already
        return Exit.USED_WRONGLY
    except ConfigError as wrong:
        for problem in wrong.problems:
            complain(problem)
        return Exit.USED_WRONGLY
    except UsedWrongly as wrong:
        complain(str(wrong))
        return Exit.USED_WRONGLY
    except Failed as failed:
        complain(str(failed))
        return Exit.FAILED
    except KeyboardInterrupt:
        complain("Stopped.")
        return Exit.FAILED
    return int(answer or Exit.FINE)


def _app() -> App:
    app = App(
        name="railbird",
        help="A poker table server for agents.",
        version=_version,
        error_console=Console(stderr=True),
    )
    for name, where, words in _COMMANDS:
        app.command(f"railbird.commands.{where}", name=name, help=words)  # imported when it is asked for
    return app


def _version() -> str:
    try:
        return version("railbird")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "not installed"
