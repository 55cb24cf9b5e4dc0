"""A. Who are you: F06, the client does not say who it is."""

from __future__ import annotations

import json
from typing import Final

from gameserver.wire.messages import Inbound
from tests.faults.world import Stage, World

MESSAGES: Final[dict[str, dict[str, object]]] = {
    "enter": {},
    "resume": {"session": "x", "lastSeq": 0},
    "sit": {"seat": 4, "buyIn": 500},
    "stand": {},
    "leave": {},
    "sit_out": {},
    "sit_in": {},
    "rebuy": {"amount": 100},
    "straddle": {},
    "post_blind": {},
    "wait_for_big_blind": {},
    "action": {"turnId": "${TURN}", "action": "fold"},
    "show_cards": {},
    "agent_thought": {"turnId": "${TURN}", "text": "x"},
    "agent_decision": {"turnId": "${TURN}", "action": "fold"},
    "agent_status": {"turnId": "${TURN}", "providerDown": True},
    "chat": {"text": "x"},
    "use_power": {"power": "dealer_peek", "target": 0},
    "ping": {},
}
FOREIGN: Final = ("userId", "playerId", "agentId", "ownerUserId", "owner", "identity", "as")


async def test_f06_the_client_does_not_say_who_it_is(stage: Stage) -> None:
    """Each message with somebody else's name in it is refused; nothing of theirs changes, and nothing of theirs comes back."""
    other = f"P-{stage.number}"
    async with stage.undisturbed():
        before, seen = stage.picture(), len(stage.P.messages)
        for kind, fields in MESSAGES.items():
            peer = stage.A = await stage.world.entered(stage.table, stage.tokens["A"])
            sound = {name: stage.turn_id if value == "${TURN}" else value for name, value in fields.items()}
            for name in FOREIGN:
                error = await peer.ask(kind, **{**sound, name: other})
                assert (error["type"], error["code"]) == ("error", "unknown_field"), (kind, name)
            if "seat" not in sound:
                assert (await peer.ask(kind, **{**sound, "seat": 0}))["code"] == "unknown_field", kind
            assert stage.picture() == before
        assert {m["type"] for m in stage.P.messages[seen:]} <= {"presence", "game_state"}
        cards = "".join(next(s for s in reversed(stage.P.messages) if s.get("yourHoleCards"))["yourHoleCards"])
        assert cards not in json.dumps(stage.A.messages).replace('", "', "")


async def test_f06_every_message_a_client_can_send_is_tried() -> None:
    """The list above is the protocol's own."""
    assert MESSAGES.keys() == {kind.__struct_config__.tag for kind in Inbound.__args__}


async def test_f06_over_http_others_agents_are_not_there(here: World) -> None:
    """Another person's agent and one that does not exist are one answer, whatever is asked; foreign fields are refused."""
    stage = await here.quiet_stage()
    ours = [("Authorization", f"Bearer {here.user_token(f'owner-of-A-{stage.number}')}")]
    bodies = {
        "versions": {"strategy": "x"},
        "tokens": {},
        "transfer": {"toUserId": f"owner-of-A-{stage.number}"},
        "notes": {"text": "x"},
    }
    async with stage.undisturbed():
        for name, body in (("", None), *bodies.items()):
            answers = set()
            for agent in (f"P-{stage.number}", "a-nobody", "%00", "a%0d%0ab"):
                method = "GET" if body is None else "POST"
                sent = b"" if body is None else json.dumps(body).encode()
                path = f"/agents/{agent}" + (f"/{name}" if name else "")
                answers.add((await here.send(method, path, ours, sent)).same_for_all)
            assert [status for status, *_ in answers] == [404], name
        listed = json.loads((await here.get("/agents", ours)).body)
        assert [agent["agentId"] for agent in listed["agents"]] == [f"A-{stage.number}"]
        for field in FOREIGN:
            sent = json.dumps({"name": "Rook", field: f"owner-of-P-{stage.number}"}).encode()
            assert (await here.send("POST", "/agents", ours, sent)).status == 422
