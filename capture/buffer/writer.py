"""Puts entries into the buffer: envelopes first and renewed, then turns with their indexes, then the books.

One writer serves a process, beside the turns; `capture.recorder` decides what is written when, and what a failure means.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from capture.buffer.client import BufferClient, Order, Run
from capture.buffer.keys import Keys, escape
from capture.buffer.scripts import KEEP_BOOKS, MARK_TURNS, PUT_ENVELOPE, RENEW_ENVELOPES, WRITE_TURNS, Script
from capture.entry import Entry
from capture.envelope import EnvelopeHash
from capture.record import MissingReason, TurnKey

MARK: Final = b"\x00"
"""The first byte of what stands in the place of a turn that is missing; a reason's word follows. No record begins so."""

BOOKS: Final = ("clean", "notable", "envelopes", "totals")

_LONGER_S: Final = 60
"""So much longer than turns do envelopes and indexes live: a step of the clock must not turn that round."""

_MOST_KNOWN: Final = 4096

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class BufferSettings:
    """`ttl_s`: how long a turn is kept. `ceiling_bytes`: of all values and their names."""

    ttl_s: int = 86_400
    ceiling_bytes: int = 2 * 1024**3


class BufferWriter:
    """Writes to the buffer. `wall_ms`: the time since 1970. Raises BufferUnavailable; what was asked can be asked again."""

    def __init__(self, client: BufferClient, settings: BufferSettings, wall_ms: Callable[[], int]) -> None:
        self._client = client
        self._ttl_s = settings.ttl_s
        self._longer_s = settings.ttl_s + _LONGER_S
        self._ceiling_bytes = settings.ceiling_bytes
        self._wall_ms = wall_ms
        self._known: OrderedDict[EnvelopeHash, None] = OrderedDict()

    async def write(self, entries: Sequence[Entry]) -> None:
        """All of them; and marks in the places of what the ceiling dropped for them."""
        keys = await self._client.keys()
        envelopes = {name: held for entry in entries for name, held in entry.envelopes.items()}
        known = [name for name in envelopes if name in self._known]
        new = [self._envelope(keys, name, held) for name, held in envelopes.items() if name not in self._known]
        renewals = self._renewals(keys, known)
        turns = self._turns(keys, entries)
        renewed, _, [dropped] = await self._client.steps(
            [*renewals, *new], turns, [self._books(keys, entries, envelopes)]
        )
        gone = [self._envelope(keys, name, envelopes[name]) for name in _gone(known, renewals, renewed)]
        marks = [("SET", key, _mark(MissingReason.DROPPED), "XX", "KEEPTTL") for key in dropped]
        await self._client.steps([*gone, *marks])
        self._remember(envelopes)

    async def mark(self, losses: Sequence[tuple[TurnKey, MissingReason]]) -> list[TurnKey]:
        """Says of turns that they are missing, where nothing is; returns those of which the record is there after all."""
        keys = await self._client.keys()
        there: list[TurnKey] = []
        for group in _by_hand(losses, lambda loss: loss[0], apart=keys.cluster):
            order = self._run(MARK_TURNS, keys, [(key, _mark(reason)) for key, reason in group])
            answers = (await self._client.all(order))[0]
            there += [key for (key, _), was_there in zip(group, answers, strict=True) if was_there]
        return there

    def _envelope(self, keys: Keys, name: EnvelopeHash, held: bytes) -> Order:
        return Run(PUT_ENVELOPE, [keys.envelope(name)], [self._longer_s, held])

    def _renewals(self, keys: Keys, known: Sequence[EnvelopeHash]) -> list[Run]:
        groups = [[name] for name in known] if keys.cluster else [known] if known else []
        return [Run(RENEW_ENVELOPES, [keys.envelope(name) for name in group], [self._longer_s]) for group in groups]

    def _turns(self, keys: Keys, entries: Sequence[Entry]) -> list[Run]:
        groups = _by_hand(entries, lambda entry: entry.key, apart=keys.cluster)
        return [self._run(WRITE_TURNS, keys, [(entry.key, entry.record) for entry in group]) for group in groups]

    def _run(self, script: Script, keys: Keys, turns: Sequence[tuple[TurnKey, bytes]]) -> Run:
        named: list[bytes] = []
        arguments: list[bytes | int] = [self._ttl_s, self._longer_s]
        for key, record in turns:
            agent, hand = escape(key.agent_id), keys.hand_part(key.table_id, key.hand_number)
            named += (keys.turn_of(hand, agent, key.action_index), b"hand:%b:%b" % (hand, agent), b"agents:" + hand)
            arguments += (record, key.action_index, key.agent_id.encode("utf-8", "surrogatepass"))
        return Run(script, named, arguments)

    def _books(self, keys: Keys, entries: Sequence[Entry], envelopes: Mapping[EnvelopeHash, bytes]) -> Run:
        now_ms = self._wall_ms()
        arguments: list[bytes | int] = [
            now_ms, now_ms + self._ttl_s * 1000, self._longer_s, self._ceiling_bytes, len(entries)
        ]  # fmt: skip
        for entry in entries:
            key = keys.turn(entry.key)
            arguments += (int(entry.clean), b"%d:%d:%b" % (len(key) + len(entry.record), entry.raw_bytes, key))
        for name, held in envelopes.items():
            key = keys.envelope(name)
            arguments.append(b"%d:0:%b" % (len(key) + len(held), key))
        return Run(KEEP_BOOKS, [keys.books(book) for book in BOOKS], arguments)

    def _remember(self, envelopes: Iterable[EnvelopeHash]) -> None:
        for name in envelopes:
            self._known[name] = None
            self._known.move_to_end(name)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)


def _gone(known: Sequence[EnvelopeHash], renewals: Sequence[Run], answers: Sequence[list[int]]) -> list[EnvelopeHash]:
    """The envelopes that were thought to be there, and are not: somebody purged, or the server forgot."""
    if len(renewals) == 1:
        return [known[place] for place in answers[0]]
    return [name for name, gone in zip(known, answers, strict=False) if gone]


def _mark(reason: MissingReason) -> bytes:
    return MARK + reason.value.encode()


def _by_hand(items: Sequence[_T], key_of: Callable[[_T], TurnKey], *, apart: bool) -> list[list[_T]]:
    """The items in one group, or hand by hand, where each hand lies in another place."""
    if not apart:
        return [list(items)] if items else []
    hands: dict[object, list[_T]] = {}
    for item in items:
        key = key_of(item)
        hands.setdefault((key.table_id, key.hand_number), []).append(item)
    return list(hands.values())
