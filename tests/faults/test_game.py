"""D. Game and concurrency: F23 to F25, at a live table."""

from __future__ import annotations

import asyncio
import functools
import json
from dataclasses import replace
from typing import Final

from gameserver.table.options import Clocks
from tests.faults.wire import Message, Peer, text_frame
from tests.faults.world import OPTIONS, Stage, World, until

QUICK: Final = Clocks(turn_ms=250, time_bank_ms=0, disconnect_bank_ms=0, timeouts_to_sit_out=50)


def action(turn_id: str, request_id: str, move: str = "call") -> bytes:
    return text_frame(json.dumps({"type": "action", "turnId": turn_id, "action": move, "requestId": request_id}))


def peer_to_act(stage: Stage) -> Peer:
    return stage.P if stage.to_act == "P" else stage.A


def reply(peer: Peer, request_id: str) -> Message:
    return next(m for m in peer.messages if m.get("requestId") == request_id)


# --- F23 ----------------------------------------------------------------------------------------------------------------


async def test_f23_an_action_sent_twice_is_taken_once(stage: Stage) -> None:
    """In one packet: under two names the second is stale; under one name it gets the first answer again."""
    async with stage.undisturbed():
        peer, turn, moves = peer_to_act(stage), stage.turn_id, len(stage.hand.moves)
        peer.send(action(turn, "one") + action(turn, "two") + action(turn, "one"))
        await until(lambda: [m.get("requestId") for m in peer.messages].count("one") == 2)
        assert (await peer.answer("two"))["code"] == "stale_turn"
        assert {m["type"] for m in peer.messages if m.get("requestId") == "one"} == {"ack"}
        assert len(stage.hand.moves) == moves + 1


async def test_f23_an_action_for_an_earlier_turn_is_not_taken_for_the_next(stage: Stage) -> None:
    """On the next street, with the earlier turn's name: refused, with the present request again, which stays open."""
    async with stage.undisturbed():
        peer, old = peer_to_act(stage), stage.turn_id
        await stage.act("call")
        await stage.act("check")
        while peer_to_act(stage) is not peer:
            await stage.act("check")
        present, before = stage.turn_id, stage.picture()
        assert stage.hand.street.value == "flop" and present != old
        peer.send(action(old, "late", "fold"))
        refused = await peer.answer("late")
        assert (refused["code"], refused["turn"]["turnId"]) == ("stale_turn", present)
        assert stage.picture() == before
        assert (await peer.ask("action", turnId=present, action="check"))["type"] == "ack"


async def test_f23_an_action_just_after_the_clock(here: World) -> None:
    """Each turn ends once: by the player in time or by the clock; what comes after the clock is stale, also in the next hand."""
    stage = await here.stage(replace(OPTIONS, clocks=QUICK))
    async with stage.undisturbed():
        for number in range(4):
            await until(lambda: stage.state.hand is not None and stage.state.hand.turn is not None)
            peer, turn = peer_to_act(stage), stage.turn_id
            await until(functools.partial(is_over, stage, turn))
            peer.send(action(turn, f"late-{number}", "all_in"))
            refused = await peer.answer(f"late-{number}")
            assert refused["code"] == "stale_turn"
        forced = [m for m in stage.S.messages if m["type"] == "player_action" and m.get("cause")]
        assert forced and all(m["action"] in ("check", "fold") for m in forced)
        assert not [m for m in stage.S.messages if m["type"] == "player_action" and m["allIn"]]


async def test_f23_an_action_at_the_very_deadline(here: World) -> None:
    """Sent again and again around the deadline: the turn still has one end, and each answer says which."""
    stage = await here.stage(replace(OPTIONS, clocks=QUICK))
    async with stage.undisturbed():
        for number in range(3):
            await until(lambda: stage.state.hand is not None and stage.state.hand.turn is not None)
            peer, turn = peer_to_act(stage), stage.turn_id
            index = stage.hand.turn.turn.action_index
            hand, seen = stage.hand.hand_number, len(stage.S.messages)
            await asyncio.sleep(0.24)
            for attempt in range(8):
                peer.send(action(turn, f"{number}-{attempt}", "fold"))
                await asyncio.sleep(0.004)
            await peer.answer(f"{number}-7")
            answers = [reply(peer, f"{number}-{attempt}")["type"] for attempt in range(8)]
            assert answers.count("ack") <= 1 and set(answers) <= {"ack", "error"}
            ended = [m for m in stage.S.messages[seen:] if (m.get("actionIndex"), m["handNumber"]) == (index, hand)]
            assert len(ended) == 1 and ("cause" in ended[0]) == ("ack" not in answers)


def is_over(stage: Stage, turn_id: str) -> bool:
    hand = stage.state.hand
    return hand is None or hand.turn is None or hand.turn.turn_id != turn_id


# --- F24 ----------------------------------------------------------------------------------------------------------------


async def test_f24_reconnect_in_the_middle_of_a_hand(stage: Stage) -> None:
    """Before its next request to act, the agent has every public action of this hand and the recent results; nothing is lost."""
    for _ in range(4):
        await stage.next_hand()
    await until(lambda: len(stage.state.recent) == 4)
    while stage.to_act != "A":
        await stage.next_hand()
    hands = len(stage.state.recent)
    await stage.act("raise", amount=60)
    await stage.act("raise", amount=120)
    await stage.act("call")
    while stage.to_act == "A":
        await stage.act("check")
    async with stage.undisturbed():
        stage.A.reset()
        await until(lambda: not stage.state.seats[1].connected)
        await stage.act("bet", amount=40)
        stage.A = await stage.world.entered(stage.table, stage.tokens["A"])
        snapshot = next(m for m in stage.A.messages if m["type"] == "snapshot")
        told = [(m["seat"], m["action"], m["amount"], m["actionIndex"]) for m in snapshot["actions"]]
        public = [
            m for m in stage.S.messages if m["type"] == "player_action" and m["handNumber"] == snapshot["handNumber"]
        ]
        assert told == [(m["seat"], m["action"], m["amount"], m["actionIndex"]) for m in public]
        assert [index for *_, index in told] == list(range(len(told))) and len(told) >= 6
        assert len(snapshot["recentHands"]) == hands >= 4
        assert snapshot["yourTurn"]["turnId"] == stage.turn_id and len(snapshot["state"]["yourHoleCards"]) == 2
        assert (await stage.A.ask("action", turnId=stage.turn_id, action="call"))["type"] == "ack"


async def test_f24_a_resumed_stream_has_each_missed_frame_once(stage: Stage) -> None:
    """With the session and the last number: the frames in between, in order, without a gap and without a repeat."""
    async with stage.undisturbed():
        place = stage.A.messages[1]
        last = max((m["seq"] for m in stage.A.messages if "seq" in m), default=place["seq"])
        stage.A.reset()
        for _ in range(3):
            await stage.next_public_frame()
        again = await stage.world.connect(stage.table)
        fields = {
            "session": place["session"],
            "epoch": place["epoch"],
            "lastSeq": last,
            "agentToken": stage.tokens["A"],
        }
        again.say("resume", **fields)
        await again.sees(lambda m: m["type"] in ("resumed", "snapshot"))
        await stage.next_public_frame()
        await again.sees(lambda m: m.get("text") == f"said {stage.said}")
        stage.A = again
        numbers = [m["seq"] for m in again.messages if "seq" in m and m["type"] not in ("resumed", "snapshot")]
        if "snapshot" not in again.kinds():
            assert numbers == list(range(last + 1, last + 1 + len(numbers)))
        said = [m["text"] for m in again.messages if m["type"] == "chat"]
        assert said == sorted(set(said), key=said.index), "no frame twice"


# --- F25 ----------------------------------------------------------------------------------------------------------------


async def test_f25_the_newer_connection_of_an_agent_wins(stage: Stage) -> None:
    """The older is told 4409 and moves nothing any more; its late end changes nothing; cards go to the newer alone."""
    while stage.to_act != "A":
        await stage.next_hand()
    async with stage.undisturbed():
        old, before = stage.A, stage.picture()
        old.answers = False
        stage.A = await stage.world.entered(stage.table, stage.tokens["A"])
        await until(lambda: old.close_code == 4409)
        had = len(old.messages)
        old.send(action(stage.turn_id, "from the old one", "fold"))
        assert await stage.A.works()
        assert stage.picture() == before
        old.reset()
        await old.is_closed()
        await stage.next_public_frame()
        assert [s.connected for s in stage.state.seats] == [True, True] and stage.picture() == before
        await stage.next_hand()
        cards = await stage.A.sees(lambda m: m["type"] == "game_state" and len(m.get("yourHoleCards", ())) == 2)
        assert cards["yourSeat"] == 2
        assert len(old.messages) == had, "nothing more reached the old one"


async def test_f25_two_seats_and_one_seat_at_the_same_instant(here: World) -> None:
    """One agent asks for two seats in a packet, two agents for one seat: one seat is taken by one agent each time."""
    stage = await here.stage()
    async with stage.undisturbed():
        greedy = await here.entered(stage.table, stage.tokens["C"])
        greedy.send(b"".join(sit(seat, f"seat {seat}") for seat in (3, 4)))
        answers = [await greedy.answer(f"seat {seat}") for seat in (3, 4)]
        assert [answers[0]["type"], answers[1].get("code")] == ["ack", "already_seated"]
        rivals = [await here.entered(stage.table, await here.agent(f"rival-{n}-{stage.number}")) for n in range(4)]
        for rival in rivals:
            rival.send(sit(5, "mine"))
        got = [await rival.answer("mine") for rival in rivals]
        assert sorted(m.get("code", "ack") for m in got) == ["ack", "seat_taken", "seat_taken", "seat_taken"]
        assert [s.seat for s in stage.state.seats] == [0, 2, 3, 5]
        assert await here.server.ledger.verify_ledger() == ()


async def test_f25_two_agents_of_one_owner_at_the_same_instant(here: World) -> None:
    """One of them sits; the other is told that its owner has a seat already."""
    stage = await here.stage()
    async with stage.undisturbed():
        owner = f"greedy-{stage.number}"
        pair = [await here.entered(stage.table, await here.agent(f"{owner}-{n}", owner=owner)) for n in range(2)]
        for seat, peer in enumerate(pair, start=3):
            peer.send(sit(seat, "mine"))
        got = [await peer.answer("mine") for peer in pair]
        assert sorted(m.get("code", "ack") for m in got) == ["ack", "owner_already_seated"]


def sit(seat: int, request_id: str) -> bytes:
    return text_frame(json.dumps({"type": "sit", "seat": seat, "buyIn": 500, "requestId": request_id}))
