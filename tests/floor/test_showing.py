"""`spectatorDelayMs`, by virtual time: what those without a seat get is what they would have got live, that much later."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest
import structlog

from gameserver.floor import showing
from gameserver.floor.ports import ResumePoint, Watching
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import Identity, Nobody
from gameserver.table import commands
from gameserver.table.commands import UserPlayer, player_id
from gameserver.views.audience import AgentsAudience, PublicAudience
from gameserver.views.now import Now
from gameserver.views.snapshot import snapshot
from gameserver.wire.close_codes import CloseCode
from policy.ids import Seat, UserId
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.floor.stage import BOARD, HANDS, HOLE, OPEN, TABLE, THOUGHTS, Stage, Watcher, agent, player, user

DELAY_MS: Final = 30_000
CARD: Final = re.compile(r'"([2-9TJQKA][cdhs])"')
LATE_VIEWERS: Final[dict[str, Identity]] = {
    "a spectator": Nobody(),
    "somebody signed in": user("guest"),
    "an agent without a seat": agent("stray"),
}
REVEALS: Final = pytest.mark.parametrize(
    "reveal", [CLOSED, HANDS, THOUGHTS, OPEN], ids=["closed", "hands", "thoughts", "both"]
)


def steps() -> list[Callable[[Stage], object]]:
    """A hand with everything in it, and the beginning of the next one."""
    return [
        lambda stage: stage.sit_all(),
        lambda stage: stage.deal(),
        lambda stage: stage.say(user("guest"), "hello"),
        lambda stage: stage.think("hmm"),
        lambda stage: stage.decide(ActionKind.CALL, "so be it"),
        lambda stage: stage.act(),
        lambda stage: stage.do(commands.UsePower(player_id(player(0)), "dealer_peek", Seat(1))),
        lambda stage: stage.act(),
        lambda stage: stage.act(),
        lambda stage: stage.say(user("guest"), "nice"),
        lambda stage: stage.act(ActionKind.ALL_IN),
        lambda stage: stage.act(),
        lambda stage: stage.act(ActionKind.FOLD),
        lambda stage: stage.deal(),
        lambda stage: stage.think("again"),
        lambda stage: stage.act(),
    ]


def plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what names a stream and the moment of a snapshot."""
    dropped = ("session", "epoch", "serverTime")
    return [{key: value for key, value in message.items() if key not in dropped} for message in messages]


def cards_in(watcher: Watcher) -> set[str]:
    return set(CARD.findall(watcher.text))


# --- streams ------------------------------------------------------------------------------------------------------------


@REVEALS
@pytest.mark.parametrize("name", LATE_VIEWERS)
def test_whoever_has_no_seat_gets_the_same_frames_later(name: str, reveal: RevealOptions) -> None:
    """At each moment exactly what the same viewer of a table without a delay had so long ago: numbers, order and bytes."""
    live, late = Stage(reveal), Stage(reveal, DELAY_MS)
    of_live, of_late = live.join(LATE_VIEWERS[name]), late.join(LATE_VIEWERS[name])
    history = []
    for step in steps():
        for stage in (live, late):
            step(stage)
        history.append((live.time.now_ms, plain(of_live.messages)))
        assert plain(of_late.messages) == as_of(history, late.time.now_ms - DELAY_MS, plain(of_live.messages[:1]))
        for stage in (live, late):
            stage.time.pass_ms(7_000)
    assert len(of_late.messages) > 1
    late.time.pass_ms(DELAY_MS)
    assert plain(of_late.messages)[1:] == plain(of_live.messages)[1:]


def as_of(
    history: list[tuple[int, list[dict[str, Any]]]], at_ms: int, before: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What was there at a moment; the snapshot of an empty table is first in each of them."""
    found = [messages for when_ms, messages in history if when_ms <= at_ms]
    own_first = [{**before[0], "rules": {**before[0]["rules"], "spectatorDelayMs": DELAY_MS}}]
    return own_first + (found[-1][1:] if found else [])


@pytest.mark.parametrize("name", LATE_VIEWERS)
def test_a_late_snapshot_is_the_state_as_it_was(name: str) -> None:
    """Who comes at any moment gets the snapshot of so long ago, and the next frame is the next number."""
    live, late = Stage(HANDS), Stage(HANDS, DELAY_MS)
    snapshots = [(live.time.now_ms, live.join(LATE_VIEWERS[name]).last("snapshot"))]
    comers = []
    for step in steps():
        for stage in (live, late):
            stage.time.pass_ms(7_000)
            step(stage)
        snapshots.append((live.time.now_ms, live.join(LATE_VIEWERS[name]).last("snapshot")))
        comer = late.join(LATE_VIEWERS[name])
        comers.append(comer)
        then = [shown for when_ms, shown in snapshots if when_ms <= late.time.now_ms - DELAY_MS][-1:]
        expected = then[0] if then else snapshots[0][1]
        assert comer.last("snapshot")["state"] == expected["state"]
        assert comer.last("snapshot")["actions"] == expected["actions"]
        assert comer.last("snapshot")["recentHands"] == expected["recentHands"]
    late.time.pass_ms(DELAY_MS)
    for comer in comers:
        first = comer.last("snapshot")["seq"]
        assert [frame["seq"] for frame in comer.frames] == list(range(first + 1, first + 1 + len(comer.frames)))
        assert comer.frames[-1] == comers[0].frames[-1]


@pytest.mark.parametrize("reveal", [CLOSED, OPEN], ids=["closed", "both"])
@pytest.mark.parametrize("name", LATE_VIEWERS)
def test_twin_worlds_that_differ_in_what_is_not_yet_shown_are_one(name: str, reveal: RevealOptions) -> None:
    """Two tables part at some moment; until the delay is over no byte tells them apart: frames, a new snapshot, a resume."""

    def world(then: ActionKind) -> tuple[list[dict[str, Any]], Stage, Watcher]:
        stage = Stage(reveal, DELAY_MS)
        watcher = stage.join(LATE_VIEWERS[name])
        stage.sit_all()
        stage.deal()
        stage.time.pass_ms(DELAY_MS)
        stage.think(f"I shall {then}")
        stage.act(then)
        stage.say(user("guest"), f"so it is {then}")
        stage.time.pass_ms(DELAY_MS - 1)
        comer = stage.join(LATE_VIEWERS[name])
        at = watcher.last("snapshot")
        point = ResumePoint(at["session"], at["epoch"], 0)
        back = stage.join(LATE_VIEWERS[name], resume=point)
        return [*watcher.messages, *comer.messages, *back.messages], stage, watcher

    (folds, folding, _), (calls, calling, watcher) = world(ActionKind.FOLD), world(ActionKind.CALL)
    assert folds == calls
    folding.time.pass_ms(1)
    calling.time.pass_ms(1)
    assert watcher.frames[-1]["type"] in ("game_state", "agent_thought", "chat")
    assert "call" in watcher.text


def test_seats_are_live() -> None:
    """An agent in its seat, and a person who plays."""
    stage = Stage(HANDS, DELAY_MS)
    stage.sit_all()
    seated = stage.join(agent("a0"))
    stage.deal()
    assert seated.last("game_state")["yourHoleCards"] == list(HOLE[Seat(0)])
    mixed = Stage(delay_ms=DELAY_MS, kind=TableKind.MIXED)
    mixed.sit(UserPlayer(UserId("uma")), 0)
    mixed.sit(player(1), 1)
    uma, guest = mixed.join(user("uma")), mixed.join(user("guest"))
    mixed.say(user("uma"), "hello")
    assert uma.last("chat")["text"] == "hello" and "chat" not in guest.kinds()


def test_an_agent_that_sits_down_is_live_from_then_on() -> None:
    """Its audience changes with the seat, and with it a snapshot of now."""
    stage = Stage(CLOSED, DELAY_MS)
    stray = stage.join(agent("a0"))
    stage.sit_all()
    assert [message["type"] for message in stray.messages][:2] == ["snapshot", "snapshot"]
    assert stray.last("snapshot")["state"]["yourSeat"] == 0


# --- owners -------------------------------------------------------------------------------------------------------------


def test_at_a_closed_table_an_owner_is_live() -> None:
    """Nothing is shown there that a seat has not."""
    stage = Stage(CLOSED, DELAY_MS)
    stage.sit_all()
    owner = stage.owner()
    assert len(owner.last("snapshot")["state"]["seats"]) == 3
    stage.deal()
    stage.say(user("guest"), "hello")
    assert {"hand_started", "own_cards", "game_state", "chat"} <= owner.kinds()


@pytest.mark.parametrize("reveal", [HANDS, THOUGHTS, OPEN], ids=["hands", "thoughts", "both"])
def test_at_a_revealing_table_an_owner_sees_their_own_live_and_the_rest_late(reveal: RevealOptions) -> None:
    """Else they could tell a player what the public view will show."""
    stage = Stage(reveal, DELAY_MS)
    stage.sit_all()
    stage.time.pass_ms(DELAY_MS)
    owner = stage.owner()
    stage.deal()
    stage.say(user("guest"), "hello")
    assert stage.think("mine") == "a0"
    stage.decide(ActionKind.CALL)
    stage.act()
    stage.think("not theirs")
    stage.act()
    assert [frame["type"] for frame in owner.frames] == ["own_cards", "agent_thought", "decision", "decision"]
    assert cards_in(owner) == set(HOLE[Seat(0)])
    comer = stage.owner()
    assert comer.last("snapshot")["ownCards"][0]["cards"] == list(HOLE[Seat(0)])
    assert comer.last("snapshot")["actions"] == [] and comer.last("snapshot")["state"]["street"] is None
    stage.time.pass_ms(DELAY_MS)
    assert {"hand_started", "player_action", "game_state", "chat"} <= {frame["type"] for frame in owner.frames}
    assert [frame["seq"] for frame in owner.frames] == list(range(1, len(owner.frames) + 1))
    texts = [frame["text"] for frame in owner.frames if frame["type"] == "agent_thought"]
    assert texts == (["mine", "not theirs"] if reveal.show_thoughts else ["mine"])


def test_an_owner_by_socket_is_as_late_as_by_stream() -> None:
    stage = Stage(HANDS, DELAY_MS)
    stage.sit_all()
    socket = stage.join(user("o0"))
    stage.deal()
    assert [frame["type"] for frame in socket.frames] == ["own_cards"]


# --- a reveal that is switched off --------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay_ms", [0, DELAY_MS])
@pytest.mark.parametrize("who", [Nobody(), user("guest"), user("o0")], ids=["spectator", "signed in", "owner"])
def test_a_reveal_that_is_switched_off_hides_what_was_not_yet_shown(who: Identity, delay_ms: int) -> None:
    """From that moment no card of a seat's reaches the public view or an owner, in what waits, a snapshot or a resume; an owner has
    their own.
    """
    stage = Stage(HANDS, delay_ms)
    stage.sit_all()
    stage.time.pass_ms(delay_ms)
    watcher = stage.join(who)
    stage.deal()
    stage.act()
    shown_before = cards_in(watcher)
    assert (set(HOLE[Seat(1)]) <= shown_before) == (delay_ms == 0)
    first, sent = watcher.last("snapshot"), len(watcher.messages)
    stage.do(commands.NarrowReveal(CLOSED))
    told = [message["type"] for message in watcher.messages[sent:]]
    assert told[0] == "table_options" and "snapshot" in told
    assert watcher.messages[sent]["showHands"] is False
    assert watcher.last("snapshot")["epoch"] != first["epoch"]
    comer, back = stage.join(who), stage.join(who, resume=ResumePoint(first["session"], first["epoch"], first["seq"]))
    assert "resync" in back.kinds()
    stage.act()
    stage.time.pass_ms(delay_ms)
    own = set(HOLE[Seat(0)]) if who == user("o0") else set()
    after = set(CARD.findall(str(watcher.messages[sent:]).replace("'", '"')))
    assert (after | cards_in(comer) | cards_in(back)) - set(BOARD) <= own
    assert watcher.frames[-1]["type"] == "game_state"
    numbers = [frame["seq"] for frame in watcher.messages[-1:]]
    assert numbers == [comer.frames[-1]["seq"]]


def test_thoughts_that_wait_when_they_are_switched_off_are_shown_to_nobody() -> None:
    """The gate is asked when the delay is over, by the options of then."""
    stage = Stage(OPEN, DELAY_MS)
    stage.sit_all()
    watcher, other = stage.join(), stage.owner("o1")
    stage.deal()
    assert stage.think("secret") == "a0"
    stage.act()
    stage.time.pass_ms(DELAY_MS // 2)
    stage.do(commands.NarrowReveal(HANDS))
    stage.time.pass_ms(DELAY_MS)
    assert "secret" not in watcher.text + other.text
    assert "player_action" in watcher.kinds()
    revealed = watcher.last("game_state")["revealedHoleCards"]
    assert revealed["1"] == list(HOLE[Seat(1)])


def test_what_a_table_reveals_from_now_on_is_told_without_a_delay_and_tells_nothing_else() -> None:
    """The frame says no more of the hand than was shown before."""
    stage = Stage(OPEN, DELAY_MS)
    stage.sit_all()
    watcher, stray = stage.join(), stage.join(agent("stray"))
    stage.deal()
    stage.do(commands.NarrowReveal(CLOSED))
    for each in (watcher, stray):
        assert each.frames[-1]["type"] == "table_options" and "handNumber" not in each.frames[-1]
    assert stray.outlet.kinds().count("snapshot") == 1  # it had no reveal to lose
    stage.time.pass_ms(DELAY_MS)
    assert sum(frame["type"] == "table_options" for frame in stray.frames) == 1


# --- the beginning and the end ------------------------------------------------------------------------------------------


def test_after_a_restart_nothing_is_shown_until_the_delay_is_over() -> None:
    """Nobody knows what was shown before: hands that have just ended are not shown early. Then a new epoch has them."""
    before = Stage(CLOSED)
    before.sit_all()
    before.deal()
    before.play_out()
    recent = before.room.state(0).recent
    stage = Stage(CLOSED, DELAY_MS, memory=before.room.memory(), recent=recent)
    watcher, stray = stage.join(), stage.join(agent("stray"))
    seated, owner = stage.join(agent("a0")), stage.owner()
    for each in (watcher, stray):
        snapshot = each.last("snapshot")
        assert (snapshot["recentHands"], snapshot["state"]["seats"], snapshot["handNumber"]) == ([], [], 0)
    for each in (seated, owner):
        assert len(each.last("snapshot")["recentHands"]) == 1
    stage.time.pass_ms(DELAY_MS - 1)
    assert len(watcher.messages) == 1
    stage.time.pass_ms(1)
    for each in (watcher, stray):
        assert len(each.last("snapshot")["recentHands"]) == 1 and len(each.last("snapshot")["state"]["seats"]) == 3


def test_nothing_is_shown_after_the_end() -> None:
    stage = Stage(CLOSED, DELAY_MS)
    stage.sit_all()
    watcher = stage.join()
    stage.deal()
    stage.mail.close(CloseCode.TABLE_CLOSED)
    stage.time.pass_ms(2 * DELAY_MS)
    assert watcher.kinds() == {"snapshot"} and stage.time.timers == []


def test_a_fault_in_what_is_shown_late_is_logged_without_a_card_and_the_rest_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its text stays out of the log."""
    stage = Stage(HANDS, DELAY_MS)
    stage.sit_all()
    stage.time.pass_ms(DELAY_MS)
    watcher = stage.join()
    stage.deal()
    stage.time.pass_ms(1_000)
    stage.say(user("guest"), "still here")

    def broken(*given: object) -> None:
        raise ValueError("As Ah")

    monkeypatch.setattr(showing, "Change", broken)
    with structlog.testing.capture_logs() as logged:
        stage.time.pass_ms(DELAY_MS)
    assert watcher.last("chat")["text"] == "still here"
    assert [entry["error"] for entry in logged] == ["ValueError", "ValueError"] and "As" not in str(logged)


def test_the_tripwire_looks_at_what_is_shown() -> None:
    """A state of now in place of the one that is shown is refused: it has cards of a hand that is yet to come."""
    stage = Stage(HANDS, DELAY_MS)
    stage.sit_all()
    stage.time.pass_ms(DELAY_MS)
    watcher, owner = stage.join(), stage.owner()
    stage.deal()
    state = stage.room.state(stage.time.now_ms)
    leaked = snapshot(PublicAudience(), TABLE, state, Now(stage.time.now_ms, stage.time.wall_ms())).state
    stage.door.send_to_public(TABLE, [leaked])
    stage.door.send_to_user(UserId("o0"), TABLE, [leaked])
    assert not cards_in(watcher) and cards_in(owner) == set(HOLE[Seat(0)])
    assert stage.door.refused_total == 2


def test_without_a_delay_nothing_waits() -> None:
    """And no timer is set."""
    stage = Stage(OPEN)
    stage.sit_all()
    watcher, owner = stage.join(), stage.join(user("o0"), Watching.OWNER)
    stage.deal()
    assert stage.time.timers == []
    assert watcher.last("game_state")["revealedHoleCards"]["0"] == list(HOLE[Seat(0)])
    assert owner.last("game_state")["revealedHoleCards"] == watcher.last("game_state")["revealedHoleCards"]
    assert not stage.showing.state_shown_to(AgentsAudience()).options.spectator_delay_ms
