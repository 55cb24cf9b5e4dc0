"""The ids of events: believed by their MAC, in the stream that gave them out, and nowhere else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.net.batch import Batch
from gameserver.net.event_names import EventNames, Place
from gameserver.table.commands import PlayerId
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.wire.encode import encode
from gameserver.wire.messages import NumberedFrame, ServerMessage
from policy.ids import Seat, TableId, UserId
from tests.net.serving import chat

TABLE = TableId("t1")
NAMES = EventNames(b"k" * 22)
ANN = OwnerAudience(UserId("ann"))
AUDIENCES: list[Audience] = [
    PublicAudience(),
    AgentsAudience(),
    ANN,
    OwnerAudience(UserId("ben")),
    SeatAudience(Seat(0), PlayerId("agent:ann")),
    SeatAudience(Seat(1), PlayerId("agent:ann")),
    SeatAudience(Seat(0), PlayerId("user:ann")),
]
PLACE = Place("q7Yb2Lk9TzGf0sWc3Dn8Xw", 42)


@given(st.sampled_from(AUDIENCES), st.integers(min_value=0, max_value=10**17))
def test_an_id_names_its_own_place_and_no_other_streams(audience: Audience, seq: int) -> None:
    """Whatever the number."""
    place = Place(PLACE.epoch, seq)
    event_id = NAMES.name(TABLE, audience, place).decode()
    assert NAMES.place(event_id, TABLE, audience) == place
    assert all(NAMES.place(event_id, TABLE, other) is None for other in AUDIENCES if other != audience)
    assert NAMES.place(event_id, TableId("t2"), audience) is None
    assert EventNames(b"another key").place(event_id, TABLE, audience) is None


def test_a_change_of_any_character_makes_it_no_id() -> None:
    """One letter put in, left out or changed."""
    event_id = NAMES.name(TABLE, ANN, PLACE).decode()
    for at in range(len(event_id)):
        for other in ("", "A", "1", ".", "\n", event_id[at] * 2):
            changed = event_id[:at] + other + event_id[at + 1 :]
            assert changed == event_id or NAMES.place(changed, TABLE, ANN) is None
    assert NAMES.place(event_id + "\n", TABLE, ANN) is None


@given(st.text(max_size=300))
def test_what_we_did_not_give_out_is_no_place(text: str) -> None:
    """Any text at all, and no fault of ours."""
    assert NAMES.place(text, TABLE, PublicAudience()) is None


def test_an_id_tells_nothing_of_a_person() -> None:
    """Its stream's kind, the epoch, the number and the MAC; one line of plain characters."""
    event_id = NAMES.name(TABLE, ANN, PLACE).decode()
    assert re.fullmatch(r"owner\.q7Yb2Lk9TzGf0sWc3Dn8Xw\.42\.[A-Za-z0-9_-]{16}", event_id)


@pytest.mark.parametrize("of_seq", [True, False])
def test_a_batch_is_the_same_messages_in_each_form(of_seq: bool) -> None:
    """Named by type, with an id where there is a number; the chunk says its size."""
    payloads = [encode(chat(text)) for text in ("a", "b\n")]
    batch = Batch(payloads, (lambda index: b"id-%d" % index)) if of_seq else Batch(payloads)
    lines = [b"id: id-%d\n" % index if of_seq else b"" for index in range(2)]
    assert batch.event_bytes == b"".join(
        b"event: chat\n%bdata: %b\n\n" % (line, payload) for line, payload in zip(lines, payloads, strict=True)
    )
    size, _, rest = batch.event_chunk.partition(b"\r\n")
    assert int(size, 16) == len(batch.event_bytes) and rest == batch.event_bytes + b"\r\n"


def test_every_message_of_the_server_begins_with_its_type() -> None:
    """By which its event is named."""
    for frame_type in NumberedFrame.__args__:
        tag = frame_type.__struct_config__.tag
        assert isinstance(tag, str) and issubclass(frame_type, ServerMessage)
    assert encode(chat("x")).startswith(b'{"type":"chat",')
