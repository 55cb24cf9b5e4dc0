"""All view frames of one change of a table: the public, agents without a seat, six seats and two owners.

The change is an ordinary one: a player calls and the next one is asked, so each audience gets a `player_action` and a `game_state` of
about 1.3 KB, and one seat its `your_turn`. Encoding numbers each frame for its stream. Building and the tripwire are on lines of
their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.measure import Figure, rate
from gameserver.hand.deck import secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.net.encoding import FrameEncoder, numbered
from gameserver.net.tripwire import Tripwire
from gameserver.table import commands
from gameserver.table.commands import AgentPlayer, player_id
from gameserver.table.facts import Fact
from gameserver.table.memory import new_memory
from gameserver.table.options import TableOptions
from gameserver.table.room import Room
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.change import Change
from gameserver.views.now import Now
from gameserver.wire.encode import encode_numbered
from gameserver.wire.messages import NumberedFrame
from policy.ids import AgentId, AgentVersionId, HandNumber, Seat, TableId, TurnId, UserId
from policy.table_kind import TableKind

_TABLE = TableId("table-1")
_NOW = Now(monotonic_ms=1_000, wall_ms=1_700_000_000_000)
_OWNERS = (UserId("owner-0"), UserId("owner-1"))
_Frames = list[tuple[Audience, list[NumberedFrame]]]


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; `seconds` of CPU time for each."""
    facts, state = a_call()
    frames = _frames(facts, state)
    count = sum(len(each) for _, each in frames)
    size = max(len(encode_numbered(frame, 1)) for _, each in frames for frame in each)
    tripwire = Tripwire(lambda: state)
    figures = [
        Figure(
            "railbird: shared parts encoded once",
            _us_a_frame(facts, state, _encode_shared, seconds),
            "µs/frame",
            f"{count} frames, the largest {size:,} bytes",
            higher=False,
        ),
        Figure(
            "msgspec, each frame by itself", _us_a_frame(facts, state, _encode_each, seconds), "µs/frame", higher=False
        ),
        Figure("a copy of the ready bytes (floor)", _us(_copy(frames), seconds) / count, "µs/frame", higher=False),
        Figure(
            "railbird: draw all frames of a change",
            _us(lambda: _frames(facts, state), seconds),
            "µs/change",
            higher=False,
        ),
        Figure(
            "railbird: the door's second look", _us(lambda: _look(tripwire, frames), seconds), "µs/change", higher=False
        ),
    ]
    return "Views: the frames of one change, for all audiences of a six-handed table", figures


def _us(work: Callable[[], object], seconds: float) -> float:
    return 1e6 / rate(work, seconds)


def _us_a_frame(
    facts: Sequence[Fact], state: TableState, encode_all: Callable[[_Frames], object], seconds: float
) -> float:
    """Encoding alone, of two changes in turn, so that nothing encoded for one is of use for the other."""
    changes = [_frames(facts, _in_hand(state, number)) for number in range(2)]
    count = sum(len(each) for _, each in changes[0])
    turns = itertools.cycle(changes)
    return _us(lambda: encode_all(next(turns)), seconds) / count


def _encode_shared(frames: _Frames) -> None:
    """By a new encoder, which remembers no frame of the round before."""
    encoder = FrameEncoder()
    for _, each in frames:
        for frame in each:
            numbered(encoder.encode(frame), 123_456)


def _in_hand(state: TableState, hand_number: int) -> TableState:
    """The same table in another hand, so that its frames are other frames."""
    assert state.hand is not None
    number = HandNumber(hand_number + 1)
    return replace(state, hand_number=number, hand=replace(state.hand, hand_number=number))


def _encode_each(frames: _Frames) -> None:
    for _, each in frames:
        for frame in each:
            encode_numbered(frame, 123_456)


def _copy(frames: _Frames) -> Callable[[], object]:
    ready = [encode_numbered(frame, 1) for _, each in frames for frame in each]
    return lambda: [bytearray(each) for each in ready]


def _look(tripwire: Tripwire, frames: _Frames) -> None:
    for audience, each in frames:
        tripwire.permitted(audience, each)


def _frames(facts: Sequence[Fact], state: TableState) -> _Frames:
    change = Change(_TABLE, facts, state, _NOW)
    drawn: _Frames = [(PublicAudience(), change.public()), (AgentsAudience(), change.unseated_agents())]
    for seat in state.seats:
        audience = SeatAudience(seat.seat, player_id(seat.player))
        drawn.append((audience, change.seat(audience)))
    drawn += [(OwnerAudience(owner), change.owner(owner)) for owner in _OWNERS]
    return drawn


def a_call() -> tuple[Sequence[Fact], TableState]:
    """Six agents before the flop, the first of whom just called."""
    turns = map(str, itertools.count(1))
    options = TableOptions(
        name="Benchmark",
        kind=TableKind.AGENT,
        max_seats=6,
        small_blind_chips=5,
        big_blind_chips=10,
        min_buy_in_chips=100,
        max_buy_in_chips=1_000,
        created_by=UserId("owner-0"),
    )
    room = Room(options=options, memory=new_memory(Seat(0)), new_turn_id=lambda: TurnId(next(turns)), now_ms=0)
    for number in range(6):
        player = AgentPlayer(AgentId(f"agent-{number}"), UserId(f"owner-{number}"), AgentVersionId("v1"), True, "house")
        room.receive(commands.Sit(player, f"House agent {number}", Seat(number), 1_000), 0)
        room.receive(commands.Connect(player_id(player)), 0)
    room.receive(commands.BeginHand(), 0)
    room.receive(commands.Deal(secure_deck()), 0)
    hand = room.state(0).hand
    assert hand is not None and hand.turn is not None
    seat = next(each for each in room.state(0).seats if each.seat == hand.turn.turn.seat)
    facts = room.receive(commands.Act(player_id(seat.player), hand.turn.turn_id, ActionKind.CALL, None), 0)
    return facts, room.state(0)
