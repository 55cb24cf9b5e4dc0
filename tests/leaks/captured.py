"""Captured turns with planted cards: what each agent in a hand was told, its own two cards and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from capture.captured import CapturedTurn
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.hand import Hand
from capture.record import Prompt
from capture.redaction import Redactor
from gameserver.table.commands import AgentPlayer
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.turns import call, decided, key, turn
from tests.leaks.deals import DealtHand, Order

_MORE: Final = 20
"""The number of a second turn is this much higher: nobody else has it."""


@cache
def _maker() -> EntryMaker:
    return EntryMaker(Redactor(b"k" * 32), EnvelopeHasher())


def turns_of(
    table_id: TableId, number: int, dealt: DealtHand, order: Order, now_ms: int, *, words: str, otherwise: str
) -> Iterator[tuple[Hand, CapturedTurn]]:
    """One turn of each agent that was dealt in. `words`: that are in each, with the agent's name behind them; `otherwise`: an agent with another number of turns, and
    of another length.
    """
    for seat, player in dealt.players.items():
        if isinstance(player, AgentPlayer):
            one, other = dealt.places_of(seat)
            known = f"You hold {order[one]} {order[other]}. {words}-{player.agent_id}"
            yield _captured(player.agent_id, table_id, number, seat, known, now_ms)
            if player.agent_id == otherwise:
                yield _captured(player.agent_id, table_id, number, _MORE + seat, known * 9, now_ms)


def _captured(
    agent_id: AgentId, table_id: TableId, number: int, index: int, words: str, now_ms: int
) -> tuple[Hand, CapturedTurn]:
    said = decided(call(prompt=Prompt(b"You play poker.", words.encode()), completion=words))
    at = key(agent_id, number, index, table_id)
    finished = turn(at, said, knowledge={"cards": words}, messages=(b'{"type":"action"}',), at_us=now_ms * 1_000)
    return Hand(agent_id, table_id, HandNumber(number)), _maker().captured(finished, said)
