"""The door without a socket: numbering, resume, addresses, broken and slow connections, the tripwire."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from gameserver.errors import Bug
from gameserver.floor.ports import Connection, Door, ResumePoint
from gameserver.identity.who import Identity, Nobody
from gameserver.net.delivery import Delivery
from gameserver.net.outlet import Outcome
from gameserver.net.streams import StreamLimits
from gameserver.table.commands import PlayerId
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.change import Change
from gameserver.views.snapshot import snapshot
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import NumberedFrame, Snapshot
from policy.ids import Seat, TableId, UserId
from tests.net.recording import RecordingOutlet, recorded
from tests.net.serving import agent, chat, user
from tests.views import scene
from tests.views.scene import ANN, BEN, NOW, TABLE
from tests.views.test_change import CHECKED

PUBLIC, AGENTS, ANNS = PublicAudience(), AgentsAudience(), OwnerAudience(ANN)
ACE_AT_0 = SeatAudience(Seat(0), PlayerId("agent:ace"))
BEE_AT_2 = SeatAudience(Seat(2), PlayerId("agent:bee"))


@dataclass
class Clock:
    now_ms: int = 0

    def monotonic_ms(self) -> int:
        return self.now_ms

    def wall_ms(self) -> int:
        return self.now_ms


@dataclass
class Table:
    """One table and its door."""

    limits: StreamLimits = StreamLimits()  # noqa: RUF009 - frozen
    state: TableState = field(default_factory=lambda: scene.table(scene.live_hand()))
    clock: Clock = field(default_factory=Clock)
    chances: Iterator[float] = field(default_factory=lambda: itertools.cycle((0.5, 0.0, 0.75)))

    def __post_init__(self) -> None:
        names = map(str, itertools.count(1))
        self.door = Delivery(
            new_name=lambda: f"name-{next(names)}",
            clock=self.clock,
            limits=self.limits,
            chance=lambda: next(self.chances),
        )
        self.door.open_table(TABLE, lambda: self.state)
        self.connections = map(str, itertools.count(1))

    def snapshot(self, audience: Audience) -> Callable[[], Snapshot]:
        return lambda: snapshot(audience, TABLE, self.state, NOW)

    def join(
        self, audience: Audience = PUBLIC, identity: Identity | None = None, resume: ResumePoint | None = None
    ) -> tuple[Connection, RecordingOutlet]:
        connection, outlet = recorded(next(self.connections), identity)
        self.door.subscribe(TABLE, audience, connection, self.snapshot(audience), resume)
        return connection, outlet

    def say(self, *texts: str) -> None:
        self.door.send_to_public(TABLE, [chat(text) for text in texts])


def seqs(outlet: RecordingOutlet) -> list[int]:
    return [message["seq"] for message in outlet.messages if message["type"] not in ("snapshot", "resumed", "resync")]


def texts(outlet: RecordingOutlet) -> list[str]:
    return [message["text"] for message in outlet.messages if message["type"] == "chat"]


def point(outlet: RecordingOutlet, seq: int) -> ResumePoint:
    first = outlet.last("snapshot")
    return ResumePoint(first["session"], first["epoch"], seq)


def test_the_door_is_the_floors_door() -> None:
    """The type checker agrees to this assignment."""
    door: Door = Table().door
    assert door is not None


def test_a_stream_counts_without_gaps_from_its_snapshot() -> None:
    """A snapshot's `seq` is the last frame that it includes; the next frame is the next number."""
    table = Table()
    _, first = table.join()
    table.say("a", "b")
    _, second = table.join()
    table.say("c")
    assert (first.last("snapshot")["seq"], seqs(first)) == (0, [1, 2, 3])
    assert (second.last("snapshot")["seq"], seqs(second)) == (2, [3])
    assert first.last("snapshot")["epoch"] == second.last("snapshot")["epoch"]
    assert first.last("snapshot")["session"] != second.last("snapshot")["session"]


def test_streams_number_by_themselves() -> None:
    """What one audience gets shows in no other's numbers."""
    table = Table()
    _, public = table.join()
    _, agents = table.join(AGENTS, agent("stray"))
    _, owner = table.join(ANNS, user("ann"))
    table.say("a")
    table.door.send_to_user(ANN, TABLE, [chat("for ann"), chat("for ann")])
    table.door.send_to_unseated_agents(TABLE, [chat("for agents")])
    assert (seqs(public), seqs(owner), seqs(agents)) == ([1], [1, 2], [1])
    assert (texts(public), texts(owner), texts(agents)) == (["a"], ["for ann"] * 2, ["for agents"])


def test_routing_primitive() -> None:
    """What is sent to a user reaches every connection of that user that carries their owner's stream, and nobody else's."""
    table = Table()
    outlets = {
        "ann 1": table.join(ANNS, user("ann"))[1],
        "ann 2": table.join(ANNS, user("ann"))[1],
        "ben": table.join(OwnerAudience(BEN), user("ben"))[1],
        "spectator": table.join()[1],
        "ace": table.join(ACE_AT_0, agent("ace", owner="ann"))[1],
        "stray": table.join(AGENTS, agent("stray", owner="ann"))[1],
    }
    table.door.send_to_user(ANN, TABLE, [chat("a thought")])
    table.door.send_to_user(ANN, TableId("another"), [chat("elsewhere")])
    table.door.send_to_user(UserId("nobody"), TABLE, [chat("to nobody")])
    assert {name for name, outlet in outlets.items() if texts(outlet)} == {"ann 1", "ann 2"}
    assert texts(outlets["ann 1"]) == ["a thought"]


@pytest.mark.parametrize(
    ("audience", "identity"),
    [
        (PUBLIC, agent("ace")),
        (AGENTS, user("ann")),
        (AGENTS, Nobody()),
        (ANNS, user("ben")),
        (ANNS, Nobody()),
        (ANNS, agent("ace", owner="ann")),
        (ANNS, agent("ann")),
        (ACE_AT_0, agent("bee")),
        (ACE_AT_0, user("ace")),
        (ACE_AT_0, Nobody()),
    ],
)
def test_a_connection_is_put_into_no_stream_that_is_not_its_own(audience: Audience, identity: Identity) -> None:
    """Whoever asks for it: it gets nothing and is closed."""
    table = Table()
    _, outlet = table.join(audience, identity)
    table.say("a")
    assert (outlet.payloads, outlet.closes) == ([], [(4403, "not allowed")])


# --- resume -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last_seq", [0, 1, 2, 3])
def test_resume_gives_exactly_what_was_missed(last_seq: int) -> None:
    """Each later frame once, in order, the same bytes; then the stream goes on."""
    table = Table()
    connection, first = table.join()
    table.say("a", "b")
    table.door.unsubscribe(TABLE, connection)
    table.say("c")
    _, again = table.join(resume=point(first, last_seq))
    table.say("d")
    assert again.kinds()[0] == "resumed" and "snapshot" not in again.kinds()
    assert again.last("resumed")["seq"] == 3
    assert again.last("resumed")["session"] == first.last("snapshot")["session"]
    assert texts(again) == ["a", "b", "c", "d"][last_seq:]
    assert again.payloads[1 : 3 - last_seq] == first.payloads[1 + last_seq : 3]


def test_what_cannot_be_replayed_is_a_resync_and_a_snapshot() -> None:
    """A ring that overran (by number or by bytes), another epoch, a number that is yet to come."""
    for limits in (StreamLimits(ring_frames=2), StreamLimits(ring_bytes=150)):
        table = Table(limits)
        _, first = table.join()
        table.say("a", "b", "c", "d")
        epoch = first.last("snapshot")["epoch"]
        for resume in (point(first, 1), point(first, 5), msgspec_point(point(first, 4), "another")):
            _, again = table.join(resume=resume)
            assert again.kinds() == ["resync", "snapshot"]
            assert (again.last("snapshot")["seq"], again.last("snapshot")["epoch"]) == (4, epoch)
        _, exact = table.join(resume=point(first, 3))
        assert exact.kinds() == ["resumed", "chat"]


def msgspec_point(resume: ResumePoint, epoch: str) -> ResumePoint:
    return ResumePoint(resume.session, epoch, resume.last_seq)


def test_an_unknown_session_and_somebody_elses_look_alike() -> None:
    """The same error, the same close, whoever asks."""
    table = Table()
    _, ann = table.join(ANNS, user("ann"))
    _, ace = table.join(ACE_AT_0, agent("ace"))
    _, sold = table.join(ACE_AT_0, agent("ace", owner="a-new-owner"), point(ace, 0))
    _, other = table.join(OwnerAudience(BEN), user("ben"), point(ann, 0))
    _, nobody = table.join(PUBLIC, None, point(ann, 0))
    _, namesake = table.join(AGENTS, agent("ann"), point(ann, 0))
    _, unknown = table.join(OwnerAudience(BEN), user("ben"), ResumePoint("no-such", "x", 0))
    for outlet in (sold, other, nobody, namesake, unknown):
        assert outlet.payloads == unknown.payloads
        assert outlet.messages[0]["code"] == "resume_refused" and len(outlet.messages) == 1
        assert outlet.closes == [(4440, "resume refused")]


def test_a_session_of_another_audience_of_ones_own_is_a_resync() -> None:
    """An agent that lost its seat meanwhile gets the stream that is its own now, and nothing of the seat's."""
    table = Table()
    connection, seated = table.join(ACE_AT_0, agent("ace"))
    table.door.unsubscribe(TABLE, connection)
    table.door.send_to_seat(TABLE, ACE_AT_0, [chat("for the seat")])
    _, again = table.join(AGENTS, agent("ace"), point(seated, 0))
    assert again.kinds() == ["resync", "snapshot"]
    assert again.last("snapshot")["session"] != seated.last("snapshot")["session"]


def test_a_change_of_audience_sends_a_snapshot_under_another_epoch() -> None:
    """And from then on the connection is in the new stream only."""
    table = Table()
    connection, outlet = table.join(AGENTS, agent("ace"))
    table.door.subscribe(TABLE, ACE_AT_0, connection, table.snapshot(ACE_AT_0), None)
    table.door.send_to_unseated_agents(TABLE, [chat("for agents")])
    table.door.send_to_seat(TABLE, ACE_AT_0, [chat("for the seat")])
    assert outlet.kinds() == ["snapshot", "snapshot", "chat"]
    before, after = outlet.messages[0], outlet.messages[1]
    assert before["epoch"] != after["epoch"] and texts(outlet) == ["for the seat"]


def test_the_next_occupant_of_a_seat_has_another_stream() -> None:
    """Nothing of the one before can be resumed."""
    table = Table()
    connection, ace = table.join(ACE_AT_0, agent("ace"))
    table.door.send_to_seat(TABLE, ACE_AT_0, [chat("for ace")])
    table.door.end_stream(TABLE, ACE_AT_0)
    table.door.send_to_seat(TABLE, ACE_AT_0, [chat("nobody is there")])
    table.door.unsubscribe(TABLE, connection)
    _, back = table.join(ACE_AT_0, agent("ace"), point(ace, 0))
    assert back.kinds() == ["resync", "snapshot"] and texts(ace) == ["for ace"]


def test_a_new_epoch_gives_everybody_a_snapshot_and_forgets_what_was() -> None:
    """As when a reveal is switched off."""
    table = Table()
    _, outlet = table.join()
    table.say("a")
    table.door.renew_stream(TABLE, PUBLIC)
    table.say("b")
    first, second = (message for message in outlet.messages if message["type"] == "snapshot")
    assert first["epoch"] != second["epoch"] and second["seq"] == 0
    assert seqs(outlet) == [1, 1]
    _, again = table.join(resume=ResumePoint(first["session"], first["epoch"], 0))
    assert again.kinds() == ["resync", "snapshot"]


def test_a_persons_stream_that_nobody_resumes_is_forgotten() -> None:
    """It costs nothing any more; who comes late gets a resync."""
    table = Table(StreamLimits(absence_ms=1000))
    connection, first = table.join(ANNS, user("ann"))
    table.door.unsubscribe(TABLE, connection)
    table.clock.now_ms = 900
    table.door.send_to_user(ANN, TABLE, [chat("kept")])
    assert table.door.has_listeners(TABLE, ANNS)
    table.clock.now_ms = 1100
    assert not table.door.has_listeners(TABLE, ANNS)
    _, again = table.join(ANNS, user("ann"), resume=point(first, 0))
    assert again.kinds() == ["resync", "snapshot"] and table.door.has_listeners(TABLE, ANNS)


# --- connections that break or are slow ---------------------------------------------------------------------------------


def test_f26_a_connection_that_breaks_in_mid_broadcast_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """The others get every frame once and in order; the broken one is out of the stream."""
    table = Table()
    outlets = [table.join()[1] for _ in range(3)]
    outlets[1].breaks = True
    table.say("a")
    outlets[1].breaks = False
    table.say("b")
    assert [texts(outlet) for outlet in outlets] == [["a", "b"], [], ["a", "b"]]
    assert "broke in mid-broadcast" in caplog.text


def test_a_closed_connection_leaves_the_stream() -> None:
    table = Table()
    _, outlet = table.join()
    outlet.outcome = Outcome.CLOSED
    table.say("a")
    outlet.outcome = Outcome.WRITTEN
    table.say("b")
    assert texts(outlet) == []


@pytest.mark.parametrize("audience", [PUBLIC, ACE_AT_0, ANNS])
def test_a_slow_reader_gets_a_resync(audience: Audience) -> None:
    """No frame is left out in silence: it is told, gets the newest state, and goes on from there."""
    table = Table()
    of: dict[Audience, Identity] = {PUBLIC: Nobody(), ACE_AT_0: agent("ace"), ANNS: user("ann")}
    identity = of[audience]
    _, slow = table.join(audience, identity)

    def send(text: str) -> None:
        table.door._send(TABLE, audience, [chat(text)])

    send("a")
    slow.outcome = Outcome.BEHIND
    send("b")
    send("c")
    slow.catch_up()
    send("d")
    assert slow.kinds() == ["snapshot", "chat", "resync", "snapshot", "chat"]
    assert (texts(slow), slow.last("snapshot")["seq"], seqs(slow)) == (["a", "d"], 3, [1, 4])


def test_a_slow_reader_that_moved_on_gets_no_snapshot_of_where_it_was() -> None:
    """It caught up after it had left the stream."""
    table = Table()
    connection, slow = table.join()
    slow.outcome = Outcome.BEHIND
    table.say("a")
    table.door.unsubscribe(TABLE, connection)
    slow.catch_up()
    assert slow.kinds() == ["snapshot"]


def test_one_ready_frame_is_made_for_all() -> None:
    """The same object goes to every connection, whole changes at once."""
    table = Table()
    outlets = [table.join()[1] for _ in range(5)]
    table.say("a", "b")
    assert len({id(outlet.batches[-1]) for outlet in outlets}) == 1
    assert len(outlets[0].batches[-1].payloads) == 2


def test_what_cannot_be_encoded_reaches_nobody_and_leaves_no_gap(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged by its type, and the frames beside it go out under the next numbers."""
    table = Table()
    _, outlet = table.join()
    table.say("a", "\ud800", "b")
    assert (texts(outlet), seqs(outlet)) == (["a", "b"], [1, 2])
    assert "Chat cannot be encoded" in caplog.text


def test_closing_a_table_closes_its_connections() -> None:
    """With the code that is given; further frames go nowhere."""
    table = Table()
    _, outlet = table.join()
    table.door.close_table(TABLE, CloseCode.TABLE_CLOSED)
    table.say("a")
    assert outlet.closes == [(4410, "table closed")] and texts(outlet) == []
    _, late = table.join()
    assert late.closes == [(4404, "no such table")]


def test_a_server_that_goes_tells_when_to_come_back() -> None:
    """Each at another time, so that not everybody knocks at once."""
    table = Table()
    outlets = [table.join()[1] for _ in range(3)]
    table.door.close_all(CloseCode.RESTART, reconnect_after_ms=200)
    assert [outlet.last("reconnect")["afterMs"] for outlet in outlets] == [200, 100, 250]
    assert all(outlet.closes == [(1012, "restarting")] for outlet in outlets)


def test_the_door_takes_its_own_connections_only() -> None:
    with pytest.raises(Bug):
        Table().door.subscribe(TABLE, PUBLIC, object(), lambda: pytest.fail(), None)  # type: ignore[arg-type]


# --- the tripwire -------------------------------------------------------------------------------------------------------


def frames_of(audience: SeatAudience, state: TableState) -> list[NumberedFrame]:
    return Change(TABLE, (CHECKED,), state, NOW).seat(audience)


@pytest.mark.parametrize(
    ("audience", "identity", "passes"),
    [
        (BEE_AT_2, agent("bee"), True),
        (ACE_AT_0, agent("ace"), False),
        (PUBLIC, Nobody(), False),
        (AGENTS, agent("stray"), False),
        (ANNS, user("ann"), False),
        (OwnerAudience(BEN), user("ben"), True),
    ],
)
def test_a_frame_with_a_card_too_many_is_refused_logged_and_counted(
    audience: Audience, identity: Identity, passes: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The seat's own frames, sent to everybody else by mistake: the state stays, what holds no card goes through."""
    table = Table()
    _, outlet = table.join(audience, identity)
    with caplog.at_level(logging.DEBUG):
        table.door._send(TABLE, audience, frames_of(BEE_AT_2, table.state))
    kinds = outlet.kinds()[1:]
    assert kinds == (["player_action", "game_state"] if passes else ["player_action"])
    assert seqs(outlet) == list(range(1, len(kinds) + 1))
    assert ("refused to send a GameState" in caplog.text) == (not passes)
    assert "Kd" not in caplog.text and "Kc" not in caplog.text


def test_a_snapshot_with_a_card_too_many_is_not_sent() -> None:
    """The connection is closed: without a snapshot there is no stream."""
    table = Table()
    connection, outlet = recorded("x")
    table.door.subscribe(TABLE, PUBLIC, connection, table.snapshot(BEE_AT_2), None)
    assert (outlet.payloads, outlet.closes) == ([], [(1011, "internal error")])


def test_a_card_of_a_past_hand_is_looked_at_by_that_hands_rules() -> None:
    """A folded card stays its player's: it does not pass in a spectator's recent hands, and does in the player's own."""
    past = scene.table(scene.live_hand(), recent=(scene.result(6),))
    table = Table(state=past)
    _, seated = table.join(ACE_AT_0, agent("ace"))
    assert seated.last("snapshot")["recentHands"][0]["yourHoleCards"] == ["As", "Ah"]
    connection, public = recorded("x")

    def mixed_up() -> Snapshot:
        own = snapshot(ACE_AT_0, TABLE, past, NOW)
        return msgspec.structs.replace(snapshot(PUBLIC, TABLE, past, NOW), recent_hands=own.recent_hands)

    table.door.subscribe(TABLE, PUBLIC, connection, mixed_up, None)
    assert public.payloads == []


def test_a_card_of_a_table_that_says_nothing_of_it_is_refused() -> None:
    """A hand that the table does not know has no cards that anybody may have."""
    table = Table()
    _, outlet = table.join(BEE_AT_2, agent("bee"))
    frames: list[Any] = frames_of(BEE_AT_2, table.state)
    table.state = scene.table(None)
    table.door.send_to_seat(TABLE, BEE_AT_2, frames)
    assert outlet.kinds()[1:] == ["player_action"]


def test_no_word_of_an_error_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """An error's text may name a card: the log has its kind and its place."""
    table = Table()
    connection, _ = recorded(next(table.connections), None)

    def broken() -> Snapshot:
        raise RuntimeError("As Kd")

    table.door.subscribe(TABLE, PUBLIC, connection, broken, None)
    assert "a snapshot was not sent: RuntimeError at " in caplog.text and "As Kd" not in caplog.text
