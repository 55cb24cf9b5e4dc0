"""Why a credential is refused. Outside, every refusal of a token is `bad_token` and looks the same; the reason is a word of
this closed list, for tests and counters, and holds nothing of the token (test_every_refusal_looks_the_same_outside).
"""

from __future__ import annotations

import enum

from gameserver.errors import ErrorCode, Refusal


class TokenReason(enum.StrEnum):
    """What was wrong with a token, or with how it was shown."""

    NOT_ONE_CREDENTIAL = "not_one_credential"
    """Two at a time, or a header that is not `Bearer` and one token."""
    TOO_LONG = "too_long"
    NOT_COMPACT = "not_compact"
    """Not three parts of canonical base64url."""
    BAD_HEADER = "bad_header"
    """No JSON object, a key twice, a parameter that we do not know, or one of the wrong type."""
    UNKNOWN_KEY = "unknown_key"
    """No `kid`, one that we do not have, or a key that is for another use."""
    WRONG_ALGORITHM = "wrong_algorithm"
    BAD_SIGNATURE = "bad_signature"
    BAD_CLAIMS = "bad_claims"
    """No JSON object, a key twice, a claim that is missing, of the wrong type or not written as it must be."""
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_ISSUER = "wrong_issuer"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    LIVES_TOO_LONG = "lives_too_long"
    NOT_HOSTED_BY_THIS_KEY = "not_hosted_by_this_key"
    """`hosted` by another key than the hosting service's, or this one's token without it."""
    REVOKED = "revoked"
    UNKNOWN_TICKET = "unknown_ticket"
    """A ticket, a session or a sign-in code that is not there, was used, or has run out."""
    NOT_REGISTERED = "not_registered"
    """No such agent, another owner, or no such version."""


class TokenRefused(Refusal):
    """A token proves nothing."""

    def __init__(self, reason: TokenReason) -> None:
        super().__init__(ErrorCode.BAD_TOKEN)
        self.reason = reason
