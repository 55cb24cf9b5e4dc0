"""The list of all ways to an agent is whole."""

from __future__ import annotations

import ast
from typing import get_args

from gameserver.wire.messages import Inbound
from gameserver.wire.schema import tag
from policy.whisper_policy import Way
from railbird.wiring.descriptions import DESCRIPTIONS
from tests.architecture.pinned_whispers import MESSAGES, NOT_BUILT, ROUTES
from tests.conftest import ROOT


def test_every_message_says_which_way_to_an_agent_it_is() -> None:
    """A new message is red here until somebody has thought of it."""
    assert {tag(message) for message in get_args(Inbound)} == MESSAGES.keys()


def test_every_route_that_changes_something_says_which_way_to_an_agent_it_is() -> None:
    """So is a new route."""
    assert {route for route in DESCRIPTIONS if not route.startswith("GET ")} == ROUTES.keys()


def test_every_way_is_taken_or_not_built() -> None:
    """A way is one of a message or a route, or nothing takes it yet; never both."""
    taken = frozenset[Way]().union(*MESSAGES.values(), *ROUTES.values())
    assert taken | NOT_BUILT.keys() == set(Way)
    assert not taken & NOT_BUILT.keys()


def test_the_gate_is_asked_about_every_way_that_is_taken_and_about_no_other() -> None:
    """Read from the source: who names a way asks the gate about it."""
    assert _named_ways() == {way.name for way in Way} - {way.name for way in NOT_BUILT}


def test_a_way_that_is_named_is_found() -> None:
    """The reading of the source finds a planted name."""
    assert _ways_in("from policy.whisper_policy import Way\nask(way=Way.BUDGET)\n") == {"BUDGET"}


def _named_ways() -> set[str]:
    files = [path for room in ("gameserver", "railbird") for path in sorted((ROOT / room).rglob("*.py"))]
    without_the_page = (path for path in files if path.name != "gates_document.py")
    return set[str]().union(*(_ways_in(path.read_text("utf-8")) for path in without_the_page))


def _ways_in(source: str) -> set[str]:
    names = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return {node.attr for node in names if isinstance(node.value, ast.Name) and node.value.id == "Way"}
