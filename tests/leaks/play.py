"""Plays a script in a world. What an action cannot do here and now it leaves; a wrong play is no error, but both worlds have it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, assert_never

from gameserver.hand.facts import ActionKind
from gameserver.table import commands
from gameserver.table.state import OpenTurn
from policy.ids import AgentId, Seat, UserId
from tests.leaks import cast, script
from tests.leaks.callers import Socket
from tests.leaks.cast import CAST, Kind, Viewer
from tests.leaks.script import Action
from tests.leaks.world import HAND_GAP_MS, TABLE, Way, World

STEP_MS: Final = 100
"""What an action takes, whether it is done or left out: so the time says nothing of it."""
_LONGEST_HAND: Final = 200
_TABLE_PATH: Final = f"/games/poker/{TABLE}"


class Play:
    """One world's play."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.asked: dict[int, str] = {}

    def run(self, actions: Sequence[Action | None]) -> None:
        """All of it; None: nothing happens for as long as an action takes."""
        for number, action in enumerate(actions):
            asked = self._world.open_turn()
            if asked is not None:
                self.asked[number] = asked[0]
            if action is not None:
                self.do(action)
            self._pass_ms(STEP_MS)

    def do(self, action: Action) -> None:
        """One action, and what comes of it to everybody."""
        match action:
            case script.Sit(who):
                self._sit(who)
            case script.Leave(who):
                self._tell(who, {"type": "leave"})
                self._world.seats.pop(who, None)
            case script.Act(choice, size):
                self._act(choice, size)
            case script.Move(kind, amount):
                self._on_turn(lambda turn: _as_recorded(turn, kind, amount))
            case script.Straddle(who):
                self._tell(who, {"type": "straddle"})
            case script.Pause(pause):
                self._operate(commands.Pause() if pause else commands.Resume())
            case script.PlayOn():
                self._play_on()
            case script.Think(text):
                self._on_turn(lambda turn: {"type": "agent_thought", "turnId": turn.turn_id, "text": text})
            case script.Decide(text):
                self._on_turn(
                    lambda turn: {"type": "agent_decision", "turnId": turn.turn_id, "action": "fold", "text": text}
                )
            case script.Say(who, text):
                self._tell(who, {"type": "chat", "text": text})
            case script.Note(who, text):
                self._note(who, text)
            case script.Peek(by, at):
                self._tell(by, {"type": "use_power", "power": "dealer_peek", "target": self._world.seats.get(at, 0)})
            case script.Show(who):
                self._tell(who, {"type": "show_cards"})
            case script.Reconnect(who):
                self._drop(who)
                self._watch(who)
            case script.Resume(who, acts, after_ms):
                self._resume(who, acts, after_ms)
            case script.Watch(who):
                self._watch(who)
            case script.Unwatch(who):
                self._drop(who)
            case script.Stream(who):
                self._stream(who)
            case script.ResumeStream(who, acts, after_ms):
                self._resume_stream(who, acts, after_ms)
            case script.Read(who):
                self._read(who)
            case script.Err(who):
                self._err(who)
            case script.Sell():
                self._sell()
            case script.RevealOff(left):
                self._operate(commands.NarrowReveal(left))
            case script.Wait(ms):
                self._pass_ms(ms)
            case script.TimeOut():
                self._time_out()
            case script.Crash():
                self._crash()
            case _:
                assert_never(action)
        self._world.file_live()

    def _pass_ms(self, milliseconds: int) -> None:
        self._world.loop.pass_ms(milliseconds)
        self._world.file_live()

    # --- the table ------------------------------------------------------------------------------------------------------

    def _sit(self, who: str) -> None:
        world = self._world
        if who in world.seats:
            return
        self._watch(who)
        seat = world.setting.players.index(who) if who in world.setting.players else 9
        self._tell(who, {"type": "sit", "seat": seat, "buyIn": world.setting.buy_in_of(who)})
        if any(each.seat == seat for each in world.state().seats):
            world.seats[who] = Seat(seat)

    def _act(self, choice: int, size: int) -> None:
        def move(turn: OpenTurn) -> dict[str, Any]:
            legal = turn.turn.legal
            action = legal[choice % len(legal)]
            message: dict[str, Any] = {"type": "action", "turnId": turn.turn_id, "action": action}
            if action in (ActionKind.BET, ActionKind.RAISE):
                least, most = turn.turn.raise_range or (0, 0)
                message["amount"] = least + (most - least) * size // 9
            return message

        self._wait_for_turn()
        self._on_turn(move)

    def _play_on(self) -> None:
        self._wait_for_turn()
        number = self._world.state().hand_number
        for _ in range(_LONGEST_HAND):
            now = self._world.state()
            if now.hand is None or now.hand_number != number:
                return
            self._on_turn(_check_or_call)
            self._pass_ms(STEP_MS)

    def _wait_for_turn(self) -> None:
        if self._world.open_turn() is None:
            self._pass_ms(HAND_GAP_MS)

    def _on_turn(self, message: Callable[[OpenTurn], dict[str, Any]]) -> None:
        asked = self._world.open_turn()
        if asked is not None:
            self._tell(asked[0], message(asked[1]))

    def _time_out(self) -> None:
        asked = self._world.open_turn()
        if asked is not None:
            self._pass_ms(max(0, asked[1].acts_for_at_ms - self._world.loop.now_ms))

    def _operate(self, command: commands.Command) -> None:
        try:
            self._world.loop.run(self._world.server.floor.operate(TABLE, command))
        except Exception as refused:  # noqa: BLE001 - a reveal that is off already, a table that is closed
            self._world.file("operator", Way.ERRORS, str(refused).encode())

    def _sell(self) -> None:
        """By the route where there is one; it takes effect when the hand is over."""
        world, owner = self._world, CAST["owner-cyd"]
        if world.owners.get(owner.agent) != owner.name:
            return
        path, body = f"/agents/{owner.agent}/transfer", {"toUserId": cast.BUYER}
        answer = world.ask(owner.name, path, "POST", json.dumps(body).encode())
        world.file(owner.name, Way.REST, answer.whole)
        if answer.status in (404, 405):
            self._world.loop.run(world.server.people.transfer_agent(AgentId(owner.agent), UserId(cast.BUYER)))
        world.owners[owner.agent] = cast.BUYER
        self._world.seats.pop(owner.agent, None)

    def _note(self, who: str, text: str) -> None:
        path = f"/agents/{CAST[who].agent}/notes"
        answer = self._world.ask(who, path, "POST", json.dumps({"text": text}).encode())
        self._world.file(who, Way.REST, answer.whole)

    # --- lines ----------------------------------------------------------------------------------------------------------

    def _tell(self, who: str, message: dict[str, Any]) -> None:
        socket = self._world.sockets.get(who)
        if socket is not None:
            socket.say(message)

    def _watch(self, who: str) -> None:
        if who in self._world.sockets:
            return
        socket = self._world.sockets[who] = self._world.new_socket(who)
        if socket.is_open:
            socket.say({"type": "enter", **self._world.enter_message(who)})
        self._world.file_socket(who, Way.WS_FIRST)

    def _drop(self, who: str) -> None:
        socket = self._world.sockets.pop(who, None)
        if socket is not None:
            socket.drop()

    def _resume(self, who: str, acts: int, after_ms: int) -> None:
        """The moves are made whether or not there is anybody to go on: they are the table's."""
        lost = self._world.sockets.get(who)
        at = None if lost is None else _place_of(lost)
        if at is not None:
            self._drop(who)
        self._move_on(acts, after_ms)
        if at is None:
            return
        socket = self._world.sockets[who] = self._world.new_socket(who)
        if socket.is_open:
            socket.say({"type": "resume", **at, **self._world.enter_message(who)})
        self._world.file_socket(who, Way.WS_RESUME)

    def _move_on(self, acts: int, after_ms: int) -> None:
        self._pass_ms(after_ms)
        for _ in range(acts):
            self._act(1, 0)
            self._pass_ms(STEP_MS)

    def _stream(self, who: str, headers: list[tuple[bytes, bytes]] | None = None, way: Way = Way.SSE_LIVE) -> None:
        world = self._world
        if who in world.streams and headers is None:
            return
        owns = world.owners.get(CAST[who].agent) == who and CAST[who].viewer is not Viewer.OTHER_OWNER
        stream = world.new_stream(who, f"{_TABLE_PATH}/{'owner-' if owns else ''}stream", headers)
        world.file(who, way, stream.head)
        world.streams[who] = stream
        world.file_stream(who, way)
        if stream.status != 200:
            del world.streams[who]

    def _resume_stream(self, who: str, acts: int, after_ms: int) -> None:
        stream = self._world.streams.get(who)
        last = None if stream is None else stream.last_event_id
        if stream is not None and last is not None:
            stream.drop()
        self._move_on(acts, after_ms)
        if last is not None:
            self._stream(who, [(b"last-event-id", last.encode())], Way.SSE_RESUME)

    def _crash(self) -> None:
        world = self._world
        watching, streaming = tuple(world.sockets), tuple(world.streams)
        world.crash()
        for who in watching:
            self._watch(who)
        for who in streaming:
            self._stream(who)

    # --- reading --------------------------------------------------------------------------------------------------------

    def _read(self, who: str) -> None:
        self._world.keep_turns()
        for way, path in self._paths(who):
            accept = b"text/html" if way is Way.PAGES else b"*/*"
            self._world.file(who, way, self._world.ask(who, path, accept=accept).whole)

    def _paths(self, who: str) -> list[tuple[Way, str]]:
        agent = CAST[who].agent or CAST[who].name
        hands = f"{_TABLE_PATH}/hands"
        last = self._world.state().hand_number if self._world.server.floor.has(TABLE) else 0
        numbers = range(max(1, last - 2), last + 1)
        return [
            *((Way.REST, path) for path in ("/games/poker", _TABLE_PATH, "/bankroll", "/agents", f"/agents/{agent}")),
            (Way.HISTORY, hands),
            *((Way.HISTORY, f"{hands}/{number}") for number in numbers),
            *((Way.PHH, f"{hands}/{number}.phh") for number in numbers),
            *((Way.OHH, f"{hands}/{number}.ohh.json") for number in numbers),
            *((Way.PAGES, path) for path in ("/", "/login", "/agents", f"/tables/{TABLE}", f"/tables/{TABLE}/owner")),
            *((Way.PAGES, f"/agents/{agent}/hands{ending}") for ending in ("", *(f"/{TABLE}/{n}" for n in numbers))),
            *((Way.PAGES, f"/agents/{rival}/hands/{TABLE}/{last}") for rival in cast.AGENTS if rival != agent),
            *((Way.EXPORTS, f"/agents/{agent}/hands/{TABLE}/{number}") for number in numbers),
            *((Way.EXPORTS, f"/agents/{agent}/hands{ending}") for ending in ("", ".jsonl")),
            *((Way.EXPORTS, f"/agents/{rival}/hands/{TABLE}/{last}") for rival in cast.AGENTS if rival != agent),
        ]

    # --- what is refused ------------------------------------------------------------------------------------------------

    def _err(self, who: str) -> None:
        asked = self._world.open_turn()
        turn_id = "none" if asked is None else asked[1].turn_id
        self._watch(who)
        if asked is None or asked[0] != who:
            self._tell(who, {"type": "action", "turnId": turn_id, "action": "fold"})
            self._tell(who, {"type": "agent_thought", "turnId": turn_id, "text": "not mine"})
        for message in _REFUSED:
            self._tell(who, message)
        self._say_raw(who, '{"type":"action"')
        self._world.file_socket(who, Way.WS_LIVE)
        self._resume_foreign(who)
        for method, path in _FOREIGN_ROUTES:
            self._world.file(who, Way.ERRORS, self._world.ask(who, path, method).whole)

    def _say_raw(self, who: str, text: str) -> None:
        socket = self._world.sockets.get(who)
        if socket is not None:
            socket.say(text)

    def _resume_foreign(self, who: str) -> None:
        """With the session of whoever has one and is somebody else."""
        kept = next((s for name, s in self._world.sockets.items() if name != who and s.last("snapshot")), None)
        at = None if kept is None else kept.last("snapshot")
        if at is None or CAST[who].kind is Kind.AGENT:  # an agent's second connection would replace its first
            return
        socket = self._world.new_socket(who)
        if socket.is_open:
            socket.say({"type": "resume", "session": at["session"], "epoch": at["epoch"], "lastSeq": 0})
        self._world.file(who, Way.ERRORS, *socket.texts, *socket.ends)
        socket.drop()


def _as_recorded(turn: OpenTurn, kind: str, amount: int) -> dict[str, Any]:
    legal = turn.turn.legal
    match kind:
        case "f":
            return {"type": "action", "turnId": turn.turn_id, "action": "fold"}
        case "cc":
            return _check_or_call(turn)
        case _:
            action = ActionKind.BET if ActionKind.BET in legal else ActionKind.RAISE
            return {"type": "action", "turnId": turn.turn_id, "action": action, "amount": amount}


def _place_of(socket: Socket) -> dict[str, Any] | None:
    """Where a client was: the session that it was given last, and the last number that it got in it."""
    at = socket.last("resumed") or socket.last("snapshot")
    if at is None:
        return None
    since = socket.messages.index(at)
    seq = max(message.get("seq", 0) for message in socket.messages[since:])
    return {"session": at["session"], "epoch": at["epoch"], "lastSeq": seq}


def _check_or_call(turn: OpenTurn) -> dict[str, Any]:
    legal = turn.turn.legal
    return {"type": "action", "turnId": turn.turn_id, "action": legal[1] if len(legal) > 1 else legal[0]}


_REFUSED: Final = (
    {"type": "action", "turnId": "none", "action": "fold"},
    {"type": "sit", "seat": 0, "buyIn": 900_000_000},
    {"type": "use_power", "power": "dealer_peek", "target": 8},
    {"type": "rebuy", "amount": 900_000_000},
    {"type": "enter"},
    {"type": "nothing"},
)
"""Refused whoever says it and whenever: more chips than any table takes, a seat that nobody takes, a turn that is nobody's."""
_FOREIGN_ROUTES: Final = (
    ("GET", f"{_TABLE_PATH}/owner-stream"),
    ("GET", f"/internal/agent-capture/hand-all?tableId={TABLE}&handNumber=1"),
    ("GET", f"/internal/agent-capture/hand?tableId={TABLE}&handNumber=1&agentId=ada"),
    ("GET", "/internal/audit"),
    ("GET", "/games/poker/none/hands"),
    ("GET", f"{_TABLE_PATH}/hands/99999"),
    ("POST", f"/internal/tables/{TABLE}/cancel-hand"),
    ("POST", "/agents/ada/deploy"),
    ("POST", "/agents/ada/seat"),
    ("PATCH", _TABLE_PATH),
    ("GET", "/metrics"),
)
