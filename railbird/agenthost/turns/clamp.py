"""From what a model chose to what may be sent: the same where it is legal, else the nearest legal move, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from capture.record import Move
from gameserver.wire.messages import YourTurn
from railbird.agenthost.turns.parse import Answer
from railbird.client import ActionKind

_SIZED: Final = (ActionKind.BET, ActionKind.RAISE)


@dataclass(frozen=True, slots=True)
class Clamped:
    """`why`: what was wrong with the choice; `None` where it is sent as it was chosen."""

    chosen: Move
    sent: Move
    why: str | None


def clamp(answer: Answer, turn: YourTurn) -> Clamped:
    """The legal move that is nearest to what was chosen: one of the turn's, with an amount inside its range
    (test_what_is_sent_is_legal_whatever_was_chosen).

    An amount beside an action that takes none is no part of the choice.
    """
    chosen = Move(answer.action.value, answer.amount if answer.action in _SIZED else None)
    match answer.action:
        case ActionKind.BET | ActionKind.RAISE:
            sent, why = _sized(answer, turn)
        case ActionKind.FOLD:
            sent, why = Move("fold"), None
        case ActionKind.CHECK:
            sent, why = _check(turn)
        case ActionKind.CALL:
            sent, why = _call(turn)
        case ActionKind.ALL_IN:
            sent, why = _all_in(turn)
    return Clamped(chosen, sent, why)


def safe_move(turn: YourTurn) -> Move:
    """Check where that is possible, fold where it is not."""
    return Move("check" if ActionKind.CHECK in turn.legal_actions else "fold")


def _sized(answer: Answer, turn: YourTurn) -> tuple[Move, str | None]:
    action = next((each for each in _SIZED if each in turn.legal_actions), None)
    if action is None or turn.chip_range is None:
        return _instead_of_raising(answer.action, turn)
    least, most = turn.chip_range.min, turn.chip_range.max
    wanted = least if answer.amount is None else answer.amount
    reasons = [
        *([f"a {answer.action} is not possible here, a {action} is"] if action is not answer.action else []),
        *(["no amount was named"] if answer.amount is None else []),
        *([f"{wanted} is less than the least, {least}"] if wanted < least else []),
        *([f"{wanted} is more than the most, {most}"] if wanted > most else []),
    ]
    return Move(action.value, max(least, min(wanted, most))), "; ".join(reasons) or None


def _instead_of_raising(action: ActionKind, turn: YourTurn) -> tuple[Move, str]:
    """Who wanted to put more in than is allowed still wants to stay."""
    for each in (ActionKind.CALL, ActionKind.CHECK, ActionKind.ALL_IN):
        if each in turn.legal_actions:
            return Move(each.value), f"a {action} is not possible here"
    return safe_move(turn), f"a {action} is not possible here"


def _check(turn: YourTurn) -> tuple[Move, str | None]:
    if ActionKind.CHECK in turn.legal_actions:
        return Move("check"), None
    return Move("fold"), f"to check is not possible, a call costs {turn.to_call}"


def _call(turn: YourTurn) -> tuple[Move, str | None]:
    if ActionKind.CALL in turn.legal_actions:
        return Move("call"), None
    if ActionKind.CHECK in turn.legal_actions:
        return Move("check"), "there is nothing to call"
    return _or_safe(ActionKind.ALL_IN, turn, "to call is not possible here")


def _all_in(turn: YourTurn) -> tuple[Move, str | None]:
    """Where it is not on the list, the most that may be bet is nearest, then a call."""
    if ActionKind.ALL_IN in turn.legal_actions:
        return Move("all_in"), None
    why = "to go all-in is not possible here"
    action = next((each for each in _SIZED if each in turn.legal_actions), None)
    if action is not None and turn.chip_range is not None:
        return Move(action.value, turn.chip_range.max), why
    return _call(turn)[0], why


def _or_safe(action: ActionKind, turn: YourTurn, why: str) -> tuple[Move, str]:
    return (Move(action.value) if action in turn.legal_actions else safe_move(turn)), why
