"""The pages of one's own agents' captured turns: the hands of an agent, and one hand turn by turn.

A browser gets them where the same address has JSON for programs. Somebody else's hand and none at all are one page
(test_not_yours_and_not_there_are_one_page).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import Response

from capture.durable.lasting import Buffered, Kept, Lasting, Over
from capture.reads.assembly import AgentTurns, FallenBack
from capture.reads.owner_read import OwnHand
from capture.record import MissingReason
from gameserver.http.problems import headers_of
from policy.ids import TableId
from railbird.pages.absences import OF_A_HAND
from railbird.pages.people import Endpoint
from railbird.pages.rendering import page
from railbird.pages.turn_drawing import drawn
from railbird.pages.turn_facts import priced, when

HANDS_A_PAGE: Final = 50


class NoTurns(enum.Enum):
    """Why somebody gets no page of turns. `NOT_YOURS`: also of what is not there."""

    NOBODY = "nobody"
    NOT_YOURS = "not_yours"


@dataclass(frozen=True, slots=True)
class Named:
    """An agent or a table. `is_there`: a table that is open and that the asker may know of. `plays`: an agent of the asker sits there."""

    id: str
    name: str
    is_there: bool = True
    plays: bool = False


@dataclass(frozen=True, slots=True)
class HandsOfAgent:
    """A page of an agent's hands, latest first. `tables`: by id, of those hands. `is_last`: there are none before."""

    agent: Named
    tables: Mapping[TableId, Named]
    hands: Sequence[OwnHand]
    is_last: bool


@dataclass(frozen=True, slots=True)
class HandOfAgent:
    """One hand. `lasting`: how long its turns are there, None where there are none. `kept_until_us`: of what is kept now.

    `csrf_word`: for what the page changes; empty where no cookie was shown.
    """

    agent: Named
    table: Named
    turns: AgentTurns
    lasting: Lasting | None
    kept_until_us: int | None
    csrf_word: str


class TurnsPort(Protocol):
    """Captured turns, for whoever asks; which hand and which agent the request's path says."""

    async def hands(self, request: Request) -> HandsOfAgent | NoTurns:
        """The asker's own hands of an agent."""

    async def hand(self, request: Request) -> HandOfAgent | NoTurns:
        """One of them."""


def hands_page(port: TurnsPort) -> Endpoint:
    """The list of an agent's hands."""

    async def show_hands(request: Request) -> Response:
        match await port.hands(request):
            case HandsOfAgent() as found:
                rows = [_Row.of(each, found.tables) for each in found.hands]
                before = None if found.is_last else found.hands[-1].hand.last_at_us
                return page(request, "agent_hands.html", agent=found.agent, rows=rows, before=before)
            case refused:
                return _no_page(request, refused)

    return show_hands


def hand_page(port: TurnsPort) -> Endpoint:
    """One hand of an agent, turn by turn."""

    async def show_hand(request: Request) -> Response:
        match await port.hand(request):
            case HandOfAgent() as found:
                return page(request, "agent_hand.html", hand=found, **_drawn(found))
            case refused:
                return _no_page(request, refused)

    return show_hand


def _no_page(request: Request, why: NoTurns) -> Response:
    if why is NoTurns.NOT_YOURS:
        return page(request, "no_turns.html", status=404)
    answer = page(request, "login.html", status=401, reason="What your agents knew and said is shown to you alone.")
    answer.headers.update(headers_of(401))
    return answer


def _drawn(found: HandOfAgent) -> dict[str, Any]:
    turns = found.turns.turns
    missing = found.turns.nothing
    fallbacks = sum(isinstance(turn, FallenBack) for turn in turns)
    return {
        "number": found.turns.hand.hand_number,
        "turns": drawn(turns),
        "fallbacks": fallbacks,
        "nothing": "" if missing is None else OF_A_HAND[missing],
        "state": _State.of(found.lasting, len(turns) - fallbacks),
        "will_stay": "until you delete it" if found.kept_until_us is None else f"until {when(found.kept_until_us)}",
    }


@dataclass(frozen=True, slots=True)
class _State:
    """How long turns are there. `kind`: `kept`, `buffered`, `expired`, `redacted`, `no_decision`, or nothing."""

    kind: str
    words: str

    @classmethod
    def of(cls, lasting: Lasting | None, turns: int) -> _State:
        match lasting:
            case None:
                return cls("", "")
            case Kept(turns=kept, until_us=until_us):
                some = "Kept" if kept >= turns else f"{kept} of {turns} turns kept"
                return cls("kept", f"{some} until {'you delete it' if until_us is None else when(until_us)}")
            case Buffered(until_us=until_us):
                return cls("buffered", f"There until {when(until_us)}")
            case Over(why=MissingReason.NO_DECISION):
                return cls("no_decision", "No decision, so nothing captured")
            case Over(why=MissingReason.REDACTED):
                return cls("redacted", "Deleted")
            case Over():
                return cls("expired", "Expired")


@dataclass(frozen=True, slots=True)
class _Row:
    table: Named
    number: int
    decided: int
    fallbacks: int
    cost: str
    ended: str
    state: _State

    @classmethod
    def of(cls, own: OwnHand, tables: Mapping[TableId, Named]) -> _Row:
        hand = own.hand
        return cls(
            table=tables[hand.table_id],
            number=hand.hand_number,
            decided=hand.decided,
            fallbacks=hand.fallbacks,
            cost=priced(hand.cost_usd, hand.unpriced_calls),
            ended=when(hand.last_at_us),
            state=_State.of(own.lasting, hand.decided),
        )
