"""The register of every gate: the one list that tests, mutation runs and `docs/gates.md` read.

It is a plain list, and gates are added to it by a call. Not by a decorator: mutation tools skip decorated functions in
silence, and a gate would look tested and not be.
It lists and checks form; it decides nothing.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from policy import (
    capture_scope,
    history_policy,
    name_policy,
    owner_policy,
    prompt_policy,
    redaction_policy,
    reveal_policy,
    seating_policy,
    spectator_policy,
    thought_policy,
    visibility_policy,
    whisper_policy,
)
from policy.errors import NotAGate


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate by its full name, which a test takes it out by. `withholds`: what, and from whom."""

    module: str
    name: str
    withholds: str


def describe_gate(function: Callable[..., object], *, withholds: str) -> Gate:
    """The entry of a gate.

    Raises NotAGate for anything but a plain, documented function of this package, keyword-only, without defaults, fully
    annotated, that returns no bool.
    """
    if not inspect.isfunction(function) or not function.__module__.startswith("policy."):
        raise NotAGate(f"{function!r}: a gate is a plain function of policy")
    if not function.__doc__ or not withholds:
        raise NotAGate(f"{function.__name__}: say what it withholds")
    parameters = inspect.signature(function).parameters.values()
    if not parameters:
        raise NotAGate(f"{function.__name__}: a gate is asked something")
    for parameter in parameters:
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY or parameter.default is not inspect.Parameter.empty:
            raise NotAGate(f"{function.__name__}: {parameter.name} must be keyword-only and have no default")
    hints = typing.get_type_hints(function)
    if hints.keys() != {parameter.name for parameter in parameters} | {"return"}:
        raise NotAGate(f"{function.__name__}: annotate everything")
    if _may_be_bool(hints["return"]):
        raise NotAGate(f"{function.__name__}: return what is permitted, and no bool")
    return Gate(function.__module__, function.__name__, withholds)


def _may_be_bool(hint: object) -> bool:
    """Whether a returned value could be a bare bool, or anything at all, or nothing that could be looked at."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return any(_may_be_bool(part) for part in typing.get_args(hint) if part is not type(None))
    return hint in (bool, object, typing.Any, type(None))


GATES: Final[list[Gate]] = [
    describe_gate(
        reveal_policy.compute_revealed_hole_cards,
        withholds="hole cards, from everybody but their player, until shown or run out; see the module's list",
    ),
    describe_gate(
        reveal_policy.look_from_the_deal,
        withholds="the cards of a seat's player at the deal, from who took the seat afterwards",
    ),
    describe_gate(
        spectator_policy.refuse_reveal_at_creation,
        withholds="showHands and showThoughts, from every new table that people can sit at",
    ),
    describe_gate(
        spectator_policy.fold_reveal_options,
        withholds="showHands and showThoughts, from every room that people can sit in, whatever its row says",
    ),
    describe_gate(
        spectator_policy.narrow_reveal_options,
        withholds="a reveal that is off, from being switched on after the table was made",
    ),
    describe_gate(
        seating_policy.check_seating,
        withholds="a seat, from the wrong kind of player, and at revealing tables from who is not the platform's",
    ),
    describe_gate(
        visibility_policy.admit_visitor,
        withholds="a private table and that there is one, from all but its creator, the invited, their agents and staff",
    ),
    describe_gate(
        thought_policy.address_thought,
        withholds="a thought, from all but the agent's owner and, at a showThoughts table once acted, the public",
    ),
    describe_gate(
        thought_policy.address_decision,
        withholds="a decision and what came of it, from all but the agent's owner",
    ),
    describe_gate(
        whisper_policy.admit_whisper,
        withholds="word from owners and watchers, from agents in mid-hand, and from those at revealing tables at all",
    ),
    describe_gate(
        owner_policy.admit_owner,
        withholds="an owner stream, from users without an agent at the table, and whether there is such a table",
    ),
    describe_gate(
        owner_policy.look_as_owner,
        withholds="an agent's cards and reasoning, from every user but its owner at the deal",
    ),
    describe_gate(
        history_policy.compute_disclosed_hole_cards,
        withholds="a finished hand's cards that the public had not, from all but their player and its owner then",
    ),
    describe_gate(
        name_policy.check_display_name,
        withholds="a player's name, from texts that speak as the table, a role or a seat",
    ),
    describe_gate(
        name_policy.check_table_name,
        withholds="a name, from texts that hide, break or mark up what they stand in",
    ),
    describe_gate(
        name_policy.check_name_at_table,
        withholds="a name that looks like a seated one, from every other player",
    ),
    describe_gate(
        prompt_policy.quote_for_prompt,
        withholds="the prompt's own voice, from text that others wrote",
    ),
    describe_gate(
        redaction_policy.redact_for_record,
        withholds="what a rule names, and what is no JSON, from every reader of a record, for good",
    ),
    describe_gate(
        redaction_policy.redact_text_for_record,
        withholds="what a rule names, from every reader of a JSON text in a record, for good",
    ),
    describe_gate(
        redaction_policy.keep_known_headers,
        withholds="the value of a header that is not on the list, from every reader of a record, for good",
    ),
    describe_gate(
        capture_scope.scope_for_owner,
        withholds="an agent's captured turns, from every user but its owner at the deal",
    ),
    describe_gate(
        capture_scope.scope_for_operator,
        withholds="the captured turns of a hand in play, from operators; and all of them from who is none",
    ),
]
