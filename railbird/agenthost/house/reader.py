"""Reads a prompt, as a model has to: what a house player knows is what stands there, and nothing else reaches it.

It reads the compact form, whole lines only: a name that says something of cards is inside of a line. The last section of a name
counts: what an owner writes comes before what the table says, and no text of another player begins a line
(test_hostile_text_begins_no_line_of_a_prompt).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from railbird.agenthost.house.knowledge import Knowledge
from railbird.agenthost.house.styles import STYLES, Style
from railbird.client import ActionKind, Street

DEFAULT_STYLE: Final = STYLES["mathematician"]

_HEADING: Final = re.compile(r"^\[([^\[\]\n]+)\]$", re.MULTILINE)
_STATE: Final = re.compile(r"^hand \d+, (?P<street>[a-z ]+), board (?P<board>[\w ]+), pot (?P<pot>\d+)$", re.MULTILINE)
_SEAT: Final = re.compile(
    r'^seat (?P<seat>\d+) "(?:[^"\\]|\\.)*"(?: \(cut: [\w ]+\))? '
    r"stack (?P<stack>\d+) bet (?P<bet>\d+) (?P<status>\w+)(?P<marks>(?: \w+)*)$",
    re.MULTILINE,
)
_CARDS: Final = re.compile(r"^your cards (?P<cards>[\w ]+)$", re.MULTILINE)
_BLINDS: Final = re.compile(r"^blinds \d+/(?P<big>\d+)", re.MULTILINE)
_ASKED: Final = re.compile(r"^action \d+, to call (?P<call>\d+), legal (?P<legal>[\w ]+)$", re.MULTILINE)
_RANGE: Final = re.compile(r"^bet or raise to (?P<least>\d+)\.\.(?P<most>\d+)$", re.MULTILINE)
_MOVE: Final = re.compile(r"(?P<seat>\d+) (?P<action>[a-z_]+)")
_CARD: Final = re.compile(r"[2-9TJQKA][cdhs]")
_IN: Final = frozenset({"in_hand", "all_in"})
_RAISES: Final = frozenset({"bet", "raise"})
_LEGAL: Final = {action.value: action for action in ActionKind}


@dataclass(frozen=True, slots=True)
class Read:
    """`knowledge` is `None` where the prompt shows no seat to act from."""

    style: Style
    knowledge: Knowledge | None
    legal: frozenset[ActionKind]


@dataclass(frozen=True, slots=True)
class _Seat:
    number: int
    stack: int
    bet: int
    is_in: bool
    is_button: bool
    is_own: bool


def read_prompt(text: str) -> Read:
    """What a prompt says to a house player."""
    sections = _sections(text)
    asked = _ASKED.search(sections.get("Your Turn", ""))
    legal = frozenset(_LEGAL[word] for word in asked["legal"].split() if word in _LEGAL) if asked else frozenset()
    return Read(_style(sections.get("Strategy", "")), _knowledge(sections, asked, legal), legal)


def _sections(text: str) -> dict[str, str]:
    """By heading; of two with the same heading the later one."""
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {heading[1]: text[heading.end() : end] for heading, end in zip(headings, ends, strict=False)}


def _style(strategy: str) -> Style:
    """The first style that the strategy names."""
    words = re.findall(r"[a-z]+", strategy.lower())
    return next((STYLES[word] for word in words if word in STYLES), DEFAULT_STYLE)


def _knowledge(sections: dict[str, str], asked: re.Match[str] | None, legal: frozenset[ActionKind]) -> Knowledge | None:
    state = _STATE.search(sections.get("State", ""))
    blinds = _BLINDS.search(sections.get("Table", ""))
    seats = [_seat(match) for match in _SEAT.finditer(sections.get("State", ""))]
    own = next((seat for seat in seats if seat.is_own), None)
    if state is None or blinds is None or asked is None or own is None or not legal:
        return None
    street = Street(state["street"]) if state["street"] in list(Street) else Street.PREFLOP
    others = [seat for seat in seats if seat.is_in and not seat.is_own]
    moves = _moves_of_others(sections.get("Actions", ""), street, own.number)
    span = _RANGE.search(sections["Your Turn"])
    cards = _CARDS.search(sections["State"])
    return Knowledge(
        hole_cards=tuple(_CARD.findall(cards["cards"])) if cards else (),
        board=tuple(_CARD.findall(state["board"])),
        street=street,
        pot_chips=int(state["pot"]),
        to_call_chips=int(asked["call"]),
        own_bet_chips=own.bet,
        own_stack_chips=own.stack,
        big_blind_chips=int(blinds["big"]),
        legal=legal,
        raise_range=(int(span["least"]), int(span["most"])) if span else None,
        opponents=max(1, len(others)),
        to_act_after=_between(own.number, next((seat.number for seat in seats if seat.is_button), None), others),
        raises=sum(action in _RAISES for action in moves),
        callers=sum(action == "call" for action in moves),
    )


def _seat(match: re.Match[str]) -> _Seat:
    marks = match["marks"].split()
    return _Seat(
        number=int(match["seat"]),
        stack=int(match["stack"]),
        bet=int(match["bet"]),
        is_in=match["status"] in _IN,
        is_button="button" in marks,
        is_own="you" in marks,
    )


def _moves_of_others(actions: str, street: Street, own: int) -> list[str]:
    prefix = f"{street.value}: "
    lines = [line.removeprefix(prefix) for line in actions.splitlines() if line.startswith(prefix)]
    moves = [_MOVE.match(move) for line in lines for move in line.split(", ")]
    return [move["action"] for move in moves if move is not None and int(move["seat"]) != own]


def _between(own: int, button: int | None, others: list[_Seat]) -> int:
    """How many of the others sit after us and not after the button: those who move later on the later streets."""
    if button is None:
        return 0
    ours = (button - own) % 10
    return sum(0 < (other.number - own) % 10 <= ours for other in others)
