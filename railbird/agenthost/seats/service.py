"""The seats that one process plays: each a task and a connection of its own. It holds no rule of play.

service = Service(ports)
service.play(place)         begin, or go on as another version
service.retire(key)         play the hand out, and end
await service.stop(20.0)    finish the open turns, and end all
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Final

from railbird.agenthost.seats.places import Place, PlaceKey
from railbird.agenthost.seats.visit import Phase, Visit, VisitPorts

_LOG: Final = logging.getLogger(__name__)
_SPREAD_S: Final = 0.01
_LONGEST_SPREAD_S: Final = 3.0
"""Seats that begin together come one after the other, so that a server is not asked by all of them at once."""
_CANCELLED_WITHIN_S: Final = 5.0


class Service:
    """All seats. `ended`: told each seat that ended by itself, with the reason; it must not raise."""

    def __init__(self, ports: VisitPorts, ended: Callable[[PlaceKey, str], None] = lambda key, problem: None) -> None:
        self._ports, self._ended = ports, ended
        self._visits: dict[PlaceKey, Visit] = {}
        self._tasks: dict[PlaceKey, asyncio.Task[None]] = {}
        self._next: dict[PlaceKey, Place] = {}
        self._stopping = False

    @property
    def keys(self) -> Collection[PlaceKey]:
        """The seats that are played and were not asked to end."""
        return [key for key, visit in self._visits.items() if not visit.is_ending and visit.phase is not Phase.ENDED]

    @property
    def phases(self) -> Counter[Phase]:
        """How many seats stand how."""
        return Counter(visit.phase for visit in self._visits.values())

    @property
    def problems(self) -> Mapping[PlaceKey, str]:
        """The seats that play no more, with the reason, until they are asked for again."""
        return {key: visit.problem for key, visit in self._visits.items() if visit.problem is not None}

    def play(self, place: Place) -> None:
        """Play this seat, or go on there as another version. One that is ending, or sits down otherwise, begins again then."""
        if self._stopping:
            return
        visit = self._visits.get(place.key)
        if visit is None or visit.phase is Phase.ENDED:
            self._begin(place)
        elif visit.is_ending or visit.place.seating != place.seating:
            self._next[place.key] = place
            visit.retire()
        else:
            visit.change(place)

    def retire(self, key: PlaceKey) -> None:
        """Play the hand out there, give the seat up, and end. One that ended by itself is forgotten."""
        self._next.pop(key, None)
        visit = self._visits.get(key)
        if visit is not None and visit.phase is Phase.ENDED:
            del self._visits[key], self._tasks[key]
        elif visit is not None:
            visit.retire()

    async def wait(self) -> None:
        """Until no seat is played any more."""
        while running := [task for task in self._tasks.values() if not task.done()]:
            await asyncio.wait(running)

    async def stop(self, within_s: float) -> int:
        """Finish the turns that are being taken, and end. How many were cut short, since they were not done in time."""
        self._stopping = True
        self._next.clear()
        for visit in self._visits.values():
            visit.rest()
        running = {task for task in self._tasks.values() if not task.done()}
        late = (await asyncio.wait(running, timeout=within_s))[1] if running else set()
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=_CANCELLED_WITHIN_S)
        return len(late)

    def _begin(self, place: Place) -> None:
        waiting = sum(visit.phase is Phase.STARTING for visit in self._visits.values())
        visit = Visit(place, self._ports, after_s=min(_LONGEST_SPREAD_S, waiting * _SPREAD_S))
        self._visits[place.key] = visit
        task = asyncio.create_task(visit.run(), name=f"{place.agent_id} at {place.table_id}")
        self._tasks[place.key] = task
        task.add_done_callback(lambda _: self._over(place.key, visit))

    def _over(self, key: PlaceKey, visit: Visit) -> None:
        if self._visits.get(key) is not visit:
            return
        if visit.problem is None:
            del self._visits[key], self._tasks[key]
        else:
            self._ended(key, visit.problem)
        again = self._next.pop(key, None)
        if again is not None:
            self.play(again)
