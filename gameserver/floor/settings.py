"""How the floor runs its tables. The rules of one table are in its options; these are the server's."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from policy.ids import AgentId, UserId


@dataclass(frozen=True, slots=True)
class FloorSettings:
    """`hand_gap_ms`: pause between hands, so that people can see a result. `inbox_requests`: bound of a table's inbox.

    `house_agents`: the operator's own agents, which may sit at practice tables and know of private ones. More may come to be.
    `platform_models`: what may play at a table that reveals anything.
    `operators`: users who may know of every table.
    `faults_to_close`: so many faults in a row, without a hand finished in between, close the table. `fault_pause_ms`: after the
    first of them; twice as long after each further one.
    `come_back_after_ms`: what clients are told when the server goes.
    """

    hand_gap_ms: int = 2_000
    inbox_requests: int = 1_024
    house_agents: Container[AgentId] = frozenset()
    platform_models: frozenset[str] = frozenset({"house"})
    operators: frozenset[UserId] = frozenset()
    faults_to_close: int = 4
    fault_pause_ms: int = 250
    come_back_after_ms: int = 2_000
