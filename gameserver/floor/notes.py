"""Notes of an owner to their agent, as frames at the start of a hand. What may be told, and when, is asked of the gate by `give`.

They come before anything else of the hand, so that the first decision of it knows them. An agent whose line is down is told
nothing: its notes wait (test_a_note_waits_for_an_agent_whose_line_is_down).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from gameserver.table.commands import AgentPlayer, player_id
from gameserver.table.facts import Fact, HandBegan
from gameserver.table.state import TableState
from gameserver.views.audience import SeatAudience
from gameserver.wire.messages import Note
from policy.ids import AgentId, TableId

GiveNotes: TypeAlias = Callable[[AgentId], Sequence[str]]
"""What an agent is told now, through `whisper_policy`; each note once."""


def nobody_writes(agent_id: AgentId) -> Sequence[str]:
    """Where no notes are kept."""
    return ()


def notes_at_the_start(
    table_id: TableId, facts: Sequence[Fact], state: TableState, audience: SeatAudience, give: GiveNotes
) -> list[Note]:
    """The notes for the occupant of a seat, where a hand begins for it now."""
    began = next((fact for fact in facts if isinstance(fact, HandBegan)), None)
    if began is None or not _is_connected(state, audience):
        return []
    for seat, player in began.players:
        if seat == audience.seat and isinstance(player, AgentPlayer) and player_id(player) == audience.occupant:
            texts = give(player.agent_id)
            return [Note(seq=0, table_id=table_id, hand_number=began.hand_number, text=text) for text in texts]
    return []


def _is_connected(state: TableState, audience: SeatAudience) -> bool:
    return any(seat.seat == audience.seat and seat.connected for seat in state.seats)
