"""The page of the gates."""

from __future__ import annotations

import pytest

from policy import reveal_policy
from policy.gates import GATES
from policy.ids import Seat
from railbird import gates_document


def test_the_page_of_the_gates_is_what_the_gates_say() -> None:
    """`docs/gates.md` is what the gates answer today; `python -m railbird.gates_document --write` makes it anew."""
    assert gates_document.main(["--check"]) == 0


def test_a_gate_that_answers_otherwise_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is asked for and not written down: an open gate makes another page."""
    everything = {Seat(0): gates_document._CARDS, Seat(1): gates_document._CARDS}
    monkeypatch.setattr(reveal_policy, "compute_revealed_hole_cards", lambda **_: everything)
    assert gates_document.main(["--check"]) == 1


def test_every_gate_is_on_the_page() -> None:
    """The register and the page name the same gates."""
    text = gates_document.page()
    assert all(f"{gate.module.removeprefix('policy.')}.{gate.name}`" in text for gate in GATES)
