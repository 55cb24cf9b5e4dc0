"""Every message between a client and a table, as one set of models.

On the wire the names are camelCase, one JSON object a message, told apart by `type`. Chips are whole numbers, seats count from 0,
cards are two characters, times are milliseconds (absolute ones since the Unix epoch). A field that is `UNSET` is absent.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gameserver.errors import ErrorCode
from gameserver.hand.facts import ActionKind, ForcedKind, ShownBecause, Street
from gameserver.wire.fields import ChatText, Chips, Echo, OpaqueText, RequestId, SeatNumber, Sequence, ThoughtText

PROTOCOL: Final = 1
MIN_PROTOCOL: Final = 1

PublicMove = Annotated[str, Meta(extra_json_schema={"enum": [*map(str, ActionKind), *map(str, ForcedKind)]})]
"""A value of `ActionKind` or `ForcedKind`: one text for both, since a decoder takes no union of two enums."""


class _Message(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """The settings of all messages."""


class ClientMessage(_Message, frozen=True, kw_only=True):
    """From a client. The reply carries the same `requestId`; the same one twice gets the first answer."""

    request_id: RequestId | UnsetType = UNSET


# --- from a client ------------------------------------------------------------------------------------------------------


class Enter(ClientMessage, frozen=True, kw_only=True, tag="enter"):
    """The first message: an agent with its token, anybody else without; again with a fresh token of the same agent."""

    agent_token: OpaqueText | UnsetType = UNSET


class Resume(ClientMessage, frozen=True, kw_only=True, tag="resume"):
    """Go on with a session after a lost connection; the identity is proved again. Without `epoch` it is a resync."""

    session: OpaqueText
    last_seq: Sequence
    epoch: OpaqueText = ""
    agent_token: OpaqueText | UnsetType = UNSET


class Sit(ClientMessage, frozen=True, kw_only=True, tag="sit"):
    seat: SeatNumber
    buy_in: Chips


class Stand(ClientMessage, frozen=True, kw_only=True, tag="stand"):
    pass


class Leave(ClientMessage, frozen=True, kw_only=True, tag="leave"):
    pass


class SitOut(ClientMessage, frozen=True, kw_only=True, tag="sit_out"):
    when: Literal["next_hand", "next_big_blind"] = "next_hand"


class SitIn(ClientMessage, frozen=True, kw_only=True, tag="sit_in"):
    pass


class Rebuy(ClientMessage, frozen=True, kw_only=True, tag="rebuy"):
    amount: Chips


class Straddle(ClientMessage, frozen=True, kw_only=True, tag="straddle"):
    pass


class PostBlind(ClientMessage, frozen=True, kw_only=True, tag="post_blind"):
    pass


class WaitForBigBlind(ClientMessage, frozen=True, kw_only=True, tag="wait_for_big_blind"):
    pass


class Action(ClientMessage, frozen=True, kw_only=True, tag="action"):
    """A move. `amount`: the total bet on this street after it, for `bet` and `raise` only."""

    turn_id: OpaqueText
    action: ActionKind
    amount: Chips | UnsetType = UNSET


class ShowCards(ClientMessage, frozen=True, kw_only=True, tag="show_cards"):
    pass


class AgentThoughtIn(ClientMessage, frozen=True, kw_only=True, tag="agent_thought"):
    """An agent's reasoning about its own present turn, before its action."""

    turn_id: OpaqueText
    text: ThoughtText


class AgentDecision(ClientMessage, frozen=True, kw_only=True, tag="agent_decision"):
    """The parsed decision before the table has it; goes to the owner, marked provisional."""

    turn_id: OpaqueText
    action: ActionKind
    amount: Chips | UnsetType = UNSET
    text: ThoughtText | UnsetType = UNSET


class AgentStatus(ClientMessage, frozen=True, kw_only=True, tag="agent_status"):
    """The model's provider is down, so that a timeout is classed rightly."""

    turn_id: OpaqueText
    provider_down: Literal[True]


class ChatIn(ClientMessage, frozen=True, kw_only=True, tag="chat"):
    text: ChatText


class UsePower(ClientMessage, frozen=True, kw_only=True, tag="use_power"):
    power: Literal["dealer_peek"]
    target: SeatNumber


class Ping(ClientMessage, frozen=True, kw_only=True, tag="ping"):
    echo: Echo | UnsetType = UNSET


Inbound: TypeAlias = (
    Enter
    | Resume
    | Sit
    | Stand
    | Leave
    | SitOut
    | SitIn
    | Rebuy
    | Straddle
    | PostBlind
    | WaitForBigBlind
    | Action
    | ShowCards
    | AgentThoughtIn
    | AgentDecision
    | AgentStatus
    | ChatIn
    | UsePower
    | Ping
)


# --- parts of what the server says --------------------------------------------------------------------------------------


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The settings of everything inside a message."""


class Pot(_Part, frozen=True, kw_only=True):
    """Main pot first. `eligible`: seats that can win it."""

    amount: int
    eligible: list[int]


class PotShare(_Part, frozen=True, kw_only=True):
    seat: int
    amount: int


class PotWon(_Part, frozen=True, kw_only=True):
    amount: int
    eligible: list[int]
    winners: list[PotShare]


class ShownHand(_Part, frozen=True, kw_only=True):
    seat: int
    cards: list[str]


class SeatView(_Part, frozen=True, kw_only=True):
    """What everybody sees of a seat. `status` as in `SeatStatus`; `model`: the platform model of a hosted agent."""

    seat: int
    name: str
    kind: Literal["agent", "human"]
    status: str
    stack: int
    bet: int
    connected: bool
    time_bank_ms: int
    agent_id: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    missed: Literal["small_blind", "big_blind", "both"] | UnsetType = UNSET


class ChipRange(_Part, frozen=True, kw_only=True):
    """Least and most total of the street for a bet or raise."""

    min: int
    max: int


class Limits(_Part, frozen=True, kw_only=True):
    max_inbound_bytes: int
    max_inbound_bytes_before_enter: int
    messages_per_second: int
    message_burst: int
    enter_within_ms: int
    max_queued_bytes: int


class TableRules(_Part, frozen=True, kw_only=True):
    """The rules of the table, as anybody may read them. Names as in `POST /games/poker`."""

    name: str
    table_kind: Literal["agent", "human", "mixed"]
    variant: Literal["nlhe"]
    max_seats: int
    small_blind: int
    big_blind: int
    ante: int
    ante_kind: Literal["each", "big_blind"]
    straddle: bool
    min_buy_in: int
    max_buy_in: int
    turn_ms: int
    time_bank_ms: int
    refill_every_hands: int
    refill_ms: int
    disconnect_bank_ms: int
    timeouts_to_sit_out: int
    sit_out_remove_ms: int
    rathole_ms: int
    show_hands: bool
    show_thoughts: bool
    spectator_delay_ms: int
    powers: dict[str, int]
    agent_chat: bool
    practice: bool
    private: bool


# --- from the server ----------------------------------------------------------------------------------------------------


class ServerMessage(_Message, frozen=True, kw_only=True):
    """From the server."""


class Numbered(ServerMessage, frozen=True, kw_only=True):
    """A frame of a stream: `seq` counts this stream's frames without gaps."""

    seq: int
    table_id: str
    hand_number: int | UnsetType = UNSET


class Hello(ServerMessage, frozen=True, kw_only=True, tag="hello"):
    """The server speaks first."""

    protocol: int
    min_protocol: int
    server_time: int
    heartbeat_ms: int
    limits: Limits


class GameState(Numbered, frozen=True, kw_only=True, tag="game_state"):
    """The table as this viewer may see it. `bets` and `stacks` are keyed by seat. `toAct` is absent where nobody is to act.

    `yourHoleCards`: in a seat's own stream. `revealedHoleCards`: absent unless the gate returned some.
    """

    street: Street | None
    board: list[str]
    pots: list[Pot]
    pot: int
    bets: dict[str, int]
    stacks: dict[str, int]
    small_blind: int
    big_blind: int
    ante: int
    status: Literal["open", "paused", "closed"]
    seats: list[SeatView]
    button: int | None
    to_act: int | None
    turn_ends_at: int | UnsetType = UNSET
    your_seat: int | UnsetType = UNSET
    your_hole_cards: list[str] | UnsetType = UNSET
    revealed_hole_cards: dict[str, list[str]] | UnsetType = UNSET


class YourTurn(Numbered, frozen=True, kw_only=True, tag="your_turn"):
    """A request to act, to the seat that it is about."""

    turn_id: str
    action_index: int
    legal_actions: list[ActionKind]
    chip_range: ChipRange | None
    to_call: int
    turn_ends_at: int
    time_bank_ms: int


class PlayerAction(Numbered, frozen=True, kw_only=True, tag="player_action"):
    """A public action. `amount`: the seat's whole bet on the street after it; of an ante or a dead post, what was posted.

    `action`: a move, or the kind of a forced bet. `forced`: a forced bet, or a move that the table made; `cause`: why it did.
    """

    seat: int
    action: PublicMove
    amount: int
    action_index: int
    street: Street
    forced: bool
    all_in: bool
    cause: Literal["agent_slow", "disconnected", "provider_down", "leave"] | UnsetType = UNSET


class HandStarted(Numbered, frozen=True, kw_only=True, tag="hand_started"):
    """`dealt`: seats in order, first left of the button. `stacks`: before any forced bet."""

    button: int
    button_dead: bool
    small_blind_seat: int | None
    big_blind_seat: int
    dealt: list[int]
    stacks: dict[str, int]


class StreetDealt(Numbered, frozen=True, kw_only=True, tag="street_dealt"):
    street: Street
    cards: list[str]
    board: list[str]


class CardsShown(Numbered, frozen=True, kw_only=True, tag="cards_shown"):
    seat: int
    cards: list[str]
    because: ShownBecause


class HandResult(Numbered, frozen=True, kw_only=True, tag="hand_result"):
    """A hand is over. `shown`: cards that were face up for everybody; `stacks`: after the hand."""

    board: list[str]
    pots: list[PotWon]
    returned: dict[str, int]
    uncontested: bool
    shown: list[ShownHand]
    stacks: dict[str, int]
    rake: int = 0


class HandCancelled(Numbered, frozen=True, kw_only=True, tag="hand_cancelled"):
    refunds: dict[str, int]
    why: str


class AgentThought(Numbered, frozen=True, kw_only=True, tag="agent_thought"):
    agent_id: str
    seat: int
    turn_id: str
    text: str


class Decision(Numbered, frozen=True, kw_only=True, tag="decision"):
    agent_id: str
    seat: int
    turn_id: str
    action: ActionKind
    amount: int | None
    text: str
    status: Literal["provisional", "recorded", "changed", "discarded"]


class OwnCards(Numbered, frozen=True, kw_only=True, tag="own_cards"):
    agent_id: str
    seat: int
    cards: list[str]


class Note(Numbered, frozen=True, kw_only=True, tag="note"):
    text: str


class PowerUsed(Numbered, frozen=True, kw_only=True, tag="power_used"):
    power: str
    by: int
    target: int


class TableOptions(Numbered, frozen=True, kw_only=True, tag="table_options"):
    show_hands: bool
    show_thoughts: bool
    version: int


class Presence(Numbered, frozen=True, kw_only=True, tag="presence"):
    seat: int
    connected: bool


class Chat(Numbered, frozen=True, kw_only=True, tag="chat"):
    sender: str
    text: str
    seat: int | UnsetType = UNSET


class TableStatus(Numbered, frozen=True, kw_only=True, tag="table_status"):
    """`what`: `open`, `paused`, `closed`; or a seat that was `taken`, `freed`, `rebought`."""

    status: Literal["open", "paused", "closed"]
    seat: int | UnsetType = UNSET
    what: Literal["taken", "freed", "rebought", "status"] | UnsetType = UNSET
    name: str | UnsetType = UNSET


class PastHand(_Part, frozen=True, kw_only=True):
    """A finished hand as this viewer may know it."""

    hand_number: int
    actions: list[PlayerAction]
    result: HandResult
    your_seat: int | UnsetType = UNSET
    your_hole_cards: list[str] | UnsetType = UNSET


class Snapshot(ServerMessage, frozen=True, kw_only=True, tag="snapshot"):
    """Everything that this viewer may know, at once. `seq`: the last frame of the stream that it includes.

    `actions`: every public action of the hand in play, in order. `recentHands`: oldest first, 20 at most.
    """

    table_id: str
    hand_number: int
    session: str
    epoch: str
    seq: int
    rules: TableRules
    state: GameState
    actions: list[PlayerAction]
    recent_hands: list[PastHand]
    your_turn: YourTurn | UnsetType = UNSET
    own_cards: list[OwnCards] | UnsetType = UNSET
    server_time: int = 0


class Resync(ServerMessage, frozen=True, kw_only=True, tag="resync"):
    """What was missed cannot be replayed; a snapshot follows."""

    table_id: str
    epoch: str


class Resumed(ServerMessage, frozen=True, kw_only=True, tag="resumed"):
    """The frames after `lastSeq` follow."""

    table_id: str
    session: str
    epoch: str
    seq: int


class Ack(ServerMessage, frozen=True, kw_only=True, tag="ack"):
    """A request was taken."""

    request_id: str | UnsetType = UNSET


class Error(ServerMessage, frozen=True, kw_only=True, tag="error"):
    """A request was refused; nothing changed. `turn`: the present request again, with a `stale_turn` of a seat to act."""

    code: ErrorCode
    message: str
    request_id: str | UnsetType = UNSET
    turn: YourTurn | UnsetType = UNSET


class Pong(ServerMessage, frozen=True, kw_only=True, tag="pong"):
    server_time: int
    echo: str | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class Reconnect(ServerMessage, frozen=True, kw_only=True, tag="reconnect"):
    """The server is going away; come back after `afterMs`."""

    after_ms: int


Outbound: TypeAlias = (
    Hello
    | GameState
    | YourTurn
    | PlayerAction
    | HandStarted
    | StreetDealt
    | CardsShown
    | HandResult
    | HandCancelled
    | AgentThought
    | Decision
    | OwnCards
    | Note
    | PowerUsed
    | TableOptions
    | Presence
    | Chat
    | TableStatus
    | Snapshot
    | Resync
    | Resumed
    | Ack
    | Error
    | Pong
    | Reconnect
)
NumberedFrame: TypeAlias = (
    GameState
    | YourTurn
    | PlayerAction
    | HandStarted
    | StreetDealt
    | CardsShown
    | HandResult
    | HandCancelled
    | AgentThought
    | Decision
    | OwnCards
    | Note
    | PowerUsed
    | TableOptions
    | Presence
    | Chat
    | TableStatus
)
