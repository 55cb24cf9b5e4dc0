"""Keeping a hand: one agent's turns, once, for good, and what came of it told truly."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select

from capture import transcript
from capture.captured import CapturedHand, CapturedPrompt, CapturedTurn
from capture.durable import schema
from capture.errors import BufferUnavailable
from capture.reads.promote import Promoted, PromoteStatus
from capture.record import Decided, MissingReason, Prompt
from policy.capture_scope import OwnerScope
from policy.errors import PolicyRefusal
from policy.ids import ActionIndex, AgentId, HandNumber, TableId
from tests.capture.keeping import A1, ANN, BOB, OSCAR, Keeping
from tests.capture.turns import NOON_US, call, decided, fell_back, turn

PINNED, ALREADY = PromoteStatus.PINNED, PromoteStatus.ALREADY_PINNED
NOTHING, PARTLY = PromoteStatus.NOTHING_TO_CAPTURE, PromoteStatus.PARTLY_PINNED


async def rows(keeping: Keeping) -> int:
    count = select(func.count()).select_from(schema.records)
    return await keeping.database.read(lambda connection: connection.execute(count).scalar_one())


async def promote(keeping: Keeping, agent: str = "a1", hand: int = 7) -> Promoted:
    return await keeping.of_operator().promote(OSCAR, keeping.hand(agent, hand))


def said(n: int, envelope: bytes = b"You play poker.") -> Any:
    return decided(call(prompt=Prompt(envelope, b"turn %d" % n), completion=f"I call {n}"))


async def test_a_kept_hand_is_whole_after_the_buffer_is_gone(keeping: Keeping) -> None:
    """F29: every key of the capture is deleted, and each turn reads as it was captured, byte for byte."""
    await keeping.capture(*(turn(keeping.key(index=n), said(n)) for n in (1, 4, 9)))
    before = await keeping.of_operator().hand(OSCAR, keeping.hand())
    assert await promote(keeping) == Promoted(PINNED, 3, ())
    assert await keeping.expire() + await keeping.expire("env:*") >= 6
    after = await keeping.of_operator().hand(OSCAR, keeping.hand())
    assert after == before and len(after.captured) == 3
    prompts = [each.deciding_call.prompt for each in after.captured if each.deciding_call]
    assert all(isinstance(prompt, CapturedPrompt) and prompt.is_whole for prompt in prompts)
    assert [prompt.whole for prompt in prompts if isinstance(prompt, CapturedPrompt)] == [
        b"You play poker.\nturn %d" % n for n in (1, 4, 9)
    ]


async def test_keeping_again_changes_nothing(keeping: Keeping) -> None:
    """Nor does it once the buffer is empty; and a turn that came in between is added."""
    await keeping.capture(turn(keeping.key(index=1), said(1)))
    assert await promote(keeping) == Promoted(PINNED, 1, ())
    assert await promote(keeping) == Promoted(ALREADY, 1, ())
    await keeping.capture(turn(keeping.key(index=5), said(5)))
    assert await promote(keeping) == Promoted(PINNED, 2, ())
    await keeping.expire()
    assert await promote(keeping) == Promoted(ALREADY, 2, ())
    assert await rows(keeping) == 2


async def test_twenty_at_once_keep_each_turn_once(keeping: Keeping) -> None:
    """F31: each has a truthful answer, one of them is the one that kept, and sums stay exact."""
    usd = ("0.1", "0.2")
    turns = [turn(keeping.key(index=n), decided(call(cost_usd=Decimal(usd[n])))) for n in range(2)]
    await keeping.capture(*turns)
    told = await asyncio.gather(*(promote(keeping) for _ in range(20)))
    assert sorted(each.status.value for each in told) == ["already_pinned"] * 19 + ["pinned"]
    assert {each.turns for each in told} == {2} and {each.missing for each in told} == {()}
    again = await asyncio.gather(*(promote(keeping) for _ in range(5)))
    assert set(again) == {Promoted(ALREADY, 2, ())}
    assert await rows(keeping) == 2
    kept = (await keeping.durable.turns_of(keeping.hand())).turns
    costs = [each.deciding_call.cost_usd for each in kept if each.deciding_call and each.deciding_call.cost_usd]
    assert sum(costs) == Decimal("0.3")


async def test_many_at_once_while_the_buffer_expires(keeping: Keeping) -> None:
    """F31: whatever each of them found, it says how many turns are kept at that moment, and which are missing."""
    await keeping.capture(*(turn(keeping.key(index=n), said(n)) for n in range(6)))

    async def expire_one_by_one() -> None:
        for n in range(6):
            await keeping.expire(f"turn:{keeping.table_id}:7:a1:{n}")

    *told, _ = await asyncio.gather(*(promote(keeping) for _ in range(20)), expire_one_by_one())
    kept = {each.key.action_index for each in (await keeping.durable.turns_of(keeping.hand())).turns}
    for each in told:
        assert isinstance(each, Promoted)
        assert each.turns + len(each.missing) == 6
        assert each.turns <= len(kept) and set(each.missing) >= set(range(6)) - kept
        assert (each.status is NOTHING) == (each.turns == 0)
        assert (each.status is PARTLY) == (0 < each.turns < 6)


async def test_a_hand_that_expired_half_way_is_kept_in_part(keeping: Keeping) -> None:
    """With the turns that are not there by their index, whether the index of the buffer or the ledger knows of them."""
    await keeping.capture(*(turn(keeping.key(index=n), said(n)) for n in (1, 2, 3)))
    await keeping.expire(f"turn:{keeping.table_id}:7:a1:2")
    assert await promote(keeping) == Promoted(PARTLY, 2, (ActionIndex(2),))
    await keeping.expire()
    assert await promote(keeping) == Promoted(PARTLY, 2, (ActionIndex(2),))


async def test_an_expired_hand_is_nothing_to_capture(keeping: Keeping) -> None:
    """It says which turns there were. So does one that was never there, of which there were none."""
    await keeping.capture(turn(keeping.key(index=1), said(1)))
    await keeping.expire()
    assert await promote(keeping) == Promoted(NOTHING, 0, (ActionIndex(1),))
    assert await promote(keeping, hand=8) == Promoted(NOTHING, 0, ())


async def test_a_fallback_is_nothing_to_keep(keeping: Keeping) -> None:
    """It is no decision, and it is not missing."""
    await keeping.capture(turn(keeping.key(index=1), fell_back(call())))
    assert await promote(keeping) == Promoted(NOTHING, 0, ())


async def test_a_rivals_kept_hand_is_not_mine(keeping: Keeping) -> None:
    """Two agents share an action index; each is kept by itself, and neither answer is about the other's."""
    await keeping.capture(turn(keeping.key("a1", index=3), said(1)), turn(keeping.key("b1", index=3), said(2)))
    assert await promote(keeping, "b1") == Promoted(PINNED, 1, ())
    await keeping.expire()
    assert await promote(keeping, "a1") == Promoted(NOTHING, 0, (ActionIndex(3),))
    assert await promote(keeping, "b1") == Promoted(ALREADY, 1, ())
    assert await rows(keeping) == 1


async def test_two_agents_turns_with_one_action_index_are_both_kept(keeping: Keeping) -> None:
    """The key of a row has the agent in it."""
    await keeping.capture(turn(keeping.key("a1", index=3), said(1)), turn(keeping.key("b1", index=3), said(2)))
    assert [await promote(keeping, agent) for agent in ("a1", "b1")] == [Promoted(PINNED, 1, ())] * 2
    (of_a,) = (await keeping.durable.turns_of(keeping.hand("a1"))).turns
    assert of_a.key == keeping.key("a1", index=3)


async def test_the_version_is_stamped_from_the_ledger(keeping: Keeping) -> None:
    """Where the record has none; one that it has stays, and one that nobody knows is none."""
    named, unnamed = turn(keeping.key(index=1), said(1)), turn(keeping.key(index=2), said(2), agent_version_id=None)
    await keeping.capture(named, charged=False)
    await keeping.capture(unnamed, turn(keeping.key(index=3), said(3), agent_version_id=None), charged=False)
    keeping.ledger.charge(turn(keeping.key(index=1), said(1), agent_version_id="v9"))
    keeping.ledger.charge(turn(keeping.key(index=2), said(2), agent_version_id="v2"))
    await keeping.ledger.flush()
    await promote(keeping)
    kept = (await keeping.durable.turns_of(keeping.hand())).turns
    assert [each.agent_version_id for each in kept] == ["v1", "v2", None]
    columns = select(schema.records.c.agent_version_id).order_by(schema.records.c.action_index)
    found = await keeping.database.read(lambda connection: connection.execute(columns).scalars().all())
    assert found == ["v1", "v2", None]


async def test_a_buffer_that_does_not_answer_is_not_empty(keeping: Keeping) -> None:
    """Nobody knows whether there is something to keep, and that is what is said."""
    with pytest.raises(BufferUnavailable):
        await keeping.of_operator(Away()).promote(OSCAR, keeping.hand())


class Away:
    """A buffer that does not answer."""

    async def hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> CapturedHand:
        raise BufferUnavailable("ConnectionError")

    async def agents_of(self, *, table_id: TableId, hand_number: HandNumber) -> frozenset[AgentId]:
        raise BufferUnavailable("ConnectionError")

    async def forget_hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> int:
        raise BufferUnavailable("ConnectionError")


async def test_a_turn_that_lost_its_prompt_is_made_whole_later(keeping: Keeping) -> None:
    """The envelope is gone when it is kept first: that is told; once another turn brought it back, keeping completes the row."""
    envelope = f"Only in {keeping.table_id}".encode()
    await keeping.capture(turn(keeping.key(index=1), said(1, envelope)))
    name = keeping.maker.hasher.hash(Prompt(envelope, b""))[0].hex()
    assert await keeping.expire(f"env:{name}") == 1
    assert await promote(keeping) == Promoted(PARTLY, 1, (ActionIndex(1),))
    (short,) = (await keeping.durable.turns_of(keeping.hand())).turns
    assert short.deciding_call and short.deciding_call.prompt is MissingReason.EXPIRED
    await keeping.client.command("SET", f"env:{name}", "x")
    await keeping.client.command("UNLINK", f"env:{name}")
    keeping.writer._known.clear()
    await keeping.capture(turn(keeping.key(index=2), said(2, envelope)))
    assert await promote(keeping) == Promoted(PINNED, 2, ())
    whole = (await keeping.durable.turns_of(keeping.hand())).turns[0].deciding_call
    assert whole is not None and isinstance(whole.prompt, CapturedPrompt) and whole.prompt.is_whole


ODD = {
    "NUL": "I \x00 call",
    "half a character": "I \ud83d call \udc80",
    "long": "x" * 2_000_000,
    "deep": "[" * 300 + "]" * 300,
}


@pytest.mark.parametrize("name", ODD)
async def test_f30_a_text_that_databases_refuse_is_kept_as_it_was(keeping: Keeping, name: str) -> None:
    """In the completion, and in the bodies beside it."""
    odd = ODD[name]
    exact = odd.encode("utf-8", "surrogatepass")
    said_so = call(completion=odd, response_body=exact, request_body=exact, prompt=Prompt(exact, exact))
    await keeping.capture(turn(keeping.key(), decided(said_so, why=odd[:100]), agent_version_id=None))
    assert await promote(keeping) == Promoted(PINNED, 1, ())
    await keeping.expire()
    (kept,) = (await keeping.of_owner().turns(ANN, keeping.hand())).captured
    deciding = kept.deciding_call
    assert deciding is not None and (deciding.completion, deciding.response_body) == (odd, exact)
    assert isinstance(deciding.prompt, CapturedPrompt) and deciding.prompt.whole == exact + b"\n" + exact
    assert kept.why == odd[:100]


async def test_an_id_may_hold_what_parts_a_key(keeping: Keeping) -> None:
    """Colons, braces, percent signs and NUL: of one agent, and of no other whose name it would be without care."""
    odd, plain = "a1:3", "a1"
    for agent in (odd, plain, "o:{d%}\x00\\"):
        await keeping.capture(turn(keeping.key(agent, index=3), said(1)))
        assert await promote(keeping, agent) == Promoted(PINNED, 1, ())
    await keeping.expire()
    for agent in (odd, plain, "o:{d%}\x00\\"):
        (kept,) = (await keeping.of_operator().hand(OSCAR, keeping.hand(agent))).captured
        assert kept.key == keeping.key(agent, index=3)
    assert await keeping.durable.agents_of(keeping.table_id, HandNumber(7)) == {odd, plain, "o:{d%}\x00\\"}


# --- who keeps --------------------------------------------------------------------------------------------------------


async def test_an_owner_keeps_their_own_and_hears_until_when(keeping: Keeping) -> None:
    """Without an operator's limit: until they delete it. Somebody else's is not there."""
    await keeping.capture(turn(keeping.key("a1"), said(1)), turn(keeping.key("b1"), said(2)))
    assert await keeping.of_owner().keep(ANN, keeping.hand("a1")) == (Promoted(PINNED, 1, ()), None)
    for user, agent in ((ANN, "b1"), (BOB, "a1"), (ANN, "nobody")):
        with pytest.raises(PolicyRefusal, match="not_found"):
            await keeping.of_owner().keep(user, keeping.hand(agent))
    assert await rows(keeping) == 1


async def test_an_owner_keeps_a_hand_in_play(keeping: Keeping) -> None:
    """An operator has to wait; neither row is written for them."""
    await keeping.capture(turn(keeping.key("a1"), said(1)), turn(keeping.key("b1"), said(2)))
    keeping.live.add(HandNumber(7))
    with pytest.raises(PolicyRefusal, match="hand_live"):
        await promote(keeping, "b1")
    assert await rows(keeping) == 0
    assert (await keeping.of_owner().keep(ANN, keeping.hand("a1")))[0] == Promoted(PINNED, 1, ())
    assert keeping.audit == [("user:oscar", "keep_turns", "asked"), ("user:oscar", "keep_turns", "hand_live")]


async def test_what_was_deleted_does_not_come_back(keeping: Keeping) -> None:
    """Not from a copy that the buffer still had, and not by keeping it; what is played later is there."""
    old = turn(keeping.key(index=1), said(1))
    await keeping.capture(old)
    await promote(keeping)
    assert await keeping.of_owner(Away()).delete(ANN, keeping.hand()) == 1
    for reads in (keeping.of_owner(), keeping.of_owner(Away())):
        found = await reads.turns(ANN, keeping.hand())
        assert found.captured == () and found.turns
    assert (await promote(keeping)).turns == 0
    await keeping.capture(old)
    assert (await promote(keeping)).turns == 0
    await keeping.capture(turn(keeping.key(index=5), said(5), at_us=keeping.now_us + 1))
    (later,) = (await keeping.of_owner().turns(ANN, keeping.hand())).captured
    assert later.key.action_index == 5
    assert (await promote(keeping)).turns == 1


async def test_deleting_takes_the_buffers_copy_too_and_no_rivals(keeping: Keeping) -> None:
    """What it cost stays in the ledger."""
    await keeping.capture(turn(keeping.key("a1"), said(1)), turn(keeping.key("b1"), said(2)))
    await promote(keeping, "b1")
    assert await keeping.of_owner().delete(ANN, keeping.hand("a1")) == 1
    assert (await keeping.buffer.hand(agent_id=A1, table_id=keeping.table_id, hand_number=HandNumber(7))).turns == ()
    assert len((await keeping.of_owner().turns(BOB, keeping.hand("b1"))).captured) == 1
    with pytest.raises(PolicyRefusal, match="not_found"):
        await keeping.of_owner().delete(ANN, keeping.hand("b1"))
    scope = OwnerScope(A1, keeping.table_id, HandNumber(7))
    assert [charge.agent_version_id for charge in await keeping.ledger.charges_of_hand(scope)] == ["v1"]


async def test_keeping_and_deleting_at_once_leaves_none_or_all_deleted(keeping: Keeping) -> None:
    """Whoever is first: after both, what was there at the deletion is not kept."""
    await keeping.capture(*(turn(keeping.key(index=n), said(n)) for n in range(4)))
    await asyncio.gather(
        *(promote(keeping) for _ in range(5)),
        keeping.of_owner().delete(ANN, keeping.hand()),
        *(promote(keeping) for _ in range(5)),
    )
    assert await rows(keeping) == 0


async def test_a_limit_ends_what_was_kept_before_it(keeping: Keeping) -> None:
    """An operator's limit is told to who keeps, and holds; without one nothing ends."""
    await keeping.capture(turn(keeping.key(hand=1), said(1)), turn(keeping.key(hand=2), said(2)))
    await promote(keeping, hand=1)
    assert await keeping.retention.enforce(keeping.durable, keeping.now_us + 10**15) == 0
    keeping.retention = type(keeping.retention)(days=30)
    keeping.now_us += 86_400_000_000
    _, until_us = await keeping.of_owner().keep(ANN, keeping.hand(hand=2))
    assert until_us == keeping.now_us + 30 * 86_400_000_000
    assert await keeping.retention.enforce(keeping.durable, until_us) == 1
    assert await keeping.retention.enforce(keeping.durable, until_us + 1) == 1
    assert await rows(keeping) == 0


async def test_a_record_that_was_changed_is_not_read_as_a_turn(keeping: Keeping) -> None:
    """Damaged bytes, and a record of another turn: named to who checks, and dropped for who reads."""
    await keeping.capture(turn(keeping.key(index=1), said(1)), turn(keeping.key(index=2), said(2)))
    await promote(keeping)
    await keeping.expire()
    other = keeping.maker.captured(turn(keeping.key("b1", index=2), said(2)), said(2))

    def spoil(connection: Any) -> None:
        for index, bytes_ in ((1, b"\x02nothing"), (2, transcript.encode_whole(other))):
            its_row = schema.records.c.action_index == index
            connection.execute(schema.records.update().where(its_row).values(record=bytes_))

    await keeping.database.write(spoil)
    found = await keeping.of_operator().hand(OSCAR, keeping.hand())
    assert [getattr(each, "reason", None) for each in found.turns] == [MissingReason.DROPPED] * 2
    checked = [(key.action_index, type(each)) async for key, each in keeping.durable.records()]
    assert [index for index, kind in checked if kind is not CapturedTurn] == [1, 2]


async def test_every_kept_record_is_walked_through_once(keeping: Keeping) -> None:
    """More than are looked at in one go, of several tables, hands and agents."""
    many = [
        turn(keeping.key(agent, hand, index), said(index))
        for agent in ("a1", "b1", "a10")
        for hand in (2, 10)
        for index in range(20)
    ]
    captured = [keeping.maker.captured(each, each.outcome) for each in many if isinstance(each.outcome, Decided)]
    for hand in {keeping.hand(each.key.agent_id, each.key.hand_number) for each in captured}:
        of_hand = [each for each in captured if keeping.hand(each.key.agent_id, each.key.hand_number) == hand]
        await keeping.durable.keep(hand, of_hand, now_us=NOON_US)
    walked = [key async for key, _ in keeping.durable.records()]
    assert sorted(walked) == sorted(each.key for each in many) and len(walked) == 120
    counts = await keeping.durable.counts()
    assert (counts.turns, counts.hands) == (120, 2) and counts.bytes > 120 * 50
