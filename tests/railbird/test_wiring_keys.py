"""Keys that are followed: a folder that is rotated, an issuer that changes its keys, a hosting key of its own."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from gameserver.identity.issue import issue_user_token
from gameserver.identity.jwks import public_jwks
from gameserver.identity.key_files import init_keys, rotate_keys
from gameserver.identity.keys import KeyUse, SigningKey, UnusableKey, new_key, private_pem, public_pem
from gameserver.identity.refusals import TokenRefused
from gameserver.identity.tokens import TokenRules, verify_user_token
from policy.ids import UserId
from railbird.wiring.keys import FolderKeys, Issuer, fetch, hosting_key

NOW_S: Final = int(time.time())
THEIRS: Final = "https://login.example"


def now_ms() -> int:
    return NOW_S * 1_000


@dataclass
class Site:
    """An issuer's site on loopback: what it answers with at `/jwks`, and how often it was asked."""

    url: str = ""
    body: bytes = b"{}"
    status: int = 200
    location: str | None = None
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            self.send_response(site.status)
            if site.location is not None:
                self.send_header("Location", site.location)
            self.send_header("Content-Length", str(len(site.body)))
            self.end_headers()
            self.wfile.write(site.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        site.url = f"http://127.0.0.1:{server.server_address[1]}/jwks"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


def jwks(*keys: SigningKey) -> bytes:
    return json.dumps(public_jwks(key.verifying() for key in keys)).encode()


def their_token(key: SigningKey, audience: str = "poker") -> str:
    theirs = SigningKey(KeyUse.USER, key.private, issuer=THEIRS)
    return issue_user_token(theirs, user_id=UserId("u"), token_id="j", now_s=NOW_S, life_s=60, audience=audience)


def takes(keys: FolderKeys, token: str) -> bool:
    try:
        verify_user_token(token, keys=keys.ring(), rules=TokenRules(), now_s=NOW_S)
    except TokenRefused:
        return False
    return True


async def test_a_rotation_beside_a_running_server_counts_there(tmp_path: Path) -> None:
    """What the new key signs is taken, what the old one signed still is, and from then on the new one signs."""
    folder = tmp_path / "keys"
    before = init_keys(folder, now_s=NOW_S).signing[KeyUse.USER]
    keys = FolderKeys(folder, now_ms=now_ms)
    after = rotate_keys(folder, now_s=NOW_S, overlap_s=60).signing[KeyUse.USER]
    tokens = [
        issue_user_token(key, user_id=UserId("u"), token_id="j", now_s=NOW_S, life_s=60) for key in (before, after)
    ]
    assert [takes(keys, token) for token in tokens] == [True, False]
    await keys.look()
    assert [takes(keys, token) for token in tokens] == [True, True]
    signing = keys.signing(KeyUse.USER)
    assert signing is not None and signing.key_id == after.key_id


async def test_a_folder_that_cannot_be_read_leaves_the_present_keys(tmp_path: Path) -> None:
    """Nobody is locked out by a mistake on the disk."""
    folder = tmp_path / "keys"
    key = init_keys(folder, now_s=NOW_S).signing[KeyUse.USER]
    keys = FolderKeys(folder, now_ms=now_ms)
    (folder / "agent.pem").write_text("nothing")
    await keys.look()
    assert takes(keys, issue_user_token(key, user_id=UserId("u"), token_id="j", now_s=NOW_S, life_s=60))


async def test_an_issuers_keys_are_followed(tmp_path: Path) -> None:
    """A new key of theirs counts after a look; their audience is theirs; when they do not answer, the last keys stay."""
    init_keys(tmp_path / "keys", now_s=NOW_S)
    first, second = new_key(KeyUse.USER), new_key(KeyUse.USER)
    with serving() as site:
        keys = FolderKeys(tmp_path / "keys", now_ms=now_ms, issuer=Issuer(THEIRS, "poker", jwks_url=site.url))
        assert not takes(keys, their_token(first))
        assert site.asked == []  # no token makes us ask
        site.body = jwks(first)
        await keys.look()
        assert takes(keys, their_token(first)) and not takes(keys, their_token(first, "another-site"))
        assert not takes(keys, their_token(first, "railbird-user"))
        site.body = jwks(second)
        await keys.look()
        assert takes(keys, their_token(second)) and not takes(keys, their_token(first))
        assert keys.states() == {"issuer": True}
        site.status, site.body = 500, b"no"
        await keys.look()
    assert keys.states() == {"issuer": False}
    await keys.look()
    assert takes(keys, their_token(second))


async def test_nobody_is_followed_to_another_address(tmp_path: Path) -> None:
    """A redirect is no answer."""
    init_keys(tmp_path / "keys", now_s=NOW_S)
    key = new_key(KeyUse.USER)
    with serving() as other, serving() as site:
        other.body = jwks(key)
        site.status, site.location = 302, other.url
        keys = FolderKeys(tmp_path / "keys", now_ms=now_ms, issuer=Issuer(THEIRS, "poker", jwks_url=site.url))
        await keys.look()
        assert other.asked == [] and not takes(keys, their_token(key))
    with pytest.raises(OSError):
        await asyncio.to_thread(fetch, site.url)


def test_the_hosting_service_may_keep_its_own_key(tmp_path: Path) -> None:
    """Its public half is enough to verify; only with the private one this process signs. The folder's own counts for nothing then."""
    stored = init_keys(tmp_path / "keys", now_s=NOW_S)
    theirs = new_key(KeyUse.HOSTING)
    for name, pem, signs in (("public.pem", public_pem(theirs), False), ("private.pem", private_pem(theirs), True)):
        (tmp_path / name).write_bytes(pem)
        keys = FolderKeys(tmp_path / "keys", now_ms=now_ms, hosting=hosting_key(tmp_path / name))
        hosting = [key.key_id for key in keys.ring() if key.use is KeyUse.HOSTING]
        assert hosting == [theirs.key_id] != [stored.signing[KeyUse.HOSTING].key_id]
        signing = keys.signing(KeyUse.HOSTING)
        assert (None if signing is None else signing.key_id) == (theirs.key_id if signs else None)
        assert keys.signing(KeyUse.AGENT) is not None
    (tmp_path / "no.pem").write_text("no key")
    with pytest.raises(UnusableKey):
        hosting_key(tmp_path / "no.pem")
