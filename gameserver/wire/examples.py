"""An example of every message, in one small story: Ada, Blaise and Carl play hand 7, and Blaise tells it.

The reference, the AsyncAPI document and /llms.txt show these. Each is a message that the models take, so an example cannot say
what the protocol does not (test_every_example_is_what_the_decoders_take).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gameserver.errors import ErrorCode
from gameserver.wire import messages as m
from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_INBOUND_BYTES_BEFORE_ENTER
from gameserver.words import ActionKind, ShownBecause, Street

TABLE: Final = "t-5f0c2a91"
HAND: Final = 7
NOW_MS: Final = 1_800_000_000_000
_TURN: Final = "Jx3kPz0aWq9LmT2v"
_SESSION: Final = "q7Yb2Lk9TzGf0sWc3Dn8Xw"
_EPOCH: Final = "r4Vt1Mh6"
_IN: Final[dict[str, Any]] = {"table_id": TABLE, "hand_number": HAND}
_ON_THE_FLOP: Final = {"0": 940, "1": 940, "2": 980}

HELLO: Final = m.Hello(
    protocol=m.PROTOCOL,
    min_protocol=m.MIN_PROTOCOL,
    server_time=NOW_MS,
    heartbeat_ms=20_000,
    limits=m.Limits(
        max_inbound_bytes=MAX_INBOUND_BYTES,
        max_inbound_bytes_before_enter=MAX_INBOUND_BYTES_BEFORE_ENTER,
        messages_per_second=20,
        message_burst=60,
        messages_per_second_before_enter=2,
        message_burst_before_enter=20,
        refusals_per_second=4,
        refusal_burst=60,
        control_frames_per_second=10,
        control_frame_burst=50,
        max_fragments=64,
        enter_within_ms=10_000,
        max_queued_bytes=262_144,
        max_connections=10_000,
        max_connections_per_address=500,
        max_streams=5_000,
        max_streams_per_user=256,
    ),
)
"""With the limits of a server as it comes (test_the_hello_of_the_examples_is_the_servers)."""

RULES: Final = m.TableRules(
    name="The First Rail",
    table_kind="agent",
    variant="nlhe",
    max_seats=6,
    small_blind=10,
    big_blind=20,
    ante=0,
    ante_kind="each",
    straddle=False,
    min_buy_in=400,
    max_buy_in=2_000,
    turn_ms=15_000,
    time_bank_ms=30_000,
    refill_every_hands=10,
    refill_ms=5_000,
    disconnect_bank_ms=60_000,
    timeouts_to_sit_out=2,
    sit_out_remove_ms=600_000,
    rathole_ms=7_200_000,
    show_hands=False,
    show_thoughts=False,
    spectator_delay_ms=0,
    powers={},
    agent_chat=False,
    practice=False,
    private=False,
)


def _seat(seat: int, name: str, status: str, stack: int) -> m.SeatView:
    return m.SeatView(
        seat=seat,
        name=name,
        kind="agent",
        status=status,
        stack=stack,
        bet=0,
        connected=True,
        time_bank_ms=30_000,
        agent_id=f"a-{name.lower()}",
    )


_YOUR_TURN: Final = m.YourTurn(
    **_IN,
    seq=42,
    turn_id=_TURN,
    action_index=5,
    legal_actions=[ActionKind.FOLD, ActionKind.CHECK, ActionKind.BET, ActionKind.ALL_IN],
    chip_range=m.ChipRange(min=20, max=940),
    to_call=0,
    turn_ends_at=NOW_MS + 15_000,
    time_bank_ms=30_000,
)


def _state(seq: int, **private: Any) -> m.GameState:
    return m.GameState(
        **_IN,
        seq=seq,
        street=Street.FLOP,
        board=["Ah", "7d", "2c"],
        pots=[m.Pot(amount=140, eligible=[0, 1])],
        pot=140,
        bets={"0": 0, "1": 0, "2": 0},
        stacks=_ON_THE_FLOP,
        small_blind=10,
        big_blind=20,
        ante=0,
        status="open",
        seats=[
            _seat(0, "Ada", "in_hand", 940),
            _seat(1, "Blaise", "in_hand", 940),
            _seat(2, "Carl", "folded", 980),
        ],
        button=0,
        to_act=1,
        turn_ends_at=NOW_MS + 15_000,
        **private,
    )


_STATE: Final = _state(41, your_seat=1, your_hole_cards=["As", "Kd"])


SPECTATED: Final = _state(41)
"""The same moment for somebody without a seat."""


def _move(seq: int, index: int, seat: int, action: str, amount: int, *, forced: bool = False) -> m.PlayerAction:
    return m.PlayerAction(
        **_IN,
        seq=seq,
        seat=seat,
        action=action,
        amount=amount,
        action_index=index,
        street=Street.PREFLOP,
        forced=forced,
        all_in=False,
    )


ACTIONS: Final = [
    _move(31, 0, 1, "small_blind", 10, forced=True),
    _move(32, 1, 2, "big_blind", 20, forced=True),
    _move(33, 2, 0, "raise", 60),
    _move(34, 3, 1, "call", 60),
    _move(35, 4, 2, "fold", 20),
]


RESULT: Final = m.HandResult(
    **_IN,
    seq=52,
    board=["Ah", "7d", "2c", "9s", "3h"],
    pots=[m.PotWon(amount=260, eligible=[0, 1], winners=[m.PotShare(seat=1, amount=260)])],
    returned={},
    uncontested=False,
    shown=[m.ShownHand(seat=1, cards=["As", "Kd"])],
    stacks={"0": 880, "1": 1_140, "2": 980},
)


FROM_CLIENT: Final[tuple[m.Inbound, ...]] = (
    m.Enter(agent_token="AGENT_TOKEN"),
    m.Resume(session=_SESSION, epoch=_EPOCH, last_seq=42, agent_token="AGENT_TOKEN"),
    m.Sit(request_id="1", seat=1, buy_in=1_000),
    m.Stand(request_id="2"),
    m.Leave(request_id="3"),
    m.SitOut(request_id="4", when="next_big_blind"),
    m.SitIn(request_id="5"),
    m.Rebuy(request_id="6", amount=400),
    m.Straddle(request_id="7"),
    m.PostBlind(request_id="8"),
    m.WaitForBigBlind(request_id="9"),
    m.Action(request_id="10", turn_id=_TURN, action=ActionKind.BET, amount=60),
    m.ShowCards(request_id="11"),
    m.AgentThoughtIn(request_id="12", turn_id=_TURN, text="Top pair, top kicker: bet for value."),
    m.AgentDecision(request_id="13", turn_id=_TURN, action=ActionKind.BET, amount=60, text="A third of the pot."),
    m.AgentStatus(request_id="14", turn_id=_TURN, provider_down=True),
    m.ChatIn(request_id="15", text="Well played."),
    m.UsePower(request_id="16", power="dealer_peek", target=0),
    m.Ping(request_id="17", echo="are you there?"),
)
"""In the order of the models."""

FROM_SERVER: Final[tuple[m.Outbound, ...]] = (
    HELLO,
    _STATE,
    _YOUR_TURN,
    m.PlayerAction(
        **_IN,
        seq=43,
        seat=1,
        action="bet",
        amount=60,
        action_index=5,
        street=Street.FLOP,
        forced=False,
        all_in=False,
    ),
    m.HandStarted(
        **_IN,
        seq=30,
        button=0,
        button_dead=False,
        small_blind_seat=1,
        big_blind_seat=2,
        dealt=[1, 2, 0],
        stacks={"0": 1_000, "1": 1_000, "2": 1_000},
    ),
    m.StreetDealt(**_IN, seq=37, street=Street.FLOP, cards=["Ah", "7d", "2c"], board=["Ah", "7d", "2c"]),
    m.CardsShown(**_IN, seq=51, seat=1, cards=["As", "Kd"], because=ShownBecause.SHOWDOWN),
    RESULT,
    m.HandCancelled(**_IN, seq=52, refunds={"0": 60, "1": 60, "2": 20}, why="the server restarted"),
    m.AgentThought(
        **_IN, seq=44, agent_id="a-blaise", seat=1, turn_id=_TURN, text="Top pair, top kicker: bet for value."
    ),
    m.Decision(
        **_IN,
        seq=45,
        agent_id="a-blaise",
        seat=1,
        turn_id=_TURN,
        action=ActionKind.BET,
        amount=60,
        text="A third of the pot.",
        status="recorded",
    ),
    m.OwnCards(**_IN, seq=38, agent_id="a-blaise", seat=1, cards=["As", "Kd"]),
    m.Note(**_IN, seq=29, text="Play fewer hands from the small blind."),
    m.PowerUsed(**_IN, seq=46, power="dealer_peek", by=1, target=0),
    m.TableOptions(table_id=TABLE, seq=53, show_hands=False, show_thoughts=False, version=2),
    m.Presence(**_IN, seq=47, seat=2, connected=False),
    m.Chat(**_IN, seq=54, sender="Carl", text="Well played.", seat=2),
    m.TableStatus(table_id=TABLE, seq=55, status="open", seat=2, what="freed", name="Carl"),
    m.Snapshot(
        table_id=TABLE,
        hand_number=HAND,
        session=_SESSION,
        epoch=_EPOCH,
        seq=42,
        rules=RULES,
        state=_STATE,
        actions=ACTIONS,
        recent_hands=[],
        your_turn=_YOUR_TURN,
        server_time=NOW_MS,
    ),
    m.Resync(table_id=TABLE, epoch=_EPOCH),
    m.Resumed(table_id=TABLE, session=_SESSION, epoch=_EPOCH, seq=47),
    m.Ack(request_id="10"),
    m.Error(code=ErrorCode.STALE_TURN, message="that turn is over", request_id="10", turn=_YOUR_TURN),
    m.Pong(server_time=NOW_MS, echo="are you there?", request_id="17"),
    m.Reconnect(after_ms=2_000),
)
"""In the order of the models."""


def example_of(model: type[m.Inbound | m.ServerMessage]) -> Mapping[str, Any]:
    """The example of one message, as JSON."""
    found = next(each for each in (*FROM_CLIENT, *FROM_SERVER) if type(each) is model)
    shown: dict[str, Any] = msgspec.json.decode(example_text(found))
    return shown


def example_text(message: m.Inbound | m.ServerMessage) -> str:
    """One message as it travels, in one line."""
    return msgspec.json.encode(message).decode()
