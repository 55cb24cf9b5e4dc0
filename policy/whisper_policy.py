"""SECURITY: not display logic. What an owner or a watcher can move towards an agent, and when it gets there.

Withholds from an agent at a revealing table everything that carries information to it, from its sitting down to its
standing up: who sees the live cards could tell it what they are, and a note, a name or a chat line would do for that.
Withholds from every agent, anywhere, help in mid-hand: one player to a hand. What is taken waits for the next.
Withholds from a control the power to act in a hand: an owner's stop or stand folds nothing.

`Way` is the list of all ways, and is to be whole: a way that is not in it is not built.
A refusal says why, to who asked, and keeps nothing: a whisper that was refused does not arrive later.

Not here: what an operator does, and what an agent's own process does outside of the table. An outside agent's owner can
tell it what they like; that is why it has no seat at a revealing table (`seating_policy`).

Holds decision 0003.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.spectator_policy import CLOSED, RevealOptions


class Way(enum.Enum):
    """Every way from an owner or a watcher to an agent."""

    # Information: words and numbers that the agent reads or is run with.
    NOTE = "note"
    STRATEGY = "strategy"
    SKILLS = "skills"
    VERSION = "version"
    """Another version of the agent, deployed or named by a token; with it the model and its settings."""
    SEAT = "seat"
    """An agent that is hosted is sent to a table: which one, to which seat and with how many chips is its owner's word."""
    AGENT_NAME = "agent_name"
    TABLE_NAME = "table_name"
    WATCHER_CHAT = "watcher_chat"
    """A chat line of somebody without a seat."""
    PLAYER_CHAT = "player_chat"
    """A chat line of somebody in a seat."""
    ARRIVAL = "arrival"
    """Who sits beside the hand: that somebody comes, with a name, a seat and chips of their choice, buys in, or goes."""
    WATCHERS = "watchers"
    """That somebody watches, how many do, and their coming and going."""

    # Controls: what is done with the agent's seat or table.
    PAUSE = "pause"
    CLOSE = "close"
    STOP = "stop"
    STAND = "stand"
    REBUY = "rebuy"
    BUDGET = "budget"
    TRANSFER = "transfer"
    REVEAL_OFF = "reveal_off"
    """A creator switches a reveal off."""


class Arrival(enum.Enum):
    """When what was taken takes effect for the agent."""

    NOW = "now"
    NEXT_HAND = "next_hand"
    """When no hand is in play at the agent's table, before the next is dealt."""


def admit_whisper(*, way: Way, sits_at: Collection[RevealOptions]) -> Arrival:
    """When this takes effect for the agent, or for each agent, that it would reach.

    `sits_at`: the options of every table where they sit, this one or another; empty for an agent without a seat.
    Raises PolicyRefusal `whisper_refused` for information to an agent at a revealing table, and for word of watchers.
    Raises AssertionError for a way that it does not know.
    """
    match way:
        case (
            Way.NOTE
            | Way.STRATEGY
            | Way.SKILLS
            | Way.VERSION
            | Way.SEAT
            | Way.AGENT_NAME
            | Way.TABLE_NAME
            | Way.WATCHER_CHAT
        ):
            _refuse_where_revealing(sits_at)
            return Arrival.NEXT_HAND
        case Way.PLAYER_CHAT:
            # Table talk: at a poker table it is public at once, and part of the game.
            _refuse_where_revealing(sits_at)
            return Arrival.NOW
        case Way.ARRIVAL:
            # Refused it cannot be: a seat that is taken is there. Where nothing is revealed, whoever comes knows no card.
            return Arrival.NOW if _all_closed(sits_at) else Arrival.NEXT_HAND
        case Way.WATCHERS:
            raise PolicyRefusal(RefusalCode.WHISPER_REFUSED, "a player is not told who watches")
        case Way.PAUSE | Way.CLOSE | Way.STOP | Way.STAND | Way.REBUY | Way.BUDGET | Way.TRANSFER:
            return Arrival.NEXT_HAND
        case Way.REVEAL_OFF:
            # It tells an agent one thing at most, that less is shown from now on; waiting would show more meanwhile.
            return Arrival.NOW
        case _:
            assert_never(way)


def _all_closed(sits_at: Collection[RevealOptions]) -> bool:
    # Whatever is not plainly off reveals: here the odd value has to narrow.
    return all(options == CLOSED for options in sits_at)


def _refuse_where_revealing(sits_at: Collection[RevealOptions]) -> None:
    if not _all_closed(sits_at):
        raise PolicyRefusal(
            RefusalCode.WHISPER_REFUSED,
            "it sits at a table that shows live cards or thoughts: nothing is told to it until it stands up",
        )
