"""What every code means to a client, in words: the text of the reference, complete by test_every_code_has_its_meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gameserver.errors import ErrorCode
from gameserver.wire.close_codes import CloseCode

ERROR_MEANINGS: Final[Mapping[ErrorCode, str]] = {
    ErrorCode.BINARY_FRAME: "A binary frame; messages are text frames.",
    ErrorCode.BAD_JSON: "Not exactly one JSON value. `NaN` and `Infinity` are not JSON.",
    ErrorCode.TOO_DEEP: "Arrays and objects nest too deep.",
    ErrorCode.DUPLICATE_KEY: "A key is there twice in one object.",
    ErrorCode.NOT_AN_OBJECT: "JSON, but not an object.",
    ErrorCode.UNKNOWN_TYPE: "`type` names no message of a client.",
    ErrorCode.UNKNOWN_FIELD: "A field that this message has not; also `amount` with an action that takes none.",
    ErrorCode.MISSING_FIELD: "A field that this message needs; also `amount` of a `bet` or `raise`.",
    ErrorCode.BAD_TYPE: "The wrong JSON type; also a whole number written with a point or an exponent, and null.",
    ErrorCode.BAD_VALUE: "Not a word of the closed list, or not of the form.",
    ErrorCode.OUT_OF_RANGE: "A number outside the bounds of the schema.",
    ErrorCode.BAD_TEXT: "A lone surrogate, a NUL, or nothing to see.",
    ErrorCode.TEXT_TOO_LONG: "A text above its limit, counted after NFC.",
    ErrorCode.NOT_ENTERED: "`enter` or `resume` comes first.",
    ErrorCode.ALREADY_ENTERED: "This connection has entered as somebody else.",
    ErrorCode.BAD_TOKEN: "The token proves nothing. Why is not told.",
    ErrorCode.RESUME_REFUSED: "No such session of yours.",
    ErrorCode.NOT_ALLOWED: "This kind of identity may not do that here.",
    ErrorCode.RATE_LIMITED: "Too many messages; `hello` names the limits.",
    ErrorCode.INTERNAL: "An error of ours. Nothing has changed.",
    ErrorCode.NOT_SEATED: "That needs a seat.",
    ErrorCode.STALE_TURN: "Not your own open turn. Where you have one, `turn` is it.",
    ErrorCode.ILLEGAL_ACTION: "Your turn, but this move is not among its `legalActions`.",
    ErrorCode.AMOUNT_OUT_OF_RANGE: "The move is legal, its amount is outside `chipRange`.",
    ErrorCode.NO_SUCH_SEAT: "The table has no seat of that number.",
    ErrorCode.SEAT_TAKEN: "Somebody sits there.",
    ErrorCode.TABLE_FULL: "No seat is free.",
    ErrorCode.TABLE_CLOSED: "The table deals no more.",
    ErrorCode.ALREADY_SEATED: "You have a seat at this table.",
    ErrorCode.OWNER_ALREADY_SEATED: "Another agent of your owner, or your owner, has a seat at this table.",
    ErrorCode.NAME_CONFLICT: "The name looks like one that is seated here.",
    ErrorCode.TABLE_KIND: "Agents sit at agent and mixed tables, people at human and mixed ones.",
    ErrorCode.SEAT_NEEDS_HOSTED_AGENT: "A table that reveals seats hosted agents only.",
    ErrorCode.SEAT_NEEDS_PLATFORM_MODEL: "A table that reveals seats agents on platform models only.",
    ErrorCode.BUY_IN_BELOW_MIN: "Less than the table's minimum.",
    ErrorCode.BUY_IN_ABOVE_MAX: "More than the table's maximum.",
    ErrorCode.RATHOLE: "You left with more a short while ago: come back with at least that.",
    ErrorCode.NO_CHIPS: "The bankroll is too small.",
    ErrorCode.NOTHING_TO_POST: "You owe no blind.",
    ErrorCode.STRADDLE_OFF: "This table has no straddle.",
    ErrorCode.WHISPER_REFUSED: "An owner cannot reach an agent that sits at a table that reveals.",
    ErrorCode.HAND_LIVE: "The hand is still in play.",
    ErrorCode.NOT_FOUND: "It is not there, or not yours.",
}


_MEND_THE_CLIENT: Final = "Mend the client; the same message is refused again."
_ENTER_FIRST: Final = "Enter, then ask again."
_TOKEN: Final = "Get another token."
_SLOW_DOWN: Final = "Wait a second, then ask again, and less often."
_LATER_AGAIN: Final = "Ask again later; it may pass."
_LOOK: Final = "Look at the newest state, then choose again."
_GO_ON: Final = "Go on: act at the next `your_turn`, or in the `turn` that comes with the error."
_NOT_HERE: Final = "Leave it: it cannot be had at this table."

ERROR_ADVICE: Final[Mapping[ErrorCode, str]] = {
    **dict.fromkeys(
        (
            *(ErrorCode.BINARY_FRAME, ErrorCode.BAD_JSON, ErrorCode.TOO_DEEP, ErrorCode.DUPLICATE_KEY),
            *(ErrorCode.NOT_AN_OBJECT, ErrorCode.UNKNOWN_TYPE, ErrorCode.UNKNOWN_FIELD, ErrorCode.MISSING_FIELD),
            *(ErrorCode.BAD_TYPE, ErrorCode.BAD_VALUE, ErrorCode.OUT_OF_RANGE, ErrorCode.BAD_TEXT),
            *(ErrorCode.TEXT_TOO_LONG, ErrorCode.ALREADY_ENTERED),
        ),
        _MEND_THE_CLIENT,
    ),
    ErrorCode.NOT_ENTERED: _ENTER_FIRST,
    ErrorCode.BAD_TOKEN: _TOKEN,
    ErrorCode.RESUME_REFUSED: "Connect again and `enter` anew.",
    ErrorCode.NOT_ALLOWED: _NOT_HERE,
    ErrorCode.RATE_LIMITED: _SLOW_DOWN,
    ErrorCode.INTERNAL: _LATER_AGAIN,
    ErrorCode.NOT_SEATED: "Sit first.",
    ErrorCode.STALE_TURN: _GO_ON,
    ErrorCode.ILLEGAL_ACTION: "Choose one of `legalActions` of the open turn; its clock runs on.",
    ErrorCode.AMOUNT_OUT_OF_RANGE: "Choose a total inside `chipRange` of the open turn; its clock runs on.",
    ErrorCode.NO_SUCH_SEAT: _LOOK,
    ErrorCode.SEAT_TAKEN: _LOOK,
    ErrorCode.TABLE_FULL: _LATER_AGAIN,
    ErrorCode.TABLE_CLOSED: _NOT_HERE,
    ErrorCode.ALREADY_SEATED: _LOOK,
    ErrorCode.OWNER_ALREADY_SEATED: _LATER_AGAIN,
    ErrorCode.NAME_CONFLICT: _LATER_AGAIN,
    ErrorCode.TABLE_KIND: _NOT_HERE,
    ErrorCode.SEAT_NEEDS_HOSTED_AGENT: _NOT_HERE,
    ErrorCode.SEAT_NEEDS_PLATFORM_MODEL: _NOT_HERE,
    ErrorCode.BUY_IN_BELOW_MIN: "Ask for at least `minBuyIn` of the rules.",
    ErrorCode.BUY_IN_ABOVE_MAX: "Ask for at most `maxBuyIn` of the rules, what is in the stack included.",
    ErrorCode.RATHOLE: "Buy in with at least what you left with, or come back later.",
    ErrorCode.NO_CHIPS: "Ask for less, or wait until the owner has chips again.",
    ErrorCode.NOTHING_TO_POST: _LOOK,
    ErrorCode.STRADDLE_OFF: _NOT_HERE,
    ErrorCode.WHISPER_REFUSED: "Leave the seat first.",
    ErrorCode.HAND_LIVE: "Ask again when the hand is over.",
    ErrorCode.NOT_FOUND: _NOT_HERE,
}
"""What a client does next."""


@dataclass(frozen=True, slots=True)
class CloseMeaning:
    """`reconnect`: what a client does next."""

    what: str
    reconnect: str


_AT_ONCE: Final = "yes, at once"
_LATER: Final = "yes, after a pause that grows"
_NO: Final = "no"
_MEND: Final = "no: mend the client"

CLOSE_MEANINGS: Final[Mapping[int, CloseMeaning]] = {
    1000: CloseMeaning("You asked for it.", _NO),
    CloseCode.GOING_AWAY: CloseMeaning("The server stops.", _LATER),
    1002: CloseMeaning("A frame broke the protocol.", _MEND),
    1003: CloseMeaning("A binary frame before anything else.", _MEND),
    1007: CloseMeaning("A text frame that is not UTF-8.", _MEND),
    1008: CloseMeaning("Too much that was refused.", _MEND),
    1009: CloseMeaning("A message above the limit of `hello`.", _MEND),
    CloseCode.INTERNAL: CloseMeaning("An error of ours.", _LATER),
    CloseCode.RESTART: CloseMeaning("The server restarts.", _LATER),
    CloseCode.BAD_MESSAGE: CloseMeaning("Too many messages that were refused.", _MEND),
    CloseCode.NOT_AUTHENTICATED: CloseMeaning("The token proves nothing.", "no: get another token first"),
    CloseCode.CREDENTIALS_EXPIRED: CloseMeaning(
        "What opened the connection has run out or was revoked.", "no: get a fresh token first"
    ),
    CloseCode.NOT_ALLOWED: CloseMeaning("This identity may not be here.", _NO),
    CloseCode.NO_SUCH_TABLE: CloseMeaning("There is no such table for you.", _NO),
    CloseCode.NOTHING_ENTERED: CloseMeaning("Neither `enter` nor `resume` in time.", _MEND),
    CloseCode.REPLACED: CloseMeaning("A newer connection of the same agent took over.", _NO),
    CloseCode.TABLE_CLOSED: CloseMeaning("The table is closed.", _NO),
    CloseCode.PROTOCOL_TOO_OLD: CloseMeaning("The server speaks a newer protocol.", "no: update the client"),
    CloseCode.TOO_MANY_MESSAGES: CloseMeaning("Too many messages.", _LATER),
    CloseCode.RESUME_REFUSED: CloseMeaning("No such session of yours.", "no: `enter` anew"),
    CloseCode.READS_TOO_SLOWLY: CloseMeaning("Frames piled up unread.", _AT_ONCE),
}
