"""Time stands still until a test lets it pass; then timers fire in their order, each at its own millisecond."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.leaks.virtual_loop import NeverSettles, VirtualLoop


@pytest.fixture
def loop() -> Iterator[VirtualLoop]:
    loop = VirtualLoop()
    yield loop
    loop.close()


def test_nothing_waits_for_real(loop: VirtualLoop) -> None:
    """An hour takes no time, and is an hour."""
    slept = loop.create_task(asyncio.sleep(3_600))
    loop.settle()
    assert not slept.done()
    loop.pass_ms(3_600_000)
    assert slept.done() and loop.time() == 3_600


def test_a_timer_fires_at_its_millisecond_whenever_it_was_set(loop: VirtualLoop) -> None:
    """Seconds are fractions: 16,450 ms from one instant and from another come to the same millisecond."""
    fired: list[int] = []
    for set_at_ms in range(0, 16_450, 7):
        loop.pass_ms(set_at_ms - loop.now_ms)
        loop.call_later((16_450 - set_at_ms) / 1_000, lambda: fired.append(loop.now_ms))
    loop.pass_ms(20_000)
    assert set(fired) == {16_450} and len(fired) == 2_350


def test_what_goes_round_and_round_is_told(loop: VirtualLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """And does not hang the suite."""
    monkeypatch.setattr("tests.leaks.virtual_loop._MOST_ROUNDS", 100)

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - it spins on purpose
            await asyncio.sleep(0)

    spinning = loop.create_task(spin())
    with pytest.raises(NeverSettles):
        loop.settle()
    spinning.cancel()
    loop.run_until_complete(asyncio.gather(spinning, return_exceptions=True))
