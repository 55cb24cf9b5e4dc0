"""What can go wrong at the table server, in two families.

    RailbirdError
    ├── Refusal      the sender's fault: it has a code of the closed list, and the state is as it was before
    └── Bug          ours: it is logged, and the sender learns `internal` only

A refusal never repeats what the sender sent: that may hold a token or a card.
"""

from __future__ import annotations

import enum


class ErrorCode(enum.StrEnum):
    """The closed list of codes in an `error` frame."""

    # Shape of the message
    BINARY_FRAME = "binary_frame"
    BAD_JSON = "bad_json"
    TOO_DEEP = "too_deep"
    DUPLICATE_KEY = "duplicate_key"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_FIELD = "unknown_field"
    MISSING_FIELD = "missing_field"
    BAD_TYPE = "bad_type"
    BAD_VALUE = "bad_value"
    OUT_OF_RANGE = "out_of_range"
    BAD_TEXT = "bad_text"
    TEXT_TOO_LONG = "text_too_long"
    # Connection
    NOT_ENTERED = "not_entered"
    ALREADY_ENTERED = "already_entered"
    BAD_TOKEN = "bad_token"
    RESUME_REFUSED = "resume_refused"
    NOT_ALLOWED = "not_allowed"
    RATE_LIMITED = "rate_limited"
    INTERNAL = "internal"
    # Table
    NOT_SEATED = "not_seated"
    STALE_TURN = "stale_turn"
    ILLEGAL_ACTION = "illegal_action"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    NO_SUCH_SEAT = "no_such_seat"
    SEAT_TAKEN = "seat_taken"
    TABLE_FULL = "table_full"
    TABLE_CLOSED = "table_closed"
    ALREADY_SEATED = "already_seated"
    OWNER_ALREADY_SEATED = "owner_already_seated"
    NAME_CONFLICT = "name_conflict"
    TABLE_KIND = "table_kind"
    SEAT_NEEDS_HOSTED_AGENT = "seat_needs_hosted_agent"
    SEAT_NEEDS_PLATFORM_MODEL = "seat_needs_platform_model"
    BUY_IN_BELOW_MIN = "buy_in_below_min"
    BUY_IN_ABOVE_MAX = "buy_in_above_max"
    RATHOLE = "rathole"
    NO_CHIPS = "no_chips"
    NOTHING_TO_POST = "nothing_to_post"
    STRADDLE_OFF = "straddle_off"
    WHISPER_REFUSED = "whisper_refused"
    HAND_LIVE = "hand_live"
    NOT_FOUND = "not_found"


class RailbirdError(Exception):
    """The root of everything that the table server raises by itself."""


class Refusal(RailbirdError):
    """A request is refused; nothing has changed."""

    def __init__(self, code: ErrorCode, why: str = "") -> None:
        super().__init__(f"{code}: {why}" if why else str(code))
        self.code = code
        self.why = why
        """For people; made of our own words and names only."""


class Bug(RailbirdError):
    """The server broke a rule of its own."""
