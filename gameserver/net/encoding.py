"""Frames to bytes, once for everybody who gets the same.

A frame that goes to several audiences is one object, and is encoded once. The `game_state` of the audiences of one change differ
in their last fields only, so what they share is encoded once too, and the rest is put behind it
(test_a_shared_state_is_what_plain_encoding_gives).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from gameserver.wire.encode import encode, encode_unnumbered
from gameserver.wire.messages import GameState, NumberedFrame, SeatView

_REMEMBERED_FRAMES: Final = 64
_HEADS: Final[dict[type[NumberedFrame], bytes]] = {}
"""How the frames of each type begin, up to their number; learnt at the first one."""

Pieces: TypeAlias = tuple[bytes, ...]
"""A frame's bytes: what comes before its number, and what comes after it, in order."""


class _Own(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The fields of `GameState` that belong to one audience, under the same names and in the same order."""

    your_seat: int | UnsetType = UNSET
    your_hole_cards: list[str] | UnsetType = UNSET
    revealed_hole_cards: dict[str, list[str]] | UnsetType = UNSET


_encode_own: Final = msgspec.json.Encoder().encode


class FrameEncoder:
    """Encodes frames without their number. It keeps the last few, each with its frame, so that no other is taken for it."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[NumberedFrame, Pieces]] = {}
        self._shared_seats: list[SeatView] | None = None
        self._shared: Pieces = ()
        self._shared_without_end: Pieces = ()

    def encode(self, frame: NumberedFrame) -> Pieces:
        """The bytes of a frame, with its number left open. Raises `Unencodable`."""
        known = self._frames.get(id(frame))
        if known is not None:
            return known[1]
        if isinstance(frame, GameState):
            return self._game_state(frame)
        if len(self._frames) >= _REMEMBERED_FRAMES:
            self._frames.clear()
        encoded = _pieces(frame)
        self._frames[id(frame)] = (frame, encoded)
        return encoded

    def _game_state(self, state: GameState) -> Pieces:
        has_own = not (
            state.your_seat is UNSET and state.revealed_hole_cards is UNSET and state.your_hole_cards is UNSET
        )
        # One list of seats is one TableView, which builds all states of its change (test_states_are_built_in_one_place).
        if state.seats is not self._shared_seats:
            self._encode_shared(_without_own(state) if has_own else state)
        if not has_own:
            return self._shared
        own = _encode_own(_Own(state.your_seat, state.your_hole_cards, state.revealed_hole_cards))
        return *self._shared_without_end, own[1:]

    def _encode_shared(self, bare: GameState) -> None:
        head, tail = self._shared = _pieces(bare)
        self._shared_without_end = (head, tail[:-1] + b",")
        self._shared_seats = bare.seats


def numbered(pieces: Pieces, seq: int) -> bytes:
    """The whole frame as a stream's frame number `seq`."""
    return b"".join((pieces[0], b"%d" % seq, *pieces[1:]))


def _without_own(state: GameState) -> GameState:
    return msgspec.structs.replace(state, your_seat=UNSET, your_hole_cards=UNSET, revealed_hole_cards=UNSET)


def _pieces(frame: NumberedFrame) -> tuple[bytes, bytes]:
    head = _HEADS.get(type(frame))
    if head is None or frame.seq != 0:
        encoded = encode_unnumbered(frame)
        _HEADS[type(frame)] = encoded.head
        return encoded.head, encoded.tail
    return head, encode(frame)[len(head) + 1 :]
