"""A plugin of pytest: the gate that RAILBIRD_WITHOUT_GATE names lets everything through, in this process, before any test is read.

python -m pytest -p tests.leaks.gate_out ...   (`make leaks LEAKS_ARGS=--without-gates` does it for each gate)
Processes that tests start have their gates.
"""

from __future__ import annotations

import importlib
import os
from typing import Final

GATE: Final = "RAILBIRD_WITHOUT_GATE"


def take_out(gate: str) -> None:
    """Replace a gate by one that lets everything through, for good."""
    from tests.leaks.sentinels import LETS_ALL_THROUGH

    module, _, name = gate.rpartition(".")
    setattr(importlib.import_module(module), name, LETS_ALL_THROUGH[gate])


if os.environ.get(GATE):
    take_out(os.environ[GATE])
