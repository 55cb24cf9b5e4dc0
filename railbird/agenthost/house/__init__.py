"""House players: rule-based, in several styles, for a table that would be empty otherwise. No model, and no claim to be good.

`decide` is a pure function of what a player knows, its style and its dice; `HousePlayer` is the connection around it.
"""

from __future__ import annotations

from railbird.agenthost.house.decide import decide
from railbird.agenthost.house.knowledge import Choice, Knowledge
from railbird.agenthost.house.player import HousePlayer
from railbird.agenthost.house.styles import STYLES, Style

__all__ = ["STYLES", "Choice", "HousePlayer", "Knowledge", "Style", "decide"]
