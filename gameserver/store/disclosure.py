"""What of a hand's closed cards the public stream of its table showed while they were live: seats and times, and no card.

Face-up cards are no part of this; the hand's result has them. Who may read what of it is `history_policy`'s matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from policy.ids import Seat
from policy.spectator_policy import RevealOptions


@dataclass(frozen=True, slots=True)
class Disclosure:
    """`reveal_at_deal`: what the table revealed when the cards were dealt.

    `streamed`: the seats whose live cards went into the public stream, each with the Unix time in milliseconds at which the stream
    shows them first, its delay included.
    """

    reveal_at_deal: RevealOptions
    streamed: tuple[tuple[Seat, int], ...]


UNKNOWN: Final = Disclosure(RevealOptions(show_hands=True, show_thoughts=True), ())
"""Of a hand about which nothing was written down: no card was streamed, and nobody is taken to be ahead of the public."""
