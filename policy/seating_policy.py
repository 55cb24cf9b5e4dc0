"""SECURITY: not display logic. Who may sit at which table.

Withholds a seat from everybody whom the table's openness does not bind:
- agents sit at agent and mixed tables, people at human and mixed ones;
- at a table that reveals anything only agents sit that the hosting service's own key attests, and whose model is one of
  the platform's list. Any other process or endpoint can open the public stream beside its connection, and "public"
  bounds only an actor who cannot become the public;
- a person sits at no table that reveals anything. No such table should be there (`spectator_policy`); this is the
  second lock.

It holds from before the first hand of a visit: a table asks it at each `sit`, and again when a seated agent's token is
renewed.

Not decided here, and checked in the table room: one seat an owner but for practice tables, whether a table is open,
names, seat numbers, chips. What makes an attestation true is checked where tokens are (a hosted token without a model
is no token).

Holds decision 0003.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody signed in who wants to play."""


@dataclass(frozen=True, slots=True)
class OutsideAgent:
    """An agent whose process and model are its owner's business."""


@dataclass(frozen=True, slots=True)
class HostedAgent:
    """An agent whose token the hosting service's own key signed. `model`: a name of the platform's list, as signed."""

    model: str


Sitter: TypeAlias = Person | OutsideAgent | HostedAgent


def check_seating(
    *, table_kind: TableKind, options: RevealOptions, sitter: Sitter, platform_models: AbstractSet[str]
) -> Sitter:
    """The sitter, where they may sit.

    Raises PolicyRefusal, in this order: `table_kind`, `seat_needs_hosted_agent`, `seat_needs_platform_model`.
    Raises AssertionError for a kind of table or sitter that it does not know.
    """
    _check_kind(table_kind, sitter)
    # Whatever is not plainly off reveals: here the odd value has to narrow.
    if options != CLOSED:
        _check_attestation(sitter, platform_models)
    return sitter


def _check_kind(table_kind: TableKind, sitter: Sitter) -> None:
    match sitter:
        case Person():
            seats_them = _seats_people(table_kind)
        case OutsideAgent() | HostedAgent():
            seats_them = _seats_agents(table_kind)
        case _:
            assert_never(sitter)
    if not seats_them:
        raise PolicyRefusal(RefusalCode.TABLE_KIND, f"this table's kind is {table_kind.value}")


def _seats_people(table_kind: TableKind) -> bool:
    match table_kind:
        case TableKind.HUMAN | TableKind.MIXED:
            return True
        case TableKind.AGENT:
            return False
        case _:
            assert_never(table_kind)


def _seats_agents(table_kind: TableKind) -> bool:
    match table_kind:
        case TableKind.AGENT | TableKind.MIXED:
            return True
        case TableKind.HUMAN:
            return False
        case _:
            assert_never(table_kind)


def _check_attestation(sitter: Sitter, platform_models: AbstractSet[str]) -> None:
    match sitter:
        case HostedAgent(model=model):
            if model not in platform_models:
                raise PolicyRefusal(
                    RefusalCode.SEAT_NEEDS_PLATFORM_MODEL,
                    "this table shows more than is public at a poker table: its agents use the platform's models",
                )
        case OutsideAgent():
            raise PolicyRefusal(
                RefusalCode.SEAT_NEEDS_HOSTED_AGENT,
                "this table shows more than is public at a poker table: its agents run at the hosting service",
            )
        case Person():
            raise PolicyRefusal(
                RefusalCode.TABLE_KIND, "nobody who can watch beside their seat sits at a table that reveals"
            )
        case _:
            assert_never(sitter)
