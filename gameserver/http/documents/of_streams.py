"""What is said of the streams of events."""

from __future__ import annotations

from typing import Final

from gameserver.http.documents.description import Answer, Description, Descriptions, Query, Who
from gameserver.wire.examples import FROM_SERVER, example_text
from gameserver.wire.messages import StreetDealt

MEDIA_TYPE: Final = "text/event-stream"
_EVENT: Final = next(told for told in FROM_SERVER if isinstance(told, StreetDealt))
_EVENTS: Final = f"retry: 2143\n\nid: ID\nevent: street_dealt\ndata: {example_text(_EVENT)}\n\n"
_HOW: Final = (
    "Server-sent events: the frames of the WebSocket, named by their `type`; the first is a `snapshot`. A comment comes at least every "
    "15 s, and `retry` says when to come back. `Last-Event-ID` resumes your own stream; where that cannot be, `resync` and a new "
    "`snapshot` come. 503 with `Retry-After` where there is no place, 429 where your network address has no more."
)
_QUERY: Final = (
    Query("lastEventId", "The id of the last event, for clients that cannot set `Last-Event-ID`."),
    Query("ticket", "A ticket of `POST /stream-ticket`, for browsers, which cannot set headers here."),
)

STREAMS: Final[Descriptions] = {
    "GET /games/poker/{tableId}/stream": Description(
        group="streams",
        summary="The table as a spectator sees it, live.",
        who=Who.ANYBODY,
        words=_HOW,
        query=_QUERY,
        answers=(Answer(200, "Events, without an end.", _EVENTS, MEDIA_TYPE),),
        refusals=("not_found", "rate_limited", "unavailable"),
    ),
    "GET /games/poker/{tableId}/owner-stream": Description(
        group="streams",
        summary="The same, with your own agent's cards and reasoning.",
        who=Who.USER,
        words="For the owner of an agent that sits there; without one it is refused, whether there is such a table or not. "
        + _HOW,
        query=_QUERY,
        answers=(Answer(200, "Events, without an end.", _EVENTS, MEDIA_TYPE),),
        refusals=("not_allowed", "rate_limited", "unavailable"),
    ),
}
