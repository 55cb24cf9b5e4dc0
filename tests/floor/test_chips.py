"""Chips between bankrolls and seats: exact, once, and never from nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gameserver.floor.chips import TableChips
from gameserver.hand.facts import ActionKind
from gameserver.store.accounts import Bankroll, Issued, PotAccount, Reason, SeatAccount
from gameserver.table.commands import Pause
from gameserver.table.facts import HandCancelled, HandEnded, RebuyReturned, SeatPaid
from gameserver.wire.messages import Leave, Rebuy, Sit
from policy.ids import HandNumber, Seat, TableId
from policy.table_kind import TableKind
from tests.floor.world import BUY_IN, STARTING_CHIPS, Broken, World, agent, once, until, user
from tests.store import stories

TABLE = TableId("t")


async def test_two_tables_and_one_bankroll(world: World) -> None:
    """An owner with chips for one buy-in, whose two agents sit down at two tables at the same moment: one sits."""
    tables = [await world.table(max_buy_in_chips=STARTING_CHIPS) for _ in range(2)]
    ann = await world.enter(tables[0], agent("ann", owner="olga"))
    bob = await world.enter(tables[1], agent("bob", owner="olga"))
    answers = await asyncio.gather(*(client.ask(Sit(seat=0, buy_in=STARTING_CHIPS)) for client in (ann, bob)))
    assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
    assert next(answer["code"] for answer in answers if answer["type"] == "error") == "no_chips"
    assert await world.chips("olga") == 0
    assert sum(len(world.state(table).seats) for table in tables) == 1


async def test_two_rebuys_and_one_bankroll(world: World) -> None:
    """The same for buying more: what the first took is not there for the second."""
    tables = [await world.table(max_buy_in_chips=STARTING_CHIPS) for _ in range(2)]
    clients = []
    for number, table in enumerate(tables):
        client = await world.enter(table, agent(f"a{number}", owner="olga"))
        await client.sit(0, 1_000)
        clients.append(client)
    answers = await asyncio.gather(*(client.ask(Rebuy(amount=8_000)) for client in clients))
    assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
    assert await world.chips("olga") == 0
    stacks = [world.state(table).seats[0].stack_chips for table in tables]
    assert sorted(stacks) == [1_000, 9_000]


async def test_an_owner_with_exact_chips_may_sit(world: World) -> None:
    """The last chip counts; one more than there is does not."""
    table = await world.table(max_buy_in_chips=2 * STARTING_CHIPS)
    ann = await world.enter(table, agent("ann", owner="olga"))
    assert await ann.refused(Sit(seat=0, buy_in=STARTING_CHIPS + 1)) == "no_chips"
    assert world.state(table).seats == ()
    await ann.sit(0, STARTING_CHIPS)
    assert (await world.chips("olga"), await world.seat_chips(table, "agent:ann")) == (0, STARTING_CHIPS)
    assert (await ann.ask(Leave()))["type"] == "ack"
    assert await world.chips("olga") == STARTING_CHIPS


async def test_a_buy_in_comes_from_the_owner_of_the_agent(world: World) -> None:
    """And goes back there; a person's from their own."""
    table = await world.table()
    await world.seated(table, "ann")
    assert await world.chips("owner-of-ann") == STARTING_CHIPS - BUY_IN
    assert await world.chips("ann") == STARTING_CHIPS


async def test_a_refused_sit_takes_nothing(world: World) -> None:
    """Neither a seat that is taken, nor a bankroll that is too small, nor a fault in the store."""
    table = await world.table()
    await world.seated(table, "ann")
    bob = await world.enter(table, agent("bob"))
    assert await bob.refused(Sit(seat=0, buy_in=BUY_IN)) == "seat_taken"
    world.journal.breaks["take_chips"] = once(Broken())
    assert await bob.refused(Sit(seat=1, buy_in=BUY_IN)) == "internal"
    assert await world.chips("owner-of-bob") == STARTING_CHIPS
    await until(lambda: world.task(table)._faults == 1 and len(world.state(table).seats) == 1)
    await bob.sit(1)
    assert await world.chips("owner-of-bob") == STARTING_CHIPS - BUY_IN


async def test_a_rebuy_in_mid_hand_leaves_the_bankroll_at_once(world: World) -> None:
    """What does not fit when the hand is over goes back."""
    table = await world.table(max_buy_in_chips=1_500)
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    assert (await ann.ask(Rebuy(amount=1_500)))["type"] == "ack"
    assert await world.chips("owner-of-ann") == STARTING_CHIPS - BUY_IN - 1_500
    assert await world.seat_chips(table, "agent:ann") == BUY_IN + 1_500
    await world.act(table, ActionKind.FOLD)
    await until(lambda: world.state(table).hand_number == 2)
    result = (await world.hands.recent_hands(table, 1))[0]
    after = dict(result.over.stacks)[Seat(0)]
    assert next(seat.stack_chips + seat.bet_chips for seat in world.state(table).seats if seat.seat == 0) == 1_500
    assert await world.seat_chips(table, "agent:ann") == 1_500
    assert await world.chips("owner-of-ann") == STARTING_CHIPS - BUY_IN - (1_500 - after)


async def test_the_ledger_and_the_stacks_agree_after_every_hand(world: World) -> None:
    """Over whole hands with all-ins, folds and calls, seats' accounts are the stacks, and the sum of all accounts is zero."""
    table, names = await world.table(), ("ann", "bob", "cid")
    await world.seated(table, *names)
    for number in range(1, 7):
        if not await world.begins(table, number):
            break
        await world.play_hand(table, number, first=ActionKind.ALL_IN if number % 3 == 0 else None)
        assert await world.ledger.verify_ledger() == ()
    await world.floor.operate(table, Pause())
    await world.play_hand(table, world.state(table).hand_number)
    await until(lambda: world.journal.count("store", "begin_hand") == world.journal.count("store", "finish_hand"))
    held = {name: await world.seat_chips(table, f"agent:{name}") for name in names}
    assert held == {seat.name: seat.stack_chips for seat in world.state(table).seats}
    owned = [await world.chips(f"owner-of-{name}") for name in names]
    assert sum(held.values()) + sum(owned) == 3 * STARTING_CHIPS


async def test_practice_chips_are_issued_and_go_back(world: World) -> None:
    """No bankroll pays for them or gets them."""
    table = await world.table(practice=True)
    ann = await world.enter(table, agent("ann", owner="creator"))
    await ann.sit(0)
    assert await world.chips("creator") == STARTING_CHIPS
    assert await world.seat_chips(table, "agent:ann") == BUY_IN
    issued = await world.ledger.balance_chips(Issued())
    await ann.ask(Leave())
    assert await world.ledger.balance_chips(Issued()) == issued + BUY_IN
    assert await world.chips("creator") == STARTING_CHIPS


async def test_a_person_pays_for_themselves(world: World) -> None:
    """Their bankroll is their own."""
    table = await world.table(kind=TableKind.HUMAN)
    ann = await world.enter(table, user("ann"))
    await ann.sit(0)
    assert await world.chips("ann") == STARTING_CHIPS - BUY_IN
    assert await world.ledger.balance_chips(SeatAccount(table, "user:ann")) == BUY_IN


# --- facts to moves -----------------------------------------------------------------------------------------------------


def told(chips: TableChips, *facts: Any) -> list[tuple[Any, Any, int, Reason]]:
    moves = chips.moves(facts, hand_number=HandNumber(7))
    return [(move.source, move.target, move.amount_chips, move.reason) for move in moves]


def test_a_finished_hand_goes_through_the_pot() -> None:
    """What each put in, and then what the winners get; nothing of zero chips."""
    chips = TableChips(TABLE, practice=False)
    pot = PotAccount(TABLE)
    alice, bob = SeatAccount(TABLE, "agent:a_alice"), SeatAccount(TABLE, "agent:a_bob")
    assert told(chips, HandEnded(stories.result())) == [
        (bob, pot, 10, Reason.BET),
        (alice, pot, 10, Reason.BET),
        (pot, alice, 20, Reason.WIN),
    ]


@pytest.mark.parametrize(("practice", "home"), [(False, Bankroll(stories.ALICE)), (True, Issued())])
def test_what_leaves_a_seat_goes_home(practice: bool, home: object) -> None:
    """To the bankroll of the owner, or at a practice table to where it came from."""
    chips = TableChips(TABLE, practice=practice)
    seat = SeatAccount(TABLE, "agent:a_alice")
    paid, returned = SeatPaid(Seat(0), stories.ALICES, 50), RebuyReturned(Seat(0), stories.ALICES, 5)
    cancelled = HandCancelled(
        HandNumber(7),
        ((Seat(0), stories.ALICES, 30), (Seat(2), stories.BOBS, 40)),
        "why",
        frozenset({Seat(0)}),
    )
    assert told(chips, paid) == [(seat, home, 50, Reason.CASH_OUT)]
    assert told(chips, returned) == [(seat, home, 5, Reason.REBUY_RETURNED)]
    assert told(chips, cancelled) == [(seat, home, 30, Reason.REFUND)], "who still has a seat has the chips on it"
    taken = chips.taken(stories.ALICES, 9, Reason.BUY_IN)
    assert (taken.source, taken.target, taken.amount_chips) == (home, seat, 9)
