"""A table's inbox: bounded for what strangers cause, open for what has to be known, and closed once."""

from __future__ import annotations

import asyncio
import time

from gameserver.floor.inbox import Inbox
from gameserver.floor.ports import ConnectionId
from gameserver.floor.requests import Attach, Detach, Operate, Say, Stop
from gameserver.table import commands
from gameserver.wire.messages import ChatIn
from tests.net.recording import recorded

CONNECTION = recorded(ConnectionId("c"))[0]


def say(text: str = "") -> Say:
    return Say(CONNECTION, ChatIn(text=text), 0)


async def test_a_full_inbox_still_takes_a_detach() -> None:
    """And an order, and the stop; messages and newcomers are refused."""
    inbox = Inbox(max_requests=2)
    assert inbox.put(say()) and inbox.put(say())
    assert not inbox.put(say())
    assert not inbox.put(Attach(CONNECTION, None, 0))
    assert inbox.put(Detach(CONNECTION, 0))
    assert inbox.put(Operate(commands.Pause(), asyncio.get_running_loop().create_future(), 0))
    assert inbox.put(Stop(0, 0))
    assert [type(await inbox.get(None)).__name__ for _ in range(5)] == ["Say", "Say", "Detach", "Operate", "Stop"]


async def test_requests_come_in_the_order_of_arrival() -> None:
    """However many there are."""
    inbox = Inbox(max_requests=100)
    sent = [say(str(number)) for number in range(50)]
    for request in sent:
        inbox.put(request)
    assert [await inbox.get(0) for _ in sent] == sent


async def test_waiting_ends_with_the_time_or_with_a_request() -> None:
    """None when the time has passed; what has arrived comes first, however late it is."""
    inbox = Inbox(max_requests=1)
    assert await inbox.get(0.01) is None
    waiting = asyncio.ensure_future(inbox.get(5))
    await asyncio.sleep(0)
    began = time.monotonic()
    inbox.put(say("now"))
    assert await waiting == say("now") and time.monotonic() - began < 1
    inbox.put(say("late"))
    assert await inbox.get(0) == say("late")


async def test_a_closed_inbox_gives_back_what_is_left_and_takes_nothing() -> None:
    """Whoever had put something there can be told."""
    inbox = Inbox(max_requests=10)
    inbox.put(say("left"))
    assert inbox.close() == (say("left"),)
    assert not inbox.put(say()) and not inbox.put(Detach(CONNECTION, 0))
    assert inbox.close() == ()
