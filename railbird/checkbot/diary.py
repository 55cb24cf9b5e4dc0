"""What passed the proxy in one run: connections, actions, answers, and what became of the bot's turns. It holds no token."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Frame: TypeAlias = Mapping[str, Any]
"""A frame as JSON, either way."""

_RAN_OUT = frozenset({"agent_slow", "disconnected"})


@dataclass(slots=True)
class Visit:
    """One connection of the bot. Times are those of the event loop. `opening`: `enter`, `resume`, or empty for neither."""

    began_s: float
    ended_s: float | None = None
    opening: str = ""


@dataclass(slots=True)
class Diary:
    """`taken`: turns on which the table took a move of the bot. `ran_out`: turns on which the table moved for it.

    `twice`: actions that answered a turn which the same connection had answered already. `struck_at`: `taken` when the fault came.
    """

    visits: list[Visit] = field(default_factory=list)
    taken: int = 0
    ran_out: int = 0
    twice: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    struck_at: int | None = None
    struck_s: float | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _seat: int | None = None
    _asked: dict[str, str] = field(default_factory=dict)
    _answered: dict[str, str] = field(default_factory=dict)
    _turns: set[str] = field(default_factory=set)

    def opened(self) -> None:
        """The bot has connected."""
        self._asked.clear()
        self._answered.clear()
        self.visits.append(Visit(_now_s()))
        self.changed.set()

    def ended(self) -> None:
        """The bot's connection is gone."""
        self.visits[-1].ended_s = _now_s()
        self.changed.set()

    def strike(self) -> None:
        """The fault comes now, for the first time or again."""
        if self.struck_at is None:
            self.struck_at, self.struck_s = self.taken, _now_s()

    def said(self, message: Frame) -> None:
        """The bot sent this."""
        kind, request_id = message.get("type"), str(message.get("requestId", ""))
        if kind in ("enter", "resume") and not self.visits[-1].opening:
            self.visits[-1].opening = str(kind)
        if kind == "action":
            self._acted(str(message.get("turnId")), request_id)

    def _acted(self, turn_id: str, request_id: str) -> None:
        """The same request again is no second action, and neither is another move after a refusal."""
        if turn_id in self._answered and self._answered[turn_id] != request_id:
            self.twice += 1
        self._answered[turn_id] = request_id
        self._asked[request_id] = turn_id

    def told(self, frame: Frame) -> None:
        """The table sent this, whether it reached the bot or not."""
        match frame:
            case {"type": "ack", "requestId": str(request_id)} if request_id in self._asked:
                self._took(self._asked[request_id])
            case {"type": "error", "code": str(code)}:
                self._refused(code, str(frame.get("requestId", "")))
            case {"type": "snapshot", "state": {"yourSeat": int(seat)}} | {"type": "game_state", "yourSeat": int(seat)}:
                self._seat = seat
            case {"type": "player_action", "seat": seat, "cause": cause} if seat == self._seat and cause in _RAN_OUT:
                self.ran_out += 1
            case _:
                return
        self.changed.set()

    def _took(self, turn_id: str) -> None:
        if turn_id not in self._turns:
            self._turns.add(turn_id)
            self.taken += 1

    def _refused(self, code: str, request_id: str) -> None:
        self.errors[code] += 1
        if code != "stale_turn":
            self._answered.pop(self._asked.get(request_id, ""), None)

    @property
    def taken_since(self) -> int:
        """Turns that the bot acted on since the fault came."""
        return 0 if self.struck_at is None else self.taken - self.struck_at

    @property
    def came_back_after_s(self) -> float | None:
        """From the fault to the next connection; None: there was none."""
        struck_s = self.struck_s
        if struck_s is None:
            return None
        return next((visit.began_s - struck_s for visit in self.visits if visit.began_s > struck_s), None)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
