"""What an agent knows: put together from the frames that its own connection was told, and from nothing else.

There is no message that says it all. A source takes the frames that concern it, freezes what it holds when the agent is asked to
act, and says it in lines for a prompt. What a memory has as sources is the definition of what the agent knows: a source added here
is in every prompt and in every record (test_a_source_added_later_is_in_the_prompt_and_in_the_record).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from msgspec import UNSET

from gameserver.wire.messages import GameState, SeatView, TableRules, YourTurn
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.sources import Actions, Notes, PreviousHands, State, Table, TableTalk
from railbird.client import Frame

T = TypeVar("T")


class Source(Protocol[T]):
    """One part of a memory."""

    @property
    def name(self) -> str:
        """The part's name in a record, in camelCase."""

    @property
    def heading(self) -> str:
        """The part's heading in a prompt."""

    def take(self, frame: Frame) -> None:
        """Remember what concerns this part."""

    def freeze(self) -> T:
        """What is known now, as a value that no later frame changes, and that msgspec encodes."""

    def lines(self, known: T, form: Form, /) -> Iterable[str]:
        """A frozen value in lines; none where there is nothing to say. Other people's text in it is quoted."""


@dataclass(frozen=True, slots=True)
class Known:
    """What one source knew."""

    source: Source[Any]
    value: object


@dataclass(frozen=True, slots=True)
class TurnKnowledge:
    """All that an agent knows when it is asked to act: this is the definition of it.

    `known`: in the order of the prompt. `history_gap`: public actions of this hand before the turn are not among them.
    """

    turn: YourTurn
    known: tuple[Known, ...]
    history_gap: bool

    def as_record(self) -> dict[str, object]:
        """The same, by names."""
        parts = {each.source.name: each.value for each in self.known}
        return {**parts, "yourTurn": self.turn, "historyGap": self.history_gap}


class Memory:
    """The memory of one seat at one table; it outlives connections. `more`: further sources."""

    def __init__(self, more: Sequence[Source[Any]] = ()) -> None:
        self._table, self._state, self._actions = Table(), State(), Actions()
        # What changes least comes first: providers keep the beginnings of prompts that they have seen.
        self._sources: tuple[Source[Any], ...] = (
            *(self._table, PreviousHands(), Notes(), TableTalk()),
            *more,
            *(self._state, self._actions),
        )

    def take(self, frame: Frame) -> None:
        """Remember one frame."""
        for source in self._sources:
            source.take(frame)

    def freeze(self, turn: YourTurn) -> TurnKnowledge:
        """What is known about an open turn, copied now: the agent's own action comes back as a frame, and was not known before it."""
        known = tuple(Known(source, source.freeze()) for source in self._sources)
        return TurnKnowledge(turn, known, history_gap=not self._actions.are_all_before(turn.action_index))

    @property
    def state(self) -> GameState | None:
        """The last one; `None` until a snapshot came."""
        return self._state.latest

    @property
    def rules(self) -> TableRules | None:
        """The table's; `None` until a snapshot came."""
        return self._table.rules

    @property
    def own_seat(self) -> SeatView | None:
        """Our seat, `None` where we have none."""
        state = self.state
        if state is None or state.your_seat is UNSET:
            return None
        return next((seat for seat in state.seats if seat.seat == state.your_seat), None)
