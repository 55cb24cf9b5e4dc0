"""Which one credential a request shows."""

from __future__ import annotations

import pytest

from gameserver.identity.credentials import NoCredential, SessionCookie, StreamTicket, UserToken, user_credential
from gameserver.identity.refusals import TokenReason, TokenRefused


def test_each_place_is_read() -> None:
    """Header, address, cookie, nothing."""
    none: dict[str, list[str]] = {"authorization": [], "tokens": [], "tickets": []}
    assert user_credential(**none, cookie=None) == NoCredential()
    assert user_credential(**none, cookie="c") == SessionCookie("c")
    assert user_credential(**{**none, "authorization": ["Bearer a.b.c"]}, cookie=None) == UserToken("a.b.c")
    assert user_credential(**{**none, "authorization": ["bearer a.b.c"]}, cookie=None) == UserToken("a.b.c")
    assert user_credential(**{**none, "tokens": ["a.b.c"]}, cookie=None) == UserToken("a.b.c")
    assert user_credential(**{**none, "tickets": ["t"]}, cookie=None) == StreamTicket("t")


def test_what_is_shown_on_purpose_comes_before_the_cookie() -> None:
    """A browser sends its cookie along with a ticket: the ticket is who it is, and the cookie adds nothing."""
    assert user_credential(authorization=[], tokens=[], tickets=["t"], cookie="c") == StreamTicket("t")


@pytest.mark.parametrize(
    ("authorization", "tokens", "tickets"),
    [
        (["Bearer a"], ["b"], []),
        (["Bearer a"], ["a"], []),
        (["Bearer a"], [], ["t"]),
        ([], ["a"], ["t"]),
        ([], ["a", "a"], []),
        ([], [], ["t", "t"]),
        (["Bearer a", "Bearer a"], [], []),
        (["Bearer a, Bearer a"], [], []),
        (["Basic YTpi"], [], []),
        (["Bearer"], [], []),
        (["Bearer  a"], [], []),
        (["a.b.c"], [], []),
        (["Bearer a\n"], [], []),
    ],
)
def test_two_credentials_are_refused(authorization: list[str], tokens: list[str], tickets: list[str]) -> None:
    """Also twice the same one, and a header of another scheme: nobody is judged by a mixture."""
    with pytest.raises(TokenRefused) as refused:
        user_credential(authorization=authorization, tokens=tokens, tickets=tickets, cookie=None)
    assert refused.value.reason is TokenReason.NOT_ONE_CREDENTIAL


def test_a_credential_does_not_print() -> None:
    """No repr holds it, so no log and no traceback does."""
    assert "MARKER" not in f"{UserToken('MARKER')!r} {StreamTicket('MARKER')!r} {SessionCookie('MARKER')!r}"
