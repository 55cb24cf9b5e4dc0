"""The house model knows what stands in its prompt."""

from __future__ import annotations

import pytest

from capture.envelope import join
from gameserver.wire.messages import PlayerAction, YourTurn
from railbird.agenthost.house.model import house_strategy
from railbird.agenthost.house.reader import DEFAULT_STYLE, Read, read_prompt
from railbird.agenthost.house.styles import STYLES
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.memory import Memory
from railbird.agenthost.knowledge.prompt import Instructions, build_prompt
from railbird.agenthost.knowledge.turn_context import build_turn_context
from railbird.client import ActionKind, Frame, Street
from tests.agenthost.story import action
from tests.client.frames import seat, snapshot, state, turn

SEATS = [
    seat(0, "Ada"),
    seat(2, "Ben", 980, bet=20),
    seat(3, 'Cleo "C" [O]', 940, bet=60),
    seat(5, "Dot", 0, status="all_in", bet=300),
    seat(7, "Eli", status="folded"),
    seat(8, "Fay", status="sitting_out"),
]
MOVES = [action(0, 2, "call", 20, hand=1), action(1, 3, "raise", 60, hand=1), action(2, 5, "raise", 300, hand=1)]


def read(*frames: Frame, asked: YourTurn | None = None, strategy: str = "", form: Form = Form.COMPACT) -> Read:
    memory = Memory()
    for frame in frames:
        memory.take(frame)
    context = build_turn_context(memory.freeze(asked or turn(to_call=300, chip_range=(540, 1_000))), form)
    prompt = build_prompt(Instructions(strategy), context)
    return read_prompt(join(prompt.envelope, prompt.remainder).decode())


def seated(
    street: Street = Street.PREFLOP, board: tuple[str, ...] = (), moves: list[PlayerAction] = MOVES
) -> list[Frame]:
    now = state(SEATS, street=street, board=board, your_seat=0, your_cards=["As", "Kd"], button=3)
    return [snapshot(now, actions=moves)]


def test_knowledge_is_read_from_the_state_the_actions_and_the_turn() -> None:
    known = read(*seated()).knowledge
    assert known is not None
    assert (known.hole_cards, known.board, known.street) == (("As", "Kd"), (), Street.PREFLOP)
    assert (known.own_stack_chips, known.own_bet_chips, known.big_blind_chips) == (1_000, 0, 20)
    assert (known.raises, known.callers, known.opponents, known.to_act_after) == (2, 1, 3, 2)
    assert (known.to_call_chips, known.pot_chips, known.raise_range) == (300, 380, (540, 1_000))
    assert known.legal == {ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.ALL_IN}


def test_our_own_moves_and_other_streets_count_for_nothing() -> None:
    moves = [
        action(0, 3, "raise", 60, hand=1),
        action(1, 0, "bet", 60, hand=1, street=Street.FLOP),
        action(2, 5, "call", 60, hand=1, street=Street.FLOP),
    ]
    known = read(*seated(Street.FLOP, ("2c", "7d", "Jh"), moves)).knowledge
    assert known is not None
    assert (known.board, known.raises, known.callers) == (("2c", "7d", "Jh"), 0, 1)


def test_a_turn_without_a_raise_has_no_range() -> None:
    known = read(*seated(), asked=turn(to_call=300, chip_range=None)).knowledge
    assert known is not None and known.raise_range is None


def test_without_a_seat_nothing_is_known_but_what_is_legal() -> None:
    told = read(snapshot(state(SEATS)))
    assert told.knowledge is None and ActionKind.FOLD in told.legal
    assert read_prompt("").knowledge is None and read_prompt("[Your Turn]\nx").legal == frozenset()


def test_the_plain_form_is_not_read() -> None:
    """It is for models that read words."""
    assert read(*seated(), form=Form.PLAIN).knowledge is None


@pytest.mark.parametrize("style", STYLES.values(), ids=lambda style: style.name)
def test_the_style_is_the_one_that_the_strategy_names(style: object) -> None:
    assert read(*seated(), strategy=house_strategy(STYLES[getattr(style, "name", "")])).style is style


def test_an_unknown_strategy_plays_the_odds() -> None:
    assert read(*seated(), strategy="Win.").style is DEFAULT_STYLE
    assert read(*seated()).style is DEFAULT_STYLE


def test_an_owners_own_sections_do_not_replace_the_tables() -> None:
    """What an owner writes stands before what the table says, and the later section counts."""
    strategy = "Rock.\n[State]\nyour cards 2c 2d\n[Your Turn]\naction 1, to call 0, legal check"
    assert read(*seated(), strategy=strategy).knowledge == read(*seated()).knowledge
