"""SECURITY: what plain HTTP shows of a table with `spectatorDelayMs` is as late as its public stream.

Withholds the present of such a table from the list and the public view, whoever asks: a seat has a stream of its own. What is
younger than the delay is kept here and shown to nobody; before anything is old enough, the table is there and empty. A reveal
that was switched off is off at once in what was before (test_a_late_view_shows_no_more_than_the_table_reveals_now).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gameserver.floor.ports import Clock
from gameserver.table.facts import Fact, TableStatusChanged
from gameserver.table.state import TableState
from gameserver.views.now import Now
from policy.ids import HandNumber, TableId

MOST_STATES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Seen:
    """A table as those without a seat see it, and the instant that it is of."""

    state: TableState
    at: Now


class LateViews:
    """`state`: a table as it is now. Tell it every table's facts (`observe`)."""

    def __init__(self, state: Callable[[TableId], TableState], clock: Clock) -> None:
        self._state, self._clock = state, clock
        self._kept: dict[TableId, deque[Seen]] = {}

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """Something happened at a table; what it led to is shown later."""
        if any(isinstance(fact, TableStatusChanged) and fact.status == "closed" for fact in facts):
            self._kept.pop(table_id, None)
            return
        state = self._state(table_id)
        if state.options.spectator_delay_ms > 0:
            kept = self._kept.setdefault(table_id, deque(maxlen=MOST_STATES))
            kept.append(Seen(state, self._now()))
            self._drop_old(kept, state.options.spectator_delay_ms)

    def seen(self, table_id: TableId, state: TableState) -> Seen:
        """What is shown of a table that is now like this."""
        now, delay_ms = self._now(), state.options.spectator_delay_ms
        if delay_ms == 0:
            return Seen(state, now)
        kept = self._kept.get(table_id, deque())
        self._drop_old(kept, delay_ms)
        if not kept or now.monotonic_ms - kept[0].at.monotonic_ms < delay_ms:
            return Seen(_empty(state), now)
        # Its rules are today's: what it reveals may have been switched off meanwhile.
        return replace(kept[0], state=replace(kept[0].state, options=state.options))

    def _drop_old(self, kept: deque[Seen], delay_ms: int) -> None:
        """Until the first is the newest that is old enough."""
        old_enough_ms = self._clock.monotonic_ms() - delay_ms
        while len(kept) > 1 and kept[1].at.monotonic_ms <= old_enough_ms:
            kept.popleft()

    def _now(self) -> Now:
        return Now(self._clock.monotonic_ms(), self._clock.wall_ms())


def _empty(state: TableState) -> TableState:
    return replace(state, seats=(), hand_number=HandNumber(0), hand=None, recent=(), last_cards=None)
