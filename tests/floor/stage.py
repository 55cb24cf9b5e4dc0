"""One table without its task: the real room, mail, thoughts, chat and door, under a clock and timers of the test's own.

Three house agents sit in seats 0 to 2; `o0` owns the first, `o1` the second. Nobody's chips or cards are stored.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gameserver.floor.callers import Caller, Callers
from gameserver.floor.chat import ChatLine
from gameserver.floor.mail import Mail
from gameserver.floor.ports import LastEvent, Resume, Watching
from gameserver.floor.showing import Showing
from gameserver.floor.shown_live import ShownLive
from gameserver.floor.thoughts import Thoughts
from gameserver.hand.deck import scripted_deck
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.net.delivery import Delivery
from gameserver.table import commands
from gameserver.table.commands import AgentPlayer, Player, PlayerId, player_id
from gameserver.table.facts import HandResult
from gameserver.table.memory import RoomMemory, new_memory
from gameserver.table.options import Clocks, TableOptions
from gameserver.table.room import Room
from gameserver.wire.messages import AgentDecision, AgentThoughtIn, ChatIn
from policy.ids import AgentId, AgentVersionId, Card, HoleCards, Seat, TableId, TurnId, UserId
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.net.recording import RecordingOutlet, recorded

TABLE: Final = TableId("t")
FAR_MS: Final = 4_000_000_000_000
WALL_MS: Final = 1_700_000_000_000
SEATED: Final = 3
HOLE: Final[dict[Seat, HoleCards]] = {
    Seat(0): (Card("As"), Card("Ah")),
    Seat(1): (Card("Kd"), Card("Kc")),
    Seat(2): (Card("7h"), Card("2s")),
}
BOARD: Final = [Card(card) for card in ("Qs", "Jd", "3c", "8d", "9c")]
OPEN: Final = RevealOptions(show_hands=True, show_thoughts=True)
HANDS: Final = RevealOptions(show_hands=True, show_thoughts=False)
THOUGHTS: Final = RevealOptions(show_hands=False, show_thoughts=True)


def player(number: int) -> AgentPlayer:
    return AgentPlayer(AgentId(f"a{number}"), UserId(f"o{number}"), AgentVersionId("v"), hosted=True, model="house")


def agent(name: str, owner: str | None = None) -> AgentIdentity:
    held_by = UserId(owner or name.replace("a", "o"))
    return AgentIdentity(AgentId(name), held_by, AgentVersionId("v"), True, "house", FAR_MS, None)


def user(name: str) -> UserIdentity:
    return UserIdentity(UserId(name), FAR_MS, None)


@dataclass
class VirtualTime:
    """A clock that a test moves, and the timers that it sets off on the way."""

    now_ms: int = 1_000
    timers: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count())

    def monotonic_ms(self) -> int:
        return self.now_ms

    def wall_ms(self) -> int:
        return WALL_MS + self.now_ms

    def later(self, after_ms: int, call: Callable[[], None]) -> object:
        self.timers.append((self.now_ms + after_ms, next(self._numbers), call))
        return None

    def pass_ms(self, ms: int) -> None:
        until_ms = self.now_ms + ms
        while due := sorted(timer for timer in self.timers if timer[0] <= until_ms)[:1]:
            self.timers.remove(due[0])
            self.now_ms = max(self.now_ms, due[0][0])
            due[0][2]()
        self.now_ms = until_ms


@dataclass
class Watcher:
    """One connection and what it got."""

    caller: Caller
    outlet: RecordingOutlet

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.outlet.messages

    @property
    def frames(self) -> list[dict[str, Any]]:
        """The numbered frames of the stream."""
        return [message for message in self.messages if "seq" in message and message["type"] not in UNNUMBERED]

    @property
    def text(self) -> str:
        return json.dumps(self.messages)

    def kinds(self) -> set[str]:
        return set(self.outlet.kinds())

    def last(self, kind: str) -> dict[str, Any]:
        return self.outlet.last(kind)


UNNUMBERED: Final = ("snapshot", "resumed", "resync")


class Stage:
    """The table, after everybody sat down."""

    def __init__(
        self,
        reveal: RevealOptions = CLOSED,
        delay_ms: int = 0,
        *,
        memory: RoomMemory | None = None,
        recent: tuple[HandResult, ...] = (),
        kind: TableKind = TableKind.AGENT,
        private: bool = False,
    ) -> None:
        self.time = VirtualTime()
        turns, names = map(str, itertools.count(1)), map(str, itertools.count(1))
        self.names = map(str, itertools.count(1))
        self.room = Room(
            options=TableOptions(
                name="t",
                kind=kind,
                max_seats=6,
                small_blind_chips=5,
                big_blind_chips=10,
                min_buy_in_chips=100,
                max_buy_in_chips=1000,
                created_by=UserId("maker"),
                clocks=Clocks(turn_ms=3_600_000),
                reveal=reveal,
                spectator_delay_ms=delay_ms,
                powers={"dealer_peek": 1},
                private=private,
            ),
            memory=memory or new_memory(Seat(0)),
            new_turn_id=lambda: TurnId(next(turns)),
            now_ms=self.time.now_ms,
            platform_models=frozenset({"house"}),
            recent=recent,
        )
        self.door = Delivery(new_name=lambda: f"n{next(names)}", clock=self.time)
        self.showing = Showing(TABLE, self.door, self.time, self.time.later)
        self.mail = Mail(TABLE, self.door, self.time, self.showing, ShownLive())
        self.callers = Callers()
        self.thoughts = Thoughts(TABLE, self.showing)
        self.chat = ChatLine(TABLE, self.showing, self.callers, lambda player: [self.room.options.reveal])
        self.showing.open(lambda: self.room)

    # --- who watches ----------------------------------------------------------------------------------------------------

    def join(
        self, identity: Identity | None = None, watching: Watching | None = None, resume: Resume | None = None
    ) -> Watcher:
        """A socket, or a connection that only reads."""
        connection, outlet = recorded(next(self.names), identity or Nobody())
        if watching is None:
            caller = self.callers.add(self.room, connection)
        else:
            caller = self.callers.watch(self.room, connection, watching)
        self.mail.subscribe(caller, resume)
        return Watcher(caller, outlet)

    def owner(self, name: str = "o0", last_event: str | None = None) -> Watcher:
        """An owner's event stream."""
        return self.join(user(name), Watching.OWNER, None if last_event is None else LastEvent(last_event))

    # --- what happens ---------------------------------------------------------------------------------------------------

    def sit_all(self) -> None:
        for number in range(SEATED):
            self.sit(player(number), number)

    def sit(self, player: Player, seat: int) -> None:
        self.do(commands.Sit(player, player_id(player).replace(":", " "), Seat(seat), 200))
        self.do(commands.Connect(player_id(player)))

    def do(self, command: commands.Command) -> None:
        facts = self.room.receive(command, self.time.now_ms)
        self.mail.deliver(self.room, facts, self.callers)
        self.thoughts.settle(self.room, facts)
        self.chat.settle(facts)

    def deal(self) -> None:
        """A hand in which each seat gets its own cards of HOLE."""
        self.do(commands.BeginHand())
        begun = self.room.memory().begun
        assert begun is not None
        order = [seat for seat, _ in begun.stacks]
        hole = {seat: HOLE[seat] for seat in order}
        self.do(commands.Deal(scripted_deck(hole=hole, board=BOARD, order=order)))

    def act(self, action: ActionKind | None = None) -> None:
        """Whose turn it is moves: as told, or by checking or calling."""
        seat, turn_id, legal = self.turn()
        plain = ActionKind.CHECK if ActionKind.CHECK in legal else ActionKind.CALL
        self.do(commands.Act(seat, TurnId(turn_id), action or plain, None))

    def turn(self) -> tuple[PlayerId, str, tuple[ActionKind, ...]]:
        state = self.room.state(self.time.now_ms)
        assert state.hand is not None and state.hand.turn is not None
        seat = next(each for each in state.seats if each.seat == state.hand.turn.turn.seat)
        return player_id(seat.player), state.hand.turn.turn_id, tuple(state.hand.turn.turn.legal)

    def think(self, text: str) -> str:
        """Whose turn it is thinks aloud. Returns whose it is, without the kind."""
        name = self.turn()[0].partition(":")[2]
        message = AgentThoughtIn(turn_id=self.turn()[1], text=text)
        self.thoughts.hear(self.room, agent(name), message, self.time.now_ms)
        return name

    def decide(self, action: ActionKind, text: str = "") -> None:
        name = self.turn()[0].partition(":")[2]
        message = AgentDecision(turn_id=self.turn()[1], action=action, text=text)
        self.thoughts.hear(self.room, agent(name), message, self.time.now_ms)

    def say(self, identity: Identity, text: str) -> None:
        self.chat.say(self.room, identity, ChatIn(text=text), self.time.now_ms)

    def play_out(self) -> None:
        """Check and call to the end of the hand."""
        while self.room.live_hand_number is not None:
            self.act()
