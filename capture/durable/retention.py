"""How long what was kept stays: until its owner deletes it, or to an operator's limit, which is shown to who keeps."""

from __future__ import annotations

from dataclasses import dataclass

from capture.durable.turns import Durable

_DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Retention:
    """`days`: an operator's limit on kept turns; None: there is none."""

    days: int | None = None

    def kept_until_us(self, now_us: int) -> int | None:
        """Until when a turn that is kept now stays; None: until its owner deletes it."""
        return None if self.days is None else now_us + self.days * _DAY_US

    async def enforce(self, durable: Durable, now_us: int) -> int:
        """Delete what is over the limit; how many turns that were."""
        return 0 if self.days is None else await durable.drop_before(now_us - self.days * _DAY_US)
