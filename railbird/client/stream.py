"""Where a client is in its stream. Bytes in and out are elsewhere; this is bookkeeping only."""

from __future__ import annotations

from dataclasses import dataclass

from gameserver.wire.messages import Resumed, Snapshot


class Gap(Exception):
    """A frame of the stream is missing."""


@dataclass(slots=True)
class Position:
    """`session` is `None` until a snapshot told one. `seq`: the last frame of `epoch` that was taken."""

    session: str | None = None
    epoch: str = ""
    seq: int = 0
    fresh: bool = False
    """Whether a numbered frame came in order since the last `restart`."""

    def adopt(self, snapshot: Snapshot) -> None:
        """A snapshot is a new beginning, whatever was before."""
        self.session, self.epoch, self.seq = snapshot.session, snapshot.epoch, snapshot.seq

    def go_on(self, resumed: Resumed) -> None:
        """The missed frames follow, from the one after `seq`."""
        self.session, self.epoch = resumed.session, resumed.epoch

    def take(self, seq: int) -> bool:
        """Count one numbered frame. False: it was here before. Raises `Gap` where one before it is missing."""
        if seq <= self.seq:
            return False
        if seq != self.seq + 1:
            raise Gap
        self.seq, self.fresh = seq, True
        return True

    def restart(self) -> None:
        """A new connection begins. A session whose last connection brought no frame in order before it broke is kept."""
        self.fresh = False

    def forget(self) -> None:
        """The next connection enters anew and gets a snapshot."""
        self.session, self.epoch, self.seq = None, "", 0
