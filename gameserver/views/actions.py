"""Forced bets and moves as public actions: the same in live frames, in snapshots and of past hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec import UNSET

from gameserver.hand.facts import Posted, Street
from gameserver.table.facts import ForcedCause, Moved
from gameserver.wire.messages import PlayerAction
from policy.ids import HandNumber, TableId

_CAUSES: Final[Mapping[ForcedCause, Literal["agent_slow", "disconnected", "provider_down", "leave"]]] = {
    ForcedCause.AGENT_SLOW: "agent_slow",
    ForcedCause.DISCONNECTED: "disconnected",
    ForcedCause.PROVIDER_DOWN: "provider_down",
    ForcedCause.LEAVE: "leave",
}


def player_action(table_id: TableId, hand_number: HandNumber, made: Posted | Moved) -> PlayerAction:
    """One public action; `amount` is the whole bet of the street after it, or what was posted."""
    match made:
        case Posted():
            return _posted(table_id, hand_number, made)
        case Moved():
            return _moved(table_id, hand_number, made)


def player_actions(table_id: TableId, hand_number: HandNumber, made: Iterable[Posted | Moved]) -> list[PlayerAction]:
    """The public actions of one hand, in order."""
    return [player_action(table_id, hand_number, each) for each in made]


def _posted(table_id: TableId, hand_number: HandNumber, posted: Posted) -> PlayerAction:
    return PlayerAction(
        seq=0,
        table_id=table_id,
        hand_number=hand_number,
        seat=posted.seat,
        action=posted.kind,
        amount=posted.amount_chips,
        action_index=posted.action_index,
        street=Street.PREFLOP,
        forced=True,
        all_in=posted.all_in,
    )


def _moved(table_id: TableId, hand_number: HandNumber, moved: Moved) -> PlayerAction:
    move = moved.move
    return PlayerAction(
        seq=0,
        table_id=table_id,
        hand_number=hand_number,
        seat=move.seat,
        action=move.action,
        amount=move.total_chips,
        action_index=move.action_index,
        street=move.street,
        forced=moved.cause is not None,
        all_in=move.all_in,
        cause=UNSET if moved.cause is None else _CAUSES[moved.cause],
    )
