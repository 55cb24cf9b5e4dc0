"""Tickets, sessions and sign-in links: secrets that stand for somebody for a while."""

from __future__ import annotations

import asyncio
import itertools
import secrets

import pytest

from gameserver.identity.admission import Revocations
from gameserver.identity.asker import Askers, credential_of_scope
from gameserver.identity.credentials import NoCredential, SessionCookie, StreamTicket, UserToken
from gameserver.identity.issue import issue_user_token
from gameserver.identity.keys import KeyUse
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.secrets_store import MemorySecrets
from gameserver.identity.sessions import (
    COOKIE,
    SESSION_LIFE_MS,
    OpenedSession,
    Session,
    Sessions,
    SignInLinks,
    clear_cookie,
    csrf_word,
    csrf_word_fits,
    session_name,
    set_cookie,
)
from gameserver.identity.tickets import TICKET_LIFE_MS, StreamTickets
from gameserver.identity.tokens import TokenRules
from gameserver.identity.verifier import TokenVerifier
from gameserver.identity.who import Nobody, UserIdentity
from policy.ids import UserId
from tests.identity.people import KEYS, NOW_S, RING

NOW_MS = NOW_S * 1_000
URSULA = UserId("ursula")


def store() -> MemorySecrets[object]:
    return MemorySecrets(new_secret=lambda: secrets.token_urlsafe(24))


def tickets() -> StreamTickets:
    return StreamTickets(MemorySecrets(new_secret=lambda: secrets.token_urlsafe(24)))


def sessions() -> Sessions:
    return Sessions(MemorySecrets(new_secret=lambda: secrets.token_urlsafe(24)))


async def test_a_store_does_not_hold_what_it_gave_out() -> None:
    """Digests only, and it does not print them."""
    kept = store()
    secret = await kept.put("value", expires_at_ms=NOW_MS + 1, now_ms=NOW_MS)
    assert secret.encode() not in b"".join(kept._kept)
    assert secret not in repr(kept)
    assert await kept.find(secret, now_ms=NOW_MS) == "value"
    assert await kept.find(secret, now_ms=NOW_MS + 1) is None
    for other in ("", "x", secret + "=", secret.swapcase(), "x" * 10_000, "\udcff"):
        assert await kept.find(other, now_ms=NOW_MS) is None


async def test_a_secret_is_taken_once() -> None:
    """Of many who ask at the same time, one gets it."""
    kept = store()
    secret = await kept.put("value", expires_at_ms=NOW_MS + 1, now_ms=NOW_MS)
    got = await asyncio.gather(*(kept.take(secret, now_ms=NOW_MS) for _ in range(5)))
    assert sorted(got, key=str) == [None, None, None, None, "value"]


async def test_one_holders_many_push_out_nobody_elses() -> None:
    """Whoever signs in again and again signs out their own oldest sessions, and nobody else."""
    kept: MemorySecrets[str] = MemorySecrets(
        new_secret=lambda: secrets.token_urlsafe(24), most=10, holder=lambda value: value.partition("-")[0], most_each=3
    )
    anns = await kept.put("ann-0", expires_at_ms=NOW_MS + 10, now_ms=NOW_MS)
    bobs = [await kept.put(f"bob-{n}", expires_at_ms=NOW_MS + 10, now_ms=NOW_MS) for n in range(50)]
    assert await kept.find(anns, now_ms=NOW_MS) == "ann-0"
    assert [await kept.find(each, now_ms=NOW_MS) for each in bobs[-4:]] == [None, "bob-47", "bob-48", "bob-49"]


async def test_a_store_is_bounded() -> None:
    """What has run out goes first, then the oldest."""
    numbers = itertools.count()
    kept: MemorySecrets[int] = MemorySecrets(new_secret=lambda: f"s{next(numbers)}", most=3)
    lives = {await kept.put(n, expires_at_ms=NOW_MS + n, now_ms=NOW_MS): n for n in (9, 1, 9)}
    assert list(lives) == ["s0", "s1", "s2"]
    await kept.put(4, expires_at_ms=NOW_MS + 9, now_ms=NOW_MS + 2)
    assert await kept.find("s0", now_ms=NOW_MS + 2) == 9
    await kept.put(5, expires_at_ms=NOW_MS + 9, now_ms=NOW_MS + 2)
    assert await kept.find("s0", now_ms=NOW_MS + 2) is None
    assert await kept.find("s4", now_ms=NOW_MS + 2) == 5


async def test_a_ticket_opens_once_and_lives_as_its_credential() -> None:
    """30 seconds, one use, and the identity that bought it with its own end."""
    sold = tickets()
    buyer = UserIdentity(URSULA, NOW_MS + 3_600_000, "j1")
    ticket = await sold.sell(buyer, now_ms=NOW_MS)
    assert await sold.take(ticket, now_ms=NOW_MS + TICKET_LIFE_MS - 1) == buyer
    for used in (ticket, "", "none-such"):
        with pytest.raises(TokenRefused) as refused:
            await sold.take(used, now_ms=NOW_MS)
        assert refused.value.reason is TokenReason.UNKNOWN_TICKET
    late = await sold.sell(buyer, now_ms=NOW_MS)
    with pytest.raises(TokenRefused):
        await sold.take(late, now_ms=NOW_MS + TICKET_LIFE_MS)


async def test_a_ticket_ends_with_what_bought_it() -> None:
    """A credential with two seconds left sells no thirty."""
    sold = tickets()
    ticket = await sold.sell(UserIdentity(URSULA, NOW_MS + 2_000, None), now_ms=NOW_MS)
    with pytest.raises(TokenRefused):
        await sold.take(ticket, now_ms=NOW_MS + 2_000)


async def test_a_session_ends_by_time_by_its_proof_and_by_signing_out() -> None:
    """And nobody else's ends with it."""
    site = sessions()
    opened = await site.open(URSULA, now_ms=NOW_MS)
    assert opened.session == Session(URSULA, NOW_MS + SESSION_LIFE_MS)
    assert await site.find(opened.cookie, now_ms=NOW_MS) == opened.session
    assert await site.find(opened.cookie, now_ms=NOW_MS + SESSION_LIFE_MS) is None
    short = await site.open(URSULA, now_ms=NOW_MS, until_ms=NOW_MS + 5)
    assert short.session.identity(short.cookie) == UserIdentity(URSULA, NOW_MS + 5, session_name(short.cookie))
    await site.end(opened.cookie, now_ms=NOW_MS)
    assert await site.find(opened.cookie, now_ms=NOW_MS) is None
    other = await site.open(UserId("umberto"), now_ms=NOW_MS)
    await site.end(short.cookie, now_ms=NOW_MS)
    assert await site.find(short.cookie, now_ms=NOW_MS) is None
    assert await site.find(other.cookie, now_ms=NOW_MS) is not None


async def test_a_sign_in_link_works_once() -> None:
    """Whoever comes second is told nothing."""
    links = SignInLinks(MemorySecrets(new_secret=lambda: secrets.token_urlsafe(24)))
    code = await links.make(URSULA, now_ms=NOW_MS, life_ms=1_000)
    assert await links.take(code, now_ms=NOW_MS + 999) == URSULA
    for gone in (code, await links.make(URSULA, now_ms=NOW_MS - 1_000, life_ms=1_000)):
        with pytest.raises(TokenRefused):
            await links.take(gone, now_ms=NOW_MS)


def test_the_word_of_a_page_goes_with_one_cookie() -> None:
    """It tells nothing of the cookie, and another session's word does not fit."""
    assert csrf_word_fits("cookie-1", csrf_word("cookie-1"))
    assert "cookie-1" not in csrf_word("cookie-1")
    for shown in (None, "", csrf_word("cookie-2"), csrf_word("cookie-1") + "=", "cookie-1", "\udcff"):
        assert not csrf_word_fits("cookie-1", shown)


def test_the_cookie_is_for_the_browser_alone() -> None:
    """No script reads it, another site does not send it, and it is for the place where we are mounted."""
    opened = OpenedSession(Session(URSULA, NOW_MS + 60_000), "value", "word")
    assert (
        set_cookie(opened, secure=True, path="/poker", now_ms=NOW_MS)
        == f"{COOKIE}=value; Path=/poker; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
    )
    assert clear_cookie(secure=False, path="") == f"{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
    assert "value" not in repr(opened) and "word" not in repr(opened)


async def test_each_credential_leads_to_its_user() -> None:
    """A token, a ticket, a cookie; nothing and an old cookie are nobody; a bad token or ticket is refused."""
    sold, site = tickets(), sessions()
    verifier = TokenVerifier(
        keys=lambda: RING,
        rules=TokenRules(),
        revocations=Revocations(),
        now_s=lambda: NOW_S,
        count=lambda reason: None,
    )
    askers = Askers(verifier=verifier, tickets=sold, sessions=site, now_ms=lambda: NOW_MS)
    token = issue_user_token(KEYS[KeyUse.USER], user_id=URSULA, token_id="j", now_s=NOW_S, life_s=60)
    me = UserIdentity(URSULA, (NOW_S + 90) * 1_000, "j")
    opened = await site.open(URSULA, now_ms=NOW_MS)
    assert await askers.identify(NoCredential()) == Nobody()
    assert await askers.identify(UserToken(token)) == me
    assert await askers.identify(StreamTicket(await sold.sell(me, now_ms=NOW_MS))) == me
    assert await askers.identify(SessionCookie(opened.cookie)) == opened.session.identity(opened.cookie)
    assert await askers.identify(SessionCookie("old")) == Nobody()
    for bad in (UserToken("x"), StreamTicket("x")):
        with pytest.raises(TokenRefused):
            await askers.identify(bad)


def scope(query: bytes = b"", *headers: tuple[bytes, bytes]) -> dict[str, object]:
    return {"type": "http", "headers": list(headers), "query_string": query}


def test_a_request_shows_its_credential() -> None:
    """In a header, in the address, in a cookie among others."""
    assert credential_of_scope(scope()) == NoCredential()
    assert credential_of_scope(scope(b"", (b"authorization", b"Bearer a.b"))) == UserToken("a.b")
    assert credential_of_scope(scope(b"a=1&token=a.b&x")) == UserToken("a.b")
    assert credential_of_scope(scope(b"ticket=t%2D1")) == StreamTicket("t-1")
    assert credential_of_scope(scope(b"", (b"cookie", b"a=b; railbird_session=s; c"))) == SessionCookie("s")
    assert credential_of_scope(scope(b"agentToken=a.b")) == NoCredential()


def test_of_two_cookies_neither_counts() -> None:
    """A neighbour on our host cannot put his in front of ours."""
    twice = (b"cookie", b"railbird_session=a; railbird_session=b")
    assert credential_of_scope(scope(b"", twice)) == NoCredential()


def test_two_tokens_and_endless_parameters_are_refused() -> None:
    """No mixture, and no work for who sends a thousand fields."""
    for query in (b"token=a&token=a", b"token=a&ticket=b", b"&".join(b"a=%d" % n for n in range(100))):
        with pytest.raises(TokenRefused):
            credential_of_scope(scope(query))
    with pytest.raises(TokenRefused):
        credential_of_scope(scope(b"token=a", (b"authorization", b"Bearer a")))
