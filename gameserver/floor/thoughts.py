"""An agent's reasoning and decisions: each goes where `thought_policy` addresses it.

A thought waits here until the table has the turn's action, for whoever may read it then. It is kept in memory only, and goes to
nobody when the hand is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import dispatch
from gameserver.floor.ports import Sends
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import AgentIdentity, Identity
from gameserver.table.commands import AgentPlayer, player_id
from gameserver.table.facts import Fact, HandCancelled, HandEnded, Moved
from gameserver.table.room import Room
from gameserver.table.state import SeatState, TableState
from gameserver.wire.messages import AgentDecision, AgentThought, AgentThoughtIn, Decision
from policy import thought_policy
from policy.ids import Seat, TableId, UserId
from policy.thought_policy import Moment, ToPublic, ToUser

Fate: TypeAlias = Literal["provisional", "recorded", "changed", "discarded"]


@dataclass(frozen=True, slots=True)
class _Turn:
    """An agent's open turn. `owner`: at the deal."""

    agent: AgentPlayer
    seat: Seat
    hand_number: int
    turn_id: str


class Thoughts:
    """What the agents of one table think about the turn that the table waits for."""

    def __init__(self, table_id: TableId, door: Sends) -> None:
        self._table_id = table_id
        self._door = door
        self._thoughts: dict[Seat, list[tuple[UserId, AgentThought]]] = {}
        self._decisions: dict[Seat, tuple[UserId, Decision]] = {}

    def hear(self, room: Room, identity: Identity, message: AgentThoughtIn | AgentDecision, now_ms: int) -> None:
        """Pass a thought or a provisional decision on to the owner. Raises Refusal where it is not about one's own open turn."""
        turn = _own_open_turn(room.state(now_ms), identity, message.turn_id)
        match message:
            case AgentThoughtIn(text=text):
                thought = self._thought(turn, text)
                self._thoughts.setdefault(turn.seat, []).append((turn.agent.owner, thought))
                self._send_thought(room, turn.agent.owner, thought, Moment.OPEN)
            case AgentDecision():
                decision = self._decision(turn, message)
                self._decisions[turn.seat] = (turn.agent.owner, decision)
                self._send_decision(turn.agent.owner, decision, "provisional")

    def settle(self, room: Room, facts: Iterable[Fact]) -> None:
        """What became of the words about a turn, now that the table has its action, or never will have."""
        for fact in facts:
            match fact:
                case Moved():
                    self._acted(room, fact)
                case HandEnded() | HandCancelled():
                    self.discard()
                case _:
                    pass

    def _acted(self, room: Room, moved: Moved) -> None:
        seat = moved.move.seat
        for owner, thought in self._thoughts.pop(seat, ()):
            self._send_thought(room, owner, thought, Moment.ACTED)
        if seat in self._decisions:
            owner, decision = self._decisions.pop(seat)
            self._send_decision(owner, decision, "recorded" if _is_that_move(decision, moved) else "changed")

    def discard(self) -> None:
        """The open turn will have no action: what was said about it goes to nobody else, and its owner is told."""
        self._thoughts.clear()
        for owner, decision in self._decisions.values():
            self._send_decision(owner, decision, "discarded")
        self._decisions.clear()

    def _send_thought(self, room: Room, owner: UserId, thought: AgentThought, moment: Moment) -> None:
        options = room.options.reveal
        for address in thought_policy.address_thought(moment=moment, owner=owner, options=options):
            match address:
                case ToUser(user_id):
                    self._door.send_to_user(user_id, self._table_id, [thought])
                case ToPublic():
                    self._door.send_thought_to_public(owner, self._table_id, thought)

    def _send_decision(self, owner: UserId, decision: Decision, fate: Fate) -> None:
        told = msgspec.structs.replace(decision, status=fate)
        for address in thought_policy.address_decision(owner=owner):
            self._door.send_to_user(address.user_id, self._table_id, [told])

    def _thought(self, turn: _Turn, text: str) -> AgentThought:
        return AgentThought(
            seq=0,
            table_id=self._table_id,
            hand_number=turn.hand_number,
            agent_id=turn.agent.agent_id,
            seat=turn.seat,
            turn_id=turn.turn_id,
            text=text,
        )

    def _decision(self, turn: _Turn, message: AgentDecision) -> Decision:
        return Decision(
            seq=0,
            table_id=self._table_id,
            hand_number=turn.hand_number,
            agent_id=turn.agent.agent_id,
            seat=turn.seat,
            turn_id=turn.turn_id,
            action=message.action,
            amount=None if message.amount is UNSET else message.amount,
            text="" if message.text is UNSET else message.text,
            status="provisional",
        )


def _own_open_turn(state: TableState, identity: Identity, turn_id: str) -> _Turn:
    if not isinstance(identity, AgentIdentity):
        raise Refusal(ErrorCode.NOT_ALLOWED, "this is for agents")
    seat = _seat_of(state, dispatch.player_id_of(identity))
    hand = state.hand
    if hand is None or hand.turn is None or hand.turn.turn_id != turn_id or hand.turn.turn.seat != seat.seat:
        raise Refusal(ErrorCode.STALE_TURN, "this is not your open turn")
    if not isinstance(seat.player, AgentPlayer):
        raise Refusal(ErrorCode.NOT_ALLOWED, "this is for agents")
    return _Turn(seat.player, seat.seat, hand.hand_number, turn_id)


def _seat_of(state: TableState, player: str) -> SeatState:
    for seat in state.seats:
        if player_id(seat.player) == player and not seat.paid_out:
            return seat
    raise Refusal(ErrorCode.NOT_SEATED, "this needs a seat")


def _is_that_move(decision: Decision, moved: Moved) -> bool:
    """Whether the table has what the agent said that it would do."""
    move = moved.move
    if moved.cause is not None:
        return False
    if decision.action is ActionKind.ALL_IN:
        return move.all_in
    return decision.action is move.action and decision.amount in (None, move.total_chips)
