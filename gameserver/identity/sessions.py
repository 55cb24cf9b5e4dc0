"""People signed in at the site: a cookie that a script cannot read, and a second word that only our own pages know.

A browser sends the cookie along with whatever page makes it; so what changes anything also needs the second word, which the
page carries in itself (test_a_cookie_alone_changes_nothing). The word is made from the cookie and is not stored.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Final

from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.secrets_store import SecretStore
from gameserver.identity.who import UserIdentity
from policy.ids import UserId

COOKIE: Final = "railbird_session"
CSRF_HEADER: Final = "x-csrf-token"
SESSION_LIFE_MS: Final = 12 * 3_600_000
SIGN_IN_LIFE_MS: Final = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Session:
    """Who is signed in, and until when (Unix time). `proof_id`: the `jti` of the token that was shown for it."""

    user_id: UserId
    expires_at_ms: int
    proof_id: str | None = None

    def identity(self, cookie: str) -> UserIdentity:
        """As every other proof of a user gives it. It carries the session's name, so that signing out ends what it opened."""
        return UserIdentity(self.user_id, self.expires_at_ms, session_name(cookie), self.proof_id)


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """`cookie`: the value for the browser to keep. `csrf`: the word for the pages."""

    session: Session
    cookie: str = field(repr=False)
    csrf: str = field(repr=False)


class Sessions:
    """Opens, finds and ends sessions."""

    def __init__(self, store: SecretStore[Session]) -> None:
        self._store = store

    async def open(
        self, user_id: UserId, *, now_ms: int, until_ms: int | None = None, proof_id: str | None = None
    ) -> OpenedSession:
        """Sign somebody in who proved who they are; where the proof runs out, until then at the most (Unix time)."""
        ends_at_ms = now_ms + SESSION_LIFE_MS
        session = Session(user_id, ends_at_ms if until_ms is None else min(until_ms, ends_at_ms), proof_id)
        cookie = await self._store.put(session, expires_at_ms=session.expires_at_ms, now_ms=now_ms)
        return OpenedSession(session, cookie, csrf_word(cookie))

    async def find(self, cookie: str, *, now_ms: int) -> Session | None:
        """The session of a cookie; None where it is over, or was none."""
        return await self._store.find(cookie, now_ms=now_ms)

    async def end(self, cookie: str, *, now_ms: int) -> None:
        """Sign out. What is not there is signed out already."""
        await self._store.take(cookie, now_ms=now_ms)


class SignInLinks:
    """Codes for `/signin/{code}`: each signs one person in, once."""

    def __init__(self, store: SecretStore[UserId]) -> None:
        self._store = store

    async def make(self, user_id: UserId, *, now_ms: int, life_ms: int = SIGN_IN_LIFE_MS) -> str:
        """A code for this person. Whoever has it is this person, so it is handed to nobody else."""
        return await self._store.put(user_id, expires_at_ms=now_ms + life_ms, now_ms=now_ms)

    async def take(self, code: str, *, now_ms: int) -> UserId:
        """Whose code it is; once. Raises `TokenRefused`."""
        user_id = await self._store.take(code, now_ms=now_ms)
        if user_id is None:
            raise TokenRefused(TokenReason.UNKNOWN_TICKET)
        return user_id


def session_name(cookie: str) -> str:
    """What a session is called inside. Nobody can make the cookie of it."""
    return "session:" + hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def csrf_word(cookie: str) -> str:
    """The word that goes with a cookie. Who has the cookie can make it; who has the word cannot make the cookie."""
    digest = hmac.digest(cookie.encode("utf-8", "surrogatepass"), b"railbird csrf", hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:24]).decode("ascii")


def csrf_word_fits(cookie: str, shown: str | None) -> bool:
    """Whether a request that changes something comes from our own page. Compared in constant time."""
    word = csrf_word(cookie).encode("ascii")
    return hmac.compare_digest(word, (shown or "").encode("utf-8", "surrogatepass"))


def set_cookie(opened: OpenedSession, *, secure: bool, path: str, now_ms: int) -> str:
    """The `Set-Cookie` value. `secure`: the site is served by https. `path`: where the application is mounted."""
    seconds = max(0, (opened.session.expires_at_ms - now_ms) // 1_000)
    return _cookie(opened.cookie, seconds, secure, path)


def clear_cookie(*, secure: bool, path: str) -> str:
    """The `Set-Cookie` value that makes a browser forget the session."""
    return _cookie("", 0, secure, path)


def _cookie(value: str, seconds: int, secure: bool, path: str) -> str:
    parts = [f"{COOKIE}={value}", f"Path={path or '/'}", f"Max-Age={seconds}", "HttpOnly", "SameSite=Lax"]
    return "; ".join([*parts, "Secure"] if secure else parts)
