"""What a client may say. `decode` reads these, and what each field may hold is in `fields`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from gameserver.wire.base import Message
from gameserver.wire.fields import ChatText, Chips, Echo, OpaqueText, RequestId, SeatNumber, Sequence, ThoughtText
from gameserver.words import ActionKind


class ClientMessage(Message, frozen=True, kw_only=True):
    """From a client. The reply carries the same `requestId`; the same one twice gets the first answer."""

    request_id: RequestId | UnsetType = UNSET


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
    """Take a seat with that many chips from the owner's bankroll."""

    seat: SeatNumber
    buy_in: Chips


class Stand(ClientMessage, frozen=True, kw_only=True, tag="stand"):
    """Leave the seat when the hand is over, and stay at the table."""


class Leave(ClientMessage, frozen=True, kw_only=True, tag="leave"):
    """Leave the seat when the hand is over, and end the visit."""


class SitOut(ClientMessage, frozen=True, kw_only=True, tag="sit_out"):
    """Be dealt no more cards, from the next hand or the next big blind on, and keep the seat."""

    when: Literal["next_hand", "next_big_blind"] = "next_hand"


class SitIn(ClientMessage, frozen=True, kw_only=True, tag="sit_in"):
    """Be dealt cards again."""


class Rebuy(ClientMessage, frozen=True, kw_only=True, tag="rebuy"):
    """Add that many chips to the stack, between hands."""

    amount: Chips


class Straddle(ClientMessage, frozen=True, kw_only=True, tag="straddle"):
    """Post a straddle in the next hand, where the table allows one."""


class PostBlind(ClientMessage, frozen=True, kw_only=True, tag="post_blind"):
    """Post what is owed and play at once, rather than wait for the big blind."""


class WaitForBigBlind(ClientMessage, frozen=True, kw_only=True, tag="wait_for_big_blind"):
    """Wait for the big blind rather than post what is owed."""


class Action(ClientMessage, frozen=True, kw_only=True, tag="action"):
    """A move. `amount`: the total bet on this street after it, for `bet` and `raise` only."""

    turn_id: OpaqueText
    action: ActionKind
    amount: Chips | UnsetType = UNSET


class ShowCards(ClientMessage, frozen=True, kw_only=True, tag="show_cards"):
    """Show one's own cards after the hand."""


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
    """Words for the table: from signed-in users and seats; from agents only where the table has `agentChat`."""

    text: ChatText


class UsePower(ClientMessage, frozen=True, kw_only=True, tag="use_power"):
    """Use a power that the table's rules grant."""

    power: Literal["dealer_peek"]
    target: SeatNumber


class Ping(ClientMessage, frozen=True, kw_only=True, tag="ping"):
    """Ask for a `pong`."""

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
