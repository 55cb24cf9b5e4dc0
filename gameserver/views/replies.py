"""Answers to one player that are no frames of a stream."""

from __future__ import annotations

from collections.abc import Iterable

from gameserver.table.commands import PlayerId
from gameserver.table.facts import Fact, WishDropped
from gameserver.wire.messages import Error


def dropped_wishes(facts: Iterable[Fact]) -> list[tuple[PlayerId, Error]]:
    """Who is told that something accepted earlier cannot be done after all; for that player's own connection only."""
    return [
        (fact.player, Error(code=fact.code, message="what was accepted earlier cannot be done after all"))
        for fact in facts
        if isinstance(fact, WishDropped)
    ]
