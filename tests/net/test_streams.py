"""A stream tells nobody of others who listen to it: not by its numbers, nor by what can be resumed, nor by a session that is gone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Final

import pytest

from gameserver.errors import Refusal
from gameserver.identity.who import Identity, Nobody
from gameserver.net.encoding import FrameEncoder
from gameserver.net.sessions import Sessions
from gameserver.net.streams import Ring, StreamLimits
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.wire.messages import NumberedFrame
from policy.ids import Seat, UserId
from tests.net.recording import RecordingOutlet
from tests.net.serving import agent, chat, user
from tests.net.test_delivery import ACE_AT_0, Table, point
from tests.views.scene import TABLE

ABSENCE_MS: Final = 1_000
SHARED: Final[dict[str, tuple[Audience, Identity]]] = {
    "public": (PublicAudience(), Nobody()),
    "agents": (AgentsAudience(), agent("stray")),
}
SHARED_PAIRS: Final = tuple((identity, audience) for audience, identity in SHARED.values())
_NAME: Final = re.compile(rb"name-\d+[.\w=-]*")


def say(table: Table, *texts: str) -> None:
    """To both audiences that strangers share."""
    for text in texts:
        table.door.send_to_public(TABLE, [chat(text)])
        table.door.send_to_unseated_agents(TABLE, [chat(text)])


def bytes_of(outlet: RecordingOutlet) -> list[bytes]:
    """Without the names that are drawn by lot."""
    return [_NAME.sub(b"a name", payload) for payload in outlet.payloads]


def a_while(table: Table, ms: int = 0, *texts: str) -> None:
    table.clock.now_ms += ms
    say(table, *texts)


def comes_in(table: Table, audience: Audience, identity: Identity) -> RecordingOutlet:
    return table.join(audience, identity)[1]


def comes_back(away_ms: int, claims: int = 0) -> Callable[[Table, Audience, Identity], RecordingOutlet]:
    """After so long, with three frames missed, an old one and two new ones. `claims`: a number that it adds to its own."""

    def visit(table: Table, audience: Audience, identity: Identity) -> RecordingOutlet:
        connection, first = table.join(audience, identity)
        a_while(table, 10, "seen")
        table.door.unsubscribe(TABLE, connection)
        a_while(table, 0, "missed")
        a_while(table, away_ms, "missed, too", "and this")
        seq = first.messages[-1]["seq"]
        return table.join(audience, identity, point(first, max(0, seq + claims)))[1]

    return visit


VISITS: Final[dict[str, Callable[[Table, Audience, Identity], RecordingOutlet]]] = {
    "for the first time": comes_in,
    "back soon": comes_back(ABSENCE_MS - 1),
    "back late": comes_back(ABSENCE_MS + 1),
    "back late, having seen more than it did": comes_back(ABSENCE_MS + 1, claims=1),
    "back soon, having seen less than it did": comes_back(ABSENCE_MS - 1, claims=-2),
}


@pytest.mark.parametrize("visit", VISITS.values(), ids=VISITS)
@pytest.mark.parametrize("kind", SHARED)
def test_who_comes_back_learns_nothing_of_other_listeners(
    kind: str, visit: Callable[[Table, Audience, Identity], RecordingOutlet]
) -> None:
    """Byte for byte the same, whether nobody else ever listened, somebody did before, or somebody does all the time."""
    audience, identity = SHARED[kind]
    got: list[Sequence[bytes]] = []
    for others in ("none", "before", "always"):
        table = Table(StreamLimits(absence_ms=ABSENCE_MS))
        say(table, "a", "b")
        connection = None if others == "none" else table.join(audience, identity)[0]
        a_while(table, ABSENCE_MS // 2, "c", "d")
        if connection is not None and others == "before":
            table.door.unsubscribe(TABLE, connection)
        a_while(table, 2 * ABSENCE_MS, "e")
        a_while(table, 2 * ABSENCE_MS, "f")
        got.append(bytes_of(visit(table, audience, identity)))
    assert got[0] == got[1] == got[2]
    assert got[0]


@pytest.mark.parametrize("kind", SHARED)
def test_a_shared_stream_counts_from_the_beginning_of_its_table(kind: str) -> None:
    """Also where nobody listens, and after whoever listened was gone for a long time."""
    audience, identity = SHARED[kind]
    table = Table(StreamLimits(absence_ms=ABSENCE_MS))
    say(table, "a", "b", "c")
    connection, first = table.join(audience, identity)
    table.door.unsubscribe(TABLE, connection)
    a_while(table, 100 * ABSENCE_MS, "d")
    assert table.door.has_listeners(TABLE, audience)
    second = comes_in(table, audience, identity)
    assert [outlet.last("snapshot")["seq"] for outlet in (first, second)] == [3, 4]
    assert first.last("snapshot")["epoch"] == second.last("snapshot")["epoch"]


@pytest.mark.parametrize("kind", SHARED)
def test_a_shared_stream_that_is_ended_begins_anew(kind: str) -> None:
    """For who listened and for who comes; nothing of before can be resumed."""
    audience, identity = SHARED[kind]
    table = Table()
    connection, first = table.join(audience, identity)
    say(table, "a")
    table.door.end_stream(TABLE, audience)
    say(table, "b")
    assert first.kinds() == ["snapshot", "chat"]
    table.door.unsubscribe(TABLE, connection)
    _, again = table.join(audience, identity, point(first, 1))
    assert again.kinds() == ["resync", "snapshot"]
    assert again.last("snapshot")["seq"] == 1


def test_a_ring_gives_what_is_not_too_old() -> None:
    """All that was missed or nothing; what nobody missed is nothing to give, however old it is."""
    ring, frames = Ring(StreamLimits(absence_ms=ABSENCE_MS)), FrameEncoder()
    for seq, at_ms in enumerate((0, 10, ABSENCE_MS), 1):
        ring.put(seq, frames.encode(chat(str(seq))), at_ms)
    assert [len(ring.after(seq, ABSENCE_MS) or "?") for seq in (0, 1, 2)] == [3, 2, 1]
    assert [ring.after(seq, ABSENCE_MS + 1) is None for seq in (0, 1, 2)] == [True, False, False]
    assert [ring.after(seq, 2 * ABSENCE_MS + 1) for seq in (0, 1, 2, 3, 4)] == [None, None, None, [], None]


def test_a_ring_keeps_as_much_as_it_may() -> None:
    """Exactly so many frames, exactly so many bytes; and in an empty one nothing was missed."""
    frame = FrameEncoder().encode(chat("x"))
    size = sum(map(len, frame))
    assert Ring(StreamLimits()).after(0, 0) == []
    assert Ring(StreamLimits()).after(1, 0) is None
    for limits in (StreamLimits(ring_frames=2), StreamLimits(ring_bytes=2 * size)):
        ring = Ring(limits)
        for seq in (1, 2, 3):
            ring.put(seq, frame, 0)
            kept = min(seq, 2)
            assert len(ring.after(seq - kept, 0) or ()) == kept
        assert ring.after(0, 0) is None


def test_a_persons_stream_waits_as_long_as_they_may_be_away() -> None:
    """Counted from when their last connection was gone."""
    table = Table(StreamLimits(absence_ms=ABSENCE_MS))
    table.clock.now_ms = 5 * ABSENCE_MS
    anns = OwnerAudience(UserId("ann"))
    connection, _ = table.join(anns, user("ann"))
    table.door.unsubscribe(TABLE, connection)
    for away_ms, there in ((0, True), (ABSENCE_MS, True), (ABSENCE_MS + 1, False)):
        table.clock.now_ms = 5 * ABSENCE_MS + away_ms
        assert table.door.has_listeners(TABLE, anns) is there


def test_streams_of_a_table_have_their_frames_in_common() -> None:
    """What is the same for everybody is there once, however many streams keep it."""
    table = Table()
    table.join(ACE_AT_0, agent("ace"))
    frame: NumberedFrame = chat("x" * 1_000)
    table.door.send_to_public(TABLE, [frame])
    table.door.send_to_unseated_agents(TABLE, [frame])
    table.door.send_to_seat(TABLE, ACE_AT_0, [frame])
    kept = [stream._ring._frames[-1] for stream in table.door._tables[TABLE].streams.values()]
    assert len(kept) == 3
    assert len({id(pieces) for pieces in kept}) == 1


def test_no_session_is_lost_to_others() -> None:
    """However many are given out after it; and it is nobody else's, at no other table, and of no other audience."""
    lots = itertools.count(1)
    sessions = Sessions(lambda: f"lot{next(lots)}")
    mine = sessions.open(user("ann"), TABLE, PublicAudience())
    for _ in range(1_000):
        sessions.open(user("ben"), TABLE, PublicAudience())
    assert sessions.resumed(mine.name, user("ann"), TABLE, PublicAudience()) == mine
    assert sessions.resumed(mine.name, user("ann"), TABLE, OwnerAudience(UserId("ann"))) is None
    seat = sessions.open(agent("ace"), TABLE, ACE_AT_0)
    assert sessions.resumed(seat.name, agent("ace"), TABLE, SeatAudience(Seat(1), ACE_AT_0.occupant)) is None


def test_a_session_is_of_the_process_that_gave_it_out() -> None:
    """Another one has another key; and all names are of one length, whatever they are bound to."""
    ours, theirs = Sessions(lambda: "alot"), Sessions(lambda: "blot")
    bound: list[tuple[Identity, Audience]] = [(user("ann"), OwnerAudience(UserId("ann"))), (agent("ace"), ACE_AT_0)]
    for identity, audience in [*bound, *SHARED_PAIRS]:
        name = ours.open(identity, TABLE, audience).name
        ours.prove(name, identity, TABLE)
        assert list(map(len, name.split("."))) == [4, 16, 24]
        with pytest.raises(Refusal, match="there is no such session of yours"):
            theirs.prove(name, identity, TABLE)


@pytest.mark.parametrize(
    "change", [lambda n: n[:-1], lambda n: n + "A", lambda n: "x" + n, lambda n: n.replace(".", "")]
)
def test_a_session_that_was_changed_is_none(change: Callable[[str], str]) -> None:
    """Each of its three parts is under the seal."""
    lots = itertools.count(1)
    sessions = Sessions(lambda: f"lot{next(lots)}")
    name = sessions.open(user("ann"), TABLE, PublicAudience()).name
    lot, of_audience, seal = name.split(".")
    others = sessions.open(user("ann"), TABLE, AgentsAudience()).name.split(".")[1]
    for wrong in (
        change(name),
        f"{lot}.{others}.{seal}",
        f"{lot}2.{of_audience}.{seal}",
        "",
        ".",
        "..",
        "\u00e9.\u00e9.\u00e9",
    ):
        with pytest.raises(Refusal, match="resume_refused"):
            sessions.prove(wrong, user("ann"), TABLE)
