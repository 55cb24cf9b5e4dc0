"""One seat that a host plays, from the wish to its end: comes back with jitter after whatever passes, and gives up what does not.

Every connection and every wait is this seat's own; another seat's trouble delays it in nothing
(test_a_slow_model_delays_nobody_else).
"""

from __future__ import annotations

import asyncio
import enum
import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gameserver.wire.close_codes import CloseCode
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.places import Place
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.turns.pace import Pace
from railbird.client import ClientError, Closed, Refused, Unreachable

_LOG: Final = logging.getLogger(__name__)
RENEW_EVERY_S: Final = 120.0
"""How often a fresh token is shown: hosted ones last five minutes."""
_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 30.0
_TRIES_WITH_A_BAD_TOKEN: Final = 3
_TRIES_WITH_A_FAULT: Final = 5
_SWITCH_AGAIN_AFTER_S: Final = 60.0

_OF_CLOSE: Final[Mapping[int, str]] = {
    CloseCode.NOT_AUTHENTICATED: "bad_token",
    CloseCode.NOT_ALLOWED: "not_allowed",
    CloseCode.NO_SUCH_TABLE: "no_such_table",
    CloseCode.REPLACED: "replaced",
    CloseCode.TABLE_CLOSED: "table_closed",
    CloseCode.PROTOCOL_TOO_OLD: "protocol_too_old",
}
"""Why a seat is given up, by the code of the close."""


class Phase(enum.Enum):
    """How a seat stands."""

    STARTING = "starting"
    PLAYING = "playing"
    WAITING = "waiting"
    """To come back, after something that may pass."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class VisitPorts:
    """What the seats of a host share. `new_dice`: of one seat's pauses."""

    observers: Observers
    pace: Pace
    new_dice: Callable[[Place], random.Random]
    renew_every_s: float = RENEW_EVERY_S


class Visit:
    """Run it as a task. `problem`: why it ended, where that was not asked for."""

    def __init__(self, place: Place, ports: VisitPorts, *, after_s: float = 0.0) -> None:
        self.phase = Phase.STARTING
        self.problem: str | None = None
        self._place, self._ports, self._after_s = place, ports, after_s
        self._rng = ports.new_dice(place)
        self._player: AgentPlayer | None = None
        self._plays = place.seated_as or place.mind
        self._asked_to_end = asyncio.Event()
        self._switched_to: str | None = None
        self._switched_at = 0.0

    @property
    def place(self) -> Place:
        """What is to be played now."""
        return self._place

    @property
    def is_ending(self) -> bool:
        """Whether it was asked to end."""
        return self._asked_to_end.is_set()

    @property
    def is_thinking(self) -> bool:
        """Whether a turn is being taken."""
        return self._player is not None and self._player.is_thinking

    def change(self, place: Place) -> None:
        """Another version, from the next hand on. Where the table did not take it, it is shown again now and then."""
        self._place = place
        player, now = self._player, asyncio.get_running_loop().time()
        wanted = place.mind.version_id
        if player is None or player.version_to_play == wanted:
            return
        if self._switched_to != wanted or now - self._switched_at >= _SWITCH_AGAIN_AFTER_S:
            self._switched_to, self._switched_at = wanted, now
            player.switch(place.mind)

    def retire(self) -> None:
        """Play the hand out and give the seat up."""
        self._asked_to_end.set()
        if self._player is not None:
            self._player.retire()

    def rest(self) -> None:
        """Finish the turn that is being taken, and go; the seat stays."""
        self._asked_to_end.set()
        if self._player is not None:
            self._player.rest()

    async def run(self) -> None:
        """Until it was asked to end, or cannot go on. Raises nothing."""
        await self._wait(self._after_s)
        faults = bad_tokens = tries = 0
        while not self.is_ending:
            self.phase = Phase.PLAYING
            began = asyncio.get_running_loop().time()
            try:
                await self._play()
            except Refused as refused:
                self.problem = str(refused.code)
            except Closed as closed:
                is_token = closed.code == CloseCode.NOT_AUTHENTICATED
                bad_tokens += is_token
                if not is_token or bad_tokens >= _TRIES_WITH_A_BAD_TOKEN:
                    self.problem = _OF_CLOSE.get(closed.code, "closed")
            except (Unreachable, ClientError) as passing:
                _LOG.warning("%s at %s: %s", *self._place.key, type(passing).__name__)
            except Exception as fault:  # noqa: BLE001 - one seat's fault, and the others play on (test_a_fault_ends_one_seat)
                _LOG.error("%s at %s failed: %s", *self._place.key, type(fault).__name__)
                faults += 1
                self.problem = "failed" if faults >= _TRIES_WITH_A_FAULT else None
            if self.problem is not None:
                break
            tries = 0 if asyncio.get_running_loop().time() - began > _LONGEST_WAIT_S else tries + 1
            self.phase = Phase.WAITING
            await self._wait(self._pause_s(tries))
        self.phase = Phase.ENDED
        if self.problem is not None:
            _LOG.warning("%s at %s is given up: %s", *self._place.key, self.problem)

    async def _play(self) -> None:
        """What played before plays on (test_a_version_that_has_the_seat_plays_on); another version is shown to the table first."""
        place, ports = self._place, self._ports
        player = AgentPlayer(
            place.url,
            agent_id=place.agent_id,
            mind=self._plays,
            agent_token=self._token,
            seating=place.seating,
            rng=self._rng,
            observers=ports.observers,
            pace=ports.pace,
            renew_every_s=ports.renew_every_s,
        )
        if self._plays.version_id != place.mind.version_id:
            player.switch(place.mind)
        self._player = player
        try:
            await player.run()
        finally:
            self._plays, self._player = player.mind, None

    async def _token(self) -> str:
        """Of the version that plays, or is to play next."""
        version = self._plays.version_id if self._player is None else self._player.version_to_prove
        return await self._place.tokens(version)

    def _pause_s(self, tries: int) -> float:
        longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * (1 << min(max(tries - 1, 0), 10)))
        return longest * self._rng.uniform(0.5, 1.0)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            waiting = asyncio.ensure_future(self._asked_to_end.wait())
            await asyncio.wait({waiting}, timeout=seconds)
            waiting.cancel()
