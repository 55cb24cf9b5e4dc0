"""`lobby.Lobby` over the floor: the tables that an asker may know of, as those without a seat see them."""

from __future__ import annotations

from collections.abc import Sequence

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Clock
from gameserver.http.lobby import ListedTable, PublicTable
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.table.state import TableState
from gameserver.views import sight
from gameserver.views.now import Now
from gameserver.views.rules import table_rules
from gameserver.views.table_view import STATUSES, table_view
from policy.ids import TableId


class FloorLobby:
    """Which tables there are for somebody, and how late, is the floor's to say."""

    def __init__(self, floor: Floor, clock: Clock) -> None:
        self._floor, self._clock = floor, clock

    async def tables(self, asker: UserIdentity | Nobody) -> Sequence[ListedTable]:
        """See `Lobby`."""
        visible = self._floor.visible_states(asker)
        return [_listed(table_id, state) for table_id, state in visible.items()]

    async def table(self, asker: UserIdentity | Nobody, table_id: TableId) -> PublicTable | None:
        """See `Lobby`."""
        try:
            state = self._floor.visible_state(table_id, asker)
        except Refusal:
            return None
        return public_table(table_id, state, Now(self._clock.monotonic_ms(), self._clock.wall_ms()))


def public_table(table_id: TableId, state: TableState, now: Now) -> PublicTable:
    """The public view of a table."""
    private = sight.view_of_spectator(sight.sight_of_table(state))
    return PublicTable(
        table_id=table_id,
        rules=table_rules(state.options),
        state=table_view(table_id, state, now).for_audience(private),
    )


def _listed(table_id: TableId, state: TableState) -> ListedTable:
    rules = table_rules(state.options)
    return ListedTable(
        table_id=table_id,
        name=rules.name,
        table_kind=rules.table_kind,
        variant=rules.variant,
        status=STATUSES[state.status],
        small_blind=rules.small_blind,
        big_blind=rules.big_blind,
        ante=rules.ante,
        min_buy_in=rules.min_buy_in,
        max_buy_in=rules.max_buy_in,
        max_seats=rules.max_seats,
        seated=len(state.seats),
        hand_number=state.hand_number,
        show_hands=rules.show_hands,
        show_thoughts=rules.show_thoughts,
        spectator_delay_ms=rules.spectator_delay_ms,
    )
