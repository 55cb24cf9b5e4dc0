"""`/agents/{agentId}/hands/...`: an owner's own agents' turns, to read, keep, take along and delete.

Somebody else's turns and none at all are one answer (test_f07_no_combination_reaches_anothers_turns).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from capture.hand import Hand
from capture.http import parameters
from capture.http.answers import json_answer, later, lines_answer
from capture.reads import document
from capture.reads.owner_read import OwnerReads
from capture.reads.shapes import AllDeletedShape, DeletedShape
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, UserId

_HAND = "/agents/{agent_id}/hands/{table_id}/{number}"
_ALL = "/agents/{agent_id}/hands"


@dataclass(frozen=True, slots=True)
class OwnerPorts:
    """`user`: who is signed in; raises the host's refusal, and counts a change against them. `owns_now`: whether an agent is theirs."""

    reads: OwnerReads
    user: Callable[[Request], Awaitable[UserId]]
    owns_now: Callable[[UserId, AgentId], Awaitable[bool]]


def owner_routes(ports: OwnerPorts) -> list[BaseRoute]:
    """For whoever is signed in."""
    desk = _Desk(ports)
    return [
        Route(_HAND, desk.show, methods=["GET"], name="captured_hand"),
        Route(f"{_HAND}/keep", desk.keep, methods=["POST"], name="keep_captured_hand"),
        Route(_HAND, desk.delete, methods=["DELETE"], name="delete_captured_hand"),
        Route(_ALL, desk.list_hands, methods=["GET"], name="captured_hands"),
        Route(f"{_ALL}.jsonl", desk.export, methods=["GET"], name="export_captured_hands"),
        Route(_ALL, desk.delete_all, methods=["DELETE"], name="delete_captured_hands"),
    ]


class _Desk:
    def __init__(self, ports: OwnerPorts) -> None:
        self._ports, self._reads = ports, ports.reads

    async def show(self, request: Request) -> Response:
        user_id = await self._ports.user(request)
        found = await self._reads.turns(user_id, parameters.hand_of_path(request))
        return json_answer(document.of_agent(found))

    async def keep(self, request: Request) -> Response:
        user_id = await self._ports.user(request)
        with later():
            promoted, until_us = await self._reads.keep(user_id, parameters.hand_of_path(request))
        return json_answer(document.of_kept(promoted, until_us))

    async def delete(self, request: Request) -> Response:
        user_id = await self._ports.user(request)
        return json_answer(DeletedShape(deleted=await self._reads.delete(user_id, parameters.hand_of_path(request))))

    async def list_hands(self, request: Request) -> Response:
        _, hands = await self._their_hands(request)
        return json_answer(document.of_hands(hands))

    async def export(self, request: Request) -> Response:
        user_id, hands = await self._their_hands(request)
        return lines_answer(self._lines(user_id, hands), "turns.jsonl")

    async def delete_all(self, request: Request) -> Response:
        user_id, hands = await self._their_hands(request)
        deleted = [await self._reads.delete(user_id, hand) for hand in hands]
        return json_answer(AllDeletedShape(deleted=sum(deleted), hands=len(deleted)))

    async def _their_hands(self, request: Request) -> tuple[UserId, Sequence[Hand]]:
        """Raises PolicyRefusal `not_found` where neither the agent nor a hand of it is theirs."""
        user_id = await self._ports.user(request)
        agent_id = parameters.agent_of_path(request)
        hands = await self._reads.hands(user_id, agent_id)
        if not hands and not await self._ports.owns_now(user_id, agent_id):
            raise PolicyRefusal(RefusalCode.NOT_FOUND, "no such turns")
        return user_id, hands

    async def _lines(self, user_id: UserId, hands: Sequence[Hand]) -> AsyncIterator[bytes]:
        async for turn in self._reads.export(user_id, hands):
            yield document.encode(document.of_turn(turn)) + b"\n"
