"""The record of a folder, opened by a command: while a server runs on it, and after it has ended.

A hand is in play where a server runs that has it open. The folder's lock says whether one runs; a database that is not in the
folder may be another machine's server's, so there a hand that began and has not ended is in play, whoever runs.
"""

from __future__ import annotations

import pwd
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from capture.buffer.client import BufferClient
from capture.buffer.reader import Buffer
from capture.reads.operator_read import OperatorReads
from gameserver.floor.clock import SystemClock
from gameserver.http.operators import OperatorDoor
from gameserver.store.audit import Audit
from gameserver.store.engine import Database, DatabaseUrlError, database_url, open_database
from gameserver.store.hands import Hands
from policy.capture_scope import InPlay
from policy.ids import HandNumber, TableId
from policy.viewer import Operator
from railbird import migrations
from railbird.config import Settings
from railbird.home import is_claimed
from railbird.wiring.record.buffer_place import buffer_of
from railbird.wiring.record.dealt import in_play
from railbird.wiring.record.record import Record
from railbird.wiring.settings import record_setup


class NoRecord(RuntimeError):
    """There is no record to be had; for people."""


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """`client`, `buffer`: None where there is no buffer. `operator`: who runs the command."""

    record: Record
    reads: OperatorReads
    operator: Operator
    client: BufferClient | None
    buffer: Buffer | None
    door: OperatorDoor

    async def audit(self, action: str, about: Mapping[str, str | int]) -> None:
        """Write down what is done."""
        async with self.door.audited(action, about, operator=self.operator.name):
            pass


@asynccontextmanager
async def opened_folder(settings: Settings, user_id: int) -> AsyncIterator[RecordFolder]:
    """Open the record of these settings for a user of this machine. Raises NoRecord where there is none, or it cannot be read."""
    url = _url(settings)
    setup = record_setup(settings)
    with buffer_of(setup) as buffer:
        try:
            database = await open_database(url, migrate=migrations.upgrade)
        except (SQLAlchemyError, OSError) as error:
            raise NoRecord(f"The database cannot be opened: {type(error).__name__}.") from None
        record = Record(setup, database, buffer, SystemClock().wall_ms)
        try:
            yield _folder(settings, database, record, user_id)
        finally:
            await record.close()
            await database.dispose()


def _folder(settings: Settings, database: Database, record: Record, user_id: int) -> RecordFolder:
    door = OperatorDoor(None, Audit(database), SystemClock().wall_ms)
    hands, is_the_folders_own = Hands(database), _file(settings) is not None

    async def is_in_play(table_id: TableId, hand_number: HandNumber) -> InPlay:
        if is_the_folders_own and not is_claimed(settings.store.home):
            return InPlay.NO
        return await in_play(hands, table_id, hand_number)

    return RecordFolder(
        record=record,
        reads=OperatorReads(record.stores, is_in_play, door.audited),
        operator=Operator(_name(user_id)),
        client=record.client,
        buffer=record.buffer,
        door=door,
    )


def _url(settings: Settings) -> str:
    file = _file(settings)
    if file is not None and not file.exists():
        raise NoRecord(
            f"There is no record in {settings.store.home}: no server has run on this folder (RAILBIRD_HOME)."
        )
    return settings.store.database_url


def _file(settings: Settings) -> Path | None:
    """The database's file where it is in the folder."""
    try:
        url = database_url(settings.store.database_url)
    except DatabaseUrlError as wrong:
        raise NoRecord(f"RAILBIRD_DATABASE_URL: {wrong}.") from None
    if url.get_backend_name() != "sqlite" or url.database is None:
        return None
    file = Path(url.database)
    return file if file.resolve().parent == settings.store.home.resolve() else None


def _name(user_id: int) -> str:
    """Who runs a command, in an audit row."""
    try:
        return f"command:{pwd.getpwuid(user_id).pw_name}"
    except KeyError:
        return f"command:{user_id}"
