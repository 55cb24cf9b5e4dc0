"""How a command ends and how it prints."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from railbird.config import Settings, load_settings

AsJson: TypeAlias = Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object.")]
ConfigFile: TypeAlias = Annotated[Path | None, Parameter(name="--config", help="A TOML file of settings.")]


class Exit(enum.IntEnum):
    """Exit codes."""

    FINE = 0
    FAILED = 1
    USED_WRONGLY = 2


class UsedWrongly(Exception):
    """What was asked for cannot be; for people."""


class Failed(Exception):
    """It did not work out; for people."""


def settings(config: Path | None) -> Settings:
    """The settings; ConfigError ends the command with USED_WRONGLY."""
    return load_settings(file=config)


def say(text: str = "") -> None:
    """One line to whoever reads the output."""
    print(text)


def complain(text: str) -> None:
    """One line to whoever reads the errors."""
    print(text, file=sys.stderr)


def say_json(data: Mapping[str, object]) -> None:
    """One JSON object."""
    print(json.dumps(data, indent=2, ensure_ascii=False))
