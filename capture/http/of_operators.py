"""`/internal/agent-capture/*` for the service key, and the same under `/api/hosted-agent/agent-capture/*` for a named operator.

An operator's page asks the second, with the operator's own session: the service key never comes near a browser
(test_an_operators_page_needs_no_service_key), and the audit row has the operator's name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from capture.http import parameters
from capture.http.answers import json_answer, later
from capture.http.parameters import OneHand
from capture.reads import document
from capture.reads.operator_read import OperatorReads
from policy.viewer import Operator

B = TypeVar("B", bound=msgspec.Struct)

AskingOperator: TypeAlias = Callable[[Request], Awaitable[Operator]]
"""Who asks; raises the host's refusal for whoever is no operator, before anything else of the request is looked at."""


class ReadBody(Protocol):
    """The host's strict reader of bodies. Raises HTTPException 400, and whatever else it refuses with."""

    async def __call__(self, request: Request, model: type[B], /) -> B: ...


@dataclass(frozen=True, slots=True)
class OperatorPorts:
    """`by_service_key`, `by_session`: the two ways to be an operator."""

    reads: OperatorReads
    by_service_key: AskingOperator
    by_session: AskingOperator
    read_body: ReadBody


def operator_routes(ports: OperatorPorts) -> list[BaseRoute]:
    """Four routes, twice."""
    return [
        *_routes("/internal/agent-capture", "internal_capture", ports, ports.by_service_key),
        *_routes("/api/hosted-agent/agent-capture", "operator_capture", ports, ports.by_session),
    ]


def _routes(prefix: str, name: str, ports: OperatorPorts, who: AskingOperator) -> list[BaseRoute]:
    desk = _Desk(ports, who)
    return [
        Route(f"{prefix}/hand", desk.hand, methods=["GET"], name=f"{name}_hand"),
        Route(f"{prefix}/hand-all", desk.hand_all, methods=["GET"], name=f"{name}_hand_all"),
        Route(f"{prefix}/recent", desk.recent, methods=["GET"], name=f"{name}_recent"),
        Route(f"{prefix}/promote", desk.promote, methods=["POST"], name=f"{name}_promote"),
    ]


class _Desk:
    def __init__(self, ports: OperatorPorts, who: AskingOperator) -> None:
        self._reads, self._who, self._read_body = ports.reads, who, ports.read_body

    async def hand(self, request: Request) -> Response:
        operator = await self._who(request)
        found = await self._reads.hand(operator, parameters.hand_asked_for(request))
        return json_answer(document.of_agent(found))

    async def hand_all(self, request: Request) -> Response:
        operator = await self._who(request)
        found = await self._reads.hand_all(operator, *parameters.every_agents_hand(request))
        return json_answer(document.of_hand(found))

    async def recent(self, request: Request) -> Response:
        operator = await self._who(request)
        limit, before_us = parameters.page_asked_for(request)
        hands = await self._reads.recent(operator, limit=limit, before_us=before_us)
        return json_answer(document.of_recent(hands, asked_for=limit))

    async def promote(self, request: Request) -> Response:
        operator = await self._who(request)
        asked = await self._read_body(request, OneHand)
        with later():
            promoted = await self._reads.promote(operator, asked.hand)
        return json_answer(document.of_promoted(promoted))
