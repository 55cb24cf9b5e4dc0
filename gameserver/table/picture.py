"""The table as it stands at one instant, for the views. It reads and changes nothing; the hole cards in it stay sealed."""

from __future__ import annotations

from collections.abc import Mapping

from gameserver.hand.facts import Turn
from gameserver.table import clock
from gameserver.table.clock import Banks, TurnClock
from gameserver.table.play import Play
from gameserver.table.seats import Chair
from gameserver.table.state import LiveHand, OpenTurn, SeatState, TableState
from gameserver.table.table import Table
from policy.ids import Seat, TurnId


def state_of(table: Table, now_ms: int) -> TableState:
    """Everything that is true of the table now."""
    dealt = table.play if table.play is not None and table.play.hand is not None else None
    bets = {} if dealt is None else dealt.engine.bets
    return TableState(
        options=table.options,
        status=table.status,
        seats=tuple([_seat_state(table, table.chairs[seat], bets, now_ms) for seat in sorted(table.chairs)]),
        hand_number=table.hand_number,
        hand=None if dealt is None else _live_hand(dealt, now_ms),
        recent=tuple(table.recent),
        last_cards=table.last_cards(),
    )


def _seat_state(table: Table, chair: Chair, bets: Mapping[Seat, int], now_ms: int) -> SeatState:
    banks = _banks_now(table, chair, now_ms)
    return SeatState(
        seat=chair.seat,
        player=chair.player,
        name=chair.name,
        stack_chips=table.stack_of(chair),
        bet_chips=bets.get(chair.seat, 0),
        status=table.status_of(chair),
        connected=chair.connected,
        time_bank_ms=banks.time_bank_ms,
        disconnect_bank_ms=banks.disconnect_bank_ms,
        missed=table.debt_of(chair).missed,
        paid_out=chair.paid_out,
    )


def _banks_now(table: Table, chair: Chair, now_ms: int) -> Banks:
    play = table.play
    if play is not None and play.turn_seat == chair.seat and play.clock is not None:
        return clock.banks_at(play.clock, now_ms)
    return table.banks_of(chair)


def _live_hand(play: Play, now_ms: int) -> LiveHand:
    hand = play.engine
    return LiveHand(
        hand_number=play.hand_number,
        positions=play.plan.seating.positions,
        dealt=hand.dealt,
        street=hand.street,
        board=hand.board,
        pots=hand.pots(),
        pot_chips=hand.pot_chips,
        bets=dict(hand.bets),
        moves=tuple(play.moves),
        turn=_open_turn(play, now_ms),
        cards=play.cards(),
    )


def _open_turn(play: Play, now_ms: int) -> OpenTurn | None:
    turn, running, turn_id = play.engine.turn, play.clock, play.turn_id
    if turn is None or running is None or turn_id is None:
        return None
    return _opened(turn_id, turn, running, now_ms)


def _opened(turn_id: TurnId, turn: Turn, running: TurnClock, now_ms: int) -> OpenTurn:
    phase, left_ms = clock.phase(running, now_ms)
    return OpenTurn(
        turn_id=turn_id,
        turn=turn,
        turn_ends_at_ms=running.turn_ends_at_ms,
        acts_for_at_ms=clock.acts_for_at_ms(running),
        time_bank_ms=clock.banks_at(running, now_ms).time_bank_ms,
        phase=phase,
        phase_left_ms=left_ms,
    )
