"""The tables that a file names, asked for at the server as anybody may ask. A private one is in no list, and is named by its id."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import httpx2
import msgspec

from policy.ids import TableId
from railbird.agenthost.file.toml import Bad
from railbird.agenthost.http.requests import ID

_ANSWERS_WITHIN_S: Final = 5.0
_AGAIN_AFTER_S: Final = 0.5


class NoServer(Exception):
    """No Railbird answers there; for people."""


class Listed(msgspec.Struct, frozen=True, rename="camel"):
    """A table of the list, as far as a host looks at it."""

    table_id: str
    name: str


class _List(msgspec.Struct, frozen=True):
    tables: list[Listed]


@dataclass(frozen=True, slots=True)
class Directory:
    """What the server's list said."""

    tables: Sequence[Listed]

    def find(self, wanted: str) -> TableId:
        """By its id, or by its name. Raises Bad."""
        if any(table.table_id == wanted for table in self.tables):
            return TableId(wanted)
        named = [table.table_id for table in self.tables if table.name == wanted]
        if len(named) > 1:
            raise Bad("bad_value", "several tables have this name: say its id")
        if named:
            return TableId(named[0])
        if re.fullmatch(ID, wanted):  # one that is in no list
            return TableId(wanted)
        raise Bad("not_found", "the server lists no table of this name")


async def ask_directory(server: str, *, within_s: float) -> Directory:
    """The list. It is asked for again until the server answers. Raises NoServer."""
    async with httpx2.AsyncClient(base_url=server, trust_env=False, timeout=_ANSWERS_WITHIN_S) as client:
        try:
            async with asyncio.timeout(within_s):
                return await _until_it_answers(client)
        except TimeoutError:
            raise NoServer(f"No server answers at {server}.") from None


async def _until_it_answers(client: httpx2.AsyncClient) -> Directory:
    while True:
        try:
            return await _ask(client)
        except httpx2.TransportError:
            await asyncio.sleep(_AGAIN_AFTER_S)


async def _ask(client: httpx2.AsyncClient) -> Directory:
    answer = await client.get("/games/poker")
    try:
        return Directory(msgspec.json.decode(answer.content, type=_List).tables)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NoServer(f"What answers at {client.base_url} is no Railbird (status {answer.status_code}).") from None
