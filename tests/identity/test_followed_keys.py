"""Following somebody else's keys."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from gameserver.identity.followed_keys import MAX_SET_BYTES, FollowedKeys
from gameserver.identity.keys import KeyUse
from tests.identity.people import KEYS, RING
from tests.identity.test_jwks import ISSUER, rsa_member

RSA = rsa.generate_private_key(65537, 2048)


class Issuer:
    """An issuer whose set the test changes."""

    def __init__(self, *names: str) -> None:
        self.answer: bytes | Exception = self.set_of(*names)
        self.asked = 0

    def set_of(self, *names: str) -> bytes:
        members: list[dict[str, Any]] = [rsa_member(RSA, kid=name) for name in names]
        return json.dumps({"keys": members}).encode()

    async def fetch(self) -> bytes:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def names(followed: FollowedKeys, now_ms: int) -> set[str]:
    return {key.key_id for key in followed.ring(now_ms=now_ms)} - {key.key_id for key in RING}


async def test_their_rotation_becomes_ours() -> None:
    """New keys come and old ones go with the next refresh, and looking at the ring fetches nothing."""
    issuer = Issuer("a")
    followed = FollowedKeys(own=lambda: RING, fetch=issuer.fetch, issuer=ISSUER)
    assert names(followed, 0) == set()
    assert await followed.refresh(now_ms=0)
    assert names(followed, 1) == {"a"}
    issuer.answer = issuer.set_of("a", "b")
    assert names(followed, 2) == {"a"}
    await followed.refresh(now_ms=3)
    assert names(followed, 3) == {"a", "b"}
    issuer.answer = issuer.set_of("b")
    await followed.refresh(now_ms=4)
    assert names(followed, 4) == {"b"}
    assert issuer.asked == 3


@pytest.mark.parametrize(
    "answer",
    [OSError("down"), b"", b"\xff", b"[]", b'{"keys":[]}', b"[" * 100_000, b" " * (MAX_SET_BYTES + 1)],
)
async def test_a_failing_issuer_leaves_the_last_good_keys(answer: bytes | Exception) -> None:
    """Until they are too old; our own keys are not touched by it."""
    issuer = Issuer("a")
    followed = FollowedKeys(own=lambda: RING, fetch=issuer.fetch, issuer=ISSUER, kept_for_ms=100)
    await followed.refresh(now_ms=0)
    issuer.answer = answer
    assert not await followed.refresh(now_ms=50)
    assert names(followed, 99) == {"a"}
    assert names(followed, 100) == set()
    assert {key.key_id for key in followed.ring(now_ms=100)} == {key.key_id for key in RING}


async def test_a_foreign_set_cannot_take_a_name_of_ours() -> None:
    """Our own agents' key stays what it is."""
    own = KEYS[KeyUse.AGENT]
    issuer = Issuer(own.key_id, "b")
    followed = FollowedKeys(own=lambda: RING, fetch=issuer.fetch, issuer=ISSUER)
    await followed.refresh(now_ms=0)
    assert followed.ring(now_ms=0).find(own.key_id, frozenset(KeyUse)) == own.verifying()
    assert names(followed, 0) == {"b"}
