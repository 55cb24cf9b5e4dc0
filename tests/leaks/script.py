"""What can happen in a world, as values. A script is a list of these, and both worlds of a pair play the same one.

An action names people and choices and no card, turn or session: those are found in the world that plays it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policy.spectator_policy import RevealOptions


@dataclass(frozen=True, slots=True)
class Sit:
    """An agent or a person takes a seat."""

    who: str


@dataclass(frozen=True, slots=True)
class Leave:
    who: str


@dataclass(frozen=True, slots=True)
class Act:
    """Whoever is asked moves. `choice`: of what is legal; `size`: of a bet or raise, from the least (0) to the most (9)."""

    choice: int
    size: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """Whoever is asked moves as a record says: `f`, `cc`, or `cbr` with the total of the street."""

    kind: str
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Straddle:
    who: str


@dataclass(frozen=True, slots=True)
class Pause:
    """The creator stops the dealing, or lets it go on."""

    pause: bool


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Everybody checks or calls until the hand is over."""


@dataclass(frozen=True, slots=True)
class Think:
    """The agent that is asked says what it thinks."""

    text: str


@dataclass(frozen=True, slots=True)
class Decide:
    """The agent that is asked says what it is going to do."""

    text: str


@dataclass(frozen=True, slots=True)
class Say:
    """Chat."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """An owner's note to their own agent."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Peek:
    """A seat uses its power on another."""

    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Show:
    """A player shows their cards after the hand."""

    who: str


@dataclass(frozen=True, slots=True)
class Reconnect:
    """A line is cut, and its owner enters anew."""

    who: str


@dataclass(frozen=True, slots=True)
class Resume:
    """A line is cut, something may happen, and its owner goes on where they were. `acts`: moves at the table in between.

    `after_ms`: they are away for so long besides.
    """

    who: str
    acts: int = 1
    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class Watch:
    """Somebody opens a socket, or has one already."""

    who: str


@dataclass(frozen=True, slots=True)
class Unwatch:
    who: str


@dataclass(frozen=True, slots=True)
class Stream:
    """Somebody opens an event stream: an owner's own, everybody else the public one."""

    who: str


@dataclass(frozen=True, slots=True)
class ResumeStream:
    """An event stream is cut and taken up again by the id of its last event. `acts`, `after_ms`: as in `Resume`."""

    who: str
    acts: int = 1
    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class Read:
    """Somebody asks for everything that can be asked for: lists, tables, hands in each form, pages, their own things."""

    who: str


@dataclass(frozen=True, slots=True)
class Err:
    """Somebody sends what is refused: broken messages, others' turns, foreign sessions, routes that are not theirs."""

    who: str


@dataclass(frozen=True, slots=True)
class Sell:
    """`owner-cyd` gives its agent to the buyer."""


@dataclass(frozen=True, slots=True)
class RevealOff:
    """A creator switches reveals off."""

    left: RevealOptions


@dataclass(frozen=True, slots=True)
class Wait:
    """Time passes."""

    ms: int


@dataclass(frozen=True, slots=True)
class TimeOut:
    """Whoever is asked says nothing until the table moves for them."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The process dies, and another one opens the same stores."""


Action: TypeAlias = (
    Sit
    | Leave
    | Act
    | Move
    | Straddle
    | Pause
    | PlayOn
    | Think
    | Decide
    | Say
    | Note
    | Peek
    | Show
    | Reconnect
    | Resume
    | Watch
    | Unwatch
    | Stream
    | ResumeStream
    | Read
    | Err
    | Sell
    | RevealOff
    | Wait
    | TimeOut
    | Crash
)
