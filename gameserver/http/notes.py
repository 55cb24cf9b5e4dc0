"""Notes of owners to their own agents: taken through the gate, and waiting for the next hand.

A note is asked about twice: when it is written, and when it would be delivered, since the agent may sit elsewhere by then. What
may not be delivered waits on (test_a_note_waits_while_its_agent_sits_at_a_revealing_table).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from typing import Final

from gameserver.store.notes import StoredNote, StoredNotes
from gameserver.table.commands import PlayerId, agent_player_id
from policy import whisper_policy
from policy.errors import PolicyRefusal
from policy.ids import AgentId
from policy.spectator_policy import RevealOptions
from policy.whisper_policy import Way

_log: Final = logging.getLogger(__name__)


class WaitingNotes:
    """The notes of this process. `sits_at`: what the tables reveal at which a player sits. `now_ms`: Unix time."""

    def __init__(
        self,
        store: StoredNotes,
        sits_at: Callable[[PlayerId], Collection[RevealOptions]],
        now_ms: Callable[[], int],
    ) -> None:
        self._store, self._sits_at, self._now_ms = store, sits_at, now_ms
        self._waiting: dict[AgentId, list[StoredNote]] = {}
        self._dropping: set[asyncio.Task[None]] = set()

    async def load(self) -> None:
        """Read what waited when the last process ended."""
        for note in await self._store.all():
            self._waiting.setdefault(note.agent_id, []).append(note)

    async def add(self, agent_id: AgentId, text: str) -> None:
        """Take a note. Raises PolicyRefusal `whisper_refused`, and Refusal where too many wait; then nothing is kept."""
        self._admit(agent_id)
        note = await self._store.add(agent_id, text, now_ms=self._now_ms())
        self._waiting.setdefault(agent_id, []).append(note)

    def take(self, agent_id: AgentId) -> Sequence[str]:
        """What an agent is told now that a hand begins; each note once."""
        if agent_id not in self._waiting:
            return ()
        try:
            self._admit(agent_id)
        except PolicyRefusal:
            return ()
        notes = self._waiting.pop(agent_id)
        self._drop([note.ordinal for note in notes])
        return [note.text for note in notes]

    def forget(self, agent_id: AgentId) -> None:
        """The agent is somebody else's now: its last owner tells it nothing any more."""
        notes = self._waiting.pop(agent_id, [])
        self._drop([note.ordinal for note in notes])

    async def stop(self) -> None:
        """Let what runs come to its end."""
        await asyncio.gather(*self._dropping, return_exceptions=True)

    def _admit(self, agent_id: AgentId) -> None:
        whisper_policy.admit_whisper(way=Way.NOTE, sits_at=self._sits_at(agent_player_id(agent_id)))

    def _drop(self, ordinals: Sequence[int]) -> None:
        if ordinals:
            task = asyncio.ensure_future(self._store.drop(ordinals))
            self._dropping.add(task)
            task.add_done_callback(self._dropped)

    def _dropped(self, task: asyncio.Task[None]) -> None:
        self._dropping.discard(task)
        error = task.exception()
        if error is not None:  # the note is told once more after a restart
            _log.error("delivered notes were not dropped: %s", type(error).__name__)
