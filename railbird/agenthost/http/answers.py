"""What travels of deployments; to the agent's owner and to nobody else."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from policy.whisper_policy import Arrival
from railbird.agenthost.registry.deployments import Hosting, Sent
from railbird.agenthost.registry.store import Deployment


class DeployAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`takesEffect`: `next_hand`, or `now` where it was deployed already. `deployedAt`: Unix milliseconds."""

    agent_id: str
    agent_version_id: str
    deployed_at: int
    takes_effect: str


class SeatAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`status`: `on_its_way`; or `no_host`, `no_host_has_the_model`: it goes there once a host runs that can play it."""

    agent_id: str
    table_id: str
    agent_version_id: str
    status: str


class StopAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`tables`: where it was to play. `status`: `stopped`, or `after_hand` where it is dealt into one."""

    agent_id: str
    tables: Sequence[str]
    status: str


def deploy_answer(agent_id: str, deployed: Deployment, arrival: Arrival) -> DeployAnswer:
    """What was deployed, and from when on it plays."""
    return DeployAnswer(
        agent_id=agent_id,
        agent_version_id=deployed.version_id,
        deployed_at=deployed.deployed_ms,
        takes_effect=arrival.value,
    )


def seat_answer(sent: Sent) -> SeatAnswer:
    """Whether it is on its way."""
    return SeatAnswer(
        agent_id=sent.seat.agent_id,
        table_id=sent.seat.table_id,
        agent_version_id=sent.version_id,
        status="on_its_way" if sent.hosting is Hosting.RUNNING else sent.hosting.value,
    )


def stop_answer(agent_id: str, tables: Sequence[str], is_gone: bool) -> StopAnswer:
    """Whether it has no seat any more."""
    return StopAnswer(agent_id=agent_id, tables=tables, status="stopped" if is_gone else "after_hand")
