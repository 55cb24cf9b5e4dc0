"""Frames as a table would send them, for tests of those who read frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from gameserver.hand.facts import ActionKind, Street
from gameserver.wire.examples import HELLO
from gameserver.wire.messages import (
    ChipRange,
    GameState,
    HandResult,
    Hello,
    OwnCards,
    PastHand,
    PlayerAction,
    Pot,
    PotShare,
    PotWon,
    SeatView,
    ShownHand,
    Snapshot,
    TableRules,
    YourTurn,
)

TABLE = "tbl_test"
NOW_MS = 1_800_000_000_000

LIMITS = HELLO.limits

RULES = TableRules(
    name="Heron",
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


def hello(*, server_time: int = NOW_MS, min_protocol: int = 1) -> Hello:
    return Hello(protocol=1, min_protocol=min_protocol, server_time=server_time, heartbeat_ms=20_000, limits=LIMITS)


def seat(
    number: int,
    name: str,
    stack: int = 1_000,
    *,
    bet: int = 0,
    status: str = "in_hand",
    connected: bool = True,
    kind: Literal["agent", "human"] = "agent",
    model: str | UnsetType = "house",
) -> SeatView:
    return SeatView(
        seat=number,
        name=name,
        kind=kind,
        status=status,
        stack=stack,
        bet=bet,
        connected=connected,
        time_bank_ms=30_000,
        agent_id=f"agt_{number}",
        model=model,
    )


def state(
    seats: Sequence[SeatView],
    *,
    seq: int = 1,
    hand: int = 1,
    street: Street | None = Street.PREFLOP,
    board: Sequence[str] = (),
    pots: Sequence[int] = (),
    button: int | None = 0,
    to_act: int | None = None,
    ends_at: int | UnsetType = UNSET,
    your_seat: int | UnsetType = UNSET,
    your_cards: list[str] | UnsetType = UNSET,
    revealed: dict[str, list[str]] | UnsetType = UNSET,
) -> GameState:
    bets = {str(each.seat): each.bet for each in seats}
    in_play = [each.seat for each in seats if each.status in ("in_hand", "all_in")]
    return GameState(
        seq=seq,
        table_id=TABLE,
        hand_number=hand,
        street=street,
        board=list(board),
        pots=[Pot(amount=amount, eligible=in_play) for amount in pots],
        pot=sum(pots) + sum(bets.values()),
        bets=bets,
        stacks={str(each.seat): each.stack for each in seats},
        small_blind=10,
        big_blind=20,
        ante=0,
        status="open",
        seats=list(seats),
        button=button,
        to_act=to_act,
        turn_ends_at=ends_at,
        your_seat=your_seat,
        your_hole_cards=your_cards,
        revealed_hole_cards=revealed,
    )


def turn(
    turn_id: str = "turn-1",
    *,
    seq: int = 2,
    hand: int = 1,
    to_call: int = 20,
    chip_range: tuple[int, int] | None = (40, 1_000),
    legal: Sequence[ActionKind] | None = None,
    ends_at: int = NOW_MS + 15_000,
    action_index: int = 2,
) -> YourTurn:
    first = ActionKind.CALL if to_call else ActionKind.CHECK
    usual = [ActionKind.FOLD, first, *([ActionKind.RAISE, ActionKind.ALL_IN] if chip_range else [])]
    return YourTurn(
        seq=seq,
        table_id=TABLE,
        hand_number=hand,
        turn_id=turn_id,
        action_index=action_index,
        legal_actions=list(legal) if legal is not None else usual,
        chip_range=ChipRange(min=chip_range[0], max=chip_range[1]) if chip_range else None,
        to_call=to_call,
        turn_ends_at=ends_at,
        time_bank_ms=30_000,
    )


def snapshot(
    now: GameState,
    *,
    seq: int = 0,
    session: str = "ses-1",
    epoch: str = "ep-1",
    actions: Sequence[PlayerAction] = (),
    recent: Sequence[PastHand] = (),
    your_turn: YourTurn | UnsetType = UNSET,
    own_cards: list[OwnCards] | UnsetType = UNSET,
    rules: TableRules = RULES,
) -> Snapshot:
    return Snapshot(
        table_id=TABLE,
        hand_number=now.hand_number or 0,
        session=session,
        epoch=epoch,
        seq=seq,
        rules=rules,
        state=now,
        actions=list(actions),
        recent_hands=list(recent),
        your_turn=your_turn,
        own_cards=own_cards,
        server_time=NOW_MS,
    )


def result(
    *,
    seq: int,
    hand: int,
    board: Sequence[str],
    pots: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    shown: Sequence[tuple[int, list[str]]] = (),
    stacks: dict[str, int],
    uncontested: bool = False,
) -> HandResult:
    return HandResult(
        seq=seq,
        table_id=TABLE,
        hand_number=hand,
        board=list(board),
        pots=[
            PotWon(
                amount=amount,
                eligible=[winner for winner, _ in winners],
                winners=[PotShare(seat=winner, amount=chips) for winner, chips in winners],
            )
            for amount, winners in pots
        ],
        returned={},
        uncontested=uncontested,
        shown=[ShownHand(seat=number, cards=cards) for number, cards in shown],
        stacks=stacks,
    )
