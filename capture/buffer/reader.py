"""Reading the hot buffer, and clearing it. What is written there is `capture.buffer.writer`'s matter.

A read of one agent's turns touches that agent's keys, and the envelopes that its turns name; no other agent's turn is
fetched and then left out. Who may ask for which agent is for the callers' gates to say.
A buffer that does not answer raises BufferUnavailable, which is another thing than an empty one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from capture import transcript
from capture.buffer.client import BufferClient, Run
from capture.buffer.keys import PREFIXES, Keys, escape
from capture.buffer.scripts import FORGET_HAND, KEEP_BOOKS
from capture.buffer.writer import BOOKS, MARK
from capture.captured import CapturedHand, CapturedTurn
from capture.envelope import EnvelopeHash
from capture.errors import UnreadableRecord
from capture.record import MissingReason, TurnKey
from policy.ids import ActionIndex, AgentId, HandNumber, TableId

_log: Final = logging.getLogger(__name__)

_NO_CEILING: Final = 2**62
_NO_LONGER_S: Final = 1
"""To look at the books makes their life neither longer nor shorter (test_looking_at_the_books_changes_no_life)."""

_UNLINK_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class BufferStats:
    """What is in the buffer. `raw_bytes`: of the turns that are there, as they were; `stored_bytes`: what they take here, with
    envelopes and names. `dropped`: turns that the ceiling put out since the buffer was last empty."""

    turns: int
    envelopes: int
    raw_bytes: int
    stored_bytes: int
    dropped: int

    @property
    def turns_an_envelope(self) -> float:
        """How many turns share one, on average."""
        return self.turns / self.envelopes if self.envelopes else 0.0

    @property
    def stored_share(self) -> float:
        """Stored bytes to raw ones: the less the better."""
        return self.stored_bytes / self.raw_bytes if self.raw_bytes else 0.0


class Buffer:
    """Reads one buffer. `wall_ms`: the time since 1970."""

    def __init__(self, client: BufferClient, wall_ms: Callable[[], int]) -> None:
        self._client = client
        self._wall_ms = wall_ms

    async def hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> CapturedHand:
        """One agent's turns of one hand; what its index names and is not there has a reason."""
        keys = await self._client.keys()
        members = await self._client.command("SMEMBERS", keys.hand(agent_id, table_id, hand_number))
        indexes = [ActionIndex(index) for index in sorted(int(member) for member in members)]
        turn_keys = [TurnKey(agent_id, table_id, hand_number, index) for index in indexes]
        held = await self._client.command("MGET", *map(keys.turn, turn_keys)) if turn_keys else []
        return await self._captured(keys, dict(zip(turn_keys, held, strict=True)))

    async def agents_of(self, *, table_id: TableId, hand_number: HandNumber) -> frozenset[AgentId]:
        """For operators: the agents that have turns of a hand here. It says nothing of those whose turns have expired."""
        keys = await self._client.keys()
        members = await self._client.command("SMEMBERS", keys.agents(table_id, hand_number))
        return frozenset(AgentId(member.decode("utf-8", "surrogatepass")) for member in members)

    async def forget_hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> int:
        """Deletes one agent's turns of one hand; how many there were. Envelopes expire by themselves: others may use them."""
        keys = await self._client.keys()
        begins = b"turn:%b:%b:" % (keys.hand_part(table_id, hand_number), escape(agent_id))
        named = [keys.hand(agent_id, table_id, hand_number), keys.agents(table_id, hand_number)]
        agent = agent_id.encode("utf-8", "surrogatepass")
        return int(await self._client.run(FORGET_HAND, named, [agent, begins]))

    async def stats(self) -> BufferStats:
        """By the books, after striking what has expired."""
        keys = await self._client.keys()
        books = [keys.books(book) for book in BOOKS]
        now_ms = self._wall_ms()
        counted = await self._client.all(
            Run(KEEP_BOOKS, books, [now_ms, now_ms, _NO_LONGER_S, _NO_CEILING, 0]),
            *(("ZCARD", book) for book in books[:3]),
            ("HMGET", books[3], "raw", "bytes", "dropped"),
        )
        clean, notable, envelopes = counted[1:4]
        raw, stored, dropped = (int(value or 0) for value in counted[4])
        return BufferStats(clean + notable, envelopes, raw, stored, dropped)

    async def purge(self) -> int:
        """Deletes every key of the buffer and no other; how many there were."""
        found = {key for prefix in PREFIXES for key in await self._client.scan(f"{prefix.decode()}*")}
        named = sorted(found)
        for begin in range(0, len(named), _UNLINK_AT_ONCE):
            await self._client.steps([("UNLINK", key) for key in named[begin : begin + _UNLINK_AT_ONCE]])
        return len(named)

    async def _captured(self, keys: Keys, held: Mapping[TurnKey, bytes | None]) -> CapturedHand:
        missing = {key.action_index: _reason(value) for key, value in held.items() if _is_missing(value)}
        records = {key: value for key, value in held.items() if value is not None and not _is_missing(value)}
        envelopes = await self._envelopes(keys, records.values())
        turns = {key: _turn(key, record, envelopes) for key, record in records.items()}
        # It was there and nobody can read it: for a reader that is as if it had been dropped.
        missing |= {key.action_index: MissingReason.DROPPED for key, turn in turns.items() if turn is None}
        return CapturedHand(tuple(turn for turn in turns.values() if turn is not None), missing)

    async def _envelopes(self, keys: Keys, records: Iterable[bytes]) -> dict[EnvelopeHash, bytes]:
        names = sorted({name for record in records for name in _hashes_in(record)})
        (held,) = await self._client.steps([("GET", keys.envelope(name)) for name in names])
        return {name: envelope for name, envelope in zip(names, held, strict=True) if envelope is not None}


def _hashes_in(record: bytes) -> Iterable[EnvelopeHash]:
    try:
        return transcript.hashes_in(record)
    except UnreadableRecord:
        return ()


def _turn(key: TurnKey, record: bytes, envelopes: Mapping[EnvelopeHash, bytes]) -> CapturedTurn | None:
    """The turn; None, and a line in the log, for what is none of this key."""
    try:
        turn = transcript.decode(record, envelopes.get)
    except UnreadableRecord as error:
        _log.error("a turn in the buffer cannot be read: %s", error)
        return None
    # Whatever put it there: a record is read under its own key and under no other
    # (test_a_record_under_another_turns_key_is_not_read).
    if turn.key != key:
        _log.error("a turn in the buffer lies under another turn's key")
        return None
    return turn


def _is_missing(value: bytes | None) -> bool:
    return value is None or value.startswith(MARK)


def _reason(value: bytes | None) -> MissingReason:
    return MissingReason.EXPIRED if value is None else MissingReason(value[len(MARK) :].decode())
