"""A hosted agent with the house model, in a seat: like any other but for its model."""

from __future__ import annotations

import random

from policy.ids import AgentId, AgentVersionId
from railbird.agenthost.house.model import HouseModel, house_strategy
from railbird.agenthost.house.styles import Style
from railbird.agenthost.knowledge.prompt import Instructions
from railbird.agenthost.mind import Mind
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.client import TokenSource

_MODEL = HouseModel()


def house_mind(style: Style, *, seed: int = 0, version_id: AgentVersionId | None = None) -> Mind:
    """The house model with a strategy that names a style. `seed`: of its dice."""
    return Mind(_MODEL, Instructions(house_strategy(style)), version_id=version_id, seed=seed)


def house_player(
    url: str,
    *,
    agent_id: AgentId,
    agent_token: TokenSource,
    style: Style,
    rng: random.Random,
    buy_in_chips: int,
    seat: int | None = None,
    min_turn_ms: int = 800,
    renew_every_s: float | None = None,
    version_id: AgentVersionId | None = None,
    observers: Observers | None = None,
) -> AgentPlayer:
    """An agent of the house. `seat`: `None` takes any free one. `rng`: of its pauses, and its seed comes from there too."""
    return AgentPlayer(
        url,
        agent_id=agent_id,
        mind=house_mind(style, seed=rng.getrandbits(31), version_id=version_id),
        agent_token=agent_token,
        seating=Seating(buy_in_chips, seat),
        rng=rng,
        observers=observers,
        pace=Pace(least_ms=min_turn_ms),
        renew_every_s=renew_every_s,
    )
