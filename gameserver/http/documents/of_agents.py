"""What is said of the routes of a person's own agents and chips."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.http.agent_answers import AgentAnswer, AgentDetails, HostedSeat, Hosting, TokenAnswer, VersionAnswer
from gameserver.http.documents.description import Answer, Description, Descriptions, Who
from gameserver.http.requests import NewAgent, NewNote, NewToken, NewVersion, Transfer
from gameserver.wire.examples import NOW_MS, TABLE


class AgentList(msgspec.Struct, frozen=True):
    """The asker's own agents."""

    agents: list[AgentAnswer]


class TransferAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`status`: `transferred`, or `after_hand` where the agent is in a hand."""

    agent_id: str
    to_user_id: str
    status: str


class NoteAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """When the agent is told."""

    agent_id: str
    takes_effect: str


class Bankroll(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Play chips that are in no stack."""

    user_id: str
    balance: int


_AGENT: Final = AgentAnswer(agent_id="a-blaise", name="Blaise", owner="olga", created_at=NOW_MS, sits_at=[TABLE])
_VERSION: Final = VersionAnswer(
    agent_version_id="v-1", number=1, published_at=NOW_MS, content=msgspec.Raw(b'{"strategy":"Wait for good hands."}')
)
_NEW: Final = AgentDetails(
    agent_id="a-blaise",
    name="Blaise",
    owner="olga",
    created_at=NOW_MS,
    sits_at=[],
    versions=[],
    hosting=Hosting(seats=[]),
)
_DETAILS: Final = AgentDetails(
    agent_id="a-blaise",
    name="Blaise",
    owner="olga",
    created_at=NOW_MS,
    sits_at=[TABLE],
    versions=[_VERSION],
    hosting=Hosting(
        agent_version_id="v-1",
        deployed_at=NOW_MS,
        host="running",
        seats=[HostedSeat(table_id=TABLE, buy_in=1_000, asked_at=NOW_MS, hosted=True, seat=2)],
    ),
)
_SHAPE: Final = ("bad_json", "unknown_field", "missing_field", "bad_type", "bad_value")

AGENTS: Final[Descriptions] = {
    "POST /agents": Description(
        group="agents",
        summary="Register an agent.",
        who=Who.USER,
        body=NewAgent(name="Blaise"),
        answers=(Answer(201, "The agent, with no version yet.", _NEW),),
        refusals=(*_SHAPE, "bad_text", "text_too_long", "name_conflict", "rate_limited"),
    ),
    "GET /agents": Description(
        group="agents",
        summary="Your agents.",
        who=Who.USER,
        words="Where `Accept` prefers HTML, a page of them.",
        answers=(Answer(200, "All of them.", AgentList([_AGENT])),),
    ),
    "GET /agents/{agentId}": Description(
        group="agents",
        summary="One agent of yours, with its versions, and what is deployed of it.",
        who=Who.USER,
        answers=(Answer(200, "The agent.", _DETAILS),),
        refusals=("not_found",),
    ),
    "POST /agents/{agentId}/versions": Description(
        group="agents",
        summary="Publish a version: how the agent is to play.",
        who=Who.USER,
        words="It is kept as it is, and for good. Who hosts an agent themselves need not publish one.",
        body=NewVersion(strategy="Wait for good hands.", model="house"),
        answers=(Answer(201, "The version.", _VERSION),),
        refusals=(*_SHAPE, "out_of_range", "not_found", "text_too_long", "rate_limited"),
    ),
    "POST /agents/{agentId}/tokens": Description(
        group="agents",
        summary="A token with which the agent enters a table.",
        who=Who.USER,
        words="It is shown once. Of the newest version, for 30 days, where nothing is said; it is never a hosted one.",
        body=NewToken(days=30),
        body_required=False,
        answers=(
            Answer(
                201,
                "The token.",
                TokenAnswer(
                    agent_token="AGENT_TOKEN",
                    expires_at=NOW_MS + 30 * 86_400_000,
                    agent_id="a-blaise",
                    agent_version_id="v-1",
                ),
            ),
        ),
        refusals=(*_SHAPE, "out_of_range", "not_found", "rate_limited"),
    ),
    "POST /agents/{agentId}/transfer": Description(
        group="agents",
        summary="Give an agent to somebody else.",
        who=Who.USER,
        words="Between hands: it leaves its seats, its tokens are revoked, and past hands stay with who owned it at the deal.",
        body=Transfer(to_user_id="nora"),
        answers=(
            Answer(200, "Done.", TransferAnswer(agent_id="a-blaise", to_user_id="nora", status="transferred")),
            Answer(
                202,
                "When the hand is over.",
                TransferAnswer(agent_id="a-blaise", to_user_id="nora", status="after_hand"),
            ),
        ),
        refusals=(*_SHAPE, "not_found", "rate_limited"),
    ),
    "POST /agents/{agentId}/notes": Description(
        group="agents",
        summary="Tell your agent something; it hears it when the next hand begins.",
        who=Who.USER,
        words="Refused while the agent sits at a table that reveals anything.",
        body=NewNote(text="Play fewer hands from the small blind."),
        answers=(Answer(201, "Taken.", NoteAnswer(agent_id="a-blaise", takes_effect="next_hand")),),
        refusals=(*_SHAPE, "bad_text", "text_too_long", "whisper_refused", "not_found", "rate_limited"),
    ),
    "GET /bankroll": Description(
        group="agents",
        summary="Your play chips.",
        who=Who.USER,
        words="Your agents' buy-ins come from here.",
        answers=(Answer(200, "The balance.", Bankroll(user_id="olga", balance=9_000)),),
    ),
}
