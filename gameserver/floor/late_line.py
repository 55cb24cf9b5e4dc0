"""What has happened at a table and is not shown yet to those who see it late. Bookkeeping: it draws nothing and sends nothing.

What waits here is what happened, with the state after it, and no frame: what anybody gets of it is asked of the gates when it is
shown. So a reveal that was switched off meanwhile is off (test_a_reveal_that_is_switched_off_hides_what_was_not_yet_shown).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gameserver.table.facts import Fact
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, PublicAudience
from gameserver.views.now import Now
from gameserver.wire.messages import AgentThought, Chat
from policy.ids import HandNumber, UserId


@dataclass(frozen=True, slots=True)
class HeldBeginning:
    """The table as it was when this process took it over."""

    state: TableState


@dataclass(frozen=True, slots=True)
class HeldChange:
    """Facts of one change, and the table after them."""

    facts: Sequence[Fact]
    state: TableState
    now: Now


@dataclass(frozen=True, slots=True)
class HeldWords:
    """Chat."""

    audience: PublicAudience | AgentsAudience
    chat: Chat


@dataclass(frozen=True, slots=True)
class HeldThought:
    """What an agent thought, whose turn has its action."""

    owner: UserId
    thought: AgentThought


Held: TypeAlias = HeldBeginning | HeldChange | HeldWords | HeldThought


class LateLine:
    """In the order in which it happened. `shown`: the table as those who see it late have seen it last."""

    def __init__(self, delay_ms: int, state: TableState, now_ms: int) -> None:
        self.shown = _empty(state)
        self._delay_ms = delay_ms
        self._line: deque[tuple[int, Held]] = deque()
        if self.shown != state:
            self.hold(HeldBeginning(state), now_ms)

    def hold(self, held: Held, now_ms: int) -> None:
        """Something has happened just now."""
        self._line.append((now_ms + self._delay_ms, held))

    def take_due(self, now_ms: int) -> Iterator[Held]:
        """What is old enough, oldest first."""
        while self._line and self._line[0][0] <= now_ms:
            yield self._line.popleft()[1]

    def next_due_ms(self) -> int | None:
        """When the next one is old enough."""
        return self._line[0][0] if self._line else None


def _empty(state: TableState) -> TableState:
    """Nothing that happened: after a restart nobody knows what was shown before."""
    return replace(state, seats=(), hand_number=HandNumber(0), hand=None, recent=(), last_cards=None)
