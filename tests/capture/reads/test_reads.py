"""Reading back: by owners and by operators, from the buffer, the kept turns and the ledger; and what is said of what is not there."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from capture.captured import CapturedTurn
from capture.hand import hand_within
from capture.reads import document
from capture.reads.assembly import FallenBack, Gone
from capture.record import CallOutcome, MissingReason, Move, Prompt, Purpose
from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.errors import PolicyRefusal
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.keeping import ANN, BOB, OSCAR, TTL_S, Keeping
from tests.capture.reads.test_promote import Away
from tests.capture.turns import NOON_US, call, decided, fell_back, turn


def said(words: str) -> Any:
    return decided(call(prompt=Prompt(b"You play poker.", words.encode()), completion=words))


async def reasons(keeping: Keeping, reads: Any = None) -> dict[int, str]:
    """By action index: why it is not there, `fallback`, or `there`."""
    found = await (reads or keeping.of_operator()).hand(OSCAR, keeping.hand())
    told: dict[int, str] = {}
    for each in found.turns:
        match each:
            case CapturedTurn():
                told[each.key.action_index] = "there"
            case FallenBack():
                told[each.charge.key.action_index] = "fallback"
            case Gone():
                told[each.key.action_index] = each.reason.value
    return told


async def test_an_owner_has_their_own_agents_turns(keeping: Keeping) -> None:
    """F07: and nobody else's, whatever the number; a hand in play is theirs too."""
    await keeping.capture(turn(keeping.key("a1"), said("of a1")), turn(keeping.key("b1"), said("of b1")))
    keeping.live.add(HandNumber(7))
    reads = keeping.of_owner()
    (own,) = (await reads.turns(ANN, keeping.hand("a1"))).captured
    assert own.deciding_call is not None and own.deciding_call.completion == "of a1"
    for user, agent in ((ANN, "b1"), (BOB, "a1"), (ANN, "x"), (ANN, "*"), (ANN, ""), (ANN, "a1:b1")):
        with pytest.raises(PolicyRefusal) as refused:
            await reads.turns(user, keeping.hand(agent))
        assert (refused.value.code, refused.value.why) == ("not_found", "no such turns")
    assert keeping.audit == []


async def test_an_operator_has_all_agents_turns_once_the_hand_is_over(keeping: Keeping) -> None:
    """While it is in play each way is `hand_live`; each try leaves its row in the audit."""
    await keeping.capture(
        turn(keeping.key("a1", index=4), said("of a1")), turn(keeping.key("b1", index=3), said("of b1"))
    )
    reads = keeping.of_operator()
    keeping.live.add(HandNumber(7))
    for asking in (reads.hand(OSCAR, keeping.hand()), reads.hand_all(OSCAR, keeping.table_id, HandNumber(7))):
        with pytest.raises(PolicyRefusal, match="hand_live"):
            await asking
    keeping.live.clear()
    found = document.of_hand(await reads.hand_all(OSCAR, keeping.table_id, HandNumber(7)))
    assert found.agents == ["a1", "b1"]
    assert [(each.agent_id, each.response) for each in found.turns] == [("b1", "of b1"), ("a1", "of a1")]
    assert keeping.audit == [
        ("user:oscar", "read_turns", "asked"),
        ("user:oscar", "read_turns", "hand_live"),
        ("user:oscar", "read_all_turns", "asked"),
        ("user:oscar", "read_all_turns", "hand_live"),
        ("user:oscar", "read_all_turns", "asked"),
    ]


async def test_a_hand_that_begins_meanwhile_is_live(keeping: Keeping) -> None:
    """It was not in play when the reading began: what was read is not given out, and nothing is kept."""
    await keeping.capture(turn(keeping.key(), said("of a1")))

    class Begins(Away):
        async def hand(self, **asked: Any) -> Any:
            keeping.live.add(HandNumber(7))
            return await keeping.buffer.hand(**asked)

        async def agents_of(self, **asked: Any) -> Any:
            return await keeping.buffer.agents_of(**asked)

    reads = keeping.of_operator(Begins())
    for ask in (
        lambda: reads.hand(OSCAR, keeping.hand()),
        lambda: reads.hand_all(OSCAR, keeping.table_id, HandNumber(7)),
        lambda: reads.promote(OSCAR, keeping.hand()),
    ):
        keeping.live.clear()
        with pytest.raises(PolicyRefusal, match="hand_live"):
            await ask()
    assert (await keeping.durable.turns_of(keeping.hand())).turns == ()


async def test_not_captured_expired_dropped_and_empty_are_four_answers(keeping: Keeping) -> None:
    """And a fifth where the buffer does not answer, and a sixth for a fallback."""
    await keeping.capture(
        *(turn(keeping.key(index=n), said(str(n))) for n in (1, 2)), turn(keeping.key(index=3), fell_back())
    )
    await keeping.expire(f"turn:{keeping.table_id}:7:a1:2")
    await keeping.writer.mark([(keeping.key(index=4), MissingReason.STORE_DOWN)])
    keeping.ledger.charge(turn(keeping.key(index=5), said("never written")))
    await keeping.ledger.flush()
    assert await reasons(keeping) == {1: "there", 2: "expired", 3: "fallback", 4: "store_down", 5: "dropped"}
    assert await reasons(keeping, keeping.of_operator(Away())) == {
        1: "store_down", 2: "store_down", 3: "fallback", 5: "store_down",
    }  # fmt: skip
    keeping.now_us += TTL_S * 1_000_000
    await keeping.expire()
    assert await reasons(keeping) == {1: "expired", 2: "expired", 3: "fallback", 5: "expired"}
    nothing = await keeping.of_operator().hand(OSCAR, keeping.hand("b1"))
    assert (nothing.turns, nothing.nothing) == ((), MissingReason.BEFORE_CAPTURE)
    away = await keeping.of_operator(Away()).hand(OSCAR, keeping.hand("b1"))
    assert (away.turns, away.nothing) == ((), MissingReason.STORE_DOWN)


async def test_a_part_that_was_not_captured_is_not_an_empty_one(keeping: Keeping) -> None:
    """An empty list of messages was captured and is empty; a part without a value has its reason, and is absent."""
    sent_nothing = turn(keeping.key(index=1), said("1"), messages=())
    untold = turn(keeping.key(index=2), said("2"), messages=MissingReason.DROPPED)
    await keeping.capture(sent_nothing, untold)
    told = json.loads(document.encode(document.of_agent(await keeping.of_operator().hand(OSCAR, keeping.hand()))))
    one, two = told["turns"]
    assert (one["decision"], one["missing"]) == ([], {})
    assert "decision" not in two and two["missing"] == {"decision": "dropped"}


async def test_the_more_complete_of_two_copies_is_read_turn_by_turn(keeping: Keeping) -> None:
    """A kept turn stands in for one that expired, and the buffer's for one that was not kept; of equals the buffer's is read."""
    await keeping.capture(*(turn(keeping.key(index=n), said(f"first {n}")) for n in (1, 2)))
    await keeping.of_operator().promote(OSCAR, keeping.hand())
    await keeping.capture(*(turn(keeping.key(index=n), said(f"second {n}")) for n in (2, 3)))
    await keeping.expire(f"turn:{keeping.table_id}:7:a1:1")
    both, kept_alone = keeping.of_operator(), keeping.of_operator(Away())
    for reads, expected in (
        (both, {1: "first 1", 2: "second 2", 3: "second 3"}),
        (kept_alone, {1: "first 1", 2: "first 2"}),
    ):
        found = document.of_hand(await reads.hand_all(OSCAR, keeping.table_id, HandNumber(7)))
        assert {each.action_index: each.response for each in found.turns if not each.missing} == expected


async def test_a_kept_hand_is_found_without_the_buffers_set_of_agents(keeping: Keeping) -> None:
    """A key that expires gates no read of what is kept: the set of agents is gone, and both agents are there."""
    await keeping.capture(turn(keeping.key("a1"), said("of a1")), turn(keeping.key("b1"), said("of b1")), charged=False)
    for agent in ("a1", "b1"):
        await keeping.of_operator().promote(OSCAR, keeping.hand(agent))
    await keeping.expire()
    for reads in (keeping.of_operator(), keeping.of_operator(Away())):
        found = await reads.hand_all(OSCAR, keeping.table_id, HandNumber(7))
        assert [each.hand.agent_id for each in found.agents] == ["a1", "b1"] and found.nothing is None
        assert all(len(each.captured) == 1 for each in found.agents)


async def test_an_agent_of_the_buffer_alone_and_one_of_the_ledger_alone_are_in_hand_all(keeping: Keeping) -> None:
    """The set of agents is what the buffer, the kept turns and the ledger have together."""
    await keeping.capture(turn(keeping.key("a1"), said("1")), charged=False)
    await keeping.capture(turn(keeping.key("b1"), fell_back()))
    found = await keeping.of_operator().hand_all(OSCAR, keeping.table_id, HandNumber(7))
    assert [each.hand.agent_id for each in found.agents] == ["a1", "b1"]
    empty = await keeping.of_operator().hand_all(OSCAR, keeping.table_id, HandNumber(8))
    assert (empty.agents, empty.nothing) == ((), MissingReason.BEFORE_CAPTURE)
    away = await keeping.of_operator(Away()).hand_all(OSCAR, keeping.table_id, HandNumber(8))
    assert away.nothing is MissingReason.STORE_DOWN


async def test_a_version_that_nobody_knows_is_absent_and_the_turn_is_served(keeping: Keeping) -> None:
    """One that the ledger knows is told."""
    await keeping.capture(turn(keeping.key(index=1), said("1"), agent_version_id=None), charged=False)
    told = json.loads(document.encode(document.of_agent(await keeping.of_owner().turns(ANN, keeping.hand()))))
    assert "agentVersionId" not in told["turns"][0] and told["turns"][0]["response"] == "1"
    keeping.ledger.charge(turn(keeping.key(index=1), said("1"), agent_version_id="v7"))
    await keeping.ledger.flush()
    told = json.loads(document.encode(document.of_agent(await keeping.of_owner().turns(ANN, keeping.hand()))))
    assert told["turns"][0]["agentVersionId"] == "v7"


async def test_a_turn_reads_as_the_interface_says(keeping: Keeping) -> None:
    """Every field by its name, the deciding call as the turn's own and the other beside it."""
    cut = call(outcome=CallOutcome.CUT_SHORT, completion='{"act', finish_reason="length", cost_usd=Decimal("0.2"))
    repair = call(attempt=1, purpose=Purpose.REPAIR, prompt=Prompt(b"Repair:", b""), completion="raise 60")
    outcome = decided(cut, repair, chosen=Move("raise", 60), sent=Move("raise", 80), why="below the least raise")
    await keeping.capture(turn(keeping.key(), outcome, history_gap=True), turn(keeping.key(index=5), fell_back(call())))
    told = json.loads(document.encode(document.of_agent(await keeping.of_owner().turns(ANN, keeping.hand()))))
    assert {name: told[name] for name in ("tableId", "handNumber", "agentId", "missing")} == {
        "tableId": keeping.table_id, "handNumber": 7, "agentId": "a1", "missing": {},
    }  # fmt: skip
    one, fallback = told["turns"]
    calls = one.pop("calls")
    assert len(one.pop("promptSha256")) == len(one.pop("envelopeSha256")) == 64
    assert one == {
        "tableId": keeping.table_id, "handNumber": 7, "agentId": "a1", "actionIndex": 3, "agentVersionId": "v1",
        "capturedAt": NOON_US // 1_000, "knowledge": {"board": ["As", "Kd"]}, "prompt": "Repair:", "promptBytes": 7,
        "response": "raise 60", "decision": [{"type": "action", "action": "call"}], "action": "raise", "amount": 60,
        "verdict": {
            "outcome": "changed", "historyGap": True, "why": "below the least raise",
            "from": {"action": "raise", "amount": 60}, "to": {"action": "raise", "amount": 80},
        },
        "isFallback": False, "provider": "openai", "model": "gpt-x", "promptVersion": "p1", "temperature": 0.5, "seed": 7,
        "maxTokens": 400, "inputTokens": 1800, "outputTokens": 80, "costUsd": "0.3", "latencyMs": 800, "missing": {},
    }  # fmt: skip
    assert [(each["deciding"], each["purpose"], each["outcome"]) for each in calls] == [
        (False, "decision", "cut_short"),
        (True, "repair", "answered"),
    ]
    assert (calls[0]["prompt"], calls[0]["response"]) == ("You play poker.\nIt is your turn.", '{"act')
    assert "prompt" not in calls[1] and calls[1]["requestBody"] == '{"model":"gpt-x"}'
    assert fallback == {
        "tableId": keeping.table_id, "handNumber": 7, "agentId": "a1", "actionIndex": 5, "agentVersionId": "v1",
        "capturedAt": NOON_US // 1_000, "isFallback": True, "reason": "timed_out", "provider": "openai", "model": "gpt-x",
        "inputTokens": 900, "outputTokens": 40, "costUsd": "0.1", "latencyMs": 800, "missing": {"all": "no_decision"},
    }  # fmt: skip


ODD = "\x00 \ud83d </script> " + "[" * 300


async def test_f30_odd_texts_are_read_as_they_were(keeping: Keeping) -> None:
    """NUL, half a character and deep nesting, through JSON and back; what is no UTF-8 goes back by `surrogateescape`."""
    odd = decided(
        call(prompt=Prompt(b"\xff\xfe", ODD.encode("utf-8", "surrogatepass")), completion=ODD, model=ODD, finish_reason=ODD),
        chosen=Move(ODD), sent=Move("fold"), why=ODD,
    )  # fmt: skip
    knowledge = {"said": ODD.replace("\ud83d", "")}
    await keeping.capture(turn(keeping.key(), odd, knowledge=knowledge, messages=(b'"\\ud83d"',)), charged=False)
    for _ in ("from the buffer", "from what was kept"):
        told = json.loads(document.encode(document.of_agent(await keeping.of_owner().turns(ANN, keeping.hand()))))
        (one,) = told["turns"]
        assert (one["response"], one["model"], one["action"], one["verdict"]["why"]) == (ODD, ODD, ODD, ODD)
        assert one["prompt"].encode("utf-8", "surrogateescape") == b"\xff\xfe\n" + ODD.encode("utf-8", "surrogatepass")
        assert (one["knowledge"], one["decision"]) == (knowledge, ["\ud83d"])
        await keeping.of_operator().promote(OSCAR, keeping.hand())
        await keeping.expire()


async def test_recent_hands_say_what_is_left_of_them(keeping: Keeping) -> None:
    """Fallback-only, expired and in play are marked; what is kept has not expired; where the buffer is away nobody knows."""
    for hand in (1, 2, 3):
        await keeping.capture(turn(keeping.key(hand=hand), said("x"), at_us=NOON_US + hand))
    await keeping.capture(turn(keeping.key(hand=4), fell_back(), at_us=NOON_US + 4))
    await keeping.of_operator().promote(OSCAR, keeping.hand(hand=1))
    await keeping.expire(f"*:{keeping.table_id}:1*", f"*:{keeping.table_id}:2*")
    keeping.live.add(HandNumber(3))

    async def told(reads: Any) -> list[tuple[Any, ...]]:
        page = document.of_recent(await reads.recent(OSCAR, limit=10, before_us=None), asked_for=10)
        assert page.before is None
        return [(each.hand_number, each.fallback_only, each.expired, each.in_play) for each in page.hands]

    assert await told(keeping.of_operator()) == [
        (4, True, False, False),
        (3, False, False, True),
        (2, False, True, False),
        (1, False, False, False),
    ]
    assert [each[2] for each in await told(keeping.of_operator(Away()))] == [False, None, None, False]
    page = document.of_recent(await keeping.of_operator().recent(OSCAR, limit=2, before_us=None), asked_for=2)
    rest = await keeping.of_operator().recent(OSCAR, limit=2, before_us=page.before)
    assert [each.hand.hand_number for each in rest] == [2, 1]


async def test_an_owner_takes_all_their_turns_along(keeping: Keeping) -> None:
    """Those of the buffer and kept ones, of the hands that were theirs at the deal, and of no others."""
    await keeping.capture(*(turn(keeping.key(hand=hand), said(f"hand {hand}")) for hand in (1, 2, 3)))
    await keeping.capture(turn(keeping.key("b1", hand=1), said("of b1")))
    await keeping.of_owner().keep(ANN, keeping.hand(hand=1))
    await keeping.expire(f"*:{keeping.table_id}:1*")
    reads = keeping.of_owner()
    hands = await reads.hands(ANN, AgentId("a1"))
    assert [hand.hand_number for hand in hands] == [1, 2, 3]
    exported = [each.deciding_call async for each in reads.export(ANN, hands)]
    assert [each.completion for each in exported if each] == ["hand 1", "hand 2", "hand 3"]
    assert await reads.hands(BOB, AgentId("a1")) == []
    with pytest.raises(PolicyRefusal):
        _ = [each async for each in reads.export(BOB, hands)]
    keeping.now_us += 2 * TTL_S * 1_000_000
    assert [hand.hand_number for hand in await reads.hands(ANN, AgentId("a1"))] == [1]


async def test_no_agent_outside_of_a_scope_is_read_with_it(keeping: Keeping) -> None:
    """A scope names its agent; another one with it is an error of ours, and no answer."""
    table, hand = keeping.table_id, HandNumber(7)
    for scope in (OwnerScope(AgentId("a1"), table, hand), OperatorScope("service", table, hand, AgentId("a1"))):
        assert hand_within(scope, AgentId("a1")) == keeping.hand("a1")
        with pytest.raises(AssertionError):
            hand_within(scope, AgentId("b1"))
    assert hand_within(OperatorScope("service", TableId(table), hand, EveryAgent()), AgentId("b1")) == keeping.hand(
        "b1"
    )
