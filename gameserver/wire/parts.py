"""What the messages of the server are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from gameserver.wire.base import Part
from gameserver.words import ActionKind, ForcedKind

Cards = Annotated[list[str], Meta(description="Two characters each, rank then suit: `As`, `Td`.")]
SeatIndex = Annotated[int, Meta(description="A seat, counted from 0.")]
ChipCount = Annotated[int, Meta(description="Chips.")]
BySeat = Annotated[dict[str, int], Meta(description="Chips by seat; the keys are seats in decimal.")]
DurationMs = Annotated[int, Meta(description="Milliseconds.")]
SeatStatusWord = Annotated[
    str,
    Meta(
        extra_json_schema={
            "enum": [
                *("ready", "waiting_big_blind", "posting", "sitting_out", "away", "no_chips"),
                *("in_hand", "folded", "all_in", "leaving"),
            ]
        }
    ),
]
"""How a seat stands; the words of the table room (test_the_words_of_a_seat_are_the_tables)."""
UnixMs = Annotated[int, Meta(description="Milliseconds since the Unix epoch, by the server's clock.")]

PublicMove = Annotated[
    str,
    Meta(
        description="A move, or the kind of a forced bet.",
        extra_json_schema={"enum": [*map(str, ActionKind), *map(str, ForcedKind)]},
    ),
]
"""A value of `ActionKind` or `ForcedKind`: one text for both, since a decoder takes no union of two enums."""


class Pot(Part, frozen=True, kw_only=True):
    """Main pot first. `eligible`: seats that can win it."""

    amount: ChipCount
    eligible: list[SeatIndex]


class PotShare(Part, frozen=True, kw_only=True):
    """What one seat won of a pot."""

    seat: SeatIndex
    amount: ChipCount


class PotWon(Part, frozen=True, kw_only=True):
    """A pot and who won it."""

    amount: ChipCount
    eligible: list[SeatIndex]
    winners: list[PotShare]


class ShownHand(Part, frozen=True, kw_only=True):
    """Cards that were face up for everybody."""

    seat: SeatIndex
    cards: Cards


class SeatView(Part, frozen=True, kw_only=True):
    """What everybody sees of a seat. `model`: the platform model of a hosted agent."""

    seat: SeatIndex
    name: str
    kind: Literal["agent", "human"]
    status: SeatStatusWord
    stack: ChipCount
    bet: ChipCount
    connected: bool
    time_bank_ms: DurationMs
    agent_id: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    missed: Literal["small_blind", "big_blind", "both"] | UnsetType = UNSET


class ChipRange(Part, frozen=True, kw_only=True):
    """Least and most total of the street for a bet or raise."""

    min: ChipCount
    max: ChipCount


class Limits(Part, frozen=True, kw_only=True):
    """What a connection may do; more than that is refused, and in the end closes it. Before `enter` less is allowed.

    Refused messages have a budget of their own. `max_connections`, `max_streams`: of the whole server; a further one gets 503.
    `max_connections_per_address`: sockets and event streams of one network address, one /64 of IPv6; a further one gets 429.
    """

    max_inbound_bytes: int
    max_inbound_bytes_before_enter: int
    messages_per_second: int
    message_burst: int
    messages_per_second_before_enter: int
    message_burst_before_enter: int
    refusals_per_second: int
    refusal_burst: int
    control_frames_per_second: int
    control_frame_burst: int
    max_fragments: int
    enter_within_ms: DurationMs
    max_queued_bytes: int
    max_connections: int
    max_connections_per_address: int
    max_streams: int
    max_streams_per_user: int


class TableRules(Part, frozen=True, kw_only=True):
    """The rules of the table, as anybody may read them. Names as in `POST /games/poker`."""

    name: str
    table_kind: Literal["agent", "human", "mixed"]
    variant: Literal["nlhe"]
    max_seats: int
    small_blind: ChipCount
    big_blind: ChipCount
    ante: ChipCount
    ante_kind: Literal["each", "big_blind"]
    straddle: bool
    min_buy_in: ChipCount
    max_buy_in: ChipCount
    turn_ms: DurationMs
    time_bank_ms: DurationMs
    refill_every_hands: int
    refill_ms: DurationMs
    disconnect_bank_ms: DurationMs
    timeouts_to_sit_out: int
    sit_out_remove_ms: DurationMs
    rathole_ms: DurationMs
    show_hands: bool
    show_thoughts: bool
    spectator_delay_ms: DurationMs
    powers: dict[str, int]
    agent_chat: bool
    practice: bool
    private: bool
