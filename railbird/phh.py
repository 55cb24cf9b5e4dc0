"""Reads hands recorded in PHH (.phh: one hand, .phhs: many). It deals nothing and compares nothing.

PHH is TOML; PokerKit's own reader checks each hand by playing it, which would make it judge and witness at once, and costs half a
second of import. Format: J. Kim, Recording and Describing Poker Hands, 2024; the fields are explained at phh.readthedocs.io.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from gameserver.hand.facts import ForcedBet, ForcedKind
from policy.ids import DECK, Card, HoleCards, Seat

Pot: TypeAlias = tuple[int, frozenset[Seat], frozenset[Seat]]
"""Amount, eligible seats, winners."""


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """One hand as it was recorded. Seat 0 is p1, the first left of the button; heads-up p1 is the big blind.

    `straddle_chips`: the last straddle, where there are several. `actions`: (seat, move, total of the street) in order. `hole`: None where nobody knows. `finishing_stacks`, `pots`: None
    where the record does not say; then only legality and the board are compared.
    """

    name: str
    stacks: tuple[int, ...]
    forced: tuple[ForcedBet, ...]
    big_blind_chips: int
    straddle_chips: int | None
    hole: Mapping[Seat, HoleCards | None]
    board: tuple[Card, ...]
    actions: tuple[tuple[Seat, str, int | None], ...]
    finishing_stacks: tuple[int, ...] | None
    pots: tuple[Pot, ...] | None


class NotReplayable(Exception):
    """The record is of another game, or says too little."""


def recorded_hand(name: str, section: Mapping[str, Any], known: Mapping[str, Any]) -> RecordedHand:
    """Reads one hand. `known`: what an index says about its end. Raises NotReplayable for what we do not deal."""
    if section.get("variant") != "NT":
        raise NotReplayable(f"variant {section.get('variant')!r}; only no-limit hold'em (NT) is dealt here")
    try:
        return _read(name, section, known)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise NotReplayable(f"cannot be read: {type(problem).__name__} {problem}") from problem


def sections(path: Path) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """(name, hand, what the index knows about it); a .phh file is one hand without a name of its own."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    index = _index(path)
    if "variant" in data:
        yield path.stem, data, {}
        return
    for name, section in data.items():
        if not isinstance(section, dict):
            raise NotReplayable("neither one hand nor a table of hands")
        yield name, section, index.get(name, {})


def _index(path: Path) -> dict[str, dict[str, Any]]:
    beside = path.with_suffix(".index.json")
    if not beside.exists():
        return {}
    return {entry["section"]: entry for entry in json.loads(beside.read_text(encoding="utf-8"))["index"]}


def _read(name: str, section: Mapping[str, Any], known: Mapping[str, Any]) -> RecordedHand:
    stacks = tuple(section["starting_stacks"])
    blinds, antes = _by_seat(section["blinds_or_straddles"]), _by_seat(section["antes"])
    big_blind = _big_blind_seat(blinds, section["min_bet"])
    around = [*blinds[big_blind + 1 :], *blinds[:big_blind]]
    straddles = [amount for amount in around if amount > blinds[big_blind]]
    hole, board, actions = _actions(section["actions"], len(stacks))
    _check(straddles == sorted(straddles), "a straddle below the one before")
    _check(2 <= len(stacks) <= 10 and min(stacks) > 0, "not two to ten players with chips")
    _check(_are_all_different(hole, board), "a card that is dealt twice")
    _check(section["min_bet"] == blinds[big_blind], "the least bet is not the big blind")
    return RecordedHand(
        name=name,
        stacks=stacks,
        forced=(*_antes(antes, big_blind, section.get("_ante_each", 0)), *_blinds(blinds, big_blind)),
        big_blind_chips=blinds[big_blind],
        straddle_chips=straddles[-1] if straddles else None,
        hole=hole,
        board=board,
        actions=actions,
        finishing_stacks=_finishing_stacks(section, known),
        pots=_pots(known),
    )


def _are_all_different(hole: Mapping[Seat, HoleCards | None], board: Sequence[Card]) -> bool:
    cards = [*board, *(card for pair in hole.values() if pair is not None for card in pair)]
    return len(set(cards)) == len(cards)


def _check(holds: bool, reason: str) -> None:
    if not holds:
        raise NotReplayable(reason)


def _by_seat(amounts: Sequence[int]) -> list[int]:
    """Heads-up, PHH gives blinds and antes in the order small blind, big blind, and the big blind is p1."""
    return list(reversed(amounts)) if len(amounts) == 2 else list(amounts)


def _big_blind_seat(blinds: Sequence[int], least_bet: int) -> int:
    """The last of those who post as much as the least bet. Heads-up the first player.

    The small blind may be dead, there may be a player between it and the button, and that one may straddle; late posts are
    negative. Where nobody posts as much, whoever posts last: what is compared then says so.
    """
    if len(blinds) == 2:
        return 0
    posted = [number for number, amount in enumerate(blinds) if amount > 0]
    return [*posted, *(number for number in posted if blinds[number] == least_bet)][-1]


def _antes(antes: Sequence[int], big_blind: int, each: int) -> Iterator[ForcedBet]:
    """The same from everybody is an ante; from one seat it is dead money, as a big-blind ante is.

    `each`: a field of our own, the ante from everybody where somebody posted dead money besides; 0: there is none.
    """
    each = antes[0] if len(set(antes)) == 1 else each
    for number, amount in enumerate(antes):
        kind = ForcedKind.BIG_BLIND_ANTE if number == big_blind else ForcedKind.DEAD_POST
        for kind_of_part, part in ((ForcedKind.ANTE, min(each, amount)), (kind, max(amount - each, 0))):
            if part:
                yield ForcedBet(Seat(number), kind_of_part, part)


def _blinds(blinds: Sequence[int], big_blind: int) -> Iterator[ForcedBet]:
    """A negative amount is a late post."""
    for number, amount in enumerate(blinds):
        if amount:
            kind = ForcedKind.POST if amount < 0 else _blind_kind(number, amount, big_blind, blinds)
            yield ForcedBet(Seat(number), kind, abs(amount))


def _blind_kind(number: int, amount: int, big_blind: int, blinds: Sequence[int]) -> ForcedKind:
    if number == big_blind:
        return ForcedKind.BIG_BLIND
    return ForcedKind.STRADDLE if amount > blinds[big_blind] else ForcedKind.SMALL_BLIND


_Actions: TypeAlias = tuple[dict[Seat, HoleCards | None], tuple[Card, ...], tuple[tuple[Seat, str, int | None], ...]]


def _actions(lines: Sequence[str], players: int) -> _Actions:
    """Hole cards by seat, the board, and the players' moves."""
    hole: dict[Seat, HoleCards | None] = {Seat(number): None for number in range(players)}
    board: list[Card] = []
    moves: list[tuple[Seat, str, int | None]] = []
    for line in lines:
        match line.partition("#")[0].split():
            case ["d", "dh", player, cards] | [player, "sm", cards]:
                hole[_seat(player)] = _hole_cards(cards) or hole[_seat(player)]
            case ["d", "db", cards]:
                board += _cards(cards)
            case [player, "cbr", amount]:
                moves.append((_seat(player), "cbr", int(amount)))
            case [player, "f" | "cc" as move]:
                moves.append((_seat(player), move, None))
            case [_, "sm"] | []:
                pass
            case _:
                raise NotReplayable("an action that hold'em does not have")
    return hole, tuple(board), tuple(moves)


def _seat(player: str) -> Seat:
    return Seat(int(player.removeprefix("p")) - 1)


def _hole_cards(text: str) -> HoleCards | None:
    if "?" in text:
        return None
    first, second = _cards(text)
    return first, second


def _cards(text: str) -> list[Card]:
    cards = [Card(text[i : i + 2]) for i in range(0, len(text), 2)]
    _check(set(cards) <= set(DECK), "a card that the deck does not have")
    return cards


_FINISHES: Final = ("finishing_whole_chips", "finishing_one_odd_chip_each", "finishing_recorded", "finishing_pokerkit")
"""Which end an index may know, the one by our rule first: whole chips, odd ones one each from the left of the button."""


def _finishing_stacks(section: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[int, ...] | None:
    for key in _FINISHES:
        if known.get(key) is not None:
            return tuple(known[key])
    return tuple(section["finishing_stacks"]) if "finishing_stacks" in section else None


def _pots(known: Mapping[str, Any]) -> tuple[Pot, ...] | None:
    if "pots" not in known:
        return None
    return tuple((pot["amount"], _players(pot["eligible"]), _players(pot["winners"])) for pot in known["pots"])


def _players(numbers: Sequence[int]) -> frozenset[Seat]:
    return frozenset(Seat(number - 1) for number in numbers)
