"""What may be asked of a table room. Whoever asks was verified before: a command names its player by an identity that was
proved, never by what a message says (test_identity_comes_from_the_connection).

A command says what is asked for, and the room decides; a refusal is raised as `gameserver.errors.Refusal`, and nothing changed.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NewType, TypeAlias

from gameserver.hand.deck import Deck
from gameserver.hand.facts import ActionKind
from policy.ids import AgentId, AgentVersionId, Seat, TurnId, UserId
from policy.spectator_policy import RevealOptions


@dataclass(frozen=True, slots=True)
class AgentPlayer:
    """An agent as a player. `owner`: whose bankroll pays its buy-in, and one seat at a table for each owner.

    `hosted`: attested by the hosting service's own key; `model`: the platform model that this key signed for.
    `house`: one of the operator's own house agents.
    """

    agent_id: AgentId
    owner: UserId
    version_id: AgentVersionId
    hosted: bool
    model: str | None
    house: bool = False


@dataclass(frozen=True, slots=True)
class UserPlayer:
    """A person as a player; their own owner."""

    user_id: UserId


Player: TypeAlias = AgentPlayer | UserPlayer
PlayerId = NewType("PlayerId", str)
"""What tells two players apart: `agent:<id>` or `user:<id>`. An agent and a user may have the same id, and are two players."""


def agent_player_id(agent_id: AgentId) -> PlayerId:
    """The id that an agent has as a player, wherever it sits."""
    return PlayerId(f"agent:{agent_id}")


def player_id(player: Player) -> PlayerId:
    """The id of a player; this and `agent_player_id` are the one place that makes one."""
    match player:
        case AgentPlayer(agent_id=agent_id):
            return agent_player_id(agent_id)
        case UserPlayer(user_id=user_id):
            return PlayerId(f"user:{user_id}")


def owner_of(player: Player) -> UserId:
    """Whose bankroll and whose one seat it is."""
    match player:
        case AgentPlayer(owner=owner):
            return owner
        case UserPlayer(user_id=user_id):
            return user_id


class SitOutWhen(enum.StrEnum):
    NEXT_HAND = "next_hand"
    NEXT_BIG_BLIND = "next_big_blind"


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a seat. The chips are the room's to ask for and the floor's to move: see `SeatTaken`."""

    player: Player
    name: str
    seat: Seat
    buy_in_chips: int


@dataclass(frozen=True, slots=True)
class Stand:
    """Give the seat up: at once, or when the hand is over."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class Leave:
    """As `Stand`, and the visit ends too."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class SitOut:
    player: PlayerId
    when: SitOutWhen


@dataclass(frozen=True, slots=True)
class SitIn:
    player: PlayerId


@dataclass(frozen=True, slots=True)
class PostBlind:
    """Post what is owed at the next chance instead of waiting for the big blind."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class WaitForBigBlind:
    """Take the wish to post back."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class WishStraddle:
    """One straddle at the next chance."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class Rebuy:
    player: PlayerId
    amount_chips: int


@dataclass(frozen=True, slots=True)
class Act:
    """A move. `turn_id` names the decision that it answers. `now_ms` of `receive` is the time of receipt, which decides."""

    player: PlayerId
    turn_id: TurnId
    action: ActionKind
    amount_chips: int | None


@dataclass(frozen=True, slots=True)
class ReportProviderDown:
    """The agent's model provider is down; a timeout of this turn is classed so."""

    player: PlayerId
    turn_id: TurnId


@dataclass(frozen=True, slots=True)
class ShowCards:
    """Show one's own cards, after the hand."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class UsePower:
    player: PlayerId
    power: str
    target: Seat


@dataclass(frozen=True, slots=True)
class SetVersion:
    """The agent's next version; takes effect when the hand is over."""

    player: AgentId
    version_id: AgentVersionId


@dataclass(frozen=True, slots=True)
class Connect:
    """A player's line is up."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class Disconnect:
    """A player's line is down."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class BeginHand:
    """Plan the next hand: numbers, positions and stacks. Nothing is dealt: the floor stores the plan first."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the hand that was begun, from this deck."""

    deck: Deck


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed; whatever fell due happens."""


@dataclass(frozen=True, slots=True)
class Pause:
    """No new hand until `Resume`."""


@dataclass(frozen=True, slots=True)
class Resume:
    pass


@dataclass(frozen=True, slots=True)
class Close:
    """No new hand; all are paid out when the hand is over."""


@dataclass(frozen=True, slots=True)
class Rename:
    name: str


@dataclass(frozen=True, slots=True)
class NarrowReveal:
    """Switch a reveal off. The gate decides (`spectator_policy.narrow_reveal_options`)."""

    reveal: RevealOptions


@dataclass(frozen=True, slots=True)
class CancelHand:
    """End the hand in play as if it had not been dealt. `why` is told to the table."""

    why: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Free a seat, by an operator: at once, or when the hand is over."""

    seat: Seat


Command: TypeAlias = (
    Sit
    | Stand
    | Leave
    | SitOut
    | SitIn
    | PostBlind
    | WaitForBigBlind
    | WishStraddle
    | Rebuy
    | Act
    | ReportProviderDown
    | ShowCards
    | UsePower
    | SetVersion
    | Connect
    | Disconnect
    | BeginHand
    | Deal
    | Tick
    | Pause
    | Resume
    | Close
    | Rename
    | NarrowReveal
    | CancelHand
    | Remove
)
