"""What is in a version is read from the very bytes that were published."""

from __future__ import annotations

import pytest

from gameserver.http.agent_answers import version_content
from gameserver.http.requests import NewVersion
from policy.ids import AgentVersionId
from railbird.agenthost.registry.versions import UnreadableVersion, Version, read_version, version_bytes

ID = AgentVersionId("v-1")
WHOLE = Version(ID, "Wait.", ("outs", "odds"), "maker/small:1b", 0.5, -7, 300)


def test_what_the_route_publishes_is_read() -> None:
    """All of it."""
    published = NewVersion(
        strategy="Wait.", skills=["outs", "odds"], model="maker/small:1b", temperature=0.5, seed=-7, max_tokens=300
    )
    assert read_version(ID, version_content(published)) == WHOLE


def test_what_is_not_said_is_left_to_the_house_and_the_provider() -> None:
    """Also where an owner hosts the agent, and published nothing."""
    assert read_version(ID, b"{}") == Version(ID)
    assert read_version(ID, version_content(NewVersion(strategy="x"))) == Version(ID, "x")


@pytest.mark.parametrize("version", [WHOLE, Version(ID)])
def test_bytes_and_back(version: Version) -> None:
    """A host publishes what it reads in its own file."""
    assert read_version(ID, version_bytes(version)) == version


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"strategy": 7}', b"\xff"])
def test_other_bytes_are_no_version(content: bytes) -> None:
    """Nothing of them is repeated."""
    with pytest.raises(UnreadableVersion, match="this version cannot be read"):
        read_version(ID, content)


def test_a_field_of_a_later_release_is_passed_over() -> None:
    """An old host plays what it understands."""
    assert read_version(ID, b'{"strategy": "x", "mood": "good"}') == Version(ID, "x")
