"""What an agent knows, in the lines of a prompt. Pure: the same values make the same lines.

Text that other people wrote (a name, a note, a chat line) enters by `prompt_policy.quote_for_prompt` and in no other way
(test_hostile_text_begins_no_line_of_a_prompt). Seats are told by number, so that a name stands in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from msgspec import UNSET

from gameserver.wire.fields import MAX_CHAT_CHARACTERS, MAX_NAME_CHARACTERS, MAX_NOTE_CHARACTERS
from gameserver.wire.messages import Chat, GameState, PlayerAction, SeatView, TableRules, YourTurn
from policy import prompt_policy
from railbird.agenthost.knowledge.form import Form

_WITHOUT_AMOUNT: Final = frozenset({"fold", "check"})
_VERBS: Final = {
    "fold": "folds",
    "check": "checks",
    "call": "calls, with a bet of",
    "bet": "bets",
    "raise": "raises to",
    "all_in": "goes all-in, with a bet of",
    "ante": "posts the ante of",
    "small_blind": "posts the small blind of",
    "big_blind": "posts the big blind of",
    "big_blind_ante": "posts the big blind ante of",
    "post": "posts",
    "dead_post": "posts dead",
    "straddle": "straddles to",
}

_WHEN: Final = {"preflop": "Before the flop", "flop": "On the flop", "turn": "On the turn", "river": "On the river"}


class Said(NamedTuple):
    """An action, as far as a line tells it. `aside`: what a reader should know of it, else empty."""

    street: str
    seat: int
    action: str
    amount: int
    aside: str = ""


@lru_cache(maxsize=4_096)
def quoted(text: str, most_characters: int) -> str:
    """Other people's text as one value on one line. The same names and notes come with each turn."""
    return prompt_policy.quote_for_prompt(text=text, most_characters=most_characters)


def rules(known: TableRules, form: Form) -> Iterator[str]:
    """The table's rules, but for its name, which says nothing about the game."""
    ante = f", ante {known.ante} ({known.ante_kind})" if known.ante else ""
    if form is Form.COMPACT:
        yield f"blinds {known.small_blind}/{known.big_blind}{ante}, {known.max_seats} seats, {known.turn_ms // 1000} s a turn"
        return
    yield f"No-limit Texas hold'em at a table of {known.max_seats} seats."
    yield f"The small blind is {known.small_blind} chips and the big blind is {known.big_blind} chips{ante}."
    yield f"Each turn has {known.turn_ms // 1000} seconds."


def state(known: GameState, form: Form) -> Iterator[str]:
    """The table as it is, its seats, and the own cards."""
    street = known.street or "no street"
    board = " ".join(known.board) or "none"
    if form is Form.COMPACT:
        yield f"hand {known.hand_number or 0}, {street}, board {board}, pot {known.pot}"
    else:
        yield f"This is hand number {known.hand_number or 0}. The street is: {street}."
        yield f"The board is: {board}."
        yield f"The pot holds {known.pot} chips, the bets of this street included."
    yield from (_seat(seat, known, form) for seat in known.seats)
    yield from _own(known, form)


def _seat(seat: SeatView, known: GameState, form: Form) -> str:
    name = quoted(seat.name, MAX_NAME_CHARACTERS)
    marks = [
        *(["button"] if seat.seat == known.button else []),
        *(["you"] if seat.seat == known.your_seat else []),
    ]
    if form is Form.COMPACT:
        return " ".join([f"seat {seat.seat} {name} stack {seat.stack} bet {seat.bet} {seat.status}", *marks])
    said = [f"{seat.stack} chips behind", f"{seat.bet} chips bet on this street", f"status {seat.status}", *marks]
    return f"Seat {seat.seat}, the player {name}: {', '.join(said)}."


def _own(known: GameState, form: Form) -> Iterator[str]:
    if known.your_seat is UNSET:
        return
    cards = "unknown" if known.your_hole_cards is UNSET else " ".join(known.your_hole_cards)
    compact = form is Form.COMPACT
    yield f"your cards {cards}" if compact else f"You sit in seat {known.your_seat}. Your hole cards are: {cards}."
    if known.revealed_hole_cards is not UNSET:
        for seat, shown in known.revealed_hole_cards.items():
            yield (
                f"seat {seat} holds {' '.join(shown)}"
                if compact
                else f"You saw that seat {seat} holds {' '.join(shown)}."
            )


def actions(known: Sequence[PlayerAction], form: Form) -> list[str]:
    """The actions of a hand in their order, street by street."""
    return streets((_said(action) for action in known), form)


def _said(action: PlayerAction) -> Said:
    aside = "all-in" if action.all_in else "" if action.cause is UNSET else f"by the table, {action.cause}"
    return Said(action.street.value, action.seat, action.action, action.amount, aside)


def streets(moves: Iterable[Said], form: Form) -> list[str]:
    """One line a street in the compact form, one an action in the plain one."""
    if form is Form.PLAIN:
        return [f"{_WHEN.get(move.street, move.street)}, seat {move.seat} {_in_words(move)}." for move in moves]
    return [
        f"{street}: {', '.join(_in_short(move) for move in group)}"
        for street, group in groupby(moves, key=lambda move: move.street)
    ]


def _in_short(move: Said) -> str:
    amount = "" if move.action in _WITHOUT_AMOUNT else f" {move.amount}"
    return f"{move.seat} {move.action}{amount}{f' ({move.aside})' if move.aside else ''}"


def _in_words(move: Said) -> str:
    amount = "" if move.action in _WITHOUT_AMOUNT else f" {move.amount} chips"
    return f"{_VERBS.get(move.action, move.action)}{amount}{f' ({move.aside})' if move.aside else ''}"


def notes(known: Sequence[str]) -> list[str]:
    """The owner's notes, one a line, the newest last."""
    return [f"your owner wrote {quoted(text, MAX_NOTE_CHARACTERS)}" for text in known]


def talk(known: Sequence[Chat]) -> list[str]:
    """What players and watchers said, each line marked as speech of its author."""
    return [
        f"{_speaker(chat)} {quoted(chat.sender, MAX_NAME_CHARACTERS)} says {quoted(chat.text, MAX_CHAT_CHARACTERS)}"
        for chat in known
    ]


def _speaker(chat: Chat) -> str:
    return "a watcher" if chat.seat is UNSET else f"seat {chat.seat}"


def turn(asked: YourTurn, form: Form) -> Iterator[str]:
    """What is asked, and what may be done."""
    legal = " ".join(asked.legal_actions)
    span = asked.chip_range
    if form is Form.COMPACT:
        yield f"action {asked.action_index}, to call {asked.to_call}, legal {legal}"
        if span is not None:
            yield f"bet or raise to {span.min}..{span.max}"
        return
    yield f"It is your turn; your action will be number {asked.action_index} of this hand."
    yield f"To call costs {asked.to_call} chips."
    yield f"The legal actions are: {', '.join(asked.legal_actions)}."
    if span is not None:
        yield f"A bet or raise has to be to a total of at least {span.min} and at most {span.max} chips."
