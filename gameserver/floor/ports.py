"""What the floor needs from others, as protocols: connections and streams above it, the store beside it, time and ids."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NewType, Protocol, TypeAlias

from gameserver.identity.who import Identity
from gameserver.store.accounts import ChipMove
from gameserver.store.disclosure import Disclosure
from gameserver.store.stored import StoredTable
from gameserver.table.commands import Player
from gameserver.table.facts import HandResult
from gameserver.table.options import TableOptions
from gameserver.table.state import TableState
from gameserver.views.audience import Audience
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Ack, AgentThought, Chat, Error, Hello, NumberedFrame, Pong, Reconnect, Snapshot
from policy.ids import HandNumber, Seat, TableId, UserId

ConnectionId = NewType("ConnectionId", str)

Reply: TypeAlias = Hello | Ack | Error | Pong | Reconnect
"""What one connection may be told beside its stream. No frame of a table is among them: those go through the door."""


class Clock(Protocol):
    """`monotonic_ms` is what the rooms count in; `wall_ms` (Unix time) is what is told outside."""

    def monotonic_ms(self) -> int: ...

    def wall_ms(self) -> int: ...


class Connection(Protocol):
    """One open WebSocket, as the floor sees it. None of its methods waits or raises."""

    @property
    def connection_id(self) -> ConnectionId: ...

    @property
    def identity(self) -> Identity: ...

    def reply(self, message: Reply) -> None:
        """Send an answer that is for this connection alone and has no number."""

    def close(self, code: CloseCode) -> None:
        """End it; an `error` frame went first where one fits."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where a client says that it was."""

    session: str
    epoch: str
    last_seq: int


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The id that a client of an event stream says it saw last. The door proves it, and where it does not fit, sends a `resync`."""

    event_id: str


Resume: TypeAlias = ResumePoint | LastEvent


class Watching(enum.Enum):
    """What a connection reads that says nothing: no player, no line, no presence."""

    PUBLIC = "public"
    OWNER = "owner"


class Sends(Protocol):
    """Where what is said at a table goes: chat, thoughts and decisions. None of its methods waits or raises."""

    def send_to_public(self, table_id: TableId, frames: Sequence[Chat]) -> None:
        """To everybody who watches, owners included."""

    def send_to_unseated_agents(self, table_id: TableId, frames: Sequence[Chat]) -> None: ...

    def send_to_seat(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None: ...

    def send_to_user(self, user_id: UserId, table_id: TableId, frames: Sequence[NumberedFrame]) -> None: ...

    def send_thought_to_public(self, owner: UserId, table_id: TableId, thought: AgentThought) -> None:
        """To everybody who watches but `owner`, who has it already."""


class Door(Protocol):
    """The one way out to viewers (`gameserver.net.delivery`). None of its methods waits or raises.

    Each audience of a table is one stream: numbered without gaps, with a ring of its frames to resume from.
    """

    def open_table(
        self,
        table_id: TableId,
        state: Callable[[], TableState],
        shown: Callable[[Audience], TableState] | None = None,
    ) -> None:
        """Before the first frame of a table. `state`: the table after the change whose frames are being sent; `shown`: as an
        audience is shown it, where some are late.
        """

    def has_listeners(self, table_id: TableId, audience: Audience) -> bool:
        """Whether frames for this audience are numbered at all: those of one person need not be drawn where it does not listen."""

    def send_to_public(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None: ...

    def send_to_unseated_agents(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None: ...

    def send_to_seat(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None: ...

    def send_to_user(self, user_id: UserId, table_id: TableId, frames: Sequence[NumberedFrame]) -> None: ...

    def owners_listening(self, table_id: TableId) -> Sequence[UserId]:
        """The users whose owner's stream of a table somebody carries, or may still resume."""

    def subscribe(
        self,
        table_id: TableId,
        audience: Audience,
        connection: Connection,
        snapshot: Callable[[], Snapshot],
        resume: Resume | None,
    ) -> None:
        """Put the connection into the audience's stream, and in no other of this table.

        It gets `resumed` and what it missed, or (`resync` and) the snapshot, whose `session`, `epoch` and `seq` the door fills
        in. Between the snapshot and the next frame nothing is lost and nothing is repeated.
        """

    def unsubscribe(self, table_id: TableId, connection: Connection) -> None: ...

    def renew_stream(self, table_id: TableId, audience: Audience) -> None:
        """Begin a new epoch: nothing sent before can be resumed, and every listener gets a snapshot as things are now."""

    def end_stream(self, table_id: TableId, audience: Audience) -> None:
        """Forget a stream (a seat's occupant left); its ring is gone. One that strangers share begins anew."""

    def say_when_to_come_back(self, table_id: TableId, after_ms: int) -> None:
        """The server goes: tell every connection of a table when to come back, each another time around the one given."""

    def close_table(self, table_id: TableId, code: CloseCode) -> None:
        """Close every connection of a table."""


class Names(Protocol):
    """What people and agents are called."""

    async def name_of(self, player: Player) -> str:
        """The name to show at a table; the id where none is known."""


class TableStore(Protocol):
    """What the floor keeps. Every method is one transaction: all of it or nothing."""

    async def create_table(self, table_id: TableId, options: TableOptions, memory: bytes) -> None: ...

    async def tables(self) -> Sequence[StoredTable]:
        """Every table that is not closed, in the order of creation."""

    async def table(self, table_id: TableId) -> StoredTable | None:
        """One table, closed ones too."""

    async def begin_hand(self, table_id: TableId, hand_number: HandNumber, memory: bytes) -> None:
        """Hand n has begun, with the stacks in `memory`. Nothing of its cards."""

    async def finish_hand(
        self,
        table_id: TableId,
        result: HandResult,
        moves: Sequence[ChipMove],
        memory: bytes,
        disclosure: Disclosure,
    ) -> None:
        """The whole hand, what the public stream showed of it, its chips and the room.

        Refuses (`Bug`) a hand that did not begin or is finished.
        """

    async def cancel_hand(
        self, table_id: TableId, hand_number: HandNumber, moves: Sequence[ChipMove], memory: bytes
    ) -> None: ...

    async def note_shown(self, table_id: TableId, hand_number: HandNumber, seats: Sequence[Seat]) -> None:
        """Who showed their cards once this hand was over. Refuses (`Bug`) a hand that is not finished."""

    async def change_table(
        self, table_id: TableId, moves: Sequence[ChipMove], memory: bytes, options: TableOptions | None = None
    ) -> None:
        """Chips in or out, or a changed room, between or beside hands. `Refusal(no_chips)` where a bankroll is too small."""

    async def take_chips(
        self, table_id: TableId, moves: Sequence[ChipMove], then: Callable[[], tuple[bytes, Sequence[ChipMove]]]
    ) -> None:
        """Take chips for a seat, then let the room change, in one transaction.

        `then` is called once the chips are there, and gives the room's new memory and further moves. `Refusal(no_chips)` where
        a bankroll is too small: then nothing was taken and `then` was not called.
        """

    async def close_table(self, table_id: TableId, moves: Sequence[ChipMove], memory: bytes) -> None: ...

    async def recent_hands(self, table_id: TableId, limit: int) -> Sequence[HandResult]:
        """The last finished hands of a table, oldest first."""

    async def bankroll_chips(self, user_id: UserId) -> int:
        """A person's balance; a new person is granted the starting chips first."""
