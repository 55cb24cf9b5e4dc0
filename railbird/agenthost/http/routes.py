"""The three routes. An agent that is not the asker's is not there, before anything else is looked at
(test_somebody_elses_agent_is_not_deployed).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from policy.ids import AgentVersionId, Seat, TableId
from railbird.agenthost.http.answers import deploy_answer, seat_answer, stop_answer
from railbird.agenthost.http.requests import Asked, Deploy, StopPlaying, TakeSeat
from railbird.agenthost.registry.deployments import Deployments
from railbird.agenthost.registry.ports import OwnedAgent

A = TypeVar("A", bound=Asked)


class ReadBody(Protocol):
    """The table server's strict reader of bodies. Raises its refusals."""

    async def __call__(self, request: Request, model: type[A], /) -> A: ...


@dataclass(frozen=True, slots=True)
class HostingPorts:
    """`own_agent`: the agent of the path, where it is the asker's; raises Refusal `not_found`, and `bad_token` before it.

    `read`: a body. `answer`: JSON for this asker, with a status, not to be stored.
    """

    deployments: Deployments
    own_agent: Callable[[Request], Awaitable[OwnedAgent]]
    read: ReadBody
    answer: Callable[[object, int], Response]


def hosting_routes(ports: HostingPorts) -> list[BaseRoute]:
    """For whoever is signed in, about their own agents."""

    async def deploy(request: Request) -> Response:
        agent = await ports.own_agent(request)
        asked = await ports.read(request, Deploy)
        deployed, arrival = await ports.deployments.deploy(agent.agent_id, AgentVersionId(asked.agent_version_id))
        return ports.answer(deploy_answer(agent.agent_id, deployed, arrival), 200)

    async def seat(request: Request) -> Response:
        agent = await ports.own_agent(request)
        asked = await ports.read(request, TakeSeat)
        where = None if asked.seat is UNSET else Seat(asked.seat)
        sent = await ports.deployments.seat(agent, TableId(asked.table_id), where, asked.buy_in)
        return ports.answer(seat_answer(sent), 202)

    async def stop(request: Request) -> Response:
        agent = await ports.own_agent(request)
        await ports.read(request, StopPlaying)
        tables, is_gone = await ports.deployments.stop(agent.agent_id)
        return ports.answer(stop_answer(agent.agent_id, tables, is_gone), 200 if is_gone else 202)

    return [
        Route("/agents/{agent_id}/deploy", deploy, methods=["POST"], name="agents_deploy"),
        Route("/agents/{agent_id}/seat", seat, methods=["POST"], name="agents_seat"),
        Route("/agents/{agent_id}/stop", stop, methods=["POST"], name="agents_stop"),
    ]
