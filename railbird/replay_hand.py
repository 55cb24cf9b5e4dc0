"""Deals recorded hands (PHH, .phh or .phhs) again at a real table, from a scripted deck, and compares the outcome.

`replay_file` gives one outcome a hand; `main` is the command `railbird replay-hand`. What is compared: that each recorded action
is legal and comes from the seat that is asked, the board, and the final stacks (and pots) where they are known: from
`<name>.index.json` beside the file, else from the hand's own `finishing_stacks`. It reads files and nothing else of the system.
Reading is `railbird.phh`, dealing `railbird.replayed_table`: what a table cannot set up goes through the hand engine alone, and is
counted apart.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from gameserver.errors import Bug, Refusal
from gameserver.hand.facts import ActionKind, Turn
from policy.ids import Seat
from railbird.phh import NotReplayable, Pot, RecordedHand, recorded_hand, sections
from railbird.replayed_table import AtATable, ByTheHandEngine, Finished, NotAsRecorded, Played, what_no_room_can


@dataclass(frozen=True, slots=True)
class Replayed:
    """Everything that could be compared is as recorded. `by_the_hand_engine`: why no table dealt it; None: one did."""

    name: str
    by_the_hand_engine: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """The hand cannot be replayed; `reason` for people."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Differing:
    """The engine comes to something else than the record; `detail` for people."""

    name: str
    detail: str


Outcome: TypeAlias = Replayed | Skipped | Differing


class _Difference(Exception):
    """What the record says and what the table does are not the same."""


def main(paths: Sequence[Path], *, check: bool, as_json: bool) -> int:
    """Prints what was replayed, skipped and differing, file by file, and returns the exit code.

    With `check` it is 1 where a hand differs, or where a file has no hand that could be replayed. A file that cannot be read: 1.
    """
    failed = False
    report: list[dict[str, Any]] = []
    for path in paths:
        try:
            outcomes = replay_file(path)
        except (OSError, ValueError, NotReplayable) as problem:
            print(f"{path}: {_reason(problem)}", file=sys.stderr)
            failed = True
            continue
        count = _count(path, outcomes)
        report.append(count)
        failed |= check and (bool(count["differing"]) or not count["replayed"])
        if not as_json:
            _print_count(count)
    if as_json:
        print(json.dumps({"files": report}, indent=2))
    return int(failed)


def replay_file(path: Path) -> list[Outcome]:
    """One outcome for each hand of a file, in order. Raises OSError, ValueError or NotReplayable where it cannot be read."""
    return [_replay_section(name, section, known) for name, section, known in sections(path)]


def replay(hand: RecordedHand, *, shown: tuple[Seat, ...] | None = None) -> Outcome:
    """Deals one recorded hand again.

    `shown`: who showed at the end, in order, to compare too. None by default: people may show without having to.
    """
    because = what_no_room_can(hand)
    try:
        played = AtATable(hand) if because is None else ByTheHandEngine(hand)
        return _compare(hand, play(hand, played).finished, shown, because)
    except (_Difference, NotAsRecorded, Refusal, Bug) as difference:
        return Differing(hand.name, _reason(difference))


def play(recorded: RecordedHand, played: Played) -> Played:
    """Makes the recorded moves, and gives the hand back. Raises where one is not legal, or another seat is asked."""
    for number, (seat, move, amount) in enumerate(recorded.actions, start=1):
        turn = played.turn
        if turn is None and move == "cc":
            continue  # PokerKit records checks of a lone player with chips, who has no decision at our table
        what = f"action {number}, p{seat + 1} {move}"
        if turn is None or turn.seat != seat:
            asked = "nobody" if turn is None else f"p{turn.seat + 1}"
            raise _Difference(f"{what}: the table asks {asked}")
        try:
            played.act(seat, _kind(turn, move), amount)
        except Refusal as refusal:
            raise _Difference(f"{what}: refused, {refusal.code}") from refusal
    return played


def _replay_section(name: str, section: Mapping[str, Any], known: Mapping[str, Any]) -> Outcome:
    try:
        hand = recorded_hand(name, section, known)
    except NotReplayable as problem:
        return Skipped(name, _reason(problem))
    return replay(hand)


def _kind(turn: Turn, move: str) -> ActionKind:
    if move == "f":
        return ActionKind.FOLD
    if move == "cbr":
        return ActionKind.BET if ActionKind.BET in turn.legal else ActionKind.RAISE
    return ActionKind.CALL if turn.to_call_chips else ActionKind.CHECK


def _compare(
    recorded: RecordedHand, finished: Finished | None, shown: tuple[Seat, ...] | None, because: str | None
) -> Outcome:
    if finished is None:
        return Differing(recorded.name, "the record ends, and the table waits for another action")
    if not finished.over.uncontested and any(recorded.hole[seat] is None for seat in finished.unfolded):
        return Skipped(recorded.name, "unknown cards reach a showdown")
    differences = [*_differences(recorded, finished)]
    if shown is not None and shown != finished.over.show_order:
        differences.append(f"shown {list(finished.over.show_order)}, recorded {list(shown)}")
    return Differing(recorded.name, "; ".join(differences)) if differences else Replayed(recorded.name, because)


def _differences(recorded: RecordedHand, finished: Finished) -> Iterator[str]:
    if finished.board != recorded.board:
        yield f"board {''.join(finished.board)}, recorded {''.join(recorded.board)}"
    stacks = tuple(chips for _, chips in finished.over.stacks)
    if recorded.finishing_stacks is not None and stacks != recorded.finishing_stacks:
        yield f"final stacks {list(stacks)}, recorded {list(recorded.finishing_stacks)}"
    pots = tuple(
        (pot.amount_chips, frozenset(pot.eligible), frozenset(seat for seat, _ in pot.winners))
        for pot in finished.over.pots
    )
    if recorded.pots is not None and pots != recorded.pots:
        yield f"pots {_in_words(pots)}, recorded {_in_words(recorded.pots)}"


def _in_words(pots: Sequence[Pot]) -> list[tuple[int, list[int], list[int]]]:
    return [
        (amount, sorted(s + 1 for s in eligible), sorted(s + 1 for s in winners)) for amount, eligible, winners in pots
    ]


def _count(path: Path, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    count: dict[str, Any] = {"file": path.name, "replayed": 0, "byTheHandEngine": [], "skipped": [], "differing": []}
    for outcome in outcomes:
        match outcome:
            case Replayed(name=name, by_the_hand_engine=reason):
                count["replayed"] += 1
                if reason is not None:
                    count["byTheHandEngine"].append({"hand": name, "reason": reason})
            case Skipped(name=name, reason=reason):
                count["skipped"].append({"hand": name, "reason": reason})
            case Differing(name=name, detail=detail):
                count["differing"].append({"hand": name, "detail": detail})
            case _:
                assert_never(outcome)
    return count


def _print_count(count: Mapping[str, Any]) -> None:
    skipped, differing = count["skipped"], count["differing"]
    print(f"{count['file']}: {count['replayed']} replayed, {len(skipped)} skipped, {len(differing)} differing")
    for entry in count["byTheHandEngine"]:
        print(f"  hand {entry['hand']} replayed by the hand engine: {entry['reason']}")
    for entry in skipped:
        print(f"  hand {entry['hand']} skipped: {entry['reason']}")
    for entry in differing:
        print(f"  hand {entry['hand']} differs: {entry['detail']}")


def _reason(problem: BaseException) -> str:
    return str(problem) or type(problem).__name__
