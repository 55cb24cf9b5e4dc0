"""What came in and was not taken yet."""

from __future__ import annotations

import asyncio

from gameserver.net.inbox import Inbox


async def test_events_are_taken_in_order_and_waited_for() -> None:
    """Whether they are there already, or come while the reader waits."""
    inbox: Inbox[int] = Inbox()
    inbox.put_nowait(1)
    inbox.put_nowait(2)
    assert (inbox.qsize(), inbox.empty(), await inbox.get(), await inbox.get(), inbox.empty()) == (2, False, 1, 2, True)
    reading = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.put_nowait(3)
    inbox.put_nowait(4)
    assert (await reading, await inbox.get()) == (3, 4)


async def test_a_reader_that_is_cancelled_takes_nothing_along() -> None:
    """What comes afterwards is there for the next one."""
    inbox: Inbox[int] = Inbox()
    reading = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait([reading])
    inbox.put_nowait(1)
    assert await inbox.get() == 1
