"""F01: a foreign page opens nothing."""

from __future__ import annotations

import pytest

from gameserver.identity.origins import AllowedOrigins, NotAnOrigin

OURS = AllowedOrigins(["https://ours.example", "http://127.0.0.1:8000", "http://[::1]:8000"])


@pytest.mark.parametrize("origin", ["https://ours.example", "https://OURS.example:443", "http://127.0.0.1:8000"])
def test_our_own_pages_are_allowed(origin: str) -> None:
    """As a browser writes it, with or without the port that goes without saying."""
    assert OURS.allows([origin])
    assert OURS.allows_a_page([origin])


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "https://ours.example.evil.example",
        "https://evilours.example",
        "http://ours.example",
        "https://ours.example:8443",
        "https://ours.example.",
        "https://ours.example/",
        "https://ours.example@evil.example",
        "https://evil.example#https://ours.example",
        "https://ours.example:99999",
        "https://ours.example:",
        "https://ours.example\n",
        " https://ours.example",
        "https://ours.example https://evil.example",
        "http://localhost:8000",
        "file://",
        "*",
    ],
)
def test_an_origin_is_compared_whole(origin: str) -> None:
    """No prefix, suffix, scheme or port of ours makes another page ours."""
    assert not OURS.allows([origin])


def test_a_program_needs_no_origin_and_a_page_does() -> None:
    """What sends none is no browser; for a form's route that is not enough."""
    assert OURS.allows([])
    assert not OURS.allows_a_page([])


def test_two_origins_are_refused() -> None:
    """Nobody chooses which of two headers counts."""
    assert not OURS.allows(["https://ours.example", "https://ours.example"])


@pytest.mark.parametrize("setting", ["*", "ours.example", "https://ours.example/app", "null", ""])
def test_a_setting_that_is_no_origin_is_refused(setting: str) -> None:
    """A wrong setting is told at the start and does not open the door."""
    with pytest.raises(NotAnOrigin):
        AllowedOrigins([setting])
