"""What was lost of the record, and that it is told: in numbers at once, to the log once in a while, to later readers when they can be.

A loss is told by a turn's key and a reason. Nothing of the turn itself is kept here.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from capture.record import MissingReason, TurnKey

Loss: TypeAlias = tuple[TurnKey, MissingReason]

_log: Final = logging.getLogger("capture")

QUIET_S: Final = 30.0
"""After a line in the log, no other of its kind for so long."""


class Losses:
    """Counts losses. `most_unnamed`: so many are remembered until the store can be told; the oldest of more are not named there."""

    def __init__(self, most_unnamed: int, clock_s: Callable[[], float]) -> None:
        self._counted: Counter[MissingReason] = Counter()
        self._unnamed: deque[Loss] = deque(maxlen=most_unnamed)
        self._clock_s = clock_s
        self._quiet_until_s = float("-inf")

    @property
    def counted(self) -> Mapping[MissingReason, int]:
        """How many, by reason."""
        return MappingProxyType(dict(self._counted))

    @property
    def total(self) -> int:
        """How many in all."""
        return self._counted.total()

    @property
    def are_to_be_named(self) -> bool:
        """Whether there are any that the store was not told of."""
        return bool(self._unnamed)

    def add(self, key: TurnKey, reason: MissingReason) -> None:
        """One more."""
        self._counted[reason] += 1
        self._unnamed.append((key, reason))

    def next_to_name(self, most: int) -> Sequence[Loss]:
        """The oldest that the store was not told of; they stay until `named`."""
        return [self._unnamed[place] for place in range(min(most, len(self._unnamed)))]

    def named(self, losses: Sequence[Loss], there: Sequence[TurnKey]) -> int:
        """The store was told of these. `there`: what it had got after all; those are losses no more. Returns their number."""
        told = set(losses)
        kept = [loss for loss in self._unnamed if loss not in told]
        self._unnamed.clear()
        self._unnamed.extend(kept)
        found = set(there)
        back = [reason for key, reason in told if key in found]
        self._counted.subtract(back)
        return len(back)

    def say(self, decided: int, why: str) -> None:
        """A line in the log, unless there was one a short while ago."""
        now_s = self._clock_s()
        if now_s < self._quiet_until_s:
            return
        self._quiet_until_s = now_s + QUIET_S
        _log.warning("the record lacks %d of %d decisions so far: %s", self.total, decided, why)
