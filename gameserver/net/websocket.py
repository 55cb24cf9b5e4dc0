"""The endpoint `WS /games/poker/{tableId}/ws`: from the handshake to the floor's inbox.

It proves who connects, decodes strictly, bounds sizes and rates, and hands verified identities and decoded messages to the
floor. No token goes further than this module (test_no_token_reaches_the_floor). What a message means at a table is not its
business, and what goes out beside its own answers is the door's (`delivery`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import Response
from starlette.websockets import WebSocket

from gameserver.errors import Refusal
from gameserver.floor.ports import Clock, ConnectionId
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from gameserver.net.address_places import AddressFull, AddressPlaces
from gameserver.net.connection import OpenConnection
from gameserver.net.event_stream import EVENT_LIMITS, EventLimits
from gameserver.net.floor_port import Floor
from gameserver.net.outlet import OutletLimits
from gameserver.net.protocol import CONTROL_FRAMES_BURST, CONTROL_FRAMES_PER_S, MAX_FRAGMENTS, websocket_outlet
from gameserver.net.visit import SessionProof, Visit, VisitLimits
from gameserver.net.visitors import Arrival, IsRevoked, Visitors
from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_INBOUND_BYTES_BEFORE_ENTER
from gameserver.wire.messages import Limits
from policy.ids import TableId

TABLE_PARAMETER: Final = "table_id"


@dataclass(frozen=True, slots=True)
class SocketPorts:
    """What the endpoint is given.

    `identify`: the user's token, ticket or cookie of the handshake, or nobody; raises Refusal for a credential that is no good.
    `authenticate_agent`: an agent token to an identity; raises Refusal `bad_token`. `is_origin_allowed`: of a browser's page.
    `new_name`: 128 random bits in text.
    """

    floor: Floor
    sessions: SessionProof
    identify: Callable[[WebSocket], Awaitable[UserIdentity | Nobody]]
    authenticate_agent: Callable[[str], Awaitable[AgentIdentity]]
    is_origin_allowed: Callable[[str], bool]
    clock: Clock
    new_name: Callable[[], str]


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """`max_connections`: open sockets of this process; a further one is told to come back later. Of one address: `AddressPlaces`."""

    visit: VisitLimits = field(default_factory=VisitLimits)
    outlet: OutletLimits = field(default_factory=OutletLimits)
    max_connections: int = 10_000


SOCKET_LIMITS: Final = SocketLimits()
_RETRY: Final[Mapping[str, str]] = {"retry-after": "5"}


def told_limits(sockets: SocketLimits, events: EventLimits, places: AddressPlaces) -> Limits:
    """The limits as `hello` tells them, those of the event streams too."""
    visit = sockets.visit
    return Limits(
        max_inbound_bytes=MAX_INBOUND_BYTES,
        max_inbound_bytes_before_enter=MAX_INBOUND_BYTES_BEFORE_ENTER,
        messages_per_second=visit.messages_per_second,
        message_burst=visit.message_burst,
        messages_per_second_before_enter=visit.messages_per_second_before_enter,
        message_burst_before_enter=visit.message_burst_before_enter,
        refusals_per_second=visit.refusals_per_second,
        refusal_burst=visit.refusal_burst,
        control_frames_per_second=CONTROL_FRAMES_PER_S,
        control_frame_burst=CONTROL_FRAMES_BURST,
        max_fragments=MAX_FRAGMENTS,
        enter_within_ms=visit.enter_within_ms,
        max_queued_bytes=sockets.outlet.max_queued_bytes,
        max_connections=sockets.max_connections,
        max_connections_per_address=places.most_each,
        max_streams=events.max_streams,
        max_streams_per_user=events.max_streams_per_user,
    )


class TableSocket:
    """The endpoint, for `WebSocketRoute("/games/poker/{table_id}/ws", socket.endpoint)`."""

    def __init__(
        self,
        ports: SocketPorts,
        limits: SocketLimits = SOCKET_LIMITS,
        *,
        events: EventLimits = EVENT_LIMITS,
        places: AddressPlaces | None = None,
    ) -> None:
        self._ports, self._limits = ports, limits
        self._places = AddressPlaces() if places is None else places
        self._told = told_limits(limits, events, self._places)
        self.open_connections = 0
        self._visiting = Visitors()

    def close_revoked(self, is_revoked: IsRevoked) -> int:
        """Close what was opened with a credential that is no good any more, and say how many these were."""
        return self._visiting.close_revoked(is_revoked)

    async def endpoint(self, websocket: WebSocket) -> None:
        """One socket, from its handshake to its end."""
        origins = websocket.headers.getlist("origin")
        if not all(map(self._ports.is_origin_allowed, origins)):
            return await _deny(websocket, 403)
        if self.open_connections >= self._limits.max_connections:
            return await _deny(websocket, 503, _RETRY)
        self.open_connections += 1
        try:
            with self._places.taken(websocket.scope):
                await self._let_in(websocket)
        except AddressFull:
            await _deny(websocket, 429, _RETRY)
        finally:
            self.open_connections -= 1

    async def _let_in(self, websocket: WebSocket) -> None:
        arrival = self._visiting.arriving()
        try:
            identity = await self._ports.identify(websocket)
        except Refusal:
            return await _deny(websocket, 401)
        await self._visit(websocket, identity, arrival)

    async def _visit(self, websocket: WebSocket, identity: UserIdentity | Nobody, arrival: Arrival) -> None:
        await websocket.accept()
        outlet = websocket_outlet(websocket, self._limits.outlet)
        connection = OpenConnection(ConnectionId(self._ports.new_name()), identity, outlet)
        table_id = TableId(websocket.path_params[TABLE_PARAMETER])
        visit = Visit(self._ports, self._limits.visit, self._told, table_id, connection)
        with self._visiting.here(connection, arrival):
            await visit.run(websocket.receive)


async def _deny(websocket: WebSocket, status: int, headers: Mapping[str, str] | None = None) -> None:
    """Refuse the handshake; a server without that extension answers 403 for each."""
    if "websocket.http.response" in websocket.scope.get("extensions", {}):
        await websocket.send_denial_response(Response(status_code=status, headers=headers))
    else:
        await websocket.close()
