"""An owner's own agents' cards, as frames of their own: beside the public view and no part of it."""

from __future__ import annotations

from gameserver.table.state import TableState
from gameserver.views.sight import Sight, own_cards_of_owner
from gameserver.views.table_view import numbered
from gameserver.wire.messages import OwnCards
from policy.ids import TableId, UserId


def own_cards(table_id: TableId, state: TableState, sight: Sight | None, user_id: UserId) -> list[OwnCards]:
    """One frame for each own agent that was dealt in."""
    return [
        OwnCards(
            seq=0,
            table_id=table_id,
            hand_number=numbered(state.hand_number),
            agent_id=agent_id,
            seat=seat,
            cards=list(cards),
        )
        for seat, agent_id, cards in own_cards_of_owner(sight, user_id)
    ]
