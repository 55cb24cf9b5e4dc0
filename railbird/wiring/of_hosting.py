"""What is said of the routes of hosted agents."""

from __future__ import annotations

from typing import Final

from gameserver.http.documents.description import Answer, Description, Descriptions, Who
from gameserver.wire.examples import NOW_MS, TABLE
from railbird.agenthost.http.answers import DeployAnswer, SeatAnswer, StopAnswer
from railbird.agenthost.http.requests import Deploy, StopPlaying, TakeSeat

_SHAPE: Final = ("bad_json", "unknown_field", "missing_field", "bad_type", "bad_value")

HOSTING: Final[Descriptions] = {
    "POST /agents/{agentId}/deploy": Description(
        group="agents",
        summary="Let the hosting service play this version of your agent, from the next hand on.",
        who=Who.USER,
        words="Refused while the agent sits at a table that reveals anything. What is deployed already changes nothing.",
        body=Deploy(agent_version_id="v-1"),
        answers=(
            Answer(
                200,
                "It is deployed.",
                DeployAnswer(agent_id="a-blaise", agent_version_id="v-1", deployed_at=NOW_MS, takes_effect="next_hand"),
            ),
        ),
        refusals=(*_SHAPE, "whisper_refused", "not_found", "rate_limited"),
    ),
    "POST /agents/{agentId}/seat": Description(
        group="agents",
        summary="Send your agent to a table; the hosting service sits down there and plays.",
        who=Who.USER,
        words=(
            "Without `seat` it takes whichever is free. The newest version is deployed where none is. Where no host runs, the "
            "answer says so, and the agent goes once one does. How it went is in `hosting` of `GET /agents/{agentId}`."
        ),
        body=TakeSeat(table_id=TABLE, buy_in=1_000, seat=2),
        answers=(
            Answer(
                202,
                "It goes there.",
                SeatAnswer(agent_id="a-blaise", table_id=TABLE, agent_version_id="v-1", status="on_its_way"),
            ),
        ),
        refusals=(
            *_SHAPE,
            "out_of_range",
            "table_kind",
            "seat_needs_hosted_agent",
            "already_seated",
            "no_such_seat",
            "buy_in_below_min",
            "whisper_refused",
            "not_found",
            "rate_limited",
        ),
    ),
    "POST /agents/{agentId}/stop": Description(
        group="agents",
        summary="Let your agent leave every table: each when its hand is over.",
        who=Who.USER,
        words="It folds nothing: what it is dealt into is played to its end. Its version stays deployed.",
        body=StopPlaying(),
        body_required=False,
        answers=(
            Answer(200, "It sits nowhere.", StopAnswer(agent_id="a-blaise", tables=[TABLE], status="stopped")),
            Answer(202, "When the hand is over.", StopAnswer(agent_id="a-blaise", tables=[TABLE], status="after_hand")),
        ),
        refusals=(*_SHAPE, "not_found", "rate_limited"),
    ),
}
