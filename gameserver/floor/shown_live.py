"""What the public stream of one table has shown of the hand in play: whose live cards went into it, and from when on.

It withholds nothing and gives nobody anything: it asks the gate what the public view had, and remembers seats and times. Its owner
is the table's task; the hand's record takes it over when the hand is over.
"""

from __future__ import annotations

from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.table.facts import HandBegan
from gameserver.table.state import TableState
from gameserver.views.sight import Sight
from policy.ids import HandNumber, Seat
from policy.spectator_policy import CLOSED, RevealOptions
from policy.viewer import Spectator


class ShownLive:
    """Of the hand that began last. Times are Unix milliseconds."""

    def __init__(self) -> None:
        self._hand_number: HandNumber | None = None
        self._reveal_at_deal = CLOSED
        self._streamed: dict[Seat, int] = {}

    def begin(self, began: HandBegan, reveal: RevealOptions) -> None:
        """A hand begins, and nothing of it is shown."""
        self._hand_number, self._reveal_at_deal, self._streamed = began.hand_number, reveal, {}

    def sent(self, state: TableState, on_table: Sight | None, now_ms: int) -> None:
        """The public stream has got this state; with a delay, it shows it later. `on_table`: the hand in it, as the gate is asked."""
        if state.hand is None or state.hand.hand_number != self._hand_number:
            return
        shown_ms = now_ms + state.options.spectator_delay_ms
        for seat in () if on_table is None else on_table.seen_by(Spectator()):
            self._streamed.setdefault(seat, shown_ms)

    def of(self, hand_number: HandNumber) -> Disclosure:
        """What was shown of a hand; nothing is known of any but the one that began last."""
        if hand_number != self._hand_number:
            return UNKNOWN
        return Disclosure(self._reveal_at_deal, tuple(self._streamed.items()))
