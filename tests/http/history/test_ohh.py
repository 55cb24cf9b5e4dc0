"""Open Hand History: the fields of the format, chips that add up, and a hero for whoever was in the hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, Final

import jsonschema
import pytest

from gameserver.hand.facts import ForcedKind, Posted
from gameserver.http.history.disclosed import FinishedHand, disclose, reader_of
from gameserver.http.history.ohh import ohh_json
from gameserver.identity.who import Identity, Nobody, UserIdentity
from policy.ids import UserId
from tests.http.history.played import RestlessTable, cards_of, for_a_stranger, with_all_cards
from tests.http.history.worlds import CARDS, FOLDER, LONG_AFTER_MS, MUCKER, PERSON, SHOWER, hand, table

CARD: Final = {"type": "string", "pattern": "^[2-9TJQKA][cdhs]$"}
CHIPS: Final = {"type": "integer", "minimum": 0}
ACTIONS: Final = (
    *("Dealt Cards", "Mucks Cards", "Shows Cards", "Post Ante", "Post SB", "Post BB", "Straddle", "Post Dead"),
    *("Post Extra Blind", "Fold", "Check", "Bet", "Raise", "Call"),
)


def whole(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def several(items: Any, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


ID: Final = {"type": "integer", "minimum": 1, "maximum": 10}
ACTION: Final[dict[str, Any]] = {
    **whole(
        action_number=ID | {"maximum": 1_000},
        player_id=ID,
        action={"enum": list(ACTIONS)},
        amount=CHIPS,
        is_allin={"type": "boolean"},
        cards={**several(CARD, 2), "maxItems": 2},
    ),
    "required": ["action_number", "player_id", "action", "amount", "is_allin"],
}
SCHEMA: Final = whole(
    ohh=whole(
        spec_version={"const": "1.4.7"},
        site_name={"const": "Railbird"},
        network_name={"const": "Railbird"},
        internal_version={"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        tournament={"const": False},
        game_number={"type": "string", "minLength": 1},
        start_date_utc={"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        table_name={"type": "string"},
        table_handle={"type": "string"},
        game_type={"const": "Holdem"},
        bet_limit=whole(bet_type={"const": "NL"}, bet_cap={"const": 0}),
        table_size={"type": "integer", "minimum": 2, "maximum": 10},
        currency={"const": "XPM"},
        dealer_seat=ID,
        small_blind_amount=CHIPS,
        big_blind_amount=CHIPS,
        ante_amount=CHIPS,
        hero_player_id={"anyOf": [ID, {"type": "null"}]},
        flags=several({"const": "Observed"}),
        players=several(
            whole(
                id=ID,
                seat=ID,
                name={"type": "string"},
                display={"type": "string"},
                starting_stack=CHIPS,
                player_bounty={"const": 0},
                is_sitting_out={"const": False},
            ),
            2,
        ),
        rounds=several(
            whole(
                id={"type": "integer", "minimum": 0, "maximum": 4},
                street={"enum": ["Preflop", "Flop", "Turn", "River", "Showdown"]},
                cards=several(CARD),
                actions=several(ACTION),
            ),
            1,
        ),
        pots=several(
            whole(
                number={"type": "integer", "minimum": 0},
                amount=CHIPS,
                rake={"const": 0},
                jackpot={"const": 0},
                player_wins=several(
                    whole(
                        player_id=ID,
                        win_amount=CHIPS,
                        cashout_amount={"const": 0},
                        cashout_fee={"const": 0},
                        bonus_amount={"const": 0},
                    ),
                    1,
                ),
            ),
            1,
        ),
    )
)

VALIDATOR: Final = jsonschema.Draft202012Validator(SCHEMA)


def written(found: FinishedHand) -> dict[str, Any]:
    document = json.loads(ohh_json(found))
    VALIDATOR.validate(document)
    history: dict[str, Any] = document["ohh"]
    return history


def actions_of(history: dict[str, Any]) -> list[dict[str, Any]]:
    return [action for each in history["rounds"] for action in each["actions"]]


@pytest.mark.parametrize("seed", range(8))
def test_random_hands_have_the_form_and_add_up(seed: int) -> None:
    """Pots are what was put in and not returned; each stack is what it was, less what was put in, and what came back and was won."""
    restless = RestlessTable(seed, secure=False)
    for result in restless.hands(15):
        found = with_all_cards(restless.options, result)
        history = written(found)
        put_in, won = Counter[int](), Counter[int]()
        for action in actions_of(history):
            put_in[action["player_id"]] += action["amount"]
        for pot in history["pots"]:
            assert sum(win["win_amount"] for win in pot["player_wins"]) == pot["amount"]
            for win in pot["player_wins"]:
                won[win["player_id"]] += win["win_amount"]
        returned = {seat + 1: chips for seat, chips in result.over.returned}
        assert sum(pot["amount"] for pot in history["pots"]) == sum(chips for _, chips in result.contributed)
        assert sum(put_in.values()) - sum(returned.values()) == won.total()
        for seat in found.seats:
            number = seat.seat + 1
            finished = seat.began_with_chips - put_in[number] + returned.get(number, 0) + won[number]
            assert finished == seat.finished_with_chips


@pytest.mark.parametrize("seed", range(8))
def test_random_hands_are_in_order(seed: int) -> None:
    """Actions are numbered throughout, rounds have the board that was dealt, forced bets come first, and a showdown last."""
    restless = RestlessTable(seed, secure=False)
    for result in restless.hands(15):
        history = written(with_all_cards(restless.options, result))
        assert [action["action_number"] for action in actions_of(history)] == list(
            range(1, len(actions_of(history)) + 1)
        )
        assert [each["id"] for each in history["rounds"]] == list(range(len(history["rounds"])))
        assert [card for each in history["rounds"] for card in each["cards"]] == list(result.board)
        first = [action["action"] for action in history["rounds"][0]["actions"]]
        kinds = [move.kind for move in result.moves if isinstance(move, Posted)]
        assert [re.match("Post|Straddle", action) is not None for action in first[: len(kinds)]] == [True] * len(kinds)
        assert first[len(kinds) : len(kinds) + len(result.players)] == ["Dealt Cards"] * len(result.players)
        assert "Bet" not in first
        at_showdown = [each for each in history["rounds"] if each["street"] == "Showdown"]
        assert len(at_showdown) == (not result.over.uncontested)
        assert all(each is history["rounds"][-1] for each in at_showdown)


def test_forced_bets_have_their_own_names() -> None:
    """A late post is an extra blind, and never a second big blind: importers refuse those."""
    seen: dict[ForcedKind, set[str]] = {}
    for seed in range(24):
        restless = RestlessTable(seed, secure=False)
        for result in restless.hands(15):
            posted = [move for move in result.moves if isinstance(move, Posted)]
            first = actions_of(written(with_all_cards(restless.options, result)))[: len(posted)]
            for move, action in zip(posted, first, strict=True):
                assert (action["player_id"], action["amount"]) == (move.seat + 1, move.amount_chips)
                assert action["is_allin"] == move.all_in
                seen.setdefault(move.kind, set()).add(action["action"])
    assert seen == {
        ForcedKind.ANTE: {"Post Ante"},
        ForcedKind.BIG_BLIND_ANTE: {"Post Ante"},
        ForcedKind.SMALL_BLIND: {"Post SB"},
        ForcedKind.BIG_BLIND: {"Post BB"},
        ForcedKind.POST: {"Post Extra Blind"},
        ForcedKind.DEAD_POST: {"Post Dead"},
        ForcedKind.STRADDLE: {"Straddle"},
    }


def test_a_strangers_file_has_no_hidden_card() -> None:
    """Of each random hand: who did not show has no cards in any action."""
    for seed in range(8):
        restless = RestlessTable(seed, secure=True)
        for result in restless.hands(10):
            history = written(for_a_stranger(restless.options, result))
            known = {card for action in actions_of(history) for card in action.get("cards", ())}
            for seat, cards in cards_of(result).items():
                assert (seat in result.over.show_order) == bool(known & set(cards))


def of(identity: Identity) -> dict[str, Any]:
    found = disclose(table=table(), hand=hand(), reader=reader_of(identity), now_ms=LONG_AFTER_MS)
    assert isinstance(found, FinishedHand)
    return written(found)


def test_an_observer_has_no_hero() -> None:
    """The hand is flagged, and names nobody."""
    history = of(Nobody())
    assert (history["hero_player_id"], history["flags"]) == (None, ["Observed"])
    assert dealt(history) == {SHOWER + 1: list(CARDS[SHOWER])}


@pytest.mark.parametrize(
    ("who", "seat"), [("owner-of-folder", FOLDER), ("owner-of-mucker", MUCKER), ("person", PERSON)]
)
def test_an_owner_or_a_player_is_the_hero(who: str, seat: int) -> None:
    """With their own cards, and nobody else's hidden ones."""
    history = of(UserIdentity(UserId(who), 0, None))
    assert (history["hero_player_id"], history["flags"]) == (seat + 1, [])
    assert set(dealt(history)) == {seat + 1, SHOWER + 1}


def dealt(history: dict[str, Any]) -> dict[int, list[str]]:
    return {action["player_id"]: action["cards"] for action in actions_of(history) if action["action"] == "Dealt Cards"}


def test_a_raise_is_what_it_added() -> None:
    """As the format's own page says: bet 2, re-raise to 20, amount 18."""
    for seed in range(6):
        restless = RestlessTable(seed, secure=False)
        for result in restless.hands(20):
            bets = Counter[tuple[str, int]]()
            moves = [move for move in result.moves if not isinstance(move, Posted)]
            history = written(with_all_cards(restless.options, result))
            shown = [(each["street"], action) for each in history["rounds"] for action in each["actions"]]
            raises = [(street, action) for street, action in shown if action["action"] in ("Raise", "Bet")]
            wanted = [move.move for move in moves if move.move.action in ("raise", "bet")]
            assert [action["amount"] for _, action in raises] == [move.added_chips for move in wanted]
            for street, action in shown:
                if action["action"] not in ("Post Ante", "Post Dead"):
                    bets[street, action["player_id"]] += action["amount"]
            for move in wanted:
                assert bets[move.street.value.capitalize(), move.seat + 1] >= move.total_chips
