"""Frames to bytes, once for everybody who gets the same.

A frame that goes to several audiences is one object, and is encoded once. The `game_state` of the audiences of one change differ
in their last fields only, so what they share is encoded once too, and the rest is put behind it
(test_a_shared_state_is_what_plain_encoding_gives).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from gameserver.wire.encode import Unnumbered, encode_unnumbered
from gameserver.wire.messages import GameState, NumberedFrame

_REMEMBERED_FRAMES: Final = 64
_OWN_FIELDS: Final = ("your_seat", "your_hole_cards", "revealed_hole_cards")
"""What the states of one change differ in: the last fields of the model."""


class _Own(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The fields of `GameState` that belong to one audience, under the same names and in the same order."""

    your_seat: int | UnsetType = UNSET
    your_hole_cards: list[str] | UnsetType = UNSET
    revealed_hole_cards: dict[str, list[str]] | UnsetType = UNSET


_shared_fields: Final[Callable[[GameState], tuple[object, ...]]] = attrgetter(
    *(name for name in GameState.__struct_fields__ if name not in _OWN_FIELDS)
)
_encode_own: Final = msgspec.json.Encoder().encode


class FrameEncoder:
    """Encodes frames without their number. It keeps the last few, each with its frame, so that no other is taken for it."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[NumberedFrame, Unnumbered]] = {}
        self._shared_key: tuple[object, ...] = ()
        self._shared: Unnumbered | None = None

    def encode(self, frame: NumberedFrame) -> Unnumbered:
        """The bytes of a frame, with its number left open. Raises `Unencodable`."""
        if isinstance(frame, GameState):
            return self._game_state(frame)
        known = self._frames.get(id(frame))
        if known is not None:
            return known[1]
        if len(self._frames) >= _REMEMBERED_FRAMES:
            self._frames.clear()
        encoded = encode_unnumbered(frame)
        self._frames[id(frame)] = (frame, encoded)
        return encoded

    def _game_state(self, state: GameState) -> Unnumbered:
        shared = self._shared_part(state)
        own = _encode_own(
            _Own(
                your_seat=state.your_seat,
                your_hole_cards=state.your_hole_cards,
                revealed_hole_cards=state.revealed_hole_cards,
            )
        )
        if len(own) == len(b"{}"):
            return shared
        return Unnumbered(shared.head, b"%b,%b" % (shared.tail[:-1], own[1:]))

    def _shared_part(self, state: GameState) -> Unnumbered:
        # Compared by value, and the parts of one change are the same objects, for which that is one step each.
        key = _shared_fields(state)
        if self._shared is None or key != self._shared_key:
            bare = msgspec.structs.replace(state, your_seat=UNSET, your_hole_cards=UNSET, revealed_hole_cards=UNSET)
            self._shared_key, self._shared = key, encode_unnumbered(bare)
        return self._shared
