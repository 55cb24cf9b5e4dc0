"""Tables are made and changed over HTTP."""

from __future__ import annotations

from typing import Any, Final

import pytest

from policy.ids import TableId
from tests.http.world import OPERATOR, TABLE, World

EVERYTHING: Final[dict[str, Any]] = {
    **TABLE,
    "variant": "nlhe",
    "maxSeats": 9,
    "ante": 2,
    "anteKind": "big_blind",
    "straddle": True,
    "minBuyIn": 500,
    "maxBuyIn": 5_000,
    "turnMs": 20_000,
    "timeBankMs": 1_000,
    "refillEveryHands": 3,
    "refillMs": 100,
    "disconnectBankMs": 4_000,
    "timeoutsToSitOut": 5,
    "sitOutRemoveMs": 70_000,
    "ratholeMs": 80_000,
    "showHands": True,
    "showThoughts": True,
    "spectatorDelayMs": 3_000,
    "powers": {"dealer_peek": 2},
    "agentChat": True,
    "houseAgents": 3,
    "practice": True,
    "private": True,
}


def without(table: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in names}


async def test_four_fields_make_a_table(world: World) -> None:
    """The rest has defaults: six seats, 20 to 100 big blinds, nothing revealed."""
    answer = await world.ask("POST", "/games/poker", TABLE, user="olga")
    assert answer.status_code == 201
    made = answer.json()
    assert answer.headers["location"] == f"/games/poker/{made['tableId']}"
    assert {name: made["rules"][name] for name in ("minBuyIn", "maxBuyIn", "maxSeats", "showHands", "private")} == {
        "minBuyIn": 400,
        "maxBuyIn": 2_000,
        "maxSeats": 6,
        "showHands": False,
        "private": False,
    }
    shown = (await world.ask("GET", f"/games/poker/{made['tableId']}")).json()
    assert shown["rules"] == made["rules"]


async def test_every_field_is_taken(world: World) -> None:
    """As it was said; how many house agents is the creator's own matter."""
    made = (await world.ask("POST", "/games/poker", EVERYTHING, user="olga")).json()
    assert made["rules"] == without(EVERYTHING, "houseAgents")
    assert world.server.floor.state(TableId(made["tableId"])).options.house_agents == 3


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"tableKind": "mixed", "showHands": True}, 422, "spectator_reveal_needs_agent_table"),
        ({"tableKind": "human", "showThoughts": True}, 422, "spectator_reveal_needs_agent_table"),
        ({"name": "Dealer\n"}, 422, "bad_text"),
        ({"name": "x" * 33}, 422, "text_too_long"),
        ({"name": ""}, 422, "bad_text"),
        ({"name": 7}, 422, "bad_type"),
        ({"smallBlind": 10.0}, 422, "bad_type"),
        ({"smallBlind": True}, 422, "bad_type"),
        ({"smallBlind": "10"}, 422, "bad_type"),
        ({"smallBlind": None}, 422, "bad_type"),
        ({"smallBlind": 0}, 422, "out_of_range"),
        ({"smallBlind": 21}, 422, "out_of_range"),
        ({"bigBlind": 10**10}, 422, "out_of_range"),
        ({"maxSeats": 11}, 422, "out_of_range"),
        ({"maxSeats": 1}, 422, "out_of_range"),
        ({"minBuyIn": 900, "maxBuyIn": 800}, 422, "out_of_range"),
        ({"tableKind": "bots"}, 422, "bad_value"),
        ({"variant": "plo"}, 422, "bad_value"),
        ({"straddle": 1}, 422, "bad_type"),
        ({"powers": {"dealer_peek": -1}}, 422, "out_of_range"),
        ({"powers": {"see_all": 1}}, 422, "unknown_field"),
        ({"powers": []}, 422, "bad_type"),
        ({"houseAgents": 7}, 422, "out_of_range"),
        ({"tableKind": "human", "houseAgents": 1}, 422, "table_kind"),
        ({"createdBy": "otto"}, 422, "unknown_field"),
        ({"table_kind": "agent"}, 422, "unknown_field"),
    ],
)
async def test_what_no_table_can_be_is_refused(world: World, changed: dict[str, Any], status: int, code: str) -> None:
    """With the code that says why; and there is no table."""
    answer = await world.ask("POST", "/games/poker", {**TABLE, **changed}, user="olga")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await world.ask("GET", "/games/poker")).json() == {"tables": []}


@pytest.mark.parametrize("missing", ["name", "tableKind", "smallBlind", "bigBlind"])
async def test_a_table_needs_four_fields(world: World, missing: str) -> None:
    answer = await world.ask("POST", "/games/poker", without(TABLE, missing), user="olga")
    assert (answer.status_code, answer.json()["code"]) == (422, "missing_field")


async def test_buy_ins_follow_what_is_said(world: World) -> None:
    """One of the two moves the other where it has to."""
    for said, least, most in (
        ({"minBuyIn": 3_000}, 3_000, 3_000),
        ({"maxBuyIn": 100}, 100, 100),
        ({"minBuyIn": 40}, 40, 2_000),
        ({"smallBlind": 10**9, "bigBlind": 10**9}, 10**9, 10**9),
    ):
        rules = (await world.ask("POST", "/games/poker", {**TABLE, **said}, user="olga")).json()["rules"]
        assert (rules["minBuyIn"], rules["maxBuyIn"]) == (least, most)


async def test_the_creator_changes_a_table(world: World) -> None:
    """Its name, a pause and its end, and a reveal off; each alone or together."""
    table_id = await world.table(showHands=True, showThoughts=True)
    path = f"/games/poker/{table_id}"
    changed = await world.ask("PATCH", path, {"name": "Parlour", "pause": True, "showHands": False}, user="olga")
    assert changed.status_code == 200
    rules = changed.json()["rules"]
    assert (rules["name"], rules["showHands"], rules["showThoughts"]) == ("Parlour", False, True)
    assert (await world.ask("GET", path)).json()["state"]["status"] == "paused"
    assert (await world.ask("PATCH", path, {"pause": False}, user="olga")).status_code == 200
    assert (await world.ask("GET", path)).json()["state"]["status"] == "open"
    assert (await world.ask("PATCH", path, {"close": True}, user="olga")).status_code == 200
    assert (await world.ask("GET", path)).status_code == 404


async def test_a_reveal_is_not_switched_on(world: World) -> None:
    """And what came with it is not done either."""
    table_id = await world.table(showHands=True)
    path = f"/games/poker/{table_id}"
    for asked in (
        {"showThoughts": True},
        {"showHands": False, "showThoughts": True},
        {"name": "X", "showThoughts": True},
    ):
        answer = await world.ask("PATCH", path, asked, user="olga")
        assert (answer.status_code, answer.json()["code"]) == (422, "spectator_reveal_only_narrows")
    rules = (await world.ask("GET", path)).json()["rules"]
    assert (rules["name"], rules["showHands"], rules["showThoughts"]) == ("Kitchen", True, False)
    assert (await world.ask("PATCH", path, {"showHands": False}, user="olga")).status_code == 200
    answer = await world.ask("PATCH", path, {"showHands": True}, user="olga")
    assert answer.json()["code"] == "spectator_reveal_only_narrows"


async def test_what_no_change_can_be_is_refused(world: World) -> None:
    table_id = await world.table()
    for asked, code in (
        ({"close": False}, "bad_value"),
        ({"close": 1}, "bad_type"),
        ({"pause": "yes"}, "bad_type"),
        ({"name": "a\u202eb"}, "bad_text"),
        ({"smallBlind": 5}, "unknown_field"),
        ({"tableKind": "human"}, "unknown_field"),
    ):
        answer = await world.ask("PATCH", f"/games/poker/{table_id}", asked, user="olga")
        assert (answer.status_code, answer.json()["code"]) == (422, code)


async def test_somebody_elses_table_is_not_there_to_change(world: World) -> None:
    """Public or private or none: one answer, for a change and for an invitation."""
    public, private = await world.table(), await world.table(private=True)
    answers = [
        await world.ask(method, f"/games/poker/{table_id}{path}", body, user="otto")
        for table_id in (public, private, "none-such", "%00", "x" * 10_000)
        for method, path, body in (("PATCH", "", {"pause": True}), ("POST", "/invites", {"userId": "otto"}))
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert (await world.ask("GET", f"/games/poker/{public}")).json()["state"]["status"] == "open"


async def test_an_operator_changes_any_table_and_is_written_down(world: World) -> None:
    """Who, what of, and which fields; not their values."""
    table_id = await world.table()
    answer = await world.ask("PATCH", f"/games/poker/{table_id}", {"pause": True, "name": "Plain"}, user=OPERATOR)
    assert answer.status_code == 200
    row = (await world.operate("GET", "/internal/audit")).json()["entries"][0]
    assert (row["operator"], row["action"], row["outcome"]) == ("user:oscar", "change_table", "asked")
    assert row["about"] == {"tableId": table_id, "changes": "name,pause"}


async def test_a_private_table_is_there_for_the_invited(world: World) -> None:
    """For its creator, the invited and operators; and for nobody else, on every way."""
    table_id = await world.table(private=True)
    path = f"/games/poker/{table_id}"
    invited = await world.ask("POST", f"{path}/invites", {"userId": "ines"}, user="olga")
    assert (invited.status_code, invited.json()) == (201, {"tableId": table_id, "userId": "ines"})
    for user, there in (("olga", True), ("ines", True), (OPERATOR, True), ("otto", False), (None, False)):
        listed = (await world.ask("GET", "/games/poker", user=user)).json()["tables"]
        assert ([table["tableId"] for table in listed] == [table_id]) is there
        for way in (path, f"/tables/{table_id}" if user is None else path):
            assert (await world.ask("GET", way, user=user)).status_code == (200 if there else 404)
    answer = await world.ask("POST", f"{path}/invites", {"userId": "otto"}, user="ines")
    assert answer.status_code == 404


async def test_a_table_for_anybody_has_no_invitations(world: World) -> None:
    table_id = await world.table()
    answer = await world.ask("POST", f"/games/poker/{table_id}/invites", {"userId": "ines"}, user="olga")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


@pytest.mark.parametrize("user_id", ["", "a b", "a:b", "\u0000", "x" * 129, 7, None, ["a"]])
async def test_nobody_of_a_strange_name_is_invited(world: World, user_id: object) -> None:
    """Ids of people are written in one way."""
    table_id = await world.table(private=True)
    answer = await world.ask("POST", f"/games/poker/{table_id}/invites", {"userId": user_id}, user="olga")
    assert answer.status_code == 422
    assert answer.json()["code"] in ("bad_value", "bad_type", "bad_text")
