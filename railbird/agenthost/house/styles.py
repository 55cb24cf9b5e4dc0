"""How house players differ. All numbers are shares between 0 and 1 unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Style:
    """One way to play.

    `looseness`: the share of starting hands that are played. `aggression`: how often a good hand bets or raises and does not
    check or call. `bluffing`: how often a bad one does. `stickiness`: how much less than the pot odds ask for is enough to call
    (below zero: how much more is wanted). `bets`: least and most of a usual bet, in pots.
    """

    name: str
    in_words: str
    looseness: float
    aggression: float
    bluffing: float
    stickiness: float
    bets: tuple[float, float]


_ALL: Final = (
    Style("rock", "tight and passive: waits, and means it", 0.14, 0.30, 0.01, -0.06, (0.45, 0.65)),
    Style("shark", "tight and aggressive: few hands, played hard", 0.23, 0.80, 0.12, -0.01, (0.55, 0.85)),
    Style("gambler", "loose and aggressive: any two cards, any time", 0.60, 0.70, 0.25, 0.06, (0.60, 1.30)),
    Style("station", "loose and passive: calls to see it", 0.62, 0.15, 0.02, 0.14, (0.35, 0.55)),
    Style("mathematician", "plays the odds and nothing else", 0.30, 0.50, 0.05, 0.0, (0.50, 0.70)),
    Style("trickster", "checks good hands and bets bad ones", 0.36, 0.42, 0.30, 0.02, (0.40, 1.00)),
)

STYLES: Final[Mapping[str, Style]] = MappingProxyType({style.name: style for style in _ALL})
"""All styles by name, in a fixed order."""
