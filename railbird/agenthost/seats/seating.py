"""Keeps an agent in its seat: sits down, comes back from sitting out, buys in again when broke. It decides no move."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gameserver.wire.messages import Rebuy, Sit, SitIn
from railbird.agenthost.knowledge.memory import Memory
from railbird.agenthost.outbound import Door
from railbird.client import ConnectionLost, ErrorCode, NoAnswer, Refused

_RETRY_S: Final = 1.0
_SHOWN_WITHIN_S: Final = 20.0
_PASSING: Final = frozenset(
    {
        ErrorCode.NO_CHIPS,
        ErrorCode.SEAT_TAKEN,
        ErrorCode.TABLE_FULL,
        ErrorCode.ALREADY_SEATED,
        ErrorCode.RATE_LIMITED,
        ErrorCode.NOT_SEATED,
        ErrorCode.NOTHING_TO_POST,
        ErrorCode.BUY_IN_ABOVE_MAX,
    }
)
"""Refusals of sitting down or buying in that may be over a moment later."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Where an agent sits, and with how much. `seat`: `None` takes any free one. `rebuys`: whether it buys in again when broke."""

    buy_in_chips: int
    seat: int | None = None
    rebuys: bool = True


class SeatKeeper:
    """Mends the seat whenever what is known of it has changed."""

    def __init__(self, seating: Seating, memory: Memory, rng: random.Random) -> None:
        self._seating = seating
        self._memory = memory
        self._rng = rng
        self._changed = asyncio.Event()
        self._sits = True
        self._asked = False

    @property
    def may_have_a_seat(self) -> bool:
        """Whether a seat is ours, or was asked for: it may be ours before a frame has said so."""
        return self._asked or self._memory.own_seat is not None

    def sit_no_more(self) -> None:
        """From now on no seat is taken, kept or paid for."""
        self._sits = False

    def look(self) -> None:
        """Something may have changed."""
        self._changed.set()

    async def keep(self, door: Door) -> None:
        """Until cancelled. Raises `Refused` where this agent may not sit here at all."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._mend(door)
            except Refused as refused:
                if refused.code not in _PASSING:
                    raise
                await self._later()
            except (ConnectionLost, NoAnswer):
                await self._later()

    async def _later(self) -> None:
        await asyncio.sleep(_RETRY_S * self._rng.uniform(0.8, 1.2))
        self._changed.set()

    async def _mend(self, door: Door) -> None:
        own = self._memory.own_seat
        if not self._sits:
            return
        if own is None:
            await self._sit(door)
        elif own.status == "no_chips":
            if self._seating.rebuys:
                await self._buy_again(door)
        elif own.status in ("sitting_out", "away"):
            await door.send_to_table(SitIn())
            await self._until_it_shows(lambda: (now := self._memory.own_seat) is None or now.status != own.status)

    async def _sit(self, door: Door) -> None:
        state, rules = self._memory.state, self._memory.rules
        if state is None or rules is None:
            return
        taken = {seat.seat for seat in state.seats}
        free = [number for number in range(rules.max_seats) if number not in taken]
        seat = self._seating.seat
        wanted = seat if seat in free else free[0] if free and seat is None else None
        if wanted is None:
            await self._later()
            return
        self._asked = True
        await door.send_to_table(Sit(seat=wanted, buy_in=self._allowed_buy_in()))
        await self._until_it_shows(lambda: self._memory.own_seat is not None)

    async def _buy_again(self, door: Door) -> None:
        await door.send_to_table(Rebuy(amount=self._allowed_buy_in()))
        await self._until_it_shows(lambda: (own := self._memory.own_seat) is None or own.status != "no_chips")

    async def _until_it_shows(self, shows: Callable[[], bool]) -> None:
        """Wait, though not for ever, until what was taken is in the state: it may take until the hand is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                while not shows():
                    await self._changed.wait()
                    self._changed.clear()
        self._changed.set()

    def _allowed_buy_in(self) -> int:
        rules = self._memory.rules
        wanted = self._seating.buy_in_chips
        return wanted if rules is None else max(rules.min_buy_in, min(wanted, rules.max_buy_in))
