"""Keeps one agent's turns of a hand for good: from the buffer, while that still has them, into durable rows.

What comes of it is decided by this agent's turns alone; a rival's kept hand is nobody else's success
(test_a_rivals_kept_hand_is_not_mine). It can be done again at any time, and by many at once.
"""

from __future__ import annotations

import asyncio
import enum
from dataclasses import dataclass

from capture.captured import CapturedTurn
from capture.durable.turns import Pinned
from capture.hand import Hand, hand_within
from capture.ledger.charge import Charge, Charged, stamped
from capture.reads.stores import Stores
from policy.capture_scope import OperatorScope, OwnerScope
from policy.ids import ActionIndex, AgentId


class PromoteStatus(enum.Enum):
    """What came of it."""

    PINNED = "pinned"
    ALREADY_PINNED = "already_pinned"
    NOTHING_TO_CAPTURE = "nothing_to_capture"
    PARTLY_PINNED = "partly_pinned"


@dataclass(frozen=True, slots=True)
class Promoted:
    """`turns`: so many of the agent's turns are kept now. `missing`: turns that were decided and are not kept whole."""

    status: PromoteStatus
    turns: int
    missing: tuple[ActionIndex, ...]


@dataclass(frozen=True, slots=True)
class Keepable:
    """What the buffer has of an agent's hand. `decided`: the turns that should be kept, as far as buffer and ledger know."""

    hand: Hand
    turns: tuple[CapturedTurn, ...]
    decided: frozenset[ActionIndex]


async def find(stores: Stores, scope: OwnerScope | OperatorScope, agent_id: AgentId) -> Keepable:
    """What there is to keep of the turns of an agent of the scope.

    Raises BufferUnavailable where the buffer does not answer: nobody knows then whether there is something to keep.
    """
    hand = hand_within(scope, agent_id)
    hot, charges = await asyncio.gather(
        stores.buffer.hand(agent_id=hand.agent_id, table_id=hand.table_id, hand_number=hand.hand_number),
        stores.ledger.charges_of_hand(scope),
    )
    decided = {charge.key.action_index: charge for charge in charges if _is_decision_of(charge, agent_id)}
    indexes = frozenset({turn.key.action_index for turn in hot.turns} | hot.missing.keys() | decided.keys())
    return Keepable(hand, tuple(stamped(turn, decided.get(turn.key.action_index)) for turn in hot.turns), indexes)


async def pin(stores: Stores, found: Keepable) -> Promoted:
    """Keep it, beside what is kept already."""
    kept = await stores.durable.keep(found.hand, found.turns, now_us=stores.now_us())
    missing = tuple(sorted((found.decided - kept.there) | kept.short))
    return Promoted(_status(kept, bool(missing)), len(kept.there), missing)


def _is_decision_of(charge: Charge, agent_id: AgentId) -> bool:
    return charge.key.agent_id == agent_id and charge.outcome is Charged.DECIDED


def _status(kept: Pinned, some_missing: bool) -> PromoteStatus:
    if not kept.there:
        return PromoteStatus.NOTHING_TO_CAPTURE
    if some_missing:
        return PromoteStatus.PARTLY_PINNED
    return PromoteStatus.PINNED if kept.new else PromoteStatus.ALREADY_PINNED
