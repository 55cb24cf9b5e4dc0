"""One change of a table, as the frames of each audience.

Order in every audience: the facts in the order in which they happened, then one `game_state` where one can have changed, then
what is for this audience alone. What the audiences share is built once and is the same object in each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from gameserver.hand.facts import HoleDealt
from gameserver.table.facts import Fact, TurnOpened
from gameserver.table.state import SeatState, TableState
from gameserver.views import sight
from gameserver.views.audience import SeatAudience
from gameserver.views.beside_hand import facts_told_to, told_to
from gameserver.views.fact_frames import changes_game_state, fact_frames
from gameserver.views.now import Now
from gameserver.views.owner_cards import own_cards
from gameserver.views.table_view import PrivateView, TableView, table_view
from gameserver.views.turns import present_turn
from gameserver.wire.messages import NumberedFrame, YourTurn
from policy.ids import TableId, UserId


class Change:
    """The facts of one `receive`, and the table after them. Frames have `seq` 0: the stream numbers them.

    `sight`: the hand on the table, as the gates are asked about it.
    """

    __slots__ = ("_facts", "_now", "_public_facts", "_state", "_table", "_table_id", "sight")

    def __init__(self, table_id: TableId, facts: Sequence[Fact], state: TableState, now: Now) -> None:
        self._table_id, self._facts, self._state, self._now = table_id, facts, state, now
        self.sight = sight.sight_of_table(state)
        self._public_facts = fact_frames(table_id, facts, state)
        self._table = _table_after(table_id, facts, state, now)

    def public(self) -> list[NumberedFrame]:
        """For everybody who watches."""
        return [*self._public_facts, *self._game_state(lambda: sight.view_of_spectator(self.sight))]

    def unseated_agents(self) -> list[NumberedFrame]:
        """For agents without a seat."""
        return [*self._public_facts, *self._game_state(lambda: sight.view_of_unseated_agents(self.sight))]

    def seat(self, audience: SeatAudience) -> list[NumberedFrame]:
        """For the occupant of a seat. Once the seat is not theirs, the public facts and nothing of the seat."""
        held = sight.occupant(audience, self._state)
        if held is None:
            return list(self._public_facts)
        private = partial(sight.view_of_seat, self.sight, held)
        told, facts = told_to(held, self._state), facts_told_to(held, self._state, self._facts)
        if told is self._state and facts is self._facts:
            return [*self._public_facts, *self._game_state(private), *self._turn_of(held)]
        return [*self._of_some(told, facts, private), *self._turn_of(held)]

    def _of_some(
        self, told: TableState, facts: Sequence[Fact], private: Callable[[], PrivateView]
    ) -> list[NumberedFrame]:
        """As if that were all: neither a frame nor the same state again says that there is more."""
        table = _table_after(self._table_id, facts, told, self._now)
        frames = fact_frames(self._table_id, facts, told)
        return frames if table is None else [*frames, table.for_audience(private())]

    def owner(self, user_id: UserId) -> list[NumberedFrame]:
        """For a person whose own agent plays: the public facts, their view of the state, and newly dealt own cards."""
        return [*self.owner_without_cards(user_id), *self.own_cards(user_id)]

    def owner_without_cards(self, user_id: UserId) -> list[NumberedFrame]:
        """The part of it that is late where the table shows its watchers more than a seat sees, and does so late."""
        return [*self._public_facts, *self._game_state(lambda: sight.view_of_owner(self.sight, user_id))]

    def own_cards(self, user_id: UserId) -> list[NumberedFrame]:
        """Newly dealt cards of a person's own agents. They are live at every table."""
        if not any(isinstance(fact, HoleDealt) for fact in self._facts):
            return []
        return [*own_cards(self._table_id, self._state, self.sight, user_id)]

    def _game_state(self, private: Callable[[], PrivateView]) -> list[NumberedFrame]:
        return [] if self._table is None else [self._table.for_audience(private())]

    def _turn_of(self, seat: SeatState) -> list[YourTurn]:
        """The request that these facts opened, if it is still open."""
        turn = present_turn(self._table_id, self._state, seat, self._now)
        opened = {fact.turn_id for fact in self._facts if isinstance(fact, TurnOpened)}
        return [turn] if turn is not None and turn.turn_id in opened else []


def _table_after(table_id: TableId, facts: Sequence[Fact], state: TableState, now: Now) -> TableView | None:
    """None where these facts leave every `game_state` as it was."""
    return table_view(table_id, state, now) if any(changes_game_state(fact) for fact in facts) else None
