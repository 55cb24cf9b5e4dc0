"""A gate's refusal has a code of the wire's, and no more text than its own."""

from __future__ import annotations

from gameserver.errors import ErrorCode
from policy.errors import NotAGate, PolicyError, PolicyRefusal, RefusalCode

OF_HTTP_ONLY = {"spectator_reveal_needs_agent_table", "spectator_reveal_only_narrows"}


def test_a_refusal_tells_its_code_and_why() -> None:
    """Both as attributes, and as one line of text."""
    refusal = PolicyRefusal(RefusalCode.TABLE_KIND, "people do not sit here")
    assert (refusal.code, refusal.why) == ("table_kind", "people do not sit here")
    assert str(refusal) == "table_kind: people do not sit here"


def test_every_code_is_one_of_the_wires() -> None:
    """A server can pass a refusal on: each code is an error frame's, or a problem document's of a table's settings."""
    assert {code.value for code in RefusalCode} - OF_HTTP_ONLY <= {code.value for code in ErrorCode}


def test_the_errors_of_this_package_have_one_root() -> None:
    """Who catches the root catches refusals and bugs of the register."""
    assert issubclass(PolicyRefusal, PolicyError)
    assert issubclass(NotAGate, PolicyError)
    assert not issubclass(PolicyRefusal, NotAGate)
