"""Imports run downwards only, and an allow-list says so."""

from __future__ import annotations

import pytest

from tests.architecture.conftest import Plant
from tests.architecture.walls import find_forbidden_imports, find_impure_policy, run_import_linter
from tests.conftest import ROOT


def test_no_import_crosses_a_wall() -> None:
    """Every import of ours is on the list of its room."""
    assert find_forbidden_imports(ROOT) == []


def test_the_gates_read_and_run_nothing() -> None:
    """A gate's answer depends on its arguments alone."""
    assert find_impure_policy(ROOT) == []


def test_import_linters_contracts_are_kept() -> None:
    """The order of the rooms holds over indirect imports too."""
    assert run_import_linter(ROOT) == ""


@pytest.mark.parametrize(
    ("file", "source", "found"),
    [
        ("policy/planted.py", "import starlette", "policy.planted:2 imports starlette"),
        ("policy/planted.py", "import os.path", "policy.planted:2 imports os.path"),
        ("policy/planted.py", "from time import time", "policy.planted:2 imports time.time"),
        ("policy/planted.py", "def gate():\n    import logging", "policy.planted:3 imports logging"),
        ("policy/planted.py", "from gameserver import hand", "policy.planted:2 imports gameserver.hand"),
        ("capture/planted.py", "from gameserver.hand import facts", "capture.planted:2 imports gameserver.hand.facts"),
        ("capture/planted.py", "import railbird", "capture.planted:2 imports railbird"),
        ("gameserver/floor/planted.py", "import capture.record", "gameserver.floor.planted:2 imports capture.record"),
        ("gameserver/planted.py", "from railbird.config import x", "gameserver.planted:2 imports railbird.config.x"),
        (
            "railbird/agenthost/planted.py",
            "from gameserver.table.facts import Fact",
            "railbird.agenthost.planted:2 imports gameserver.table.facts.Fact",
        ),
        (
            "railbird/agenthost/planted.py",
            "from gameserver import wire, table",
            "railbird.agenthost.planted:2 imports gameserver.table",
        ),
        ("railbird/client/planted.py", "from gameserver import hand", "railbird.client.planted:2 imports gameserver.hand"),
        ("railbird/studio/planted.py", "import gameserver.floor", "railbird.studio.planted:2 imports gameserver.floor"),
        (
            "railbird/agenthost/planted.py",
            "import importlib\nimportlib.import_module('gameserver.store')",
            "railbird.agenthost.planted:3 imports gameserver.store",
        ),
        ("railbird/planted.py", "from tests.live import valkey", "railbird.planted:2 imports tests.live.valkey"),
        ("capture/deep/planted.py", "from ...gameserver import x", "capture.deep.planted:2 imports gameserver.x"),
    ],
)  # fmt: skip
def test_a_planted_import_is_found(plant: Plant, file: str, source: str, found: str) -> None:
    """Each wall turns red on an import that crosses it, at any depth and in any form."""
    assert found in find_forbidden_imports(plant(file, source))


@pytest.mark.parametrize(
    "source",
    ["import gameserver.wire", "from gameserver.wire import messages", "import capture", "from railbird import client"],
)
def test_a_hosted_agent_may_use_the_wire(plant: Plant, source: str) -> None:
    """What is on the list is let through."""
    assert not [
        line for line in find_forbidden_imports(plant("railbird/agenthost/planted.py", source)) if "planted" in line
    ]


@pytest.mark.parametrize("source", ["open('x')", "print('card')", "__import__('os')", "read = eval"])
def test_planted_input_or_output_in_a_gate_is_found(plant: Plant, source: str) -> None:
    """No import is needed to read a file or to print a card, so built-in functions are looked for by name."""
    assert [line for line in find_impure_policy(plant("policy/planted.py", source)) if "policy.planted:2" in line]


@pytest.mark.parametrize(
    ("file", "source", "contract"),
    [
        ("gameserver/wire/planted.py", "import gameserver.floor", "The table server's rooms BROKEN"),
        ("gameserver/views/planted.py", "import gameserver.store", "The table server's rooms BROKEN"),
        ("gameserver/errors.py", "import gameserver.hand", "The table server's rooms BROKEN"),
        ("gameserver/hand/planted.py", "import capture", "knows neither the record nor what is built on it BROKEN"),
        ("capture/planted.py", "import gameserver", "The record knows the gates only BROKEN"),
        ("policy/planted.py", "import capture", "The gates know nobody BROKEN"),
        ("gameserver/planted.py", "import railbird.pages", "Imports run downwards BROKEN"),
    ],
)
def test_a_planted_import_breaks_its_contract(plant_in_copy: Plant, file: str, source: str, contract: str) -> None:
    """Import-linter's contracts turn red on the copy, so they look at the copy and not at an installed package."""
    assert contract in run_import_linter(plant_in_copy(file, source))
