"""`railbird demo`, `railbird serve` and `railbird replay-hand`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from railbird.commands.answer import AsJson, ConfigFile, UsedWrongly, settings


def demo(
    *,
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65_535))] = 8000,
    tables: Annotated[int, Parameter(validator=Number(gte=1, lte=20))] = 2,
    hands: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    open_browser: Annotated[bool, Parameter(name="--open", negative="")] = False,
    config: ConfigFile = None,
) -> int:
    """Deal on this machine and watch: no Redis, no Postgres, no key, no network.

    Parameters
    ----------
    port
        Where to listen; 0 takes any free port.
    tables
        How many tables to open.
    hands
        Stop after so many hands at each table. Without it: deal until stopped.
    open_browser
        Open the lobby in a browser.
    """
    from railbird.demo import run_demo

    return run_demo(settings(config), port=port, tables=tables, hands=hands, open_browser=open_browser)


def serve(*, config: ConfigFile = None) -> int:
    """Run the table server, configured by RAILBIRD_* variables or a TOML file."""
    from railbird.serve import run_server

    return run_server(settings(config))


def replay_hand(
    *files: Path,
    check: Annotated[bool, Parameter(negative="")] = False,
    json: AsJson = False,
) -> int:
    """Deal recorded hands (.phh, .phhs) through the real table code, and compare.

    Parameters
    ----------
    files
        Files of recorded hands.
    check
        Exit with 1 where anything differs.
    """
    from railbird.replay_hand import main

    if not files:
        raise UsedWrongly("Name at least one file of recorded hands.")
    return main(files, check=check, as_json=json)
