"""What a turn's prompt says: everything that the agent knows, section by section, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from railbird.agenthost.knowledge import wording
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.memory import TurnKnowledge

TURN_HEADING: Final = "Your Turn"
_GAP: Final = (
    "historyGap",
    ["Public actions of this hand are missing above: you came back to it. The state is right all the same."],
)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """`knowledge`: what the text was made from, and all that it was made from."""

    knowledge: TurnKnowledge
    text: str


def build_turn_context(knowledge: TurnKnowledge, form: Form) -> TurnContext:
    """The sections of a turn. A part of the memory without anything to say has none."""
    sections = [section(heading, lines) for heading, lines in _sections(knowledge, form) if lines]
    return TurnContext(knowledge, "\n".join(sections))


def section(heading: str, lines: Iterable[str]) -> str:
    """A heading in brackets on a line of its own, and lines under it."""
    return "\n".join([f"[{heading}]", *lines])


def _sections(knowledge: TurnKnowledge, form: Form) -> Iterator[tuple[str, list[str]]]:
    for each in knowledge.known:
        yield each.source.heading, list(each.source.lines(each.value, form))
    if knowledge.history_gap:
        yield _GAP
    yield TURN_HEADING, list(wording.turn(knowledge.turn, form))
