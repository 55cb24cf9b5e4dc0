"""What may be asked with a body: one model a route. `body` reads them, and machines read them for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType, field

from gameserver.http.body import Body
from gameserver.identity import ids
from gameserver.wire.fields import (
    KIND,
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_CHIPS,
    MAX_NAME_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    MAX_SAFE_WHOLE,
    SPOKEN,
    UNSPOKEN,
    SeatNumber,
)

MAX_STRATEGY_CHARACTERS: Final = 40_000
MAX_SKILLS: Final = 32
_DAY_MS: Final = 86_400_000

Name = Annotated[
    str,
    Meta(
        description=f"At most {MAX_NAME_CHARACTERS} characters; refused rather than repaired.",
        extra={KIND: UNSPOKEN, MAX_CHARACTERS: 1_000, MAX_BYTES: None},
        extra_json_schema={"maxLength": MAX_NAME_CHARACTERS},
    ),
]
"""Which names there may be is `name_policy`'s to say; the bound here is for what it is asked about."""

UserName = Annotated[str, Meta(pattern=f"^{ids.PERSON}$", description="A user's id.")]
ThingName = Annotated[str, Meta(pattern=f"^{ids.THING}$", description="An id that we gave out.")]
Chips = Annotated[int, Meta(ge=1, le=MAX_CHIPS, description="Play chips.")]
Duration = Annotated[int, Meta(ge=0, le=30 * _DAY_MS, description="Milliseconds.")]


def _words(most: int, kind: str, words: str) -> Meta:
    extra = {KIND: kind, MAX_CHARACTERS: most, MAX_BYTES: None}
    return Meta(description=words, extra=extra, extra_json_schema={"maxLength": most})


NoteText = Annotated[str, _words(MAX_NOTE_CHARACTERS, SPOKEN, "Something to see, at most 2000 characters after NFC.")]
LongText = Annotated[str, _words(MAX_STRATEGY_CHARACTERS, UNSPOKEN, "The owner's own words, at most 40000 characters.")]
ModelName = Annotated[str, Meta(pattern=f"^{ids.MODEL}$", description="A model's name.")]


class NewTable(Body, frozen=True, kw_only=True):
    """`POST /games/poker`. Buy-ins are 20 to 100 big blinds where nothing is said. Times in milliseconds."""

    name: Name
    table_kind: Literal["agent", "human", "mixed"]
    small_blind: Chips
    big_blind: Chips
    variant: Literal["nlhe"] = "nlhe"
    max_seats: Annotated[int, Meta(ge=2, le=10)] = 6
    ante: Annotated[int, Meta(ge=0, le=MAX_CHIPS)] = 0
    ante_kind: Literal["each", "big_blind"] = "each"
    straddle: bool = False
    min_buy_in: Chips | UnsetType = UNSET
    max_buy_in: Chips | UnsetType = UNSET
    turn_ms: Annotated[int, Meta(ge=100, le=600_000)] = 15_000
    time_bank_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 30_000
    refill_every_hands: Annotated[int, Meta(ge=1, le=1_000)] = 10
    refill_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 5_000
    disconnect_bank_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 60_000
    timeouts_to_sit_out: Annotated[int, Meta(ge=1, le=1_000)] = 2
    sit_out_remove_ms: Duration = 600_000
    rathole_ms: Duration = 7_200_000
    show_hands: bool = False
    show_thoughts: bool = False
    spectator_delay_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 0
    powers: dict[Literal["dealer_peek"], Annotated[int, Meta(ge=0, le=100)]] = field(default_factory=dict)
    agent_chat: bool = False
    house_agents: Annotated[int, Meta(ge=0, le=10)] = 0
    practice: bool = False
    private: bool = False


class ChangeTable(Body, frozen=True, kw_only=True):
    """`PATCH /games/poker/{tableId}`. `pause`: false lets it go on. A reveal can be switched off."""

    name: Name | UnsetType = UNSET
    pause: bool | UnsetType = UNSET
    close: Literal[True] | UnsetType = UNSET
    show_hands: bool | UnsetType = UNSET
    show_thoughts: bool | UnsetType = UNSET


class Invite(Body, frozen=True, kw_only=True):
    """`POST /games/poker/{tableId}/invites`."""

    user_id: UserName


class NewAgent(Body, frozen=True, kw_only=True):
    """`POST /agents`."""

    name: Name


class NewVersion(Body, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/versions`. Published as it is, and for good."""

    strategy: LongText = ""
    skills: Annotated[list[LongText], Meta(max_length=MAX_SKILLS)] = field(default_factory=list)
    model: ModelName | UnsetType = UNSET
    temperature: Annotated[float, Meta(ge=0, le=2)] | UnsetType = UNSET
    seed: Annotated[int, Meta(ge=-MAX_SAFE_WHOLE, le=MAX_SAFE_WHOLE)] | UnsetType = UNSET
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] | UnsetType = UNSET


class NewToken(Body, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/tokens`. Of the newest version, for 30 days, where nothing is said."""

    agent_version_id: ThingName | UnsetType = UNSET
    days: Annotated[int, Meta(ge=1, le=90)] = 30


class Transfer(Body, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/transfer`."""

    to_user_id: UserName


class NewNote(Body, frozen=True, kw_only=True):
    """`POST /agents/{agentId}/notes`."""

    text: NoteText


class Grant(Body, frozen=True, kw_only=True):
    """`POST /internal/bankroll`."""

    user_id: UserName
    amount: Chips


class RemoveSeat(Body, frozen=True, kw_only=True):
    """`POST /internal/tables/{id}/remove`."""

    seat: SeatNumber


class Revoke(Body, frozen=True, kw_only=True):
    """`POST /internal/revocations`: one token by its `jti`, or all tokens of an agent that were issued until now."""

    jti: Annotated[str, Meta(pattern=f"^{ids.TOKEN}$", description="A token's own name.")] | UnsetType = UNSET
    agent_id: ThingName | UnsetType = UNSET


class Nothing(Body, frozen=True, kw_only=True):
    """A route that takes no fields."""
