"""Turns that somebody kept: rows that stay until their owner deletes them, or an operator's limit is reached.

Each function names one agent, but for those that list or count. Who may call them for which agent is `policy.capture_scope`'s
to say; the reads that ask it are `capture.reads.owner_read` and `capture.reads.operator_read`.
What an owner deleted is not kept again and not read again, wherever a copy of it may turn up
(test_what_was_deleted_does_not_come_back).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, select, text, update

from capture import transcript
from capture.captured import CapturedPrompt, CapturedTurn
from capture.durable.database import Database, insert_new
from capture.durable.schema import erasures, records
from capture.errors import UnreadableRecord
from capture.hand import Hand
from capture.ledger.charge import KEY, key_of, key_row
from capture.record import MissingReason, TurnKey
from policy.ids import ActionIndex, AgentId, HandNumber, TableId

_log: Final = logging.getLogger(__name__)
_record: Final = records.c
_erasure: Final = erasures.c
_AT_ONCE: Final = 100
_LOST: Final = frozenset({MissingReason.EXPIRED, MissingReason.DROPPED, MissingReason.STORE_DOWN})
"""Why a part is not there that was captured once, and may be found again."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """What became of turns that were to be kept.

    `new`: had no row before. `there`: all that have a row now. `short`: those of them with parts missing.
    """

    new: frozenset[ActionIndex]
    there: frozenset[ActionIndex]
    short: frozenset[ActionIndex]


@dataclass(frozen=True, slots=True)
class DurableTurns:
    """One agent's kept turns of a hand, by action index.

    `unreadable`: rows that hold no record. `erased_us`: turns until then were deleted.
    """

    turns: tuple[CapturedTurn, ...]
    unreadable: frozenset[ActionIndex]
    erased_us: int | None


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Of one agent's part of a hand. `since_us`: when the first was kept; None: none is. `erased_us`: its owner deleted all until then."""

    turns: int
    since_us: int | None
    erased_us: int | None


@dataclass(frozen=True, slots=True)
class DurableCounts:
    """How much is kept."""

    turns: int
    hands: int
    bytes: int


class Durable:
    """The kept turns of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def turns_of(self, hand: Hand) -> DurableTurns:
        """One agent's turns of one hand."""

        def work(connection: Connection) -> tuple[Sequence[Row[Any]], int | None]:
            wanted = select(records).where(_of(hand)).order_by(_record.action_index)
            return connection.execute(wanted).all(), _erased(connection, hand)

        rows, erased_us = await self._database.read(work)
        return _turns_of(rows, erased_us)

    async def rows_of(self, hand: Hand) -> KeptRows:
        """How many of one agent's turns of one hand are kept, without reading them."""
        counted = select(func.count(), func.min(_record.pinned_at_us)).where(_of(hand))

        def work(connection: Connection) -> KeptRows:
            turns, since_us = connection.execute(counted).one()
            return KeptRows(turns, since_us, _erased(connection, hand))

        return await self._database.read(work)

    async def agents_of(self, table_id: TableId, hand_number: HandNumber) -> frozenset[AgentId]:
        """The agents of which a turn of the hand is kept."""
        wanted = select(_record.agent_id).distinct()
        wanted = wanted.where(_record.table_id == table_id, _record.hand_number == hand_number)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return frozenset(AgentId(row.agent_id) for row in rows)

    async def keep(self, hand: Hand, turns: Sequence[CapturedTurn], *, now_us: int) -> Pinned:
        """Keep these turns of the hand; one that is kept already stays, unless this one has more parts. Safe to do at once."""
        rows = [_row_of(turn, now_us) for turn in turns]

        def work(connection: Connection) -> Pinned:
            _one_at_a_time(connection, hand)
            erased_us = _erased(connection, hand)
            wanted = [row for row in rows if erased_us is None or row["captured_at_us"] > erased_us]
            new = _insert(connection, wanted)
            for row in wanted:
                if row["action_index"] not in new:
                    _complete(connection, row)
            return Pinned(new, *_there(connection, hand))

        return await self._database.write(work)

    async def delete(self, hand: Hand, *, now_us: int) -> int:
        """Delete one agent's turns of one hand, also those of before now that are yet to come; how many rows that were."""

        def work(connection: Connection) -> int:
            _one_at_a_time(connection, hand)
            row = {
                "agent_id": hand.agent_id,
                "table_id": hand.table_id,
                "hand_number": hand.hand_number,
                "at_us": now_us,
            }
            connection.execute(insert_new(connection, erasures).values(row))
            later = and_(_erased_of(hand), _erasure.at_us < now_us)
            connection.execute(update(erasures).where(later).values(at_us=now_us))
            return len(connection.execute(delete(records).where(_of(hand)).returning(_record.action_index)).all())

        return await self._database.write(work)

    async def hands_of(self, agent_id: AgentId) -> Sequence[Hand]:
        """The hands of which a turn of the agent is kept; by table and number."""
        wanted = select(_record.table_id, _record.hand_number).distinct().where(_record.agent_id == agent_id)
        wanted = wanted.order_by(_record.table_id, _record.hand_number)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [Hand(agent_id, TableId(row.table_id), HandNumber(row.hand_number)) for row in rows]

    async def records(self) -> AsyncIterator[tuple[TurnKey, CapturedTurn | UnreadableRecord]]:
        """Every row there is, for who checks them all."""
        after: TurnKey | None = None
        while rows := await self._some(after):
            for row in rows:
                after = key_of(row)
                yield after, _read(row)

    async def counts(self) -> DurableCounts:
        """How much is kept."""
        hands = select(_record.table_id, _record.hand_number).distinct().subquery()
        wanted = select(
            func.count(),
            select(func.count()).select_from(hands).scalar_subquery(),
            func.coalesce(func.sum(func.length(_record.record)), 0),
        ).select_from(records)
        turns, hand_count, size = await self._database.read(lambda connection: connection.execute(wanted).one())
        return DurableCounts(turns, hand_count, size)

    async def drop_before(self, us: int) -> int:
        """Delete what was kept before a time, for an operator's limit; how many rows that were."""
        old = delete(records).where(_record.pinned_at_us < us).returning(_record.action_index)
        return await self._database.write(lambda connection: len(connection.execute(old).all()))

    async def _some(self, after: TurnKey | None) -> Sequence[Row[Any]]:
        wanted = select(records).order_by(*_ORDER).limit(_AT_ONCE)
        if after is not None:
            wanted = wanted.where(_after(after))
        return await self._database.read(lambda connection: connection.execute(wanted).all())


_ORDER: Final = (_record.table_id, _record.hand_number, _record.agent_id, _record.action_index)


def _after(key: TurnKey) -> ColumnElement[bool]:
    """Rows behind this one, in the order of the key. Spelt out: not every SQLite compares tuples by index."""
    parts = (key.table_id, key.hand_number, key.agent_id, key.action_index)
    behind = _ORDER[-1] > parts[-1]
    for column, value in zip(_ORDER[-2::-1], parts[-2::-1], strict=True):
        behind = (column > value) | ((column == value) & behind)
    return behind


def _of(hand: Hand) -> ColumnElement[bool]:
    return and_(
        _record.table_id == hand.table_id, _record.hand_number == hand.hand_number, _record.agent_id == hand.agent_id
    )


def _erased_of(hand: Hand) -> ColumnElement[bool]:
    return and_(
        _erasure.table_id == hand.table_id, _erasure.hand_number == hand.hand_number, _erasure.agent_id == hand.agent_id
    )


def _one_at_a_time(connection: Connection, hand: Hand) -> None:
    """Until the transaction ends nobody else keeps or deletes turns of this hand. SQLite has one writer as it is."""
    if connection.dialect.name == "postgresql":
        name = f"agent_call_records {hand!r}"
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})


def _erased(connection: Connection, hand: Hand) -> int | None:
    return connection.execute(select(_erasure.at_us).where(_erased_of(hand))).scalar_one_or_none()


def _row_of(turn: CapturedTurn, now_us: int) -> dict[str, Any]:
    prompt = turn.deciding_call.prompt if turn.deciding_call else None
    whole = prompt.fingerprint if isinstance(prompt, CapturedPrompt) else None
    return {
        **key_row(turn.key),
        "agent_version_id": turn.agent_version_id,
        "captured_at_us": turn.at_us,
        "pinned_at_us": now_us,
        "record": transcript.encode_whole(turn),
        "prompt_sha256": None if whole is None else whole.sha256,
        "prompt_bytes": None if whole is None else whole.length_bytes,
        "missing_parts": sum(reason in _LOST for reason in turn.missing.values()),
    }


def _insert(connection: Connection, rows: Sequence[dict[str, Any]]) -> frozenset[ActionIndex]:
    if not rows:
        return frozenset()
    inserted = connection.execute(insert_new(connection, records).returning(_record.action_index), rows)
    return frozenset(ActionIndex(row.action_index) for row in inserted)


def _complete(connection: Connection, row: dict[str, Any]) -> None:
    """Put this turn in the place of one that has fewer parts. When it was pinned stays."""
    values = {name: value for name, value in row.items() if name not in ("pinned_at_us", *KEY)}
    shorter = and_(*(_record[name] == row[name] for name in KEY), _record.missing_parts > row["missing_parts"])
    connection.execute(update(records).where(shorter).values(values))


def _there(connection: Connection, hand: Hand) -> tuple[frozenset[ActionIndex], frozenset[ActionIndex]]:
    rows = connection.execute(select(_record.action_index, _record.missing_parts).where(_of(hand))).all()
    return (
        frozenset(ActionIndex(row.action_index) for row in rows),
        frozenset(ActionIndex(row.action_index) for row in rows if row.missing_parts),
    )


def _turns_of(rows: Sequence[Row[Any]], erased_us: int | None) -> DurableTurns:
    read = [(ActionIndex(row.action_index), _read(row)) for row in rows]
    turns = tuple(turn for _, turn in read if isinstance(turn, CapturedTurn))
    unreadable = frozenset(index for index, turn in read if isinstance(turn, UnreadableRecord))
    if unreadable:
        _log.error("%d kept records cannot be read: `railbird capture verify` names them", len(unreadable))
    return DurableTurns(turns, unreadable, erased_us)


def _read(row: Row[Any]) -> CapturedTurn | UnreadableRecord:
    """The turn of a row, unless the record is of another turn than its row."""
    try:
        turn = transcript.decode_whole(row.record)
    except UnreadableRecord as unreadable:
        return unreadable
    return turn if turn.key == key_of(row) else UnreadableRecord("a record stands in another's row")
