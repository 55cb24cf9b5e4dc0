"""What a turn's prompt says is made from what is known, and from all of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from capture.envelope import join
from gameserver.wire.messages import Presence
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.memory import Memory
from railbird.agenthost.knowledge.prompt import build_prompt
from railbird.agenthost.knowledge.turn_context import build_turn_context
from railbird.agenthost.mind import Mind
from railbird.client import Frame
from tests.agenthost.scripted import ScriptedModel
from tests.agenthost.story import SEATS, asked, entered, remembering, this_hand
from tests.client.frames import TABLE, state


class WhoIsAway:
    """A memory source that nobody thought of when the others were written."""

    name = "away"
    heading = "Away"

    def __init__(self) -> None:
        self._away: set[int] = set()

    def take(self, frame: Frame) -> None:
        if isinstance(frame, Presence) and not frame.connected:
            self._away.add(frame.seat)

    def freeze(self) -> tuple[int, ...]:
        return tuple(sorted(self._away))

    def lines(self, known: tuple[int, ...], form: Form, /) -> Iterable[str]:
        return [f"seat {seat} has lost its line" for seat in known]


def test_a_source_added_later_is_in_the_prompt_and_in_the_record() -> None:
    """Nothing but the memory is told of it."""
    memory = Memory([WhoIsAway()])
    for frame in (entered(this_hand(), hand=2), Presence(seq=3, table_id=TABLE, seat=1, connected=False)):
        memory.take(frame)
    knowledge = memory.freeze(asked())
    mind = Mind(ScriptedModel())
    prompt = build_prompt(mind.instructions, build_turn_context(knowledge, mind.form))
    assert b"\n[Away]\nseat 1 has lost its line\n" in join(prompt.envelope, prompt.remainder)
    assert msgspec.json.decode(msgspec.json.encode(knowledge.as_record()))["away"] == [1]


def test_every_part_of_the_memory_has_its_section() -> None:
    for form in Form:
        text = build_turn_context(remembering().freeze(asked()), form).text
        assert [line for line in text.splitlines() if line.startswith("[")] == [
            *("[Table]", "[Previous Hands]", "[Notes]", "[Table Talk]", "[State]", "[Actions]", "[Your Turn]"),
        ]


def test_a_part_without_anything_to_say_has_no_section() -> None:
    memory = Memory()
    memory.take(entered(this_hand(), hand=2))
    text = build_turn_context(memory.freeze(asked()), Form.COMPACT).text
    assert "[Notes]" not in text and "[Table Talk]" not in text and "[Previous Hands]" not in text


def test_a_history_gap_is_told() -> None:
    """An empty log is not presented as a hand in which nothing happened."""
    memory = Memory()
    memory.take(entered([], hand=2))
    text = build_turn_context(memory.freeze(asked(action_index=6)), Form.COMPACT).text
    assert "\n[historyGap]\nPublic actions of this hand are missing" in text
    assert "[historyGap]" not in build_turn_context(remembering().freeze(asked()), Form.COMPACT).text


def test_both_forms_name_every_seat_card_and_chip_range() -> None:
    """The compact form is shorter and leaves nothing out that a decision needs."""
    knowledge = remembering().freeze(asked())
    compact, plain = (build_turn_context(knowledge, form).text for form in (Form.COMPACT, Form.PLAIN))
    for said in ("As Kd", "7c 8d Ts", '"Ada"', '"Ben the Bold"', "980", "140", "40", "raise", "all_in", '"nice hand"'):
        assert said in compact and said in plain, said
    assert len(compact) < 0.7 * len(plain)


def test_cards_that_a_power_showed_are_told() -> None:
    """What the state holds, the prompt says."""
    memory = Memory()
    now = state(SEATS, hand=2, your_seat=3, your_cards=["As", "Kd"], revealed={"0": ["2c", "2d"]})
    for frame in (entered(this_hand(), hand=2), now):
        memory.take(frame)
    texts = [build_turn_context(memory.freeze(asked()), form).text for form in (Form.COMPACT, Form.PLAIN)]
    assert "\nseat 0 holds 2c 2d\n" in texts[0] and "\nYou saw that seat 0 holds 2c 2d.\n" in texts[1]


def test_without_a_state_there_is_the_question_alone() -> None:
    text = build_turn_context(Memory().freeze(asked(action_index=0)), Form.COMPACT).text
    assert text.startswith("[Your Turn]\n")
