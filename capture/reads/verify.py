"""Hashes every record in reach again: of the buffer and of the kept turns. What was captured is what is there, or it is named.

It tells keys and names, and nothing that a record holds.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from capture import transcript
from capture.buffer.client import BufferClient
from capture.buffer.keys import Keys
from capture.buffer.writer import MARK
from capture.captured import CapturedPrompt, CapturedTurn
from capture.durable.turns import Durable
from capture.envelope import EnvelopeHash, hash_of
from capture.errors import UnreadableRecord
from capture.record import TurnKey

_AT_ONCE: Final = 200


class Where(enum.Enum):
    """Where a record lies."""

    BUFFER = "buffer"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not what was captured. `name`: of a key, or of a turn."""

    where: Where
    name: str
    what: str


@dataclass(slots=True)
class Verified:
    """What was looked at. `prompts`: that are whole, byte for byte. `without_prompt`: calls whose prompt has expired or was dropped."""

    buffered: int = 0
    kept: int = 0
    envelopes: int = 0
    prompts: int = 0
    without_prompt: int = 0
    differences: list[Difference] = field(default_factory=list)

    def note(self, where: Where, name: str, what: str) -> None:
        """Something is different."""
        self.differences.append(Difference(where, name, what))


async def verify(client: BufferClient | None, durable: Durable) -> Verified:
    """Look at everything. `client`: None where there is no buffer. Raises BufferUnavailable where it does not answer."""
    found = Verified()
    if client is not None:
        envelopes = await _verify_envelopes(client, found)
        await _verify_buffer(client, envelopes, found)
    async for key, turn in durable.records():
        found.kept += 1
        if isinstance(turn, UnreadableRecord):
            found.note(Where.KEPT, _name_of(key), str(turn))
        else:
            _verify_turn(Where.KEPT, _name_of(key), turn, found)
    return found


async def _verify_envelopes(client: BufferClient, found: Verified) -> Mapping[EnvelopeHash, bytes]:
    """All of them by hash; what is not what its name says is left out, and noted."""
    good: dict[EnvelopeHash, bytes] = {}
    async for name, envelope in _values(client, "env:*"):
        found.envelopes += 1
        named = name.removeprefix(b"env:").decode("ascii", "replace")
        if hash_of(envelope).hex() == named:
            good[hash_of(envelope)] = envelope
        else:
            found.note(Where.BUFFER, f"env:{named}", "an envelope is not what its name says")
    return good


async def _verify_buffer(client: BufferClient, envelopes: Mapping[EnvelopeHash, bytes], found: Verified) -> None:
    keys = await client.keys()
    async for name, record in _values(client, "turn:*"):
        if record.startswith(MARK):
            continue
        found.buffered += 1
        shown = name.decode("utf-8", "backslashreplace")
        try:
            turn = transcript.decode(record, envelopes.get)
        except UnreadableRecord as unreadable:
            found.note(Where.BUFFER, shown, str(unreadable))
            continue
        if keys.turn(turn.key) != name:
            found.note(Where.BUFFER, shown, "a record lies under another turn's name")
        _verify_turn(Where.BUFFER, shown, turn, found)


def _verify_turn(where: Where, name: str, turn: CapturedTurn, found: Verified) -> None:
    for call in turn.calls:
        if not isinstance(call.prompt, CapturedPrompt):
            found.without_prompt += 1
        elif call.prompt.is_whole and hash_of(call.prompt.envelope) == call.prompt.envelope_hash:
            found.prompts += 1
        else:
            found.note(where, name, f"the prompt of call {call.attempt} is not what was sent")


async def _values(client: BufferClient, pattern: str) -> AsyncIterator[tuple[bytes, bytes]]:
    """Names and values of what is there; what expires meanwhile is not."""
    for names in _some(sorted(set(await client.scan(pattern)))):
        values = await client.all(*(("GET", name) for name in names))
        for name, value in zip(names, values, strict=True):
            if value is not None:
                yield name, value


def _some(names: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for begin in range(0, len(names), _AT_ONCE):
        yield names[begin : begin + _AT_ONCE]


def _name_of(key: TurnKey) -> str:
    """As the buffer would name it."""
    return Keys(cluster=False).turn(key).decode("utf-8", "backslashreplace")
