"""SECURITY: not display logic. Who may open an owner stream, and whose cards it may carry.

Withholds an owner stream from everybody who has no agent at that table, and says the same where there is no such table.
Withholds an agent's cards and reasoning from everybody but its owner *at the deal*: who buys an agent gets nothing of
the hands before, and who sold one keeps the rights to those.

An owner stream is the public view plus what is the owner's own: agent ⊂ spectator ⊆ owner. It is made of these and no
more:
- the public stream's frames, as a spectator gets them, never those of the agent's seat: at a table with `show_hands` an
  agent has less than a spectator;
- the cards that `reveal_policy.compute_revealed_hole_cards` gives to the `Owner` that comes from here;
- the thoughts and decisions that `thought_policy` addresses to the user.

Rights are asked for again while a stream is open: when a seat changes hands, an agent its owner, or a hand begins.
Whether the user is who they say they are is decided before, where tokens are.

Holds decision 0003.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, Seat, UserId
from policy.viewer import Owner


@dataclass(frozen=True, slots=True)
class OwnedSeat:
    """An agent in a seat, and who owns it: now for an admission, at the deal for a hand. None: nobody does."""

    seat: Seat
    agent_id: AgentId
    owner: UserId | None


def admit_owner(*, user_id: UserId, at_table: Collection[OwnedSeat]) -> tuple[OwnedSeat, ...]:
    """The user's own agents at the table, by which they may open its owner stream; by seat.

    `at_table`: the agents that sit there or are in its hand; empty for a table that does not exist.
    Raises PolicyRefusal `not_allowed` where none is theirs.
    """
    own = _of_user(user_id, at_table)
    if not own:
        raise PolicyRefusal(RefusalCode.NOT_ALLOWED, "an owner stream is for who has an agent at the table")
    return own


def look_as_owner(*, user_id: UserId, dealt_in: Collection[OwnedSeat]) -> Owner:
    """The user as one hand's gates know them: with the seats of the agents that were theirs at the deal, and no others.

    `dealt_in`: the agents dealt in, with their owners at the deal. An owner without one has the public view.
    """
    return Owner(user_id, frozenset(entry.seat for entry in _of_user(user_id, dealt_in)))


def _of_user(user_id: UserId, entries: Collection[OwnedSeat]) -> tuple[OwnedSeat, ...]:
    # An agent that nobody owns is not the agent of a user that nobody is.
    own = (entry for entry in entries if entry.owner and entry.owner == user_id)
    return tuple(sorted(own, key=lambda entry: entry.seat))
