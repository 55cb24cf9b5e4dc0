"""Table chat. Public words; at a table that reveals anything they reach no agent, since a watcher who sees more could tell it
(test_chat_reaches_no_agent_at_a_revealing_table).
"""

from __future__ import annotations

from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import dispatch
from gameserver.floor.ports import Door
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.table.commands import UserPlayer, player_id
from gameserver.table.room import Room
from gameserver.table.state import SeatState, TableState
from gameserver.views.audience import SeatAudience
from gameserver.wire.messages import Chat, ChatIn
from policy.ids import TableId


class ChatLine:
    """The chat of one table."""

    def __init__(self, table_id: TableId, door: Door) -> None:
        self._table_id = table_id
        self._door = door

    def say(self, room: Room, identity: Identity, message: ChatIn, now_ms: int) -> None:
        """Say something to the table. Raises Refusal where this identity may not."""
        state = room.state(now_ms)
        seat = _seat_of(state, identity)
        if isinstance(identity, AgentIdentity) and (seat is None or not state.options.agent_chat):
            raise Refusal(ErrorCode.NOT_ALLOWED, "agents do not chat here")
        self._send(state, self._frame(state, identity, seat, message.text))

    def _frame(self, state: TableState, identity: Identity, seat: SeatState | None, text: str) -> Chat:
        return Chat(
            seq=0,
            table_id=self._table_id,
            hand_number=state.hand_number,
            sender=seat.name if seat is not None else _name_beside_a_seat(identity),
            text=text,
            seat=UNSET if seat is None else seat.seat,
        )

    def _send(self, state: TableState, frame: Chat) -> None:
        to_agents = not (state.options.reveal.show_hands or state.options.reveal.show_thoughts)
        self._door.send_to_public(self._table_id, [frame])
        if to_agents:
            self._door.send_to_unseated_agents(self._table_id, [frame])
        for seat in state.seats:
            if to_agents or isinstance(seat.player, UserPlayer):
                self._door.send_to_seat(self._table_id, SeatAudience(seat.seat, player_id(seat.player)), [frame])


def _seat_of(state: TableState, identity: Identity) -> SeatState | None:
    if isinstance(identity, Nobody):
        raise Refusal(ErrorCode.NOT_ALLOWED, "a spectator cannot do this")
    player = dispatch.player_id_of(identity)
    return next((seat for seat in state.seats if player_id(seat.player) == player and not seat.paid_out), None)


def _name_beside_a_seat(identity: Identity) -> str:
    match identity:
        case UserIdentity(user_id=user_id):
            return user_id
        case AgentIdentity() | Nobody():
            raise Refusal(ErrorCode.NOT_ALLOWED, "this needs a seat")
