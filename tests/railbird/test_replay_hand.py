"""Recorded hands, dealt again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from policy.ids import Seat
from railbird import replay_hand
from railbird.phh import NotReplayable, RecordedHand, recorded_hand, sections
from railbird.replay_hand import Differing, Replayed, Skipped, main, play, replay, replay_file
from railbird.replayed_table import AtATable, ByTheHandEngine
from tests.cases.casebook import PHH, SHARED

GENERATED = PHH / "generated.phhs"
FILES = {GENERATED: 220, SHARED / "data/phh/pluribus.phhs": 320, SHARED / "data/phh/televised.phhs": 7}


def there(path: Path) -> Path:
    """The file, or a skip that says what is missing."""
    if not path.exists():
        pytest.skip(f"{path.name}: ../shared/data/phh is not beside the project's root")
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_recorded_hand_comes_out_as_recorded(path: Path) -> None:
    """No hand of the three files differs, and none is skipped; a table dealt each of them."""
    outcomes = replay_file(there(path))
    assert [outcome for outcome in outcomes if outcome != Replayed(outcome.name, by_the_hand_engine=None)] == []
    assert len(outcomes) == FILES[path]


def test_the_engine_alone_comes_to_the_same_end_as_the_table() -> None:
    """What the table adds to the engine changes nothing in what becomes of a recorded hand."""
    for name, section, known in sections(there(GENERATED)):
        recorded = recorded_hand(name, section, known)
        ends = [play(recorded, played).finished for played in (AtATable(recorded), ByTheHandEngine(recorded))]
        assert ends[0] is not None, name
        assert ends[0] == ends[1], name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_who_shows_and_who_mucks_is_as_recorded(path: Path) -> None:
    """The same seats show, in the same order, in each recorded showdown."""
    for name, section, known in sections(there(path)):
        recorded = recorded_hand(name, section, known)
        shown = tuple(Seat(int(line.split()[0][1:]) - 1) for line in section["actions"] if is_show(line))
        assert isinstance(replay(recorded, shown=shown), Replayed), name


def test_recorded_and_whole_chip_stacks_of_pluribus_differ_where_tagged() -> None:
    """The index says which records are in half chips; all other hands agree with our rule as they were recorded."""
    index = json.loads(there(SHARED / "data/phh/pluribus.index.json").read_text(encoding="utf-8"))["index"]
    differ = {e["section"] for e in index if e["finishing_recorded"] != e["finishing_whole_chips"]}
    assert differ == {e["section"] for e in index if "mismatch" in e["tags"]}
    assert len(differ) == 4


def is_show(line: str) -> bool:
    words = line.partition("#")[0].split()
    return len(words) == 3 and words[1] == "sm"


SECTION: dict[str, Any] = {
    "variant": "NT",
    "antes": [0, 0, 0],
    "blinds_or_straddles": [5, 10, 0],
    "min_bet": 10,
    "starting_stacks": [1000, 1000, 1000],
    "actions": ["d dh p1 ????", "d dh p2 AsAd", "d dh p3 KsKd", "p3 cbr 30", "p1 f", "p2 f"],
    "finishing_stacks": [995, 990, 1015],
}


def read(**changes: Any) -> RecordedHand:
    return recorded_hand("1", {**SECTION, **changes}, {})


def test_a_hand_without_an_index_is_compared_with_its_own_finishing_stacks() -> None:
    """finishing_stacks of the hand is what counts when no index knows better."""
    assert replay(read()) == Replayed("1")
    differing = replay(read(finishing_stacks=[995, 990, 1016]))
    assert differing == Differing("1", "final stacks [995, 990, 1015], recorded [995, 990, 1016]")


def test_an_illegal_action_differs() -> None:
    """A raise below the minimum, an action out of turn and an end in mid-hand are differences, and the detail says where."""
    assert replay(read(actions=["p3 cbr 19"])) == Differing("1", "action 1, p3 cbr: refused, amount_out_of_range")
    assert replay(read(actions=["p1 cc"])) == Differing("1", "action 1, p1 cc: the table asks p3")
    assert replay(read(actions=["p3 f"])) == Differing("1", "the record ends, and the table waits for another action")
    over = replay(read(actions=["p3 f", "p1 f", "p2 f"]))
    assert over == Differing("1", "action 3, p2 f: the table asks nobody")


def test_wrong_pots_differ() -> None:
    """Pots that an index knows are compared too."""
    pots = ((25, frozenset({Seat(2)}), frozenset({Seat(2)})),)
    assert replay(replace(read(), pots=pots)) == Replayed("1")
    wrong = replay(replace(read(), pots=((26, *pots[0][1:]),)))
    assert isinstance(wrong, Differing)
    assert "pots" in wrong.detail


def test_a_board_that_is_not_the_recorded_one_differs() -> None:
    """A record that lacks a street of its run-out is not passed over."""
    actions = ["d dh p1 2c2d", "d dh p2 AsAd", "d dh p3 KsKd", "p3 cbr 1000", "p1 f", "p2 cc", "d db 3c4c5c"]
    outcome = replay(read(actions=actions, finishing_stacks=[995, 2005, 0]))
    assert isinstance(outcome, Differing)
    assert outcome.detail.startswith("board 3c4c5c")


def test_unknown_cards_at_a_showdown_are_skipped() -> None:
    """Nobody can say who won with cards that nobody knows; a muck in the record does not make them known."""
    actions = [
        "p3 cc",
        "p1 cc",
        "p2 cc",
        "d db 2h5s9d",
        *["p1 cc", "p2 cc", "p3 cc"],
        "d db Tc",
        *["p1 cc", "p2 cc", "p3 cc"],
    ]
    actions += ["d db 3h", "p1 cc", "p2 cc", "p3 cc", "p1 sm", "p2 sm AsAd"]
    assert replay(read(actions=[*SECTION["actions"][:3], *actions])) == Skipped("1", "unknown cards reach a showdown")


def test_a_check_of_a_player_without_a_decision_is_passed_over() -> None:
    """PokerKit asks a lone player with chips to check against all-ins; our table deals on."""
    actions = [
        "d dh p1 2c2d",
        "d dh p2 AsAd",
        "d dh p3 KsKd",
        "p3 cbr 500",
        "p1 f",
        "p2 cc",
        "d db 3c4c5h",
        "p2 cc",
        "d db 9s",
    ]
    actions += ["p2 cc", "d db 9h", "p2 cc", "p2 sm AsAd", "p3 sm KsKd"]
    outcome = replay(read(actions=actions, starting_stacks=[1000, 1000, 500], finishing_stacks=[995, 1505, 0]))
    assert outcome == Replayed("1")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"variant": "PO"}, "only no-limit hold'em"),
        ({"starting_stacks": [1000, 0, 1000]}, "players with chips"),
        ({"actions": ["d dh p1 AsAd", "d dh p2 AsKd"]}, "dealt twice"),
        ({"actions": ["d dh p1 1xAd"]}, "does not have"),
        ({"actions": ["p1 sd Ad"]}, "hold'em does not have"),
        ({"min_bet": 20}, "least bet"),
        ({"blinds_or_straddles": [5, 10, 40, 20], "starting_stacks": [100] * 4, "antes": [0] * 4}, "straddle"),
        ({"antes": None}, "cannot be read"),
    ],
)
def test_what_cannot_be_replayed_says_why(changes: dict[str, Any], reason: str) -> None:
    """Another game or a damaged record is skipped with its reason."""
    with pytest.raises(NotReplayable, match=reason):
        read(**changes)


def test_a_dead_small_blind_and_a_big_blind_ante_are_read() -> None:
    """One blind only is the big blind; an ante of one seat is dead money."""
    hand = read(
        blinds_or_straddles=[10, 0, 0], antes=[10, 0, 0], actions=["p2 f", "p3 f"], finishing_stacks=[1000, 1000, 1000]
    )
    assert [bet.kind for bet in hand.forced] == ["big_blind_ante", "big_blind"]
    assert replay(hand) == Replayed("1", "blinds that are not the first two left of the button")


NO_ROOM_CAN: dict[str, dict[str, Any]] = {
    "several straddles": {
        "blinds_or_straddles": [5, 10, 20, 40, 0],
        "starting_stacks": [1000] * 5,
        "antes": [0] * 5,
        "actions": ["p5 cc", "p1 f", "p2 f", "p3 cbr 80", "p4 f", "p5 f"],
        "finishing_stacks": [995, 990, 1095, 960, 960],
    },
    "a straddle that is not two big blinds, or not left of the big blind": {
        "blinds_or_straddles": [5, 10, 30],
        "actions": ["p1 f", "p2 f"],
        "finishing_stacks": [995, 990, 1015],
    },
    "somebody posts besides the blinds": {
        "blinds_or_straddles": [5, 10, 0, -10],
        "starting_stacks": [1000] * 4,
        "antes": [0] * 4,
        "actions": ["p3 f", "p4 cc", "p1 f", "p2 cbr 30", "p4 f"],
        "finishing_stacks": [995, 1015, 1000, 990],
    },
    "antes that are not the same for everybody": {
        "antes": [1, 1, 0],
        "_ante_each": 1,
        "actions": ["p3 f", "p1 f"],
        "finishing_stacks": [994, 1006, 1000],
    },
    "a big blind without the chips for blind and ante, which a table takes in the other order": {
        "antes": [0, 10, 0],
        "starting_stacks": [1000, 15, 1000],
        "actions": ["d dh p1 AsAd", "d dh p2 KsKd", "p3 f", "d db 2h3h7c", "d db 8c", "d db 9d"],
        "finishing_stacks": [1015, 0, 1000],
    },
}


@pytest.mark.parametrize("reason", NO_ROOM_CAN)
def test_what_no_room_can_set_up_is_replayed_by_the_hand_engine(reason: str) -> None:
    """Such a hand is no skipped one: it is dealt and compared all the same, and says why no table dealt it."""
    changes = NO_ROOM_CAN[reason]
    assert replay(read(**changes)) == Replayed("1", reason)
    wrong = [chips + 1 for chips in changes["finishing_stacks"]]
    assert isinstance(replay(read(**{**changes, "finishing_stacks": wrong})), Differing)


def test_what_the_hand_engine_replayed_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each such hand, and a list of its own in --json; the check passes."""
    file = tmp_path / "dead.phh"
    file.write_text(
        'variant = "NT"\nantes = [0, 0, 0]\nblinds_or_straddles = [10, 0, 0]\nmin_bet = 10\n'
        'starting_stacks = [100, 100, 100]\nactions = ["p2 f", "p3 f"]\nfinishing_stacks = [100, 100, 100]\n',
        encoding="utf-8",
    )
    reason = "blinds that are not the first two left of the button"
    assert main([file], check=True, as_json=False) == 0
    assert capsys.readouterr().out == (
        f"dead.phh: 1 replayed, 0 skipped, 0 differing\n  hand dead replayed by the hand engine: {reason}\n"
    )
    assert main([file], check=True, as_json=True) == 0
    report = json.loads(capsys.readouterr().out)["files"][0]
    assert (report["replayed"], report["byTheHandEngine"]) == (1, [{"hand": "dead", "reason": reason}])


def test_a_table_that_posts_something_else_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table's own blinds and antes are compared with the record, and not taken on trust."""
    monkeypatch.setattr(replay_hand, "what_no_room_can", lambda hand: None)
    short = NO_ROOM_CAN["a big blind without the chips for blind and ante, which a table takes in the other order"]
    assert replay(read(**short)) == Differing("1", "the table posts other blinds and antes")


def test_heads_up_blinds_are_read_in_reverse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """p1 is the big blind; a .phh file holds one hand."""
    file = tmp_path / "one.phh"
    file.write_text(
        'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [5, 10]\nmin_bet = 10\nstarting_stacks = [100, 100]\n'
        'actions = ["d dh p1 AsAd", "d dh p2 KsKd", "p2 f"]\nfinishing_stacks = [105, 95]\n',
        encoding="utf-8",
    )
    assert main([file], check=True, as_json=False) == 0
    assert capsys.readouterr().out == "one.phh: 1 replayed, 0 skipped, 0 differing\n"


def test_the_command_prints_what_differs_and_exits_1_on_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A difference fails with --check and is printed without it too; --json says the same."""
    lines = GENERATED.read_text(encoding="utf-8").replace("starting_stacks = [101, 22,", "starting_stacks = [102, 22,")
    copy = tmp_path / "copy.phhs"
    copy.write_text(lines, encoding="utf-8")
    (tmp_path / "copy.index.json").write_text(
        GENERATED.with_suffix(".index.json").read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert main([copy], check=False, as_json=False) == 0
    printed = capsys.readouterr().out
    assert "copy.phhs: 219 replayed, 0 skipped, 1 differing\n  hand 5 differs: " in printed
    assert main([copy], check=True, as_json=True) == 1
    report = json.loads(capsys.readouterr().out)["files"][0]
    assert (report["replayed"], report["skipped"], report["differing"][0]["hand"]) == (219, [], "5")


def test_a_file_that_cannot_be_read_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file, and one that is no PHH, fail with or without --check."""
    broken = tmp_path / "broken.phhs"
    broken.write_text("variant = = 3", encoding="utf-8")
    assert main([tmp_path / "missing.phh"], check=False, as_json=False) == 1
    assert main([broken], check=False, as_json=False) == 1
    assert "broken.phhs: " in capsys.readouterr().err


def test_a_file_with_nothing_to_replay_fails_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Skipped hands alone do not pass a check."""
    other = tmp_path / "other.phh"
    other.write_text('variant = "PO"\n', encoding="utf-8")
    assert main([other], check=True, as_json=False) == 1
    assert "1 skipped" in capsys.readouterr().out
