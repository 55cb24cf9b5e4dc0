"""Plays that go everywhere: every kind of viewer, every way out. They fill the matrix; chance does the rest (`machine`)."""

from __future__ import annotations

from typing import Final

from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind
from tests.leaks.cast import AGENTS, EVERYBODY, PERSON
from tests.leaks.script import (
    Act,
    Action,
    Crash,
    Decide,
    Err,
    Leave,
    Note,
    Peek,
    PlayOn,
    Read,
    Reconnect,
    Resume,
    ResumeStream,
    RevealOff,
    Say,
    Sell,
    Show,
    Sit,
    Stream,
    Think,
    TimeOut,
    Wait,
    Watch,
)
from tests.leaks.world import Setting

SETTINGS: Final = (
    Setting("closed"),
    Setting("revealing", show_hands=True, show_thoughts=True),
    Setting("mixed", kind=TableKind.MIXED, agents=AGENTS[:3], people=(PERSON,)),
    Setting("late", show_hands=True, show_thoughts=True, delay_ms=1_500),
    Setting("private", private=True),
)

_STREAMING: Final = ("crowd", "sid", "noone", "pat", "owner-ada", "owner-ben", "owner-cyd", "owner-eve")
_WATCHING: Final = ("eve", "crowd", "sid", "owner-ada", "owner-cyd", "owner-eve")


def focus_of(setting: Setting) -> tuple[str, ...]:
    """For whom twins are made: one of each kind of viewer that knows of other cards than the rest."""
    seated = (PERSON,) if setting.people else ("dot",)
    return ("crowd", "eve", "ada", "owner-ada", "owner-cyd", *seated)


def tour(setting: Setting) -> list[Action]:
    """One play through everything at such a table."""
    return [
        *(Sit(who) for who in setting.players),
        *(Watch(who) for who in _WATCHING),
        *(Stream(who) for who in _STREAMING),
        *(Reconnect(who) for who in setting.players),
        Think("I hold a pair"),
        Decide("a call, since I hold a pair"),
        Act(1),
        Think("They are weak"),
        Note("owner-ada", "raise more"),
        Peek("ada", "ben"),
        Act(2, 1),
        Say("ben", "nice hand"),
        Say("sid", "good luck"),
        *(Err(who) for who in EVERYBODY),
        *(Resume(who) for who in ("ada", "eve", "crowd", "owner-ada", PERSON)),
        PlayOn(),
        Show("ben"),
        Wait(200),
        Act(0),
        Think("One caller is enough"),
        Act(1),
        *(ResumeStream(who) for who in _STREAMING),
        Leave("dot"),
        PlayOn(),
        Wait(100),
        *(Resume(who) for who in ("dot", "sid", "owner-cyd", "owner-eve")),
        Reconnect("dot"),
        Sell(),
        PlayOn(),
        *(Reconnect(who) for who in ("owner-cyd", "owner-eve")),
        *(Stream(who) for who in _STREAMING),
        RevealOff(RevealOptions(show_hands=False, show_thoughts=setting.show_thoughts)),
        Act(1),
        TimeOut(),
        *(Resume(who) for who in ("owner-cyd", "owner-eve", "sid")),
        Wait(2_500),
        *(Read(who) for who in EVERYBODY),
        Crash(),
        Act(1),
        Reconnect("crowd"),
        *(Read(who) for who in ("crowd", "owner-ada", "owner-cyd")),
    ]
