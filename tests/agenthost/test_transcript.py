"""What left in a turn is kept for its record: nothing of before, nothing of after, and no credential."""

from __future__ import annotations

import json

import msgspec
import pytest

from gameserver.wire import examples, fields
from gameserver.wire.messages import Action, ActionKind, AgentThoughtIn, ClientMessage, Enter, Resume, Sit
from gameserver.wire.shapes import SHAPES
from railbird.agenthost.transcript import Transcript

TOKEN = "eyJhbGciOi.secret.agent-token"
FOLD = Action(turn_id="turn-1", action=ActionKind.FOLD)


def text(message: ClientMessage) -> str:
    return msgspec.json.encode(message).decode()


def begun() -> tuple[Transcript, list[bytes]]:
    told: list[bytes] = []
    transcript = Transcript()
    transcript.begin(told.append)
    return transcript, told


def test_what_leaves_in_a_turn_is_kept_as_it_left() -> None:
    """Byte for byte and in order, and it is told the moment that it leaves."""
    transcript, told = begun()
    for message in (AgentThoughtIn(turn_id="turn-1", text='a "token" \\ '), FOLD):
        transcript.sent(text(message))
    assert told == [text(AgentThoughtIn(turn_id="turn-1", text='a "token" \\ ')).encode(), text(FOLD).encode()]
    assert transcript.drain() == tuple(told)


def test_no_token_is_in_a_transcript() -> None:
    """A mark stands in its place: a field that is gone reads as one that was not sent."""
    transcript, told = begun()
    transcript.sent(text(Enter(agent_token=TOKEN, request_id="7")))
    transcript.sent(text(Resume(session="ses-secret", last_seq=4, epoch="ep", agent_token=TOKEN)))
    kept = transcript.drain()
    assert b"secret" not in b"".join([*kept, *told])
    assert json.loads(kept[0]) == {
        "type": "enter",
        "requestId": "7",
        "agentToken": {"redacted": "drop", "rule": "agentToken"},
    }
    assert json.loads(kept[1])["session"] == {"redacted": "drop", "rule": "session"}
    assert json.loads(kept[1])["lastSeq"] == 4


def test_every_opaque_word_of_the_wire_is_redacted_or_known_to_be_none() -> None:
    """A credential that a message of tomorrow has is seen here."""
    opaque = {
        field.encode_name
        for shape in SHAPES.values()
        for field in msgspec.structs.fields(shape.model)
        if fields.OPAQUE in str(field.type)
    }
    assert opaque == {"agentToken", "session", "epoch", "turnId"}


def test_what_leaves_outside_of_a_turn_is_in_no_transcript() -> None:
    """Before the first one, and after it was drained."""
    transcript = Transcript()
    transcript.sent(text(Enter(agent_token=TOKEN)))
    transcript.sent(text(Sit(seat=1, buy_in=400)))
    transcript.begin(lambda message: None)
    transcript.sent(text(FOLD))
    assert transcript.drain() == (text(FOLD).encode(),)
    transcript.sent(text(Sit(seat=1, buy_in=400)))
    assert transcript.drain() == ()


def test_a_turn_that_was_not_drained_is_in_no_other() -> None:
    """A turn that failed before its record does not bleed into the next one."""
    transcript, _ = begun()
    transcript.sent(text(FOLD))
    transcript.begin(lambda message: None)
    transcript.sent(text(AgentThoughtIn(turn_id="turn-2", text="x")))
    assert [json.loads(message)["turnId"] for message in transcript.drain()] == ["turn-2"]


@pytest.mark.parametrize("message", examples.FROM_CLIENT, ids=lambda message: type(message).__name__)
def test_every_message_can_be_kept(message: ClientMessage) -> None:
    transcript, _ = begun()
    transcript.sent(text(message))
    (kept,) = transcript.drain()
    assert json.loads(kept)["type"] == json.loads(text(message))["type"]
