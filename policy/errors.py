"""What can go wrong in the gates, in two families.

    PolicyError
    ├── PolicyRefusal    somebody asked for what they may not have: it has a code, and nothing has changed
    └── NotAGate         a function was registered as a gate without the form of one

`sealed.SealedError` stands alone: encoders and printers expect a TypeError.
A refusal is made of our own words: it repeats nothing that was asked with, since that may hold a token or a card.
"""

from __future__ import annotations

import enum


class RefusalCode(enum.StrEnum):
    """The closed list of codes that a gate refuses with. The words are the wire's."""

    SPECTATOR_REVEAL_NEEDS_AGENT_TABLE = "spectator_reveal_needs_agent_table"
    SPECTATOR_REVEAL_ONLY_NARROWS = "spectator_reveal_only_narrows"
    NOT_ALLOWED = "not_allowed"
    TABLE_KIND = "table_kind"
    SEAT_NEEDS_HOSTED_AGENT = "seat_needs_hosted_agent"
    SEAT_NEEDS_PLATFORM_MODEL = "seat_needs_platform_model"
    NAME_CONFLICT = "name_conflict"
    WHISPER_REFUSED = "whisper_refused"
    NOT_FOUND = "not_found"
    HAND_LIVE = "hand_live"
    BAD_TEXT = "bad_text"
    BAD_VALUE = "bad_value"
    TEXT_TOO_LONG = "text_too_long"


class PolicyError(Exception):
    """The root of everything that this package raises by itself, but for SealedError."""


class PolicyRefusal(PolicyError):
    """A gate refuses; nothing has changed."""

    def __init__(self, code: RefusalCode, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code
        self.why = why
        """For people; made of our own words only."""


class NotAGate(PolicyError, TypeError):
    """The function has not the form that makes a gate hard to pass by in error."""
