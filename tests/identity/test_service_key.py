"""The operator's key on internal routes."""

from __future__ import annotations

import pytest

from gameserver.identity.service_key import ServiceKey, WeakServiceKey

SECRET = "correct horse battery"


def test_one_right_header_is_let_in() -> None:
    """Exactly the key, exactly once."""
    key = ServiceKey(SECRET)
    assert key.matches([SECRET])
    for shown in ([], [""], [SECRET + " "], [SECRET[:-1]], [SECRET.upper()], [SECRET, SECRET], ["\udcff"]):
        assert not key.matches(shown)


def test_it_is_compared_by_digest_and_does_not_print() -> None:
    """Neither the key nor a part of it is kept."""
    key = ServiceKey(SECRET)
    assert SECRET not in repr(key)
    assert not any(SECRET.encode() in value for value in (key._digest,))


def test_a_short_key_is_refused() -> None:
    """A key that can be guessed is none, least of all the empty one."""
    for weak in ("", "x" * 15):
        with pytest.raises(WeakServiceKey):
            ServiceKey(weak)
