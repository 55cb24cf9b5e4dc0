"""The four routes. What is asked for wrongly is 400; what is not there, is not over or is not the asker's is one 404."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.history import ohh, phh
from gameserver.http.history.disclosed import FinishedHand, PublicHand, disclose, reader_of
from gameserver.http.history.document import hand_document, hands_document
from gameserver.http.history.numbers import before_of, hand_number, limit_of
from gameserver.http.history.page import page_of_hands
from gameserver.http.history.ports import HistoryPorts
from gameserver.http.problems import NO_STORE, problem, problem_of
from gameserver.http.tables import json_answer
from gameserver.identity import ids
from gameserver.store.stored import StoredTable
from policy.errors import PolicyRefusal, RefusalCode
from policy.history_policy import Reader

_HANDS = "/games/poker/{table_id}/hands"

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def history_routes(ports: HistoryPorts) -> list[BaseRoute]:
    """The routes, under any prefix. They answer with problem documents by themselves."""

    async def hands(request: Request) -> Response:
        table, reader = await _asked(ports, request)
        query = request.query_params
        limit, before = limit_of(query.getlist("limit")), before_of(query.getlist("before"))
        page = await page_of_hands(
            ports.hands, table=table, reader=reader, before=before, limit=limit, now_ms=ports.now_ms()
        )
        return json_answer(hands_document(table.table_id, page))

    async def hand(request: Request) -> Response:
        return json_answer(hand_document(await _hand(ports, request)))

    async def hand_in_phh(request: Request) -> Response:
        finished = await _finished(ports, request)
        return _file(phh.phh_text(finished).encode(), phh.MEDIA_TYPE, f"{_name(finished)}.phh")

    async def hand_in_ohh(request: Request) -> Response:
        finished = await _finished(ports, request)
        return _file(ohh.ohh_json(finished), ohh.MEDIA_TYPE, f"{_name(finished)}.ohh.json")

    return [
        Route(_HANDS, _refusing(hands), methods=["GET"], name="hands"),
        Route(f"{_HANDS}/{{number}}.phh", _refusing(hand_in_phh), methods=["GET"], name="hand_phh"),
        Route(f"{_HANDS}/{{number}}.ohh.json", _refusing(hand_in_ohh), methods=["GET"], name="hand_ohh"),
        Route(f"{_HANDS}/{{number}}", _refusing(hand), methods=["GET"], name="hand"),
    ]


def _refusing(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with refusals as answers."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (Refusal, PolicyRefusal) as refusal:
            if refusal.code is ErrorCode.OUT_OF_RANGE:
                return problem(400, str(refusal.code), refusal.why)
            return problem_of(refusal)

    return answer


async def _asked(ports: HistoryPorts, request: Request) -> tuple[StoredTable, Reader]:
    """The table, for somebody who may know of it. Raises Refusal `bad_token`, `not_found`."""
    identity = await ports.identify(request)
    table_id = ids.table_id(request.path_params["table_id"])
    table = None if table_id is None else await ports.tables.table(table_id)
    if table is None:
        raise _nothing()
    ports.admit(identity, table.table_id, table.options)
    return table, reader_of(identity)


async def _hand(ports: HistoryPorts, request: Request) -> PublicHand:
    table, reader = await _asked(ports, request)
    number = hand_number(request.path_params["number"])
    stored = None if number is None else await ports.hands.hand(table.table_id, number)
    if stored is None:
        raise _nothing()
    return disclose(table=table, hand=stored, reader=reader, now_ms=ports.now_ms())


async def _finished(ports: HistoryPorts, request: Request) -> FinishedHand:
    """A hand that has something to write: of a cancelled one there is no file."""
    hand = await _hand(ports, request)
    if not isinstance(hand, FinishedHand):
        raise _nothing()
    return hand


def _nothing() -> PolicyRefusal:
    return PolicyRefusal(RefusalCode.NOT_FOUND, "no such hand")


def _name(hand: FinishedHand) -> str:
    return f"{hand.table_id}-{hand.hand_number}"


def _file(content: bytes, media_type: str, name: str) -> Response:
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
