"""The door holds back a frame with a card too many, whoever drew it and by whichever way it would go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from gameserver.wire.messages import CardsShown, NumberedFrame, OwnCards
from gameserver.words import ShownBecause
from policy.ids import Seat, UserId
from tests.leaks.mutants import MUTANTS, Mutant, planted
from tests.leaks.script import Act, Action, Reconnect, Resume, ResumeStream, Sit, Stream, Wait, Watch
from tests.leaks.stage import Stage, staged
from tests.leaks.world import TABLE

_WATCHERS: Final = ("crowd", "sid", "eve")
_ALL: Final[tuple[Action, ...]] = (
    *(Sit(who) for who in ("ada", "ben", "cyd")),
    *(Watch(who) for who in _WATCHERS),
    *(Stream(who) for who in ("crowd", "owner-ben")),
    Wait(500),
    Act(1),
)


def _frames(stage: Stage) -> list[NumberedFrame]:
    """Frames with the cards of seat 0 in them, as a view with a fault would draw them."""
    cards: list[str] = list(stage.cards_of("ada", hand=stage.world.state().hand_number))
    number = stage.world.state().hand_number
    return [
        CardsShown(seq=0, table_id=TABLE, hand_number=number, seat=0, cards=cards, because=ShownBecause.SHOWDOWN),
        OwnCards(seq=0, table_id=TABLE, hand_number=number, agent_id="ada", seat=0, cards=cards),
    ]


def _to_public(stage: Stage, frames: Sequence[NumberedFrame]) -> None:
    stage.world.server.door.send_to_public(TABLE, frames)


def _to_agents(stage: Stage, frames: Sequence[NumberedFrame]) -> None:
    stage.world.server.door.send_to_unseated_agents(TABLE, frames)


def _to_seat(stage: Stage, frames: Sequence[NumberedFrame]) -> None:
    from gameserver.table.commands import PlayerId
    from gameserver.views.audience import SeatAudience

    stage.world.server.door.send_to_seat(TABLE, SeatAudience(Seat(1), PlayerId("agent:ben")), frames)


def _to_owner(stage: Stage, frames: Sequence[NumberedFrame]) -> None:
    stage.world.server.door.send_to_user(UserId("owner-ben"), TABLE, frames)


@pytest.mark.parametrize("send", [_to_public, _to_agents, _to_seat, _to_owner])
def test_a_planted_frame_goes_to_nobody(send: Callable[[Stage, Sequence[NumberedFrame]], None], template: Path) -> None:
    """By socket, by event stream, and to who resumes either afterwards: refused, logged without the card, and counted."""
    with staged(template) as stage:
        stage.play(*_ALL)
        cards = stage.cards_of("ada", hand=stage.world.state().hand_number)
        before = stage.world.server.door.refused_total
        send(stage, _frames(stage))
        resumes: list[Action] = [
            *(Resume(who, 0) for who in (*_WATCHERS, "ben")),
            *(ResumeStream(who, 0) for who in ("crowd", "owner-ben")),
        ]
        stage.play(Wait(10), *resumes)
        assert stage.world.server.door.refused_total == before + 2
        assert sum("refused to send" in line for line in stage.heard.lines) == 2
        for who in (*_WATCHERS, "ben", "cyd", "owner-ben"):
            assert stage.got(who) and not any(card.encode() in stage.got(who) for card in cards), who
        assert not any(card in line for card in cards for line in stage.heard.lines)


@pytest.mark.parametrize("name", ["first_snapshot_unfiltered", "history_slots"])
def test_a_planted_snapshot_goes_to_nobody(name: str, template: Path) -> None:
    """Whoever would get it is closed instead."""
    leak = MUTANTS[name]
    with staged(template) as stage, planted(Mutant(name, "", leak.patches[1:])):
        stage.play(*_ALL, Act(0), Wait(1_000), Reconnect("crowd"))
        assert any("refused to send a Snapshot" in line for line in stage.heard.lines)
        assert b"4500" in stage.got("crowd") or b"1011" in stage.got("crowd")


def test_the_frames_that_it_lets_through_count_without_gaps(template: Path) -> None:
    """A refused frame takes no number: nobody can tell that there was one."""
    with staged(template) as stage:
        stage.play(*_ALL)
        _to_public(stage, _frames(stage))
        stage.play(Act(1), Act(1))
        numbers = [m["seq"] for m in stage.world.sockets["crowd"].messages if m["type"] not in ("hello", "snapshot")]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
