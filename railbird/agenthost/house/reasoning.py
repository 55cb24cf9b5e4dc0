"""What a house player says that it thinks: its own numbers in words, and that it plays by rules.

The text names the kind of a hand and not the cards. At a table that shows thoughts it is read by everybody who watches, also after a
fold, and a folded hand is nobody's to know (test_a_thought_names_no_card).
"""

from __future__ import annotations

from typing import Final, assert_never

from railbird.agenthost.house.holding import holding
from railbird.agenthost.house.knowledge import Choice, Knowledge, PostflopGrounds, PreflopGrounds, Weighed
from railbird.agenthost.house.styles import Style
from railbird.client import ActionKind

_MOVES: Final = {
    ActionKind.FOLD: "I fold",
    ActionKind.CHECK: "I check",
    ActionKind.CALL: "I call",
    ActionKind.BET: "I bet",
    ActionKind.RAISE: "I raise to",
    ActionKind.ALL_IN: "I go all-in",
}


def reasoning(weighed: Weighed, knowledge: Knowledge, style: Style) -> str:
    """Why this move, in two to four short sentences."""
    if weighed.grounds is None:
        return f"House rules, {style.name}: I do not know my cards. {_move(weighed.choice)}."
    held = holding(knowledge.hole_cards, knowledge.board)
    return f"House rules, {style.name}: {held}. {_grounds(weighed, knowledge)} {_move(weighed.choice)}."


def _grounds(weighed: Weighed, knowledge: Knowledge) -> str:
    match weighed.grounds:
        case PreflopGrounds() as grounds:
            return _before_the_flop(grounds, weighed.choice, knowledge)
        case PostflopGrounds() as grounds:
            return _after_the_flop(grounds, weighed.choice, knowledge)
        case None:
            return ""
        case _:
            assert_never(weighed.grounds)


def _before_the_flop(grounds: PreflopGrounds, choice: Choice, knowledge: Knowledge) -> str:
    place = f"Top {_percent(grounds.better, least=1)} of hands, and {_after_raises(knowledge)}I play {_percent(grounds.plays)} here."
    if grounds.better < grounds.plays:
        return place
    if choice.action is ActionKind.CHECK:
        return f"{place} Not one of them, but it is free."
    if choice.action is ActionKind.FOLD:
        return f"{place} Not one of them."
    return f"{place} Not one of them, but it is cheap."


def _after_raises(knowledge: Knowledge) -> str:
    match knowledge.raises:
        case 0:
            return ""
        case 1:
            return "after a raise "
        case many:
            return f"after {many} raises "


def _after_the_flop(grounds: PostflopGrounds, choice: Choice, knowledge: Knowledge) -> str:
    against = "one hand" if knowledge.opponents == 1 else f"{knowledge.opponents} hands"
    wins = f"I win about {_percent(grounds.strength)} against {against}"
    if knowledge.to_call_chips == 0:
        return f"{wins}.{_aside(choice, is_weak=grounds.strength < 0.5)}"
    price = f"a call of {knowledge.to_call_chips:,} needs {_percent(grounds.odds)}"
    aside = _aside(choice, is_weak=grounds.believed < grounds.odds)
    return f"{wins}; after that bet I believe {_percent(grounds.believed)}, and {price}.{aside}"


def _aside(choice: Choice, *, is_weak: bool) -> str:
    """Where the move is not what the numbers say by themselves."""
    match choice.action:
        case ActionKind.BET | ActionKind.RAISE if is_weak:
            return " A bluff, then."
        case ActionKind.CALL | ActionKind.ALL_IN if is_weak:
            return " Too little, but I want to see it."
        case ActionKind.FOLD if not is_weak:
            return " Close, and I want more."
        case _:
            return ""


def _move(choice: Choice) -> str:
    amount = "" if choice.amount_chips is None else f" {choice.amount_chips:,}"
    return f"{_MOVES[choice.action]}{amount}"


def _percent(share: float, *, least: int = 0) -> str:
    return f"{max(least, round(share * 100))}%"
