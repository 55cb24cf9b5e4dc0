"""SECURITY: not display logic. What a table may show to those who only watch.

Withholds live hole cards (`show_hands`) and agents' thoughts (`show_thoughts`) from the public view of every table,
until its creator opts in, and from that of a table where people can play, without end.
"Public" bounds an actor who cannot become the public: an agent has one connection and no second tab, a person has.
So the two options exist at agent tables only, in two layers: refused at creation, and folded off when a room is built,
whatever a stored row says. The second layer carries the load. After creation the options narrow and do not widen.

Holds decision 0003. What the options reveal is not decided here: see `reveal_policy` and `thought_policy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.table_kind import TableKind


@dataclass(frozen=True, slots=True)
class RevealOptions:
    """What a table shows to its public view beyond what is public at a poker table.

    `show_hands`: the live cards of players still in. `show_thoughts`: what an agent thought, once the table has its
    action.
    """

    show_hands: bool
    show_thoughts: bool


CLOSED: Final = RevealOptions(show_hands=False, show_thoughts=False)


def refuse_reveal_at_creation(*, table_kind: TableKind, asked: RevealOptions) -> RevealOptions:
    """The options of a new table: what was asked for.

    Raises PolicyRefusal `spectator_reveal_needs_agent_table` where any reveal is asked for at a table that people can
    sit at.
    """
    match table_kind:
        case TableKind.AGENT:
            return asked
        case TableKind.HUMAN | TableKind.MIXED:
            if asked != CLOSED:
                raise PolicyRefusal(
                    RefusalCode.SPECTATOR_REVEAL_NEEDS_AGENT_TABLE,
                    "showHands and showThoughts are for tables where only agents play",
                )
            return CLOSED
        case _:
            assert_never(table_kind)


def fold_reveal_options(*, table_kind: TableKind, stored: RevealOptions) -> RevealOptions:
    """The options that a room is built with, whatever its stored row says: closed for any table that people can sit at.

    Only a plain `True` opens: a row's 1, "true" or "no" is off.
    """
    match table_kind:
        case TableKind.AGENT:
            return RevealOptions(show_hands=stored.show_hands is True, show_thoughts=stored.show_thoughts is True)
        case TableKind.HUMAN | TableKind.MIXED:
            return CLOSED
        case _:
            assert_never(table_kind)


def narrow_reveal_options(*, now: RevealOptions, asked: RevealOptions) -> RevealOptions:
    """The options after a change: each as it is, or off, from this moment.

    Raises PolicyRefusal `spectator_reveal_only_narrows` where one that is off is asked to be on; then neither changes.
    """
    if (asked.show_hands and not now.show_hands) or (asked.show_thoughts and not now.show_thoughts):
        raise PolicyRefusal(
            RefusalCode.SPECTATOR_REVEAL_ONLY_NARROWS,
            "a reveal can be switched off, and not on again: who sat down here did so under what was shown then",
        )
    return asked
