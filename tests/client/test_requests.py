"""What a client asks for: each method is one message of the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from gameserver.wire import messages as m
from railbird.client.errors import NotUnderstood
from railbird.client.requests import Reply, Requests

Ask: TypeAlias = Callable[[Requests], Awaitable[object]]


class Asked(Requests):
    """Keeps what was asked for, and acknowledges it."""

    def __init__(self) -> None:
        self.messages: list[m.ClientMessage] = []

    async def request(self, message: m.ClientMessage) -> Reply:
        self.messages.append(message)
        return m.Ack(request_id="1")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.sit(3, 400), m.Sit(seat=3, buy_in=400)),
        (lambda r: r.stand(), m.Stand()),
        (lambda r: r.leave(), m.Leave()),
        (lambda r: r.sit_out(), m.SitOut()),
        (lambda r: r.sit_out("next_big_blind"), m.SitOut(when="next_big_blind")),
        (lambda r: r.sit_in(), m.SitIn()),
        (lambda r: r.rebuy(100), m.Rebuy(amount=100)),
        (lambda r: r.post_blind(), m.PostBlind()),
        (lambda r: r.wait_for_big_blind(), m.WaitForBigBlind()),
        (lambda r: r.straddle(), m.Straddle()),
        (lambda r: r.show_cards(), m.ShowCards()),
        (lambda r: r.think("t", "aces"), m.AgentThoughtIn(turn_id="t", text="aces")),
        (lambda r: r.decide("t", m.ActionKind.FOLD), m.AgentDecision(turn_id="t", action=m.ActionKind.FOLD)),
        (lambda r: r.report_provider_down("t"), m.AgentStatus(turn_id="t", provider_down=True)),
        (lambda r: r.chat("nice"), m.ChatIn(text="nice")),
        (lambda r: r.use_power("dealer_peek", 2), m.UsePower(power="dealer_peek", target=2)),
    ],
)
async def test_a_request_is_one_message(ask: Ask, message: m.ClientMessage) -> None:
    """What is not said stays out of it."""
    asked = Asked()
    await ask(asked)
    assert asked.messages == [message]


async def test_an_acknowledged_ping_is_not_understood() -> None:
    """A ping is answered, and not only taken."""
    with pytest.raises(NotUnderstood):
        await Asked().ping()
