"""A house player's decision: pure, from what it knows, its style and its dice.

A wish is made first, and then fitted to what is legal, so no style can break a rule
(test_a_choice_is_legal_whatever_is_asked). The numbers that it was made by are kept beside it, for who tells why.
"""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass
from typing import Final, assert_never

from railbird.agenthost.house.knowledge import Choice, Knowledge, PostflopGrounds, PreflopGrounds, Weighed
from railbird.agenthost.house.strength import equity, share_of_better_hands
from railbird.agenthost.house.styles import Style
from railbird.client import ActionKind, Street

SAMPLES: Final = 160
_MOST_RAISES: Final = 3
_COMMITTED: Final = 0.6
"""A bet of more than this share of the chips that one has is made for all of them."""


class Wish(enum.Enum):
    """What a player would like, before the rules have a say."""

    GIVE_UP = "give_up"
    STAY = "stay"
    RAISE = "raise"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A wish; `total_chips` of the street where it is to raise."""

    wish: Wish
    total_chips: int = 0


def decide(knowledge: Knowledge, style: Style, rng: random.Random) -> Choice:
    """The move of this style in this place: a legal one, with an amount inside the range."""
    return weigh(knowledge, style, rng).choice


def weigh(knowledge: Knowledge, style: Style, rng: random.Random) -> Weighed:
    """The same move, and what it was made by."""
    if len(knowledge.hole_cards) != 2:
        return Weighed(fit(_Wanted(Wish.GIVE_UP), knowledge), None)
    if knowledge.street is Street.PREFLOP:
        dealt = _preflop_grounds(knowledge, style)
        return Weighed(fit(_before_the_flop(dealt, knowledge, style, rng), knowledge), dealt)
    grounds = _postflop_grounds(knowledge, rng)
    return Weighed(fit(_after_the_flop(grounds, knowledge, style, rng), knowledge), grounds)


def fit(wanted: _Wanted, knowledge: Knowledge) -> Choice:
    """The legal move that is nearest to what is wanted."""
    match wanted.wish:
        case Wish.RAISE:
            return _raise_to(wanted.total_chips, knowledge)
        case Wish.STAY:
            return _stay(knowledge)
        case Wish.GIVE_UP:
            return Choice(ActionKind.CHECK if ActionKind.CHECK in knowledge.legal else ActionKind.FOLD)
        case _:
            assert_never(wanted.wish)


def _stay(knowledge: Knowledge) -> Choice:
    for action in (ActionKind.CHECK, ActionKind.CALL, ActionKind.ALL_IN):
        if action in knowledge.legal:
            return Choice(action)
    return Choice(ActionKind.FOLD)


def _raise_to(total_chips: int, knowledge: Knowledge) -> Choice:
    action = next((each for each in (ActionKind.BET, ActionKind.RAISE) if each in knowledge.legal), None)
    if action is None or knowledge.raise_range is None:
        return _stay(knowledge)
    least, most = knowledge.raise_range
    own_chips = knowledge.own_bet_chips + knowledge.own_stack_chips
    if total_chips > own_chips * _COMMITTED:
        total_chips = most
    return Choice(action, max(least, min(total_chips, most)))


# --- before the flop ----------------------------------------------------------------------------------------------------


def _preflop_grounds(knowledge: Knowledge, style: Style) -> PreflopGrounds:
    first, second = knowledge.hole_cards
    return PreflopGrounds(better=share_of_better_hands(first, second), plays=_share_played(knowledge, style))


def _before_the_flop(grounds: PreflopGrounds, knowledge: Knowledge, style: Style, rng: random.Random) -> _Wanted:
    better, plays = grounds.better, grounds.plays
    if better < plays * 0.4 and knowledge.raises <= _MOST_RAISES and rng.random() < style.aggression:
        return _Wanted(Wish.RAISE, _opening(knowledge, rng))
    if better < plays:
        steals = knowledge.raises == 0 and rng.random() < style.aggression * 0.5
        return _Wanted(Wish.RAISE, _opening(knowledge, rng)) if steals else _Wanted(Wish.STAY)
    cheap = knowledge.to_call_chips <= knowledge.big_blind_chips // 2
    return _Wanted(Wish.STAY if cheap and rng.random() < 0.5 + style.stickiness else Wish.GIVE_UP)


def _share_played(knowledge: Knowledge, style: Style) -> float:
    """Fewer hands in front of many, and against raises; more heads-up."""
    seats = knowledge.opponents + 1
    share = style.looseness * (1.0 + 0.5 / max(1, knowledge.to_act_after + 1)) * (2.0 if seats == 2 else 1.0)
    for _ in range(knowledge.raises):
        share *= 0.45 + style.stickiness
    return min(share * _dear(knowledge), 0.95)


def _dear(knowledge: Knowledge) -> float:
    """Less for a call that costs much of what one has."""
    cost = knowledge.to_call_chips / max(1, knowledge.own_stack_chips)
    return 1.0 if cost < 0.15 else 0.6 if cost < 0.5 else 0.35


def _opening(knowledge: Knowledge, rng: random.Random) -> int:
    if knowledge.raises == 0:
        blinds = rng.choice((2.5, 2.5, 3.0, 3.5)) + knowledge.callers
        return round(blinds * knowledge.big_blind_chips)
    present = knowledge.own_bet_chips + knowledge.to_call_chips
    return round(present * rng.uniform(2.4, 3.2))


# --- after the flop -----------------------------------------------------------------------------------------------------


def _postflop_grounds(knowledge: Knowledge, rng: random.Random) -> PostflopGrounds:
    """A bet says something: what looked good against random cards looks worse with each."""
    strength = equity(knowledge.hole_cards, knowledge.board, knowledge.opponents, rng, SAMPLES)
    if knowledge.to_call_chips == 0:
        return PostflopGrounds(strength, believed=strength, odds=0.0)
    odds = knowledge.to_call_chips / (knowledge.pot_chips + knowledge.to_call_chips)
    return PostflopGrounds(strength, believed=strength ** (1.0 + 0.35 * max(1, knowledge.raises)), odds=odds)


def _after_the_flop(grounds: PostflopGrounds, knowledge: Knowledge, style: Style, rng: random.Random) -> _Wanted:
    if knowledge.to_call_chips == 0:
        return _unasked(grounds.strength, knowledge, style, rng)
    return _asked(grounds, knowledge, style, rng)


def _unasked(strength: float, knowledge: Knowledge, style: Style, rng: random.Random) -> _Wanted:
    good = strength > 0.5 + 0.15 / max(1, knowledge.opponents)
    if rng.random() < (style.aggression if good else style.bluffing * (1.0 - strength)):
        return _Wanted(Wish.RAISE, _bet(knowledge, style, rng))
    return _Wanted(Wish.STAY)


def _asked(grounds: PostflopGrounds, knowledge: Knowledge, style: Style, rng: random.Random) -> _Wanted:
    if grounds.believed > 0.66 and knowledge.raises <= _MOST_RAISES and rng.random() < style.aggression:
        return _Wanted(Wish.RAISE, _bet(knowledge, style, rng))
    if grounds.believed > grounds.odds - style.stickiness:
        return _Wanted(Wish.STAY)
    bluffs = knowledge.raises <= 1 and rng.random() < style.bluffing * 0.25
    return _Wanted(Wish.RAISE, _bet(knowledge, style, rng)) if bluffs else _Wanted(Wish.GIVE_UP)


def _bet(knowledge: Knowledge, style: Style, rng: random.Random) -> int:
    """The total of a bet or raise by a share of the pot as it is after our call, to a whole half of a big blind."""
    present = knowledge.own_bet_chips + knowledge.to_call_chips
    wanted = present + (knowledge.pot_chips + knowledge.to_call_chips) * rng.uniform(*style.bets)
    step = max(1, knowledge.big_blind_chips // 2)
    return max(step, round(wanted / step) * step)
