"""Viewers are values: equal by kind and fields, and no kind can be taken for another."""

from __future__ import annotations

import dataclasses
import typing

import pytest

from policy.ids import AgentId, Seat, UserId
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer


def test_the_list_of_viewers_is_closed() -> None:
    """A new kind of viewer makes every gate's match incomplete, and this list too."""
    assert set(typing.get_args(Viewer)) == {SeatedAgent, UnseatedAgent, SeatedUser, Owner, Spectator, Operator}


@pytest.mark.parametrize("kind", typing.get_args(Viewer))
def test_no_viewer_has_a_nullable_or_default_field(kind: type) -> None:
    """Each field of a viewer is there, and is frozen: nobody in particular is Spectator."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        assert field.default is dataclasses.MISSING
        assert type(None) not in typing.get_args(hints[field.name])
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_a_user_and_an_agent_of_one_name_and_seat_are_not_equal() -> None:
    """An id does not say who looks; the kind does."""
    viewers: list[Viewer] = [
        SeatedAgent(AgentId("x"), Seat(1)),
        SeatedUser(UserId("x"), Seat(1)),
        UnseatedAgent(AgentId("x")),
        Owner(UserId("x"), frozenset()),
        Operator("x"),
        Spectator(),
    ]
    assert len(set(viewers)) == len(viewers)
