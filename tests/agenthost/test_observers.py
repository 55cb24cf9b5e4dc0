"""Listening changes no turn."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from capture.hooks import MessageSent, TurnStarted
from capture.record import FinishedTurn, TurnKey
from policy.ids import ActionIndex, AgentId, HandNumber, TableId
from railbird.agenthost.observers import Observers
from railbird.agenthost.plugins import OffPath, UnknownPlugin, load_plugins
from tests.agenthost.listening import Heard, a_turn

KEY = TurnKey(AgentId("a-1"), TableId("t-1"), HandNumber(2), ActionIndex(6))
STARTED = TurnStarted(KEY, 1)
SENT = MessageSent(KEY, b"{}")


@dataclass(slots=True)
class Broken:
    """Raises at whatever it hears. `heard` is of what came before."""

    heard: list[str] = field(default_factory=list)

    def turn_started(self, event: TurnStarted, /) -> None:
        self._fail("turn_started")

    def message_sent(self, event: MessageSent, /) -> None:
        self._fail("message_sent")

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self._fail("turn_finished")

    def _fail(self, what: str) -> None:
        self.heard.append(what)
        raise ValueError("your cards As Kd")


def tell_all(observers: Observers | OffPath) -> None:
    observers.turn_started(STARTED)
    observers.message_sent(SENT)
    observers.turn_finished(a_turn(KEY))


def test_every_listener_hears_everything() -> None:
    first, second, charged = Heard(), Heard(), list[FinishedTurn]()
    tell_all(Observers([first, second], charged.append))
    assert first == second == Heard([STARTED], [SENT], [a_turn(KEY)])
    assert charged == [a_turn(KEY)]


def test_a_listeners_error_is_counted_and_the_others_hear_it(caplog: pytest.LogCaptureFixture) -> None:
    """And the log does not repeat what it says: that may be a card."""
    heard = Heard()
    observers = Observers([Broken(), heard], Broken().turn_finished)
    tell_all(observers)
    assert heard == Heard([STARTED], [SENT], [a_turn(KEY)])
    assert observers.failures == {"turn_started": 1, "message_sent": 1, "turn_finished": 1, "charge": 1}
    assert "As Kd" not in caplog.text and "ValueError" in caplog.text


def test_a_failing_listener_is_one_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    now = 0.0
    observers = Observers([Broken()], clock_s=lambda: now)
    for _ in range(50):
        observers.turn_started(STARTED)
    now = 61.0
    observers.turn_started(STARTED)
    assert len(caplog.records) == 2 and "51 so far" in caplog.text


def test_a_listener_that_does_not_return_at_once_is_counted() -> None:
    """It is on the turn's path, so somebody should know."""
    now = iter([0.0, 0.5, 1.0, 1.001, 2.0, 2.0, 3.0, 3.019])
    observers = Observers([Heard()], Heard().turn_finished, clock_s=lambda: next(now))
    tell_all(observers)
    assert observers.slow == {"turn_started": 1} and observers.failures == {}


def test_a_plug_in_is_called_on_a_thread_of_its_own() -> None:
    heard, threads = Heard(), list[str]()

    class Plugin(Heard):
        def turn_started(self, event: TurnStarted, /) -> None:
            threads.append(threading.current_thread().name)
            heard.turn_started(event)

    off_path = OffPath("mine", Plugin())
    tell_all(off_path)
    assert off_path.close(30) and heard.started == [STARTED] and threads == ["turn hooks mine"]
    assert off_path.counts == {"handled": 3}


def test_a_plug_in_that_raises_is_counted() -> None:
    broken = Broken()
    off_path = OffPath("mine", broken)
    tell_all(off_path)
    assert off_path.close(30) and off_path.counts == {"failed": 3}
    assert broken.heard == ["turn_started", "message_sent", "turn_finished"]


def test_a_plug_in_that_hangs_holds_nobody() -> None:
    """What has no room behind it is dropped and counted, and closing does not wait for ever."""
    released = threading.Event()

    class Hangs(Heard):
        def turn_started(self, event: TurnStarted, /) -> None:
            released.wait(60)

    off_path = OffPath("mine", Hangs(), most_waiting=2)
    for _ in range(20):
        tell_all(off_path)
    assert off_path.counts["dropped"] >= 57
    assert off_path.close(0.05) is False
    released.set()


def test_a_plug_in_that_takes_its_time_is_counted_as_slow() -> None:
    ticks = iter(range(0, 1_000, 5))
    off_path = OffPath("mine", Heard(), clock_s=lambda: next(ticks))
    tell_all(off_path)
    assert off_path.close(30) and off_path.counts["slow"] == 3


def test_a_plug_in_is_loaded_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an installed package, and none that was not named."""
    package = tmp_path / "their_hooks-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: their-hooks\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[railbird.turn_hooks]\ntheirs = tests.agenthost.listening:Heard\nother = tests.agenthost.gone:gone\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (loaded,) = load_plugins(["theirs"])
    tell_all(loaded)
    assert loaded.close(30) and loaded.counts == {"handled": 3}
    with pytest.raises(UnknownPlugin, match="nobodys"):
        load_plugins(["nobodys"])
    assert load_plugins([]) == []
