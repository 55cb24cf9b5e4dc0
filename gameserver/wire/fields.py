"""The kinds of field that a client may fill in, and how large they may be.

A kind is a type with its bounds; `decode` enforces them, and the schemas and the reference tell them. What a value *means*
(whether there is such a seat, whether a turn is open) is the table's to say: such fields have no bounds here on purpose, so
that a wrong one gets the table's own code and not a code of the shape (test_what_the_table_decides_has_no_bounds_here).
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from policy import name_policy

MAX_INBOUND_BYTES: Final = 16 * 1024
MAX_INBOUND_BYTES_BEFORE_ENTER: Final = 4 * 1024
MAX_INBOUND_DEPTH: Final = 8

MAX_CHAT_CHARACTERS: Final = 500
MAX_NOTE_CHARACTERS: Final = 2_000
MAX_THOUGHT_CHARACTERS: Final = 8_000
MAX_THOUGHT_BYTES: Final = 12_000
MAX_NAME_CHARACTERS: Final = name_policy.MOST_CHARACTERS
MAX_CHIPS: Final = 1_000_000_000
MAX_SAFE_WHOLE: Final = 2**53
"""Beyond it JavaScript's numbers are not exact."""

KIND: Final = "kind"
"""The key of `Meta.extra` that names how `decode` reads a string."""
OPAQUE: Final = "opaque"
SPOKEN: Final = "spoken"
UNSPOKEN: Final = "unspoken"
MAX_CHARACTERS: Final = "max_characters"
MAX_BYTES: Final = "max_bytes"


RequestId = Annotated[
    str,
    Meta(
        pattern="^[ -~]{1,64}$",
        description="The sender's own name for this request: 1 to 64 printable ASCII characters.",
    ),
]

Chips = Annotated[int, Meta(ge=1, le=MAX_CHIPS, description="Play chips.")]

SeatNumber = Annotated[
    int,
    Meta(
        ge=-MAX_SAFE_WHOLE,
        le=MAX_SAFE_WHOLE,
        description="A seat, counted from 0. One that the table has not is refused with `no_such_seat`.",
    ),
]

Sequence = Annotated[int, Meta(ge=0, le=MAX_SAFE_WHOLE, description="A frame's number in its stream.")]

OpaqueText = Annotated[
    str,
    Meta(
        description="A word that the server gave out; send it back as it is. No lone surrogate and no NUL.",
        extra={KIND: OPAQUE},
    ),
]

ChatText = Annotated[
    str,
    Meta(
        description="Something to see, at most 500 characters after NFC. No lone surrogate and no NUL.",
        extra={KIND: SPOKEN, MAX_CHARACTERS: MAX_CHAT_CHARACTERS, MAX_BYTES: None},
        extra_json_schema={"maxLength": MAX_CHAT_CHARACTERS},
    ),
]

ThoughtText = Annotated[
    str,
    Meta(
        description=(
            "Reasoning in words: at most 8000 characters after NFC and 12000 bytes of UTF-8. No lone surrogate and no NUL."
        ),
        extra={KIND: UNSPOKEN, MAX_CHARACTERS: MAX_THOUGHT_CHARACTERS, MAX_BYTES: MAX_THOUGHT_BYTES},
        extra_json_schema={"maxLength": MAX_THOUGHT_CHARACTERS},
    ),
]

Echo = Annotated[
    str,
    Meta(
        description="Comes back in `pong`: at most 64 characters. No lone surrogate and no NUL.",
        extra={KIND: UNSPOKEN, MAX_CHARACTERS: 64, MAX_BYTES: None},
        extra_json_schema={"maxLength": 64},
    ),
]
