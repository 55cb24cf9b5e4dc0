"""Table chat. Public words; whether and when they reach an agent is `whisper_policy`'s to say.

At a table that reveals anything they reach none (test_chat_reaches_no_agent_at_a_revealing_table), and a watcher's words reach no
agent while a hand is in play: they wait for its end (test_a_watchers_words_reach_agents_when_the_hand_is_over).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import dispatch
from gameserver.floor.callers import Callers
from gameserver.floor.ports import Sends
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.table.commands import AgentPlayer, PlayerId, UserPlayer, player_id
from gameserver.table.facts import Fact, HandCancelled, HandEnded
from gameserver.table.room import Room
from gameserver.table.state import SeatState, TableState
from gameserver.views.audience import AgentsAudience, SeatAudience
from gameserver.wire.messages import Chat, ChatIn
from policy import whisper_policy
from policy.errors import PolicyRefusal
from policy.ids import TableId
from policy.spectator_policy import RevealOptions
from policy.whisper_policy import Arrival, Way

OfAgents: TypeAlias = SeatAudience | AgentsAudience


@dataclass(frozen=True, slots=True)
class _Words:
    """A line that waits for the end of the hand, and whom it waits for."""

    way: Way
    audience: OfAgents
    frame: Chat


class ChatLine:
    """The chat of one table. `sits_at`: the reveals of every table where a player sits."""

    def __init__(
        self, table_id: TableId, door: Sends, callers: Callers, sits_at: Callable[[PlayerId], Collection[RevealOptions]]
    ) -> None:
        self._table_id = table_id
        self._door = door
        self._callers = callers
        self._sits_at = sits_at
        self._waiting: list[_Words] = []

    def say(self, room: Room, identity: Identity, message: ChatIn, now_ms: int) -> None:
        """Say something to the table. Raises Refusal where this identity may not."""
        state = room.state(now_ms)
        seat = _seat_of(state, identity)
        if isinstance(identity, AgentIdentity) and (seat is None or not state.options.agent_chat):
            raise Refusal(ErrorCode.NOT_ALLOWED, "agents do not chat here")
        way = Way.WATCHER_CHAT if seat is None else Way.PLAYER_CHAT
        self._send(state, way, self._frame(state, identity, seat, message.text))

    def settle(self, facts: Iterable[Fact]) -> None:
        """When a hand is over, what waited for it is said."""
        if any(isinstance(fact, HandEnded | HandCancelled) for fact in facts):
            waiting, self._waiting = self._waiting, []
            for words in waiting:
                self._say_to_agents(words, in_hand=False)

    def _frame(self, state: TableState, identity: Identity, seat: SeatState | None, text: str) -> Chat:
        return Chat(
            seq=0,
            table_id=self._table_id,
            hand_number=state.hand_number,
            sender=seat.name if seat is not None else _name_beside_a_seat(identity),
            text=text,
            seat=UNSET if seat is None else seat.seat,
        )

    def _send(self, state: TableState, way: Way, frame: Chat) -> None:
        in_hand = state.hand is not None
        self._door.send_to_public(self._table_id, [frame])
        self._say_to_agents(_Words(way, AgentsAudience(), frame), in_hand=in_hand)
        for seat in state.seats:
            audience = SeatAudience(seat.seat, player_id(seat.player))
            match seat.player:
                case AgentPlayer():
                    self._say_to_agents(_Words(way, audience, frame), in_hand=in_hand)
                case UserPlayer():
                    self._door.send_to_seat(self._table_id, audience, [frame])

    def _say_to_agents(self, words: _Words, *, in_hand: bool) -> None:
        sits_at = [reveal for agent in self._agents(words.audience) for reveal in self._sits_at(agent)]
        try:
            arrival = whisper_policy.admit_whisper(way=words.way, sits_at=sits_at)
        except PolicyRefusal:
            return
        if arrival is Arrival.NEXT_HAND and in_hand:
            self._waiting.append(words)
            return
        match words.audience:
            case AgentsAudience():
                self._door.send_to_unseated_agents(self._table_id, [words.frame])
            case SeatAudience():
                self._door.send_to_seat(self._table_id, words.audience, [words.frame])
            case _:
                assert_never(words.audience)

    def _agents(self, audience: OfAgents) -> set[PlayerId]:
        """The agents whom a line to this audience reaches."""
        if isinstance(audience, SeatAudience):
            return {audience.occupant}
        listening = (caller for caller in self._callers if caller.audience == audience)
        return {dispatch.player_id_of(caller.connection.identity) for caller in listening}


def _seat_of(state: TableState, identity: Identity) -> SeatState | None:
    if isinstance(identity, Nobody):
        raise Refusal(ErrorCode.NOT_ALLOWED, "a spectator cannot do this")
    player = dispatch.player_id_of(identity)
    return next((seat for seat in state.seats if player_id(seat.player) == player and not seat.paid_out), None)


def _name_beside_a_seat(identity: Identity) -> str:
    match identity:
        case UserIdentity(user_id=user_id):
            return user_id
        case AgentIdentity() | Nobody():
            raise Refusal(ErrorCode.NOT_ALLOWED, "this needs a seat")
