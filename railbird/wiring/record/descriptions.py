"""What is said of the routes of the record."""

from __future__ import annotations

from typing import Final

from capture.http.parameters import MOST_HANDS, OneHand
from capture.reads.shapes import (
    AgentTurnsShape,
    AllDeletedShape,
    CallShape,
    DeletedShape,
    HandNameShape,
    HandNamesShape,
    HandTurnsShape,
    KeptShape,
    PromotedShape,
    RecentAgentShape,
    RecentHandShape,
    RecentHandsShape,
    TurnShape,
    VerdictShape,
)
from gameserver.http.documents.description import Answer, Description, Descriptions, Query, Who
from gameserver.wire.examples import NOW_MS, TABLE

_AGENT: Final = "a-blaise"
_AUDITED: Final = "It leaves an audit row, and is refused with `hand_live` while a running table has the hand open."
_TURN: Final = TurnShape(
    table_id=TABLE,
    hand_number=7,
    agent_id=_AGENT,
    action_index=3,
    is_fallback=False,
    agent_version_id="v-1",
    captured_at=NOW_MS,
    knowledge={"street": "preflop", "toCall": 20},
    prompt="You play poker.\nIt is your turn: 20 to call.",
    response='{"action":"call"}',
    decision=[{"type": "action", "action": "call"}],
    action="call",
    amount=None,
    verdict=VerdictShape(outcome="as_chosen", history_gap=False),
    provider="openai",
    model="some-model",
    prompt_version="p1",
    temperature=0.5,
    seed=7,
    max_tokens=400,
    input_tokens=900,
    output_tokens=40,
    cost_usd="0.00019",
    latency_ms=740,
    prompt_sha256="5d1e7e0c0f1c4d7c8b7b8f6b0d6f2f6a0a4c3b2a1908f7e6d5c4b3a291807f6e",
    prompt_bytes=45,
    envelope_sha256="0a4c3b2a1908f7e6d5c4b3a291807f6e5d1e7e0c0f1c4d7c8b7b8f6b0d6f2f6a",
    calls=[
        CallShape(
            attempt=0,
            purpose="decision",
            outcome="answered",
            deciding=True,
            provider="openai",
            model="some-model",
            finish_reason="stop",
            input_tokens=900,
            output_tokens=40,
            cost_usd="0.00019",
            latency_ms=700,
            request_body='{"model":"some-model"}',
            response_body='{"choices":[]}',
        )
    ],
    missing={},
)
_FALLBACK: Final = TurnShape(
    table_id=TABLE,
    hand_number=7,
    agent_id=_AGENT,
    action_index=9,
    is_fallback=True,
    agent_version_id="v-1",
    captured_at=NOW_MS,
    reason="timed_out",
    provider="openai",
    model="some-model",
    input_tokens=0,
    output_tokens=0,
    cost_usd="0",
    latency_ms=8_000,
    missing={"all": "no_decision"},
)
_AGENTS_TURNS: Final = AgentTurnsShape(
    table_id=TABLE, hand_number=7, agent_id=_AGENT, turns=[_TURN, _FALLBACK], missing={}
)
_RECENT: Final = RecentHandsShape(
    hands=[
        RecentHandShape(
            table_id=TABLE,
            hand_number=7,
            last_turn_at=NOW_MS,
            turns=2,
            decided=1,
            fallbacks=1,
            fallback_only=False,
            expired=False,
            in_play=False,
            cost_usd="0.00019",
            unpriced_calls=0,
            agents=[RecentAgentShape(agent_id=_AGENT, decided=1)],
        )
    ],
    before=None,
)
_ONE_HAND: Final = (
    Query("tableId", "The table.", required=True),
    Query("handNumber", "The hand.", required=True),
)
_PAGE: Final = (
    Query("limit", f"Hands: 1 to {MOST_HANDS}; without it 50."),
    Query("before", "What the last page said."),
)


def _of_operators(prefix: str, who: Who) -> Descriptions:
    return {
        f"GET {prefix}/hand": Description(
            group="operators",
            summary="One agent's captured turns of a hand.",
            who=who,
            words=f"A missing part has its reason. {_AUDITED}",
            query=(*_ONE_HAND, Query("agentId", "The agent.", required=True)),
            answers=(Answer(200, "The turns.", _AGENTS_TURNS),),
            refusals=("hand_live",),
        ),
        f"GET {prefix}/hand-all": Description(
            group="operators",
            summary="Every agent's captured turns of a hand.",
            who=who,
            words=_AUDITED,
            query=_ONE_HAND,
            answers=(
                Answer(
                    200,
                    "The turns, in the order of play.",
                    HandTurnsShape(table_id=TABLE, hand_number=7, agents=[_AGENT], turns=[_TURN], missing={}),
                ),
            ),
            refusals=("hand_live",),
        ),
        f"GET {prefix}/recent": Description(
            group="operators",
            summary="Hands in which agents asked their models, latest first, from the ledger.",
            who=who,
            words="It leaves an audit row.",
            query=_PAGE,
            answers=(Answer(200, "A page of hands.", _RECENT),),
        ),
        f"POST {prefix}/promote": Description(
            group="operators",
            summary="Keep one agent's turns of a hand for good.",
            who=who,
            words=f"Again is no harm. {_AUDITED}",
            body=OneHand(table_id=TABLE, hand_number=7, agent_id=_AGENT),
            answers=(Answer(200, "What came of it.", PromotedShape(status="pinned", turns=2, missing=[])),),
            refusals=("hand_live", "unavailable"),
        ),
    }


_HAND: Final = "/agents/{agentId}/hands/{tableId}/{number}"
_HANDS: Final = "/agents/{agentId}/hands"
_AT_THE_DEAL: Final = "A hand is yours where the agent was when it was dealt."

RECORD: Final[Descriptions] = {
    **_of_operators("/internal/agent-capture", Who.SERVICE),
    **_of_operators("/api/hosted-agent/agent-capture", Who.OPERATOR),
    f"GET {_HAND}": Description(
        group="agents",
        summary="What your agent knew, was told, said and did in a hand; also of a hand in play.",
        who=Who.USER,
        words=f"{_AT_THE_DEAL} A missing part has its reason. Where `Accept` prefers HTML, a page of it.",
        answers=(Answer(200, "The turns.", _AGENTS_TURNS),),
        refusals=("not_found",),
    ),
    f"POST {_HAND}/keep": Description(
        group="agents",
        summary="Keep your agent's turns of a hand for good, while they are there.",
        who=Who.USER,
        words="Of a hand in play, the turns so far; keep it again when it is over.",
        answers=(Answer(200, "What came of it.", KeptShape(status="pinned", turns=2, missing=[], kept_until=None)),),
        refusals=("not_found", "rate_limited", "unavailable"),
    ),
    f"DELETE {_HAND}": Description(
        group="agents",
        summary="Delete your agent's turns of a hand, kept ones too.",
        who=Who.USER,
        words="For good. What they cost stays in the ledger.",
        answers=(Answer(200, "Done.", DeletedShape(deleted=2)),),
        refusals=("not_found", "rate_limited"),
    ),
    f"GET {_HANDS}": Description(
        group="agents",
        summary="The hands of which turns of your agent may be found.",
        who=Who.USER,
        words=f"{_AT_THE_DEAL} Where `Accept` prefers HTML, a page: the latest first, with what they cost and how long they are there.",
        answers=(
            Answer(200, "By table and number.", HandNamesShape(hands=[HandNameShape(table_id=TABLE, hand_number=7)])),
        ),
        refusals=("not_found",),
    ),
    f"GET {_HANDS}.jsonl": Description(
        group="agents",
        summary="All of your agent's turns that are there, one JSON object a line.",
        who=Who.USER,
        words=_AT_THE_DEAL,
        answers=(Answer(200, "The turns.", '{"tableId":"t-1","handNumber":7}', "application/x-ndjson"),),
        refusals=("not_found",),
    ),
    f"DELETE {_HANDS}": Description(
        group="agents",
        summary="Delete all of your agent's turns, kept ones too.",
        who=Who.USER,
        words=f"For good. {_AT_THE_DEAL}",
        answers=(Answer(200, "Done.", AllDeletedShape(deleted=40, hands=12)),),
        refusals=("not_found", "rate_limited"),
    ),
}
"""Operators' routes, once for the service key and once for a signed-in operator; and owners'."""
