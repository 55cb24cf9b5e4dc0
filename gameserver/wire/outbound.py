"""What the server says. `encode` writes these."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from gameserver.errors import ErrorCode
from gameserver.wire.base import Message, Part
from gameserver.wire.parts import (
    BySeat,
    Cards,
    ChipCount,
    ChipRange,
    DurationMs,
    Limits,
    Pot,
    PotWon,
    PublicMove,
    SeatIndex,
    SeatView,
    ShownHand,
    TableRules,
    UnixMs,
)
from gameserver.words import ActionKind, ShownBecause, Street


class ServerMessage(Message, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """From the server. A newer one may say more: who reads it takes no notice of fields that it does not know."""


class Numbered(ServerMessage, frozen=True, kw_only=True):
    """A frame of a stream: `seq` counts this stream's frames without gaps."""

    seq: int
    table_id: str
    hand_number: int | UnsetType = UNSET


class Hello(ServerMessage, frozen=True, kw_only=True, tag="hello"):
    """The server speaks first."""

    protocol: int
    min_protocol: int
    server_time: UnixMs
    heartbeat_ms: DurationMs
    limits: Limits


class GameState(Numbered, frozen=True, kw_only=True, tag="game_state"):
    """The table as this viewer may see it. `bets` and `stacks` are keyed by seat. `toAct` is null where nobody
    is to act.

    `yourHoleCards`: in a seat's own stream. `revealedHoleCards`: absent unless the gate returned some.
    """

    street: Street | None
    board: Cards
    pots: list[Pot]
    pot: ChipCount
    bets: BySeat
    stacks: BySeat
    small_blind: ChipCount
    big_blind: ChipCount
    ante: ChipCount
    status: Literal["open", "paused", "closed"]
    seats: list[SeatView]
    button: SeatIndex | None
    to_act: SeatIndex | None
    turn_ends_at: UnixMs | UnsetType = UNSET
    your_seat: SeatIndex | UnsetType = UNSET
    your_hole_cards: Cards | UnsetType = UNSET
    revealed_hole_cards: dict[str, Cards] | UnsetType = UNSET


class YourTurn(Numbered, frozen=True, kw_only=True, tag="your_turn"):
    """A request to act, to the seat that it is about."""

    turn_id: str
    action_index: int
    legal_actions: list[ActionKind]
    chip_range: ChipRange | None
    to_call: ChipCount
    turn_ends_at: UnixMs
    time_bank_ms: DurationMs


class PlayerAction(Numbered, frozen=True, kw_only=True, tag="player_action"):
    """A public action. `amount`: the seat's whole bet on the street after it; of an ante or a dead post, what was posted.

    `action`: a move, or the kind of a forced bet. `forced`: a forced bet, or a move that the table made; `cause`: why it did.
    """

    seat: SeatIndex
    action: PublicMove
    amount: ChipCount
    action_index: int
    street: Street
    forced: bool
    all_in: bool
    cause: Literal["agent_slow", "disconnected", "provider_down", "leave"] | UnsetType = UNSET


class HandStarted(Numbered, frozen=True, kw_only=True, tag="hand_started"):
    """`dealt`: seats in order, first left of the button. `stacks`: before any forced bet."""

    button: SeatIndex
    button_dead: bool
    small_blind_seat: SeatIndex | None
    big_blind_seat: SeatIndex
    dealt: list[SeatIndex]
    stacks: BySeat


class StreetDealt(Numbered, frozen=True, kw_only=True, tag="street_dealt"):
    """Board cards were dealt. `cards`: the new ones."""

    street: Street
    cards: Cards
    board: Cards


class CardsShown(Numbered, frozen=True, kw_only=True, tag="cards_shown"):
    """A seat's hole cards are face up for everybody."""

    seat: SeatIndex
    cards: Cards
    because: ShownBecause


class HandResult(Numbered, frozen=True, kw_only=True, tag="hand_result"):
    """A hand is over. `shown`: cards that were face up for everybody; `stacks`: after the hand."""

    board: Cards
    pots: list[PotWon]
    returned: BySeat
    uncontested: bool
    shown: list[ShownHand]
    stacks: BySeat
    rake: ChipCount = 0


class HandCancelled(Numbered, frozen=True, kw_only=True, tag="hand_cancelled"):
    """A hand ended without a result, and every bet went back."""

    refunds: BySeat
    why: str


class AgentThought(Numbered, frozen=True, kw_only=True, tag="agent_thought"):
    """What an agent thinks about its turn: to its owner; to spectators of a table with `showThoughts` once the action is taken."""

    agent_id: str
    seat: SeatIndex
    turn_id: str
    text: str


class Decision(Numbered, frozen=True, kw_only=True, tag="decision"):
    """What an agent decided: to its owner. `provisional` until the table has it."""

    agent_id: str
    seat: SeatIndex
    turn_id: str
    action: ActionKind
    amount: ChipCount | None
    text: str
    status: Literal["provisional", "recorded", "changed", "discarded"]


class OwnCards(Numbered, frozen=True, kw_only=True, tag="own_cards"):
    """To an owner: the cards of one of their own agents."""

    agent_id: str
    seat: SeatIndex
    cards: Cards


class Note(Numbered, frozen=True, kw_only=True, tag="note"):
    """To an agent at the start of a hand: what its owner wrote."""

    text: str


class PowerUsed(Numbered, frozen=True, kw_only=True, tag="power_used"):
    """A power was used, by whom and on whom; no card."""

    power: str
    by: SeatIndex
    target: SeatIndex


class TableOptions(Numbered, frozen=True, kw_only=True, tag="table_options"):
    """What the table reveals to whom; before any change takes effect."""

    show_hands: bool
    show_thoughts: bool
    version: int


class Presence(Numbered, frozen=True, kw_only=True, tag="presence"):
    """A player's connection was lost or came back."""

    seat: SeatIndex
    connected: bool


class Chat(Numbered, frozen=True, kw_only=True, tag="chat"):
    """Somebody said something. `seat`: theirs, where they have one."""

    sender: str
    text: str
    seat: SeatIndex | UnsetType = UNSET


class TableStatus(Numbered, frozen=True, kw_only=True, tag="table_status"):
    """`what`: `open`, `paused`, `closed`; or a seat that was `taken`, `freed`, `rebought`.

    A pause in mid-hand is told to no player before the hand is over, and then by `game_state`.
    """

    status: Literal["open", "paused", "closed"]
    seat: SeatIndex | UnsetType = UNSET
    what: Literal["taken", "freed", "rebought", "status"] | UnsetType = UNSET
    name: str | UnsetType = UNSET


class PastHand(Part, frozen=True, kw_only=True):
    """A finished hand as this viewer may know it."""

    hand_number: int
    actions: list[PlayerAction]
    result: HandResult
    your_seat: SeatIndex | UnsetType = UNSET
    your_hole_cards: Cards | UnsetType = UNSET


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
    server_time: UnixMs = 0


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
    """The answer to `ping`."""

    server_time: UnixMs
    echo: str | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class Reconnect(ServerMessage, frozen=True, kw_only=True, tag="reconnect"):
    """The server is going away; come back after `afterMs`."""

    after_ms: DurationMs


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
