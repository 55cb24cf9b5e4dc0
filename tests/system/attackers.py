"""What opponents and bystanders get of a real server, by every way out, and what of it would have been somebody else's secret.

It knows the truth from outside: from the streams of all owners, each of which carries one agent's cards. It opens nothing inside.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Message: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[str, int]
"""A table and the number of one of its hands."""

CARD: Final = re.compile(r"[2-9TJQKA][cdhs]")
PHH_CARDS: Final = re.compile(r'^\s*"(?:d dh p\d+|p\d+ sm|d db) ((?:[2-9TJQKA][cdhs])+)', re.MULTILINE)


@dataclass
class Truth:
    """`cards`: of each seat in each hand. `mute`: seats that never had to show them, by fold or because all others folded."""

    cards: dict[Place, dict[int, frozenset[str]]] = field(default_factory=lambda: defaultdict(dict))
    folded: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    shown: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    over: set[Place] = field(default_factory=set)

    def learn_own(self, messages: Iterable[Message]) -> None:
        """From an owner's stream."""
        for message in messages:
            for own in [message] if message["type"] == "own_cards" else message.get("ownCards") or []:
                place = message["tableId"], own["handNumber"]
                self.cards[place][own["seat"]] = frozenset(own["cards"])

    def learn_public(self, messages: Iterable[Message]) -> None:
        """From a spectator's stream: who folded, who showed, and which hands are over."""
        for message in messages:
            place = message.get("tableId", ""), message.get("handNumber", 0)
            if message["type"] == "player_action" and message["action"] == "fold":
                self.folded[place].add(message["seat"])
            if message["type"] == "cards_shown":
                self.shown[place].add(message["seat"])
            if message["type"] == "hand_result":
                self.shown[place] |= {hand["seat"] for hand in message["shown"]}
                self.over.add(place)

    def secrets(self, place: Place) -> dict[str, int]:
        """Cards that were shown to nobody, and whose they are."""
        hidden = self.cards[place].keys() - (self.shown[place] - self.folded[place])
        return {card: seat for seat in hidden for card in self.cards[place][seat]}


@dataclass
class Haul:
    """All that one attacker got. `own`: seats whose cards are theirs to see, by table and hand."""

    who: str
    streams: dict[str, list[Message]] = field(default_factory=dict)
    answers: list[tuple[str, str]] = field(default_factory=list)
    """An address, and what it answered."""

    def everything(self) -> Iterator[tuple[str, str]]:
        """By way: whole texts."""
        yield from self.answers
        for way, messages in self.streams.items():
            yield from ((way, json.dumps(message, ensure_ascii=False)) for message in messages)

    def cards(self) -> Iterator[tuple[str, Place, str]]:
        """Each card in a card's place: the way, the hand that it is of, and the card."""
        for way, messages in self.streams.items():
            for message in messages:
                yield from ((way, place, card) for place, card in cards_in(message, ("", 0)))
        for way, text in self.answers:
            yield from ((way, place, card) for place, card in cards_in_answer(way, text))


def cards_in(value: object, place: Place) -> Iterator[tuple[Place, str]]:
    """Strings that are a card and nothing else, wherever they are; with the nearest hand around them."""
    match value:
        case dict():
            table, hand = value.get("tableId", place[0]), value.get("handNumber", place[1])
            here = (table, hand) if isinstance(table, str) and isinstance(hand, int) else place
            for inner in value.values():
                yield from cards_in(inner, here)
        case list():
            for inner in value:
                yield from cards_in(inner, place)
        case str() if CARD.fullmatch(value):
            yield place, value
        case _:
            pass


def cards_in_answer(address: str, text: str) -> Iterator[tuple[Place, str]]:
    """Of a route's answer. A hand's files name the hand in their address."""
    found = re.search(r"games/poker/([^/]+)/hands/(\d+)", address)
    place = (found[1], int(found[2])) if found else ("", 0)
    if address.endswith(".phh"):
        yield from ((place, card) for cards in PHH_CARDS.findall(text) for card in CARD.findall(cards))
    elif text.startswith(("{", "[")):
        yield from cards_in(json.loads(text), place)


def own_seats(messages: Iterable[Message]) -> dict[Place, set[int]]:
    """Whose cards a stream of one's own carries as such: an agent's own ones, or an owner's."""
    own: dict[Place, set[int]] = defaultdict(set)
    for message in messages:
        state = message.get("state") or message
        if state.get("yourHoleCards"):
            own[state["tableId"], state["handNumber"]].add(state["yourSeat"])
        for cards in [message] if message["type"] == "own_cards" else message.get("ownCards") or []:
            own[message["tableId"], cards["handNumber"]].add(cards["seat"])
    return own


def thoughts_before_their_action(messages: Iterable[Message]) -> list[Message]:
    """Thoughts in a public stream whose turn had no action yet. Of hands that the stream saw from their beginning."""
    acted: dict[tuple[int, int], int] = {}
    thought: dict[tuple[int, int], set[str]] = defaultdict(set)
    early = []
    for message in messages:
        match message:
            case {"type": "hand_started", "handNumber": hand, "dealt": dealt}:
                acted |= {(hand, seat): 0 for seat in dealt}
            case {"type": "player_action", "handNumber": hand, "seat": seat, "forced": False} if (hand, seat) in acted:
                acted[hand, seat] += 1
            case {"type": "agent_thought", "handNumber": hand, "seat": seat, "turnId": turn} if (hand, seat) in acted:
                thought[hand, seat].add(turn)
                if len(thought[hand, seat]) > acted[hand, seat]:
                    early.append(message)
    return early


def live_cards_of_the_folded(messages: Iterable[Message]) -> list[Message]:
    """States that still show a hand which its player gave up."""
    found = []
    for message in messages:
        state = message.get("state") or message
        revealed = state.get("revealedHoleCards") or {}
        folded = {str(seat["seat"]) for seat in state.get("seats") or [] if seat["status"] == "folded"}
        if state.get("street") and folded & revealed.keys():
            found.append(message)
    return found


def cards_while_somebody_decides(messages: Iterable[Message]) -> list[Message]:
    """States that show a hand while somebody is asked. At a closed table there are none, for nobody."""
    states = (message.get("state") or message for message in messages)
    return [state for state in states if state.get("revealedHoleCards") and state.get("toAct") is not None]
