"""Random six-handed hands through the hand engine and through its peers, one after the other in one run.

Each plays legal actions at random with the same weights: fold, call or check twice as likely, raise by zero to three blinds above
the minimum. Stacks of 100 big blinds. Ours deals each hand from a secure deck of its own and makes all facts; PokerKit runs with
all its automations. rlcard and PyPokerEngine have coarser rules; they are here for scale.
"""

from __future__ import annotations

import importlib
import random
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from benchmarks.measure import Figure, percentile, rate, version
from gameserver.hand.deck import secure_deck
from gameserver.hand.facts import ActionKind, ForcedBet, ForcedKind, Turn
from gameserver.hand.hand import Hand
from policy.ids import Seat

SEATS = tuple((Seat(number), 10_000) for number in range(6))
BLINDS = (ForcedBet(Seat(0), ForcedKind.SMALL_BLIND, 50), ForcedBet(Seat(1), ForcedKind.BIG_BLIND, 100))
BIG_BLIND = 100

Timed: TypeAlias = Callable[[Callable[[], object]], object]
Play: TypeAlias = Callable[[random.Random, Timed], None]


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; `seconds` of CPU time for each engine."""
    figures = [*_ours(seconds), *_pokerkit(seconds), _rlcard(seconds), _pypokerengine(seconds)]
    return "Hand engine: random six-handed no-limit hold'em", figures


def _ours(seconds: float) -> list[Figure]:
    hands = rate(_player(play_hand), seconds)
    return [Figure("railbird hand engine", hands, "hands/s"), *_step_figures("railbird", play_hand, seconds)]


def play_hand(dice: random.Random, timed: Timed) -> None:
    """One hand from the deck to the last pot. `timed` runs each step; the deal is one too."""
    hand = Hand(seats=SEATS, forced=BLINDS, big_blind_chips=BIG_BLIND, straddle_chips=None)
    timed(lambda: hand.deal(secure_deck()))
    while (turn := hand.turn) is not None:
        timed(_step(hand, turn, *choose(dice, turn)))


def _step(hand: Hand, turn: Turn, action: ActionKind, amount_chips: int | None) -> Callable[[], object]:
    return lambda: hand.act(turn.seat, action, amount_chips)


def choose(dice: random.Random, turn: Turn) -> tuple[ActionKind, int | None]:
    """A random legal move."""
    call = turn.legal[1]
    if turn.raise_range is None:
        return dice.choice((ActionKind.FOLD, call, call)) if turn.to_call_chips else call, None
    options = (turn.legal[2], call, call, ActionKind.FOLD) if turn.to_call_chips else (turn.legal[2], call, call)
    action = dice.choice(options)
    if action is not turn.legal[2]:
        return action, None
    least, most = turn.raise_range
    return action, min(most, least + dice.randint(0, 3) * BIG_BLIND)


def _pokerkit(seconds: float) -> list[Figure]:
    try:
        from pokerkit import Automation, NoLimitTexasHoldem
    except ImportError:
        return [Figure("PokerKit", None, "hands/s", "not installed")]
    automations = tuple(Automation)

    def play(dice: random.Random, timed: Timed) -> None:
        state = NoLimitTexasHoldem.create_state(automations, True, 0, (50, 100), 100, (10_000,) * 6, 6)
        while state.status:
            timed(_choose_for_pokerkit(dice, state))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hands = rate(_player(play), seconds)
        steps = _step_figures("PokerKit", play, seconds)
    return [Figure("PokerKit, all automations", hands, "hands/s", version("pokerkit")), *steps]


def _choose_for_pokerkit(dice: random.Random, state: Any) -> Callable[[], object]:
    options: list[Callable[[], object]] = [state.check_or_call, state.check_or_call]
    if state.can_fold():
        options.append(state.fold)
    if state.can_complete_bet_or_raise_to():
        least, most = (
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        total = min(most, least + dice.randint(0, 3) * BIG_BLIND)
        options.append(lambda: state.complete_bet_or_raise_to(total))
    return dice.choice(options)


def _rlcard(seconds: float) -> Figure:
    name = "rlcard no-limit-holdem"
    try:
        rlcard = importlib.import_module("rlcard")
    except ImportError:
        return Figure(name, None, "hands/s", "not installed")
    env = rlcard.make("no-limit-holdem", config={"game_num_players": 6})

    def play() -> None:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
        env.get_payoffs()

    return Figure(name, rate(play, seconds), "hands/s", f"{version('rlcard')}; coarser rules and bet sizes")


def _pypokerengine(seconds: float) -> Figure:
    name = "PyPokerEngine"
    try:
        game = importlib.import_module("pypokerengine.api.game")
        players = importlib.import_module("pypokerengine.players")
    except ImportError:
        return Figure(name, None, "hands/s", "not installed")

    def declare(self: object, valid: Any, hole: object, state: object) -> tuple[str, int]:
        choice = random.choice(valid)
        if choice["action"] != "raise":
            return choice["action"], choice["amount"]
        least, most = choice["amount"]["min"], choice["amount"]["max"]
        if least < 0:
            return valid[1]["action"], valid[1]["amount"]
        return "raise", min(most, least + random.randint(0, 3) * BIG_BLIND)

    ignored = dict.fromkeys(_PYPOKERENGINE_MESSAGES, lambda self, *message: None)
    player = type("RandomPlayer", (players.BasePokerPlayer,), {"declare_action": declare, **ignored})

    def play() -> None:
        config = game.setup_config(max_round=1, initial_stack=10_000, small_blind_amount=50)
        for number in range(6):
            config.register_player(f"p{number}", player())
        game.start_poker(config, verbose=0)

    return Figure(
        name, rate(play, seconds), "hands/s", f"{version('PyPokerEngine')}; a new game a hand, messages included"
    )


_PYPOKERENGINE_MESSAGES = (
    "receive_game_start_message",
    "receive_round_start_message",
    "receive_street_start_message",
    "receive_game_update_message",
    "receive_round_result_message",
)


def _player(play: Play) -> Callable[[], None]:
    """Plays hand after hand without a clock around each step, which would cost as much as a part of the step."""
    dice = random.Random(7)
    return lambda: play(dice, lambda step: step())


def _step_figures(name: str, play: Play, seconds: float) -> list[Figure]:
    """CPU time of single steps, in a second pass of its own."""
    dice, steps = random.Random(7), list[float]()

    def timed(step: Callable[[], object]) -> None:
        start = time.process_time()
        step()
        steps.append(time.process_time() - start)

    rate(lambda: play(dice, timed), seconds / 2)
    steps.sort()
    return [
        Figure(f"{name}, one step, {label}", percentile(steps, share) * 1000, f"ms {label}", note, higher=False)
        for label, share, note in (("p50", 0.5, ""), ("p99", 0.99, f"of {len(steps):,} steps"))
    ]
