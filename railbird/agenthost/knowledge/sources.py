"""The parts of an agent's memory: what each takes from the frames, and what of it is known at a turn.

How a part is said in a prompt is `railbird.agenthost.knowledge.wording`'s matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from gameserver.wire.messages import (
    Chat,
    GameState,
    HandCancelled,
    HandResult,
    HandStarted,
    Note,
    PastHand,
    PlayerAction,
    Snapshot,
    TableRules,
)
from railbird.agenthost.knowledge import wording
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.past import PlayedHand, played_hand
from railbird.client import Frame

MOST_HANDS: Final = 20
MOST_NOTES: Final = 8
MOST_CHAT_LINES: Final = 10


class Table:
    """The table's rules."""

    name = "table"
    heading = "Table"

    def __init__(self) -> None:
        self.rules: TableRules | None = None

    def take(self, frame: Frame) -> None:
        if isinstance(frame, Snapshot):
            self.rules = frame.rules

    def freeze(self) -> TableRules | None:
        return self.rules

    def lines(self, known: TableRules | None, form: Form, /) -> Iterable[str]:
        return [] if known is None else wording.rules(known, form)


class State:
    """The table as it is: the last frame wins. Kept by reference: it is replaced, and nothing changes one."""

    name = "state"
    heading = "State"

    def __init__(self) -> None:
        self.latest: GameState | None = None

    def take(self, frame: Frame) -> None:
        match frame:
            case GameState():
                self.latest = frame
            case Snapshot():
                self.latest = frame.state
            case _:
                pass

    def freeze(self) -> GameState | None:
        return self.latest

    def lines(self, known: GameState | None, form: Form, /) -> Iterable[str]:
        return [] if known is None else wording.state(known, form)


class Actions:
    """This hand's public actions. A state shows what came of them and not the verbs."""

    name = "actions"
    heading = "Actions"

    def __init__(self) -> None:
        self._actions: list[PlayerAction] = []

    def take(self, frame: Frame) -> None:
        match frame:
            case PlayerAction():
                self._actions.append(frame)
            case HandStarted() | HandCancelled():
                self._actions = []
            case Snapshot():
                self._actions = list(frame.actions)
            case _:
                pass

    def freeze(self) -> tuple[PlayerAction, ...]:
        return tuple(self._actions)

    def lines(self, known: tuple[PlayerAction, ...], form: Form, /) -> Iterable[str]:
        return wording.actions(known, form)

    def are_all_before(self, action_index: int) -> bool:
        """Whether every action of the hand that came before this one is here."""
        return [action.action_index for action in self._actions] == list(range(action_index))


class PreviousHands:
    """The last finished hands, oldest first, each as this player saw it."""

    name = "previousHands"
    heading = "Previous Hands"

    def __init__(self) -> None:
        self._hands: deque[PlayedHand] = deque(maxlen=MOST_HANDS)
        self._actions: list[PlayerAction] = []
        self._own: GameState | None = None

    def take(self, frame: Frame) -> None:
        match frame:
            case HandStarted():
                self._actions = []
            case PlayerAction():
                self._actions.append(frame)
            case GameState():
                self._see(frame)
            case HandResult():
                self._hands.append(played_hand(self._past(frame)))
            case Snapshot():
                self._actions = list(frame.actions)
                self._see(frame.state)
                self._merge(frame.recent_hands)
            case _:
                pass

    def _see(self, state: GameState) -> None:
        """A state after the hand has no hole cards any more."""
        if state.your_hole_cards is not UNSET:
            self._own = state

    def _past(self, result: HandResult) -> PastHand:
        own = self._own
        dealt_in = own is not None and own.hand_number == result.hand_number
        return PastHand(
            hand_number=result.hand_number or 0,
            actions=self._actions,
            result=result,
            your_seat=own.your_seat if own is not None and dealt_in else UNSET,
            your_hole_cards=own.your_hole_cards if own is not None and dealt_in else UNSET,
        )

    def _merge(self, told: Iterable[PastHand]) -> None:
        """What the table tells is whole; what it does not tell any more and we saw ourselves stays."""
        hands = {hand.hand_number: hand for hand in self._hands} | {
            past.hand_number: played_hand(past) for past in told
        }
        self._hands = deque((hands[number] for number in sorted(hands)), maxlen=MOST_HANDS)

    def freeze(self) -> tuple[PlayedHand, ...]:
        return tuple(self._hands)

    def lines(self, known: tuple[PlayedHand, ...], form: Form, /) -> Iterable[str]:
        return (hand.line(form) for hand in known)


class Notes:
    """What the owner wrote, the last ones; a snapshot does not tell them again."""

    name = "notes"
    heading = "Notes"

    def __init__(self) -> None:
        self._notes: deque[str] = deque(maxlen=MOST_NOTES)

    def take(self, frame: Frame) -> None:
        if isinstance(frame, Note):
            self._notes.append(frame.text)

    def freeze(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def lines(self, known: tuple[str, ...], form: Form, /) -> Iterable[str]:
        return wording.notes(known)


class TableTalk:
    """What was said at the table, the last lines, where the table lets agents hear it."""

    name = "tableTalk"
    heading = "Table Talk"

    def __init__(self) -> None:
        self._said: deque[Chat] = deque(maxlen=MOST_CHAT_LINES)

    def take(self, frame: Frame) -> None:
        if isinstance(frame, Chat):
            self._said.append(frame)

    def freeze(self) -> tuple[Chat, ...]:
        return tuple(self._said)

    def lines(self, known: tuple[Chat, ...], form: Form, /) -> Iterable[str]:
        return wording.talk(known)
