"""What of a room outlives a restart: plain data, and no card.

While a hand is in play this is the room as it would be without that hand, and `begun` says that it began: what a crash leaves
behind is read as a cancelled hand. Times in it count back from `taken_at_ms`, since no other process has the same clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, get_type_hints

import msgspec

from gameserver.table.commands import AgentPlayer, Player, PlayerId, UserPlayer
from gameserver.table.positions import Marks
from gameserver.table.seats import Chair
from policy.ids import HandNumber, Seat


@dataclass(frozen=True, slots=True)
class Departure:
    """A player left with chips. Kept as long as the return rule asks for it."""

    player: PlayerId
    took_chips: int
    left_at_ms: int


@dataclass(frozen=True, slots=True)
class Begun:
    """A hand that began. `stacks`: chips before any bet, by seat dealt in."""

    hand_number: HandNumber
    stacks: tuple[tuple[Seat, int], ...]


@dataclass(frozen=True, slots=True)
class RoomMemory:
    """`hand_number`: the last one that was given out. `marks`: button and blinds of the last hand that was played to its end.

    `drawn`: the seat that the lot gave the first button to. `taken_at_ms` is no part of what is compared.
    """

    chairs: tuple[Chair, ...]
    departures: tuple[Departure, ...]
    marks: Marks | None
    drawn: Seat
    hand_number: HandNumber
    status: str
    closing: bool
    begun: Begun | None
    taken_at_ms: int = field(compare=False)


def new_memory(first_button: Seat | None) -> RoomMemory:
    """An empty table. `first_button`: the seat that the lot gives the first button to; None: the lowest."""
    return RoomMemory(
        chairs=(),
        departures=(),
        marks=None,
        drawn=first_button if first_button is not None else Seat(0),
        hand_number=HandNumber(0),
        status="open",
        closing=False,
        begun=None,
        taken_at_ms=0,
    )


def rebased(memory: RoomMemory, now_ms: int, elapsed_ms: int) -> RoomMemory:
    """The memory with its times on the clock of this process. `elapsed_ms`: what passed since it was taken."""
    shift = now_ms - elapsed_ms - memory.taken_at_ms
    return replace(
        memory,
        chairs=tuple(_chair_shifted(chair, shift) for chair in memory.chairs),
        departures=tuple(replace(each, left_at_ms=each.left_at_ms + shift) for each in memory.departures),
        taken_at_ms=now_ms,
    )


def encode(memory: RoomMemory) -> bytes:
    """JSON, for one row of a store."""
    return msgspec.json.encode(memory)


def decode(data: bytes) -> RoomMemory:
    """The memory that `encode` wrote; fields that it did not know yet get their defaults. Raises msgspec.DecodeError."""
    row = msgspec.json.decode(data, type=dict[str, Any])
    chairs = tuple(_chair(each) for each in row.pop("chairs"))
    fields = {name: msgspec.convert(row[name], type=kind) for name, kind in _ROOM_FIELDS.items() if name in row}
    return RoomMemory(chairs=chairs, **fields)


def _chair(row: dict[str, Any]) -> Chair:
    fields = {name: msgspec.convert(row[name], type=kind) for name, kind in _CHAIR_FIELDS.items() if name in row}
    return Chair(player=_player(row["player"]), **fields)


def _player(row: dict[str, Any]) -> Player:
    if "agent_id" in row:
        return msgspec.convert(row, type=AgentPlayer)
    return msgspec.convert(row, type=UserPlayer)


def _chair_shifted(chair: Chair, shift_ms: int) -> Chair:
    if chair.idle_since_ms is None:
        return chair
    return replace(chair, idle_since_ms=chair.idle_since_ms + shift_ms)


def _fields_but(kind: type, left_out: str) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name != left_out}


_CHAIR_FIELDS: Final = _fields_but(Chair, "player")  # a union of two classes has to be told apart by hand
_ROOM_FIELDS: Final = _fields_but(RoomMemory, "chairs")
