"""Two worlds for one viewer: what is changed in the second one, who may not notice, and the comparison of their bytes.

The second world plays the same actions with another deal of the cards that this viewer has not seen by the end; what others
said in private is other words, or was not said; of a rival other turns are captured; and half of the other watchers never were there.
"""

from __future__ import annotations

import itertools
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from policy.ids import Seat
from tests.leaks import script
from tests.leaks.cast import BUYER, CAST, SOLD, Kind, Viewer
from tests.leaks.deals import DealtHand, Eyes, Order, seen_places, shuffled, twin_order
from tests.leaks.heard import Heard, listening
from tests.leaks.play import Play
from tests.leaks.script import Action
from tests.leaks.world import Chance, Setting, Way, World, new_template

Cell: TypeAlias = tuple[Viewer, Way]

_NAME: Final = re.compile(rb"N\d{21}")
_EVENT_ID: Final = re.compile(rb"(N\d{21}\.\d+\.)[A-Za-z0-9_-]{16}")
_SESSION: Final = re.compile(rb"(N\d{21}\.)[A-Z2-7]{16}\.[A-Z2-7]{24}")
_BY_LOT: Final = re.compile(rb'(retry: |"afterMs":)\d+')
"""Times that are told to each client differently, so that not all come back at once."""


_MOST_HANDS: Final = 100
_WATCHING_AGENTS: Final = frozenset({"eve", "out"})
_NOBODY: Final = "nobody's"
"""Whose line is cut in a world in which somebody was not there."""


HELD_BACK: Final = (
    "refused to send",
    "was not sent",
    "were not sent",
    "snapshot_fault",
    "table_fault",
    "showing_fault",
)
"""What the log says where a view or a table has a fault."""


class WorldsDiffer(AssertionError):
    """A viewer can tell two worlds apart that must look alike."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a play: everybody's bytes by way out, the log, and the hands as they were dealt."""

    files: Mapping[tuple[str, Way], list[bytes]]
    log: tuple[str, ...]
    hands: tuple[DealtHand, ...]
    asked: Mapping[int, str]
    """Who was asked when an action began, by its place in the script."""


def _zeros() -> dict[Cell, int]:
    return defaultdict(int)


@dataclass
class Tally:
    """How much was compared, for each cell of the matrix. `worlds`: pairs; `frames`: pieces that left; `sizes`: their bytes."""

    worlds: dict[Cell, int] = field(default_factory=_zeros)
    frames: dict[Cell, int] = field(default_factory=_zeros)
    sizes: dict[Cell, int] = field(default_factory=_zeros)
    deals: int = 0
    other_deals: int = 0
    """Hands that were dealt in a second world, and those of them in which some card was another one."""

    def add(self, cell: Cell, frames: Sequence[bytes]) -> None:
        self.worlds[cell] += 1
        self.frames[cell] += len(frames)
        self.sizes[cell] += sum(map(len, frames))


def eyes_of(name: str, setting: Setting) -> Eyes:
    """Whose cards one of the cast may know."""
    who = CAST[name]
    if who.kind is Kind.AGENT:
        return Eyes(plays=name)
    sits = name in setting.people
    return Eyes(plays=name if sits else "", owns=name if who.kind is Kind.USER else "", public=not sits)


class Twins:
    """Plays scripts in pairs of worlds. `seed`: of decks and of what is changed."""

    def __init__(
        self, setting: Setting, seed: int, tally: Tally, template: Path, *, first: Order | None = None, button: int = 0
    ) -> None:
        """`first`: the first deck, where it is a recorded one."""
        self._setting, self._seed, self._tally, self._template = setting, seed, tally, template
        self._first, self._button = first, Seat(button)

    def check(
        self,
        actions: Sequence[Action],
        focus: Iterable[str],
        *,
        alter_words: bool = True,
        away: frozenset[str] | None = None,
    ) -> None:
        """Raises WorldsDiffer where somebody can tell a world from its twin. `focus`: for whom twins are made, one each.

        `away`: the watchers who are not there in the twin; by chance where none are given.
        """
        orders = [shuffled(self._seed, hand) for hand in range(1, _MOST_HANDS)]
        if self._first is not None:
            orders[0] = self._first
        base = self.play(actions, orders)
        for name in focus:
            self._check_one(actions, orders, base, name, alter_words, away)

    def _check_one(
        self,
        actions: Sequence[Action],
        orders: list[Order],
        base: Played,
        name: str,
        alter_words: bool,
        away: frozenset[str] | None,
    ) -> None:
        eyes, dice = eyes_of(name, self._setting), random.Random(f"{self._seed}/{name}")
        twins, changed = _twin_orders(base.hands, orders, eyes, dice)
        if away is None:
            away = _away(name, actions, self._setting, dice) if alter_words else frozenset()
        altered, told = _altered(actions, name, away, base, self._setting) if alter_words else (actions, set())
        self._tally.deals += len(changed)
        self._tally.other_deals += sum(map(bool, changed))
        rival = _rival_of(name, self._setting, dice) if alter_words else ""
        told |= {CAST[rival].owner} if rival else set()
        other = self.play(altered, twins, otherwise=rival)
        for played in (base, other):
            _refuse_silence(played.log)
        for who in {name for name, _ in base.files}:
            if who not in CAST or who in told or who in away or not _is_blind(who, base.hands, changed, self._setting):
                continue
            self._compare(who, base, other)

    def _compare(self, who: str, one: Played, other: Played) -> None:
        viewer = CAST[who].viewer
        for way in Way:
            ours, theirs = (_as_anybody(played.files.get((who, way), ())) for played in (one, other))
            if way is Way.LOGS:
                ours, theirs = ([line.encode() for line in played.log] for played in (one, other))
            _compare(f"{who} ({viewer}), {way}", ours, theirs)
            if ours or way is Way.LOGS:
                self._tally.add((viewer, way), ours)

    def play(self, actions: Sequence[Action | None], orders: Sequence[Order], *, otherwise: str = "") -> Played:
        """One world, by a script and the decks of its hands. `otherwise`: the agent of which other turns are captured."""
        heard = Heard()
        with tempfile.TemporaryDirectory() as folder, listening(heard):
            chance = Chance(lambda hand: orders[hand - 1], self._button)
            world = World(self._setting, chance, Path(folder), self._template, otherwise=otherwise)
            play = Play(world)
            try:
                play.run(actions)
            finally:
                world.close()
        return Played(dict(world.files), tuple(heard.lines), tuple(world.record.hands), play.asked)


def _twin_orders(
    hands: Sequence[DealtHand], orders: Sequence[Order], eyes: Eyes, dice: random.Random
) -> tuple[list[Order], list[frozenset[int]]]:
    """The twin's decks, and for each hand the places where another card is."""
    twins, changed = list(orders), []
    for number, hand in enumerate(hands):
        twins[number] = twin_order(hand, orders[number], seen_places(hand, eyes), dice)
        pairs = enumerate(zip(orders[number], twins[number], strict=True))
        changed.append(frozenset(place for place, (one, other) in pairs if one != other))
    return twins, changed


def _is_blind(who: str, hands: Sequence[DealtHand], changed: Sequence[frozenset[int]], setting: Setting) -> bool:
    """Whether somebody has seen none of the cards that are others in the twin."""
    eyes = eyes_of(who, setting)
    return not any(places & seen_places(hand, eyes) for hand, places in zip(hands, changed, strict=True))


def _away(name: str, actions: Sequence[Action], setting: Setting, dice: random.Random) -> frozenset[str]:
    """Who is not there in the twin: half of all others who only watch, in the viewer's stream too, and say nothing that is heard.

    The other half is there and is compared too.
    """
    heard = {action.who for action in actions if isinstance(action, script.Say | script.Sit)}
    watchers = sorted((_public(setting) | _WATCHING_AGENTS) - heard - {BUYER, name})
    return frozenset(dice.sample(watchers, len(watchers) // 2))


def _rival_of(name: str, setting: Setting, dice: random.Random) -> str:
    """A seated agent that is neither the viewer nor theirs; not the one that is sold, whose turns have two owners."""
    return dice.choice([agent for agent in setting.agents if agent not in (name, SOLD) and CAST[agent].owner != name])


def _altered(
    actions: Sequence[Action], name: str, away: frozenset[str], base: Played, setting: Setting
) -> tuple[list[Action | None], set[str]]:
    """The twin's script, and who may notice that private words are others in it."""
    told: set[str] = set()
    altered: list[Action | None] = []
    for number, action in enumerate(actions):
        heard_by = _hearers(number, action, base, setting)
        if heard_by and name not in heard_by:
            told |= heard_by
            altered.append(_otherwise(number, action))
        else:
            altered.append(_without(action, away))
    return altered, told


def _hearers(number: int, action: Action, base: Played, setting: Setting) -> frozenset[str]:
    """Who is meant to get private words, in the end; nobody where an action is no such words."""
    match action:
        case script.Think() if setting.show_thoughts:
            return _said_by(number, base) | _public(setting)
        case script.Think() | script.Decide():
            return _said_by(number, base)
        case script.Note(who):
            return frozenset({who, CAST[who].agent})
        case _:
            return frozenset()


def _said_by(number: int, base: Played) -> frozenset[str]:
    """The agent that was asked, and whoever owned it once."""
    asked = base.asked.get(number)
    return frozenset() if asked is None else frozenset({asked, CAST[asked].owner, BUYER})


def _public(setting: Setting) -> frozenset[str]:
    return frozenset(who for who in CAST if eyes_of(who, setting).public)


def _otherwise(number: int, action: Action) -> Action | None:
    """Other words, of another length; or none."""
    words = f"other words, {number} {'and long ones ' * 9}"
    match action:
        case script.Think() | script.Decide() if number % 2:
            return type(action)(words)
        case script.Note(who) if number % 2:
            return script.Note(who, words)
        case _:
            return None


def _without(action: Action, away: frozenset[str]) -> Action | None:
    """An action where some watchers are not there: what is theirs alone does not happen."""
    match action:
        case script.Resume(who, acts, after_ms) | script.ResumeStream(who, acts, after_ms) if who in away:
            return script.Resume(_NOBODY, acts, after_ms)
        case script.Watch(who) | script.Unwatch(who) | script.Stream(who) if who in away:
            return None
        case script.Read(who) | script.Err(who) | script.Reconnect(who) if who in away:
            return None
        case _:
            return action


def _as_anybody(frames: Sequence[bytes]) -> list[bytes]:
    """With names that are drawn by lot replaced by their order of appearance: two draws tell nobody anything."""
    names: dict[bytes, bytes] = {}
    numbers = itertools.count(1)

    def known(found: re.Match[bytes]) -> bytes:
        if found[0] not in names:
            names[found[0]] = b"n%021d" % next(numbers)
        return names[found[0]]

    return [_NAME.sub(known, without_seals(_BY_LOT.sub(rb"\g<1>0", frame))) for frame in frames]


def without_seals(frame: bytes) -> bytes:
    """Without the MACs of sessions and event ids, which no two processes have in common."""
    return _SESSION.sub(rb"\g<1>MAC", _EVENT_ID.sub(rb"\g<1>MAC", frame))


def _refuse_silence(log: Sequence[str]) -> None:
    """A frame that the door held back is in neither world: it is no leak, and no reason to be content either."""
    held_back = [line for line in log if any(words in line for words in HELD_BACK)]
    if held_back:
        raise WorldsDiffer(f"the door held something back: {held_back[0][:300]}")


def _compare(what: str, one: Sequence[bytes], other: Sequence[bytes]) -> None:
    for number, (ours, theirs) in enumerate(itertools.zip_longest(one, other)):
        if ours != theirs:
            raise WorldsDiffer(f"{what}: piece {number} tells the worlds apart:\n  {_around(ours, theirs)}")


def _around(one: bytes | None, other: bytes | None) -> str:
    """Where two pieces part."""
    if one is None or other is None:
        return f"{one!r}\n  {other!r}"
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return "\n  ".join(repr(each[max(0, at - 160) : at + 160]) for each in (one, other)) + f"\n  at byte {at}"


def templates() -> Iterator[Path]:
    """A database with the cast in it, for all worlds of a process."""
    with tempfile.TemporaryDirectory() as folder:
        yield new_template(Path(folder) / "template.db")
