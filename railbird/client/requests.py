"""Every request that a client can make, as methods."""

from __future__ import annotations

import abc
from typing import Literal, TypeAlias

from msgspec import UNSET

from gameserver.wire.messages import (
    Ack,
    ActionKind,
    AgentDecision,
    AgentStatus,
    AgentThoughtIn,
    ChatIn,
    ClientMessage,
    Leave,
    Ping,
    Pong,
    PostBlind,
    Rebuy,
    ShowCards,
    Sit,
    SitIn,
    SitOut,
    Stand,
    Straddle,
    UsePower,
    WaitForBigBlind,
)
from railbird.client.errors import NotUnderstood

Reply: TypeAlias = Ack | Pong


class Requests(abc.ABC):
    """What a client asks for. Each raises `Refused`, `ConnectionLost`, `NoAnswer` or `Closed`."""

    @abc.abstractmethod
    async def request(self, message: ClientMessage) -> Reply:
        """Send one request and wait for its reply."""

    async def sit(self, seat: int, buy_in: int) -> None:
        """Take a seat with so many chips."""
        await self.request(Sit(seat=seat, buy_in=buy_in))

    async def stand(self) -> None:
        """Give the seat up, at once or when the hand is over."""
        await self.request(Stand())

    async def leave(self) -> None:
        """Give the seat up and end the visit."""
        await self.request(Leave())

    async def sit_out(self, when: Literal["next_hand", "next_big_blind"] = "next_hand") -> None:
        """Be dealt no cards from then on."""
        await self.request(SitOut(when=when))

    async def sit_in(self) -> None:
        """Be dealt cards again."""
        await self.request(SitIn())

    async def rebuy(self, amount: int) -> None:
        """Buy chips, at once or when the hand is over."""
        await self.request(Rebuy(amount=amount))

    async def post_blind(self) -> None:
        """Post what is owed instead of waiting for the big blind."""
        await self.request(PostBlind())

    async def wait_for_big_blind(self) -> None:
        """Take the wish to post back."""
        await self.request(WaitForBigBlind())

    async def straddle(self) -> None:
        """One straddle at the next chance."""
        await self.request(Straddle())

    async def show_cards(self) -> None:
        """Show one's own cards, after the hand."""
        await self.request(ShowCards())

    async def think(self, turn_id: str, text: str) -> None:
        """Tell the owner (and whom else the table lets) the reasoning of the present turn, before the action."""
        await self.request(AgentThoughtIn(turn_id=turn_id, text=text))

    async def decide(self, turn_id: str, action: ActionKind, amount: int | None = None, text: str = "") -> None:
        """Tell the owner the decision before the table has it."""
        total = UNSET if amount is None else amount
        await self.request(AgentDecision(turn_id=turn_id, action=action, amount=total, text=text or UNSET))

    async def report_provider_down(self, turn_id: str) -> None:
        """Say that the model's provider is down, so that a timeout is classed rightly."""
        await self.request(AgentStatus(turn_id=turn_id, provider_down=True))

    async def chat(self, text: str) -> None:
        """Say something to the table."""
        await self.request(ChatIn(text=text))

    async def use_power(self, power: Literal["dealer_peek"], target: int) -> None:
        """Use a power that the table's rules grant, on a seat."""
        await self.request(UsePower(power=power, target=target))

    async def ping(self) -> Pong:
        """Ask for the server's time."""
        reply = await self.request(Ping())
        if not isinstance(reply, Pong):
            raise NotUnderstood("the server acknowledged a ping instead of answering it")
        return reply
