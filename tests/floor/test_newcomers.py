"""Who sits down in mid-hand may be called after a card: who decides hears of it when the hand is over."""

from __future__ import annotations

import pytest

from policy.spectator_policy import CLOSED, RevealOptions
from tests.floor.world import BUY_IN, World, agent

HANDS = RevealOptions(show_hands=True, show_thoughts=False)
THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)
SAYS = "bob-has-aces"


@pytest.mark.parametrize("reveal", [HANDS, THOUGHTS])
async def test_a_name_told_in_mid_hand_reaches_no_seat_of_a_revealing_table(
    world: World, reveal: RevealOptions
) -> None:
    """Neither by a frame nor by a reconnect; those who watch see it at once, and the seats when the hand is over."""
    table = await world.table(reveal=reveal)
    ann, bob = await world.seated(table, "ann", "bob", model="house")
    watcher = await world.enter(table)
    await world.until_hand(table)
    before = [len(client.messages) for client in (ann, bob)]
    newcomer = await world.enter(table, agent(SAYS, model="house"))
    await newcomer.sit(2, BUY_IN)
    assert SAYS in watcher.text
    assert [len(client.messages) for client in (ann, bob)] == before
    again = await world.enter(table, agent("ann", model="house"))
    assert "snapshot" in again.kinds()
    assert not any(SAYS in client.text for client in (ann, bob, again))
    newcomer.leave()
    await watcher.sees("presence")
    assert not any(SAYS in client.text for client in (ann, bob, again))
    await world.play_hand(table)
    assert SAYS in again.text and SAYS in bob.text


async def test_at_a_closed_table_a_name_is_told_at_once(world: World) -> None:
    """As at any table where people sit and look up."""
    table = await world.table(reveal=CLOSED)
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    await (await world.enter(table, agent(SAYS))).sit(2, BUY_IN)
    assert SAYS in ann.text
