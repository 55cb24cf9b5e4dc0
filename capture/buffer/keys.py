"""The names of what lies in the buffer.

    turn:{tableId}:{handNumber}:{agentId}:{actionIndex}   one captured turn
    hand:{tableId}:{handNumber}:{agentId}                 the set of that agent's action indexes
    agents:{tableId}:{handNumber}                         the set of agents, for operators
    env:{envelopeHash}                                    an envelope, for all turns that name it
    books:...                                             what there is, in bytes and numbers, for nobody's reading

Each key of a turn has the agent in it, so who reads one agent's turns touches no other agent's keys.
In an id `:`, `{`, `}` and `%` are percent-encoded: no id reaches into the next part, and none makes a hash tag. A cluster
keeps the keys of one hand together by the tag `{tableId:handNumber}`; a single node has no braces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from capture.envelope import EnvelopeHash
from capture.record import TurnKey
from policy.ids import ActionIndex, AgentId, HandNumber, TableId

PREFIXES: Final = (b"turn:", b"hand:", b"agents:", b"env:", b"books:")
"""What every key of ours begins with."""

_ESCAPES: Final = str.maketrans({":": "%3A", "{": "%7B", "}": "%7D", "%": "%25"})


def escape(part: str) -> bytes:
    """An id as it stands in a key: reversible, a lone surrogate included."""
    return part.translate(_ESCAPES).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Keys:
    """Names keys. `cluster`: with hash tags."""

    cluster: bool

    def turn(self, key: TurnKey) -> bytes:
        """Of one turn."""
        return self.turn_of(self.hand_part(key.table_id, key.hand_number), escape(key.agent_id), key.action_index)

    def hand(self, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> bytes:
        """Of the set of one agent's action indexes in a hand."""
        return b"hand:%b:%b" % (self.hand_part(table_id, hand_number), escape(agent_id))

    def agents(self, table_id: TableId, hand_number: HandNumber) -> bytes:
        """Of the set of agents with turns in a hand."""
        return b"agents:" + self.hand_part(table_id, hand_number)

    def envelope(self, envelope_hash: EnvelopeHash) -> bytes:
        """Of an envelope, by its hash in hexadecimal."""
        return b"env:" + envelope_hash.hex().encode()

    def books(self, book: str) -> bytes:
        """Of one of the buffer's own books, which a cluster keeps together."""
        return (b"books:{books}:%b" if self.cluster else b"books:%b") % book.encode()

    def hand_part(self, table_id: TableId, hand_number: HandNumber) -> bytes:
        """The part that all keys of a hand have in common."""
        return (b"{%b:%d}" if self.cluster else b"%b:%d") % (escape(table_id), hand_number)

    def turn_of(self, hand_part: bytes, escaped_agent: bytes, action_index: ActionIndex) -> bytes:
        """Of one turn, from parts that are at hand already."""
        return b"turn:%b:%b:%d" % (hand_part, escaped_agent, action_index)
