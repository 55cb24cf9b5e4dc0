"""The register takes a function that has the form of a gate, and no other. (All: `tests/architecture`.)"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from typing import Any, Union

import pytest

import policy
from policy.errors import NotAGate
from policy.gates import GATES, Gate, describe_gate
from policy.reveal_policy import compute_revealed_hole_cards

HEADER = "SECURITY: not display logic."


def gate_modules() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(policy.__path__)]
    return [f"policy.{name}" for name in names if name.endswith(("_policy", "_scope"))]


def test_no_gate_is_registered_twice() -> None:
    """One gate, one entry."""
    assert len({(gate.module, gate.name) for gate in GATES}) == len(GATES)


@pytest.mark.parametrize("module", gate_modules())
def test_a_gate_module_says_what_it_is(module: str) -> None:
    """Its docstring opens with the warning, says what it withholds, and names the decision that it holds."""
    doc = importlib.import_module(module).__doc__ or ""
    assert doc.startswith(HEADER)
    assert "Withholds" in doc
    assert "Holds decision " in doc


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: f"{gate.module}.{gate.name}")
def test_a_gate_is_found_by_its_full_name(gate: Gate) -> None:
    """What the register says can be taken out: the name leads to the function, and the function to the entry."""
    function = getattr(importlib.import_module(gate.module), gate.name)
    assert inspect.isfunction(function)
    assert describe_gate(function, withholds=gate.withholds) == gate


def good(*, viewer: str) -> str | None:
    """Withholds nothing."""
    return viewer


def no_parameters() -> str:
    """Withholds nothing."""
    return ""


def positional(viewer: str) -> str:
    """Withholds nothing."""
    return viewer


def with_default(*, viewer: str = "") -> str:
    """Withholds nothing."""
    return viewer


def swallows_all(**viewer: str) -> str:
    """Withholds nothing."""
    return str(viewer)


def not_annotated(*, viewer) -> str:  # type: ignore[no-untyped-def]
    """Withholds nothing."""
    return str(viewer)


def no_return_hint(*, viewer: str):  # type: ignore[no-untyped-def]
    """Withholds nothing."""
    return viewer


def a_bool(*, viewer: str) -> bool:
    """Withholds nothing."""
    return bool(viewer)


def a_bool_or_a_name(*, viewer: str) -> Union[bool, str]:  # noqa: UP007 - the older notation makes another kind of hint
    """Says who looks, or whether somebody does."""
    return bool(viewer)


def perhaps_a_bool(*, viewer: str) -> bool | None:
    """Withholds nothing."""
    return bool(viewer)


def anything(*, viewer: str) -> Any:
    """Withholds nothing."""
    return viewer


def any_object(*, viewer: str) -> object:
    """Withholds nothing."""
    return viewer


def nothing(*, viewer: str) -> None:
    """Withholds nothing."""


def undocumented(*, viewer: str) -> str:
    return viewer


@pytest.fixture(autouse=True)
def _in_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions of this file as if they were of policy."""
    for thing in list(globals().values()):
        if inspect.isfunction(thing) and thing.__module__ == __name__:
            monkeypatch.setattr(thing, "__module__", "policy.made_up_policy")


def test_the_form_of_a_gate_is_accepted() -> None:
    """Keyword-only, no defaults, annotated, documented, no bool: and it is described by its name."""
    assert describe_gate(good, withholds="x") == Gate("policy.made_up_policy", "good", "x")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (no_parameters, "no_parameters: a gate is asked something"),
        (positional, "positional: viewer must be keyword-only and have no default"),
        (with_default, "with_default: viewer must be keyword-only and have no default"),
        (swallows_all, "swallows_all: viewer must be keyword-only and have no default"),
        (not_annotated, "not_annotated: annotate everything"),
        (no_return_hint, "no_return_hint: annotate everything"),
        (a_bool, "a_bool: return what is permitted, and no bool"),
        (a_bool_or_a_name, "a_bool_or_a_name: return what is permitted, and no bool"),
        (perhaps_a_bool, "perhaps_a_bool: return what is permitted, and no bool"),
        (anything, "anything: return what is permitted, and no bool"),
        (any_object, "any_object: return what is permitted, and no bool"),
        (nothing, "nothing: return what is permitted, and no bool"),
        (undocumented, "undocumented: say what it withholds"),
        (len, "a gate is a plain function of policy"),
        (functools.partial(compute_revealed_hole_cards), "a gate is a plain function of policy"),
        (inspect.signature, "a gate is a plain function of policy"),
    ],
)
def test_any_other_form_is_refused(function: Any, why: str) -> None:
    """Each way in which a gate could be called wrongly, or its answer be overlooked, is an error."""
    with pytest.raises(NotAGate, match=why):
        describe_gate(function, withholds="x")


def test_a_gate_says_what_it_withholds() -> None:
    """The register has no entry without words."""
    with pytest.raises(NotAGate, match="good: say what it withholds"):
        describe_gate(good, withholds="")
