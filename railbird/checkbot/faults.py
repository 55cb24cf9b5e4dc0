"""What goes wrong, by name. A fault has every frame that passes the proxy, and hands it on, or does not."""

from __future__ import annotations

import asyncio
import json
import secrets
from abc import ABC
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol

from gameserver.wire.close_codes import CloseCode
from railbird.checkbot.diary import Diary, Frame

_STALE: Final = "stale_turn"
_ONE_STALE: Final = MappingProxyType({_STALE: 1})
_TWO_STALE: Final = MappingProxyType({_STALE: 2})
_THREE_STALE: Final = MappingProxyType({_STALE: 3})
_REFUSED_ONCE: Final = MappingProxyType({_STALE: 1, "resume_refused": 1})


class Line(Protocol):
    """One connection of the bot, as a fault handles it."""

    @property
    def diary(self) -> Diary: ...

    async def to_bot(self, text: str) -> None:
        """One frame, as if from the table."""

    async def to_table(self, text: str) -> None:
        """One frame, as if from the bot."""

    def cut(self) -> None:
        """The line breaks: no closing words."""

    async def close(self, code: int, reason: str) -> None:
        """As if the server closed."""


class Fault(ABC):
    """Nothing happens; the others change one thing each.

    `warm_up`: turns that the bot acts on before the fault may come. `allowed`: refusals by code that are the fault's own doing.
    `may_run_out`: turns that the fault makes run out. `breaks_the_line`: the bot has to connect anew. `closed_for_s`: how long
    no new connection is taken then. `to_bot_late_s`: how long each frame of the server takes. `longest_turn_ms`: the time for a
    move and the time bank.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    warm_up: ClassVar[int] = 1
    allowed: ClassVar[Mapping[str, int]] = MappingProxyType({})
    may_run_out: ClassVar[int] = 0
    breaks_the_line: ClassVar[bool] = False
    is_final: ClassVar[bool] = False
    """The bot is not to come back."""
    closed_for_s: ClassVar[float] = 0.0
    to_bot_late_s: ClassVar[float] = 0.0

    def __init__(self, longest_turn_ms: int) -> None:
        self.longest_turn_ms = longest_turn_ms
        self.came = False

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        """A frame on its way to the bot."""
        await line.to_bot(text)

    async def from_bot(self, message: Frame, text: str, line: Line) -> None:
        """A message on its way to the table."""
        await line.to_table(text)

    def comes(self, line: Line) -> bool:
        """Whether it is time: once, after the warming up."""
        if self.came or line.diary.taken < self.warm_up:
            return False
        self.came = True
        line.diary.strike()
        return True


class Plain(Fault):
    name, words, warm_up = "plain", "nothing goes wrong", 0

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        self.comes(line)
        await line.to_bot(text)


class Drop(Fault):
    name, words = "drop", "the line breaks when a hand begins"
    breaks_the_line = True
    allowed = _ONE_STALE

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if frame.get("type") == "hand_started" and self.comes(line):
            line.cut()
        else:
            await line.to_bot(text)


class ReconnectInMidHand(Fault):
    name, words = "reconnect_in_mid_hand", "the line breaks as the bot is asked to act; its clock runs on"
    breaks_the_line = True
    allowed = _ONE_STALE

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if frame.get("type") == "your_turn" and self.comes(line):
            line.cut()
        else:
            await line.to_bot(text)


class LostReply(Fault):
    name, words = "lost_reply", "the table takes an action, and the line breaks before the bot hears of it"
    breaks_the_line = True
    allowed = _TWO_STALE

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if frame.get("type") == "ack" and self.comes(line):
            line.cut()
        else:
            await line.to_bot(text)


class MissingFrame(Fault):
    name, words = "missing_frame", "one frame of the stream does not arrive"
    allowed = _ONE_STALE

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if not (frame.get("type") == "player_action" and self.comes(line)):
            await line.to_bot(text)


class Duplicate(Fault):
    name, words = "duplicate", "every frame of the stream arrives twice"

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        self.comes(line)
        await line.to_bot(text)
        if self.came and "seq" in frame and frame.get("type") not in ("snapshot", "resumed"):
            await line.to_bot(text)


class Stale(Fault):
    name, words = "stale", "a request to act arrives once more, long after its turn"
    warm_up = 2
    allowed = _THREE_STALE

    def __init__(self, longest_turn_ms: int) -> None:
        super().__init__(longest_turn_ms)
        self._first: str | None = None

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        await line.to_bot(text)
        if frame.get("type") == "your_turn" and self._first is None:
            self._first = text
        if frame.get("type") == "hand_started" and self._first is not None and self.comes(line):
            for _ in range(3):
                await line.to_bot(self._first)


class Late(Fault):
    name, words = "late", "an action arrives at the table after its time is over"
    allowed = _ONE_STALE
    may_run_out = 1

    async def from_bot(self, message: Frame, text: str, line: Line) -> None:
        if message.get("type") == "action" and self.comes(line):
            await asyncio.sleep(self.longest_turn_ms / 1000 + 0.3)
        await line.to_table(text)


class Slow(Fault):
    name, words, warm_up = "slow", "every frame of the server takes half a second", 0
    to_bot_late_s = 0.5

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        self.comes(line)
        await line.to_bot(text)


class ResumeTooOld(Drop):
    name, words = "resume_too_old", "the line breaks, and what was missed cannot be replayed any more"

    async def from_bot(self, message: Frame, text: str, line: Line) -> None:
        if self.came and message.get("type") == "resume":
            text = _with(message, epoch="long-gone")
        await line.to_table(text)


class ResumeRefused(Drop):
    name, words = "resume_refused", "the line breaks, and the server does not know the session any more"
    allowed = _REFUSED_ONCE

    def __init__(self, longest_turn_ms: int) -> None:
        super().__init__(longest_turn_ms)
        self._forgotten: object = None

    async def from_bot(self, message: Frame, text: str, line: Line) -> None:
        if self.came and message.get("type") == "resume":
            self._forgotten = self._forgotten or message.get("session")
            if message.get("session") == self._forgotten:
                text = _with(message, session=secrets.token_urlsafe(16))
        await line.to_table(text)


class Restart(Fault):
    name, words = "restart", "the server says that it restarts, closes, and is away for a second"
    breaks_the_line = True
    closed_for_s = 1.0
    allowed = _ONE_STALE

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if frame.get("type") == "hand_started" and self.comes(line):
            await line.to_bot(json.dumps({"type": "reconnect", "afterMs": 500}))
            await line.close(CloseCode.RESTART, "restart")
        else:
            await line.to_bot(text)


class Newer(Fault):
    name, words, warm_up = "newer", "the server is newer: it has messages and fields that the bot does not know", 0

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        await line.to_bot(_with(frame, weather={"sky": "clear"}))
        if frame.get("type") == "snapshot" and self.comes(line):
            await line.to_bot(json.dumps({"type": "weather_report", "weather": {"sky": "clear"}}))


class ToldToStop(Fault):
    name, words = "told_to_stop", "the server closes with 4409: this connection is not to come back"
    is_final = True

    async def from_table(self, frame: Frame, text: str, line: Line) -> None:
        if frame.get("type") == "hand_started" and self.comes(line):
            await line.close(CloseCode.REPLACED, "replaced")
        else:
            await line.to_bot(text)


def _with(frame: Frame, **changed: Any) -> str:
    return json.dumps({**frame, **changed})


_ALL: Final[tuple[type[Fault], ...]] = (
    Plain,
    Drop,
    ReconnectInMidHand,
    LostReply,
    MissingFrame,
    Duplicate,
    Stale,
    Late,
    Slow,
    ResumeTooOld,
    ResumeRefused,
    Restart,
    Newer,
    ToldToStop,
)
FAULTS: Final[Mapping[str, Callable[[int], Fault]]] = {fault.name: fault for fault in _ALL}
"""By name, in the order in which they are tried. Each is made with `longest_turn_ms`."""
