"""Encoded once, and the same bytes as plain encoding gives."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from msgspec import UNSET
from websockets.frames import Frame, Opcode

from gameserver.net.batch import Batch, text_frame
from gameserver.net.encoding import FrameEncoder, numbered
from gameserver.wire.encode import encode
from gameserver.wire.messages import GameState
from tests.net.serving import chat
from tests.views import scene
from tests.views.test_change import CHECKED, ONE_OF_EACH, VIEWS, change


def test_a_shared_state_is_what_plain_encoding_gives() -> None:
    """For every audience, over changes that differ in one field, with and without own fields, in any order."""
    states = [
        scene.table(scene.live_hand()),
        scene.table(scene.live_hand(turn=scene.open_turn())),
        scene.table(scene.live_hand(), reveal=scene.OPEN_HANDS),
        scene.table(None, recent=(scene.result(),), last_cards=scene.finished_cards()),
        scene.table(None),
    ]
    encoder = FrameEncoder()
    frames = [frame for state in states for draw in VIEWS.values() for frame in draw(change(state, CHECKED))]
    for seq, frame in enumerate(itertools.chain(frames, reversed(frames))):
        assert numbered(encoder.encode(frame), seq) == encode(msgspec.structs.replace(frame, seq=seq))


def test_the_own_fields_come_last_in_the_model() -> None:
    """What is put behind the shared part has its place there."""
    assert GameState.__struct_fields__[-3:] == ("your_seat", "your_hole_cards", "revealed_hole_cards")


def test_a_state_without_own_fields_does_not_keep_those_of_the_one_before() -> None:
    """The shared part holds nobody's cards."""
    encoder = FrameEncoder()
    now = change(scene.table(scene.live_hand()), CHECKED)
    seat, public = VIEWS["seat 0"](now)[-1], VIEWS["public"](now)[-1]
    assert b'"As"' in numbered(encoder.encode(seat), 1)
    assert b'"As"' not in numbered(encoder.encode(public), 1)
    assert isinstance(public, GameState) and public.your_seat is UNSET


@pytest.mark.parametrize(("fact", "_frame"), ONE_OF_EACH.values(), ids=lambda value: type(value).__name__)
def test_every_frame_of_a_fact_is_what_plain_encoding_gives(fact: object, _frame: str | None) -> None:
    encoder = FrameEncoder()
    for frame in change(scene.table(scene.live_hand()), fact).public():  # type: ignore[arg-type]
        for seq in (1, 10, 2**53):
            assert numbered(encoder.encode(frame), seq) == encode(msgspec.structs.replace(frame, seq=seq))


def test_a_frame_is_encoded_once_and_another_is_not_taken_for_it() -> None:
    """Also when more frames came between than are remembered."""
    encoder, first = FrameEncoder(), chat("first")
    encoded = encoder.encode(first)
    assert encoder.encode(first) is encoded
    for n in range(500):
        text = f"frame {n}"
        assert text.encode() in numbered(encoder.encode(chat(text)), n)
    assert numbered(encoder.encode(first), 1) == numbered(encoded, 1)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 70000])
def test_a_ready_frame_is_what_websockets_would_write(size: int) -> None:
    assert text_frame(b"x" * size) == Frame(Opcode.TEXT, b"x" * size).serialize(mask=False)
    batch = Batch([b"x" * size, b"y"])
    assert batch.websocket_bytes == text_frame(b"x" * size) + text_frame(b"y")
    assert batch.size_bytes == size + 1
