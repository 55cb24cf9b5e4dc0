"""What is said of the routes by which people come in and go."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.http.documents.description import Answer, Description, Descriptions, Who
from gameserver.http.rates import ATTEMPTS, SIGN_INS, TICKETS
from gameserver.http.sign_in import SignedIn, Ticket
from gameserver.identity.tickets import TICKET_LIFE_MS
from gameserver.token_bucket import Rate
from gameserver.wire.examples import NOW_MS


class Login(msgspec.Struct, frozen=True):
    """A user's token, where it is not in the `Authorization` header."""

    token: str


def _rate(rate: Rate) -> str:
    return f"{rate.per_second:g} a second and {rate.burst} at once"


PEOPLE: Final[Descriptions] = {
    "POST /login": Description(
        group="people",
        summary="Exchange a user's token for the site's session.",
        who=Who.ANYBODY,
        words=(
            "The token comes in the `Authorization` header or in the body. Another site's page is refused. "
            f"{_rate(SIGN_INS)} for one person; and {_rate(ATTEMPTS)} for one network address, with sign-in links."
        ),
        body=Login("USER_TOKEN"),
        body_required=False,
        answers=(Answer(200, "Signed in: the cookie is set.", SignedIn("olga", "CSRF_TOKEN", NOW_MS + 86_400_000)),),
        refusals=("bad_token", "not_allowed", "rate_limited"),
    ),
    "POST /logout": Description(
        group="people",
        summary="End the session.",
        who=Who.USER,
        answers=(Answer(204, "Signed out: the cookie is gone."),),
    ),
    "POST /stream-ticket": Description(
        group="people",
        summary="A ticket that opens one stream.",
        who=Who.USER,
        words=(
            "For browsers, which cannot set headers on a WebSocket or an event stream: `?ticket=` opens it once, within the "
            "time, and the stream lives as long as the credential that bought the ticket. "
            f"{_rate(TICKETS)} for one person."
        ),
        refusals=("rate_limited",),
        answers=(Answer(201, "A ticket.", Ticket("TICKET", TICKET_LIFE_MS)),),
    ),
    "GET /signin/{code}": Description(
        group="people",
        summary="Sign in by a link that works once.",
        who=Who.ANYBODY,
        words="A browser whose link is refused gets a page under the same status. `HEAD` is 405, and does not use the link up.",
        answers=(Answer(303, "Signed in: the cookie is set, and the lobby is next."),),
        refusals=("bad_token", "rate_limited"),
    ),
}
