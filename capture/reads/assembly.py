"""Puts one agent's turns of a hand together from the buffer, the kept turns and the ledger, turn by turn the more complete.

Not captured, expired, dropped and empty stay four different answers: a turn that is not there is a reason in its place. A fallback
is no decision and has no record; the ledger says that there was one.
It decides nothing about who may read: its callers come with a scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from capture.captured import CapturedHand, CapturedTurn
from capture.durable.turns import DurableTurns
from capture.errors import BufferUnavailable
from capture.hand import Hand, hand_within
from capture.ledger.charge import Charge, Charged, stamped
from capture.reads.stores import Stores
from capture.record import MissingReason, TurnKey
from policy.capture_scope import OperatorScope, OwnerScope
from policy.ids import ActionIndex, AgentId


@dataclass(frozen=True, slots=True)
class FallenBack:
    """A turn without a decision."""

    charge: Charge


@dataclass(frozen=True, slots=True)
class Gone:
    """A turn that was decided and is not there. `charge`: what the ledger knows of it."""

    key: TurnKey
    reason: MissingReason
    charge: Charge | None


HandTurn: TypeAlias = CapturedTurn | FallenBack | Gone


@dataclass(frozen=True, slots=True)
class AgentTurns:
    """One agent's turns of a hand, by action index. `nothing`: why there are none at all; None where there are."""

    hand: Hand
    turns: tuple[HandTurn, ...]
    nothing: MissingReason | None

    @property
    def captured(self) -> tuple[CapturedTurn, ...]:
        """Those of which something is there."""
        return tuple(turn for turn in self.turns if isinstance(turn, CapturedTurn))


async def read(stores: Stores, scope: OwnerScope | OperatorScope, agent_id: AgentId) -> AgentTurns:
    """All that is known of the turns of an agent of the scope.

    A buffer that does not answer hides nothing that is kept; what only it could have is `store_down`.
    """
    hand = hand_within(scope, agent_id)
    hot, kept, charges = await asyncio.gather(
        _hot(stores, hand), stores.durable.turns_of(hand), stores.ledger.charges_of_hand(scope)
    )
    own = {charge.key.action_index: charge for charge in charges if charge.key.agent_id == hand.agent_id}
    found = _Found(hand, hot, kept, own, stores.now_us() - stores.ttl_us)
    turns = tuple(found.turn(index) for index in found.indexes())
    return AgentTurns(hand, turns, None if turns else found.nothing())


async def _hot(stores: Stores, hand: Hand) -> CapturedHand | None:
    """None where the buffer does not answer."""
    try:
        return await stores.buffer.hand(agent_id=hand.agent_id, table_id=hand.table_id, hand_number=hand.hand_number)
    except BufferUnavailable:
        return None


@dataclass(frozen=True, slots=True)
class _Found:
    hand: Hand
    hot: CapturedHand | None
    kept: DurableTurns
    charges: Mapping[ActionIndex, Charge]
    buffered_since_us: int

    def indexes(self) -> Sequence[ActionIndex]:
        hot = set() if self.hot is None else {t.key.action_index for t in self.hot.turns} | self.hot.missing.keys()
        kept = {turn.key.action_index for turn in self.kept.turns}
        return sorted(hot | kept | self.kept.unreadable | self.charges.keys())

    def turn(self, index: ActionIndex) -> HandTurn:
        candidates = [turn for turn in self._candidates(index) if not self._is_erased(turn.at_us)]
        charge = self.charges.get(index)
        if candidates:
            return stamped(min(candidates, key=lambda turn: len(turn.missing)), charge)  # of equals the buffer's
        if charge is not None and charge.outcome is Charged.FALLBACK:
            return FallenBack(charge)
        return Gone(self._key(index), self._reason(index, charge), charge)

    def nothing(self) -> MissingReason:
        """Why there is no turn at all."""
        if self.kept.erased_us is not None:
            return MissingReason.REDACTED
        return MissingReason.STORE_DOWN if self.hot is None else MissingReason.BEFORE_CAPTURE

    def _candidates(self, index: ActionIndex) -> list[CapturedTurn]:
        hot = () if self.hot is None else self.hot.turns
        return [turn for turn in (*hot, *self.kept.turns) if turn.key.action_index == index]

    def _is_erased(self, at_us: int) -> bool:
        return self.kept.erased_us is not None and at_us <= self.kept.erased_us

    def _reason(self, index: ActionIndex, charge: Charge | None) -> MissingReason:
        if self.kept.erased_us is not None and (charge is None or self._is_erased(charge.at_us)):
            return MissingReason.REDACTED
        if self.hot is None:
            return MissingReason.STORE_DOWN
        if index in self.hot.missing:
            return self.hot.missing[index]
        expired = charge is not None and charge.at_us < self.buffered_since_us
        return MissingReason.EXPIRED if expired else MissingReason.DROPPED

    def _key(self, index: ActionIndex) -> TurnKey:
        return TurnKey(self.hand.agent_id, self.hand.table_id, self.hand.hand_number, index)
