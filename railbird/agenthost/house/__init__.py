"""The house model and its players: rule-based, in several styles, for a table that would be empty otherwise; no claim to be good.

`HouseModel` is asked like any other model and knows the prompt alone; `decide` is a pure function of what was read there, a style and
dice; `house_player` is a hosted agent that plays with it.
"""

from __future__ import annotations

from railbird.agenthost.house.decide import decide
from railbird.agenthost.house.knowledge import Choice, Knowledge
from railbird.agenthost.house.model import HouseModel
from railbird.agenthost.house.seat import house_mind, house_player
from railbird.agenthost.house.styles import STYLES, Style

__all__ = ["STYLES", "Choice", "HouseModel", "Knowledge", "Style", "decide", "house_mind", "house_player"]
