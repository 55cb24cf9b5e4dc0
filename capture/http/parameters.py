"""What names a hand in a request. A missing, doubled or odd one is refused, and never read as "all"
(test_f07_no_combination_reaches_anothers_turns).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request

from capture.hand import Hand
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, HandNumber, TableId

ID: Final = "[A-Za-z0-9][A-Za-z0-9._:{}%@+=~|-]{0,199}"
"""Of a table or an agent, of our own or of whoever else keeps a record here."""
MOST_HANDS: Final = 200
_ID: Final = re.compile(ID)
_NUMBER: Final = re.compile("[1-9][0-9]{0,15}")
LARGEST_HAND: Final = 2**31 - 1
"""A table that deals a hand a second gets there in 68 years."""
_LARGEST_TIME: Final = 2**53 - 1
_USUAL_HANDS: Final = 50


class OneHand(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`POST .../promote`."""

    table_id: Annotated[str, msgspec.Meta(pattern=f"^{ID}$", description="A table's id.")]
    hand_number: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_HAND, description="A hand's number.")]
    agent_id: Annotated[str, msgspec.Meta(pattern=f"^{ID}$", description="An agent's id.")]

    @property
    def hand(self) -> Hand:
        """As the reads know it."""
        return Hand(AgentId(self.agent_id), TableId(self.table_id), HandNumber(self.hand_number))


def hand_asked_for(request: Request) -> Hand:
    """From the query; each of the three once. Raises HTTPException 400."""
    table_id, hand_number = table_and_number(request)
    return Hand(AgentId(_id(_one(request, "agentId"))), table_id, hand_number)


def every_agents_hand(request: Request) -> tuple[TableId, HandNumber]:
    """From the query; an agent is refused here, since the answer would not be about it. Raises HTTPException 400."""
    if "agentId" in request.query_params:
        raise HTTPException(400)
    return table_and_number(request)


def table_and_number(request: Request) -> tuple[TableId, HandNumber]:
    """From the query. Raises HTTPException 400."""
    return TableId(_id(_one(request, "tableId"))), _number(_one(request, "handNumber"))


def hand_of_path(request: Request) -> Hand:
    """From the path. Raises PolicyRefusal `not_found` for what no hand is called."""
    path = request.path_params
    try:
        agent_id, table_id = AgentId(_id(path["agent_id"])), TableId(_id(path["table_id"]))
        return Hand(agent_id, table_id, _number(path["number"]))
    except HTTPException:
        raise _nothing() from None


def agent_of_path(request: Request) -> AgentId:
    """From the path. Raises PolicyRefusal `not_found`."""
    try:
        return AgentId(_id(request.path_params["agent_id"]))
    except HTTPException:
        raise _nothing() from None


def page_asked_for(request: Request) -> tuple[int, int | None]:
    """How many hands, and before which time in microseconds, as a page before said; None: the latest. Raises HTTPException 400."""
    limit = _at_most_one(request.query_params.getlist("limit"))
    before = _at_most_one(request.query_params.getlist("before"))
    hands = _USUAL_HANDS if limit is None else _whole(limit, MOST_HANDS)
    return hands, None if before is None else _whole(before, _LARGEST_TIME)


def _nothing() -> PolicyRefusal:
    return PolicyRefusal(RefusalCode.NOT_FOUND, "no such turns")


def _one(request: Request, name: str) -> str:
    given = request.query_params.getlist(name)
    if len(given) != 1:
        raise HTTPException(400)
    return given[0]


def _at_most_one(given: Sequence[str]) -> str | None:
    if len(given) > 1:
        raise HTTPException(400)
    return given[0] if given else None


def _id(text: str) -> str:
    if _ID.fullmatch(text) is None:
        raise HTTPException(400)
    return text


def _number(text: str) -> HandNumber:
    return HandNumber(_whole(text, LARGEST_HAND))


def _whole(text: str, largest: int) -> int:
    if _NUMBER.fullmatch(text) is None or int(text) > largest:
        raise HTTPException(400)
    return int(text)
