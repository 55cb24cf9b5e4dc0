"""The request to act, to the seat that it is about and to nobody else."""

from __future__ import annotations

from gameserver.table.state import OpenTurn, SeatState, TableState
from gameserver.views.now import Now
from gameserver.views.table_view import numbered
from gameserver.wire.messages import ChipRange, YourTurn
from policy.ids import TableId


def present_turn(table_id: TableId, state: TableState, seat: SeatState, now: Now) -> YourTurn | None:
    """What this seat is asked at present; None where it is asked nothing."""
    if state.hand is None or state.hand.turn is None or state.hand.turn.turn.seat != seat.seat:
        return None
    return _your_turn(table_id, state, state.hand.turn, now)


def _your_turn(table_id: TableId, state: TableState, open_turn: OpenTurn, now: Now) -> YourTurn:
    turn = open_turn.turn
    return YourTurn(
        seq=0,
        table_id=table_id,
        hand_number=numbered(state.hand_number),
        turn_id=open_turn.turn_id,
        action_index=turn.action_index,
        legal_actions=list(turn.legal),
        chip_range=None if turn.raise_range is None else ChipRange(min=turn.raise_range[0], max=turn.raise_range[1]),
        to_call=turn.to_call_chips,
        turn_ends_at=now.unix_ms(open_turn.turn_ends_at_ms),
        time_bank_ms=open_turn.time_bank_ms,
    )
