"""One hand at the table, from its beginning to its last chip: begin, deal, move, run out of time, end, cancel.

The engine knows the rules of betting; this module knows whose move it is when a player has left or a clock has run out, and
what the table makes of the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.hand.deck import Deck
from gameserver.hand.facts import Acted, ActionKind, CardsShown, HandFact, HandOver, Posted, Turn
from gameserver.hand.hand import Hand
from gameserver.table import clock, hand_end, plan, positions, seats
from gameserver.table.commands import Act
from gameserver.table.facts import (
    ForcedCause,
    HandBegan,
    LeftBecause,
    Moved,
    NoHand,
    TurnOpened,
    WishDropped,
)
from gameserver.table.leaving import give_up
from gameserver.table.play import Play
from gameserver.table.seats import Chair
from gameserver.table.table import Change, Table
from policy.ids import HandNumber, Seat

# --- beginning ----------------------------------------------------------------------------------------------------------


def prepare_begin(table: Table) -> Change:
    """Raises Refusal(hand_live) while a hand is in play."""
    if table.play is not None:
        raise Refusal(ErrorCode.HAND_LIVE, "a hand is in play")
    return partial(_begin, table)


def prepare_deal(table: Table, deck: Deck) -> Change:
    """Deals the hand that was begun. Raises Bug where there is none."""
    if table.play is None or table.play.hand is not None:
        raise Bug("there is no hand to deal")
    return partial(_deal, table, deck)


def _begin(table: Table, now_ms: int) -> None:
    if table.status != "open" or table.closing:
        table.tell(NoHand("closed" if table.closing else table.status))
        return
    following = positions.next_hand(plan.candidates(table.chairs.values(), table.marks), table.marks, table.drawn)
    for seat in following.sat_out:
        table.put(seats.sit_out(table.chairs[seat]))
    if following.seating is None:
        table.tell(NoHand("not_enough_players"))
        return
    table.hand_number = HandNumber(table.hand_number + 1)
    planned = plan.plan_hand(following.seating, table.chairs, table.options, table.marks)
    _drop_straddle(table, planned.cannot_straddle)
    table.play = Play(planned, table.hand_number, table.chairs)
    table.ended = None
    table.tell(_began(table, table.play))


def _drop_straddle(table: Table, seat: Seat | None) -> None:
    if seat is not None:
        chair = replace(table.chairs[seat], straddles=False)
        table.put(chair)
        table.tell(WishDropped(seat, chair.player_id, ErrorCode.NO_CHIPS))


def _began(table: Table, play: Play) -> HandBegan:
    return HandBegan(
        hand_number=play.hand_number,
        positions=play.plan.seating.positions,
        dealt=play.plan.dealt,
        not_dealt=play.plan.not_dealt,
        players=tuple((seat, table.chairs[seat].player) for seat, _ in play.plan.dealt),
    )


def _deal(table: Table, deck: Deck, now_ms: int) -> None:
    play = _play(table)
    straddle = plan.straddle_chips(table.options) if play.plan.straddler is not None else None
    play.hand = Hand(
        seats=play.plan.dealt,
        forced=play.plan.forced,
        big_blind_chips=table.options.big_blind_chips,
        straddle_chips=straddle,
    )
    _relay(table, play, play.hand.deal(deck), None)
    _go_on(table, play, now_ms)


# --- moving -------------------------------------------------------------------------------------------------------------


def prepare_act(table: Table, command: Act, now_ms: int) -> Change:
    """Raises Refusal: not_seated, stale_turn, illegal_action, amount_out_of_range."""
    chair = table.chair_of(command.player)
    play = check_own_turn(table, chair, command.turn_id)
    if play.clock is not None and clock.is_over(play.clock, now_ms):
        raise Refusal(ErrorCode.STALE_TURN, "the time of this turn is over")
    play.engine.verify(chair.seat, command.action, command.amount_chips)
    return partial(_act, table, play, chair.seat, command)


def check_own_turn(table: Table, chair: Chair, turn_id: str) -> Play:
    """The hand in play. Raises Refusal(stale_turn) for any turn that is not the player's own open one."""
    play = table.play
    if play is None or play.turn_seat != chair.seat or play.turn_id != turn_id:
        raise Refusal(ErrorCode.STALE_TURN, "this is not an open turn of yours")
    return play


def _act(table: Table, play: Play, seat: Seat, command: Act, now_ms: int) -> None:
    _close_turn(play, seat, now_ms)
    play.timeouts[seat] = 0
    _relay(table, play, play.engine.act(seat, command.action, command.amount_chips), None)
    _go_on(table, play, now_ms)


def time_out(table: Table) -> None:
    """The open turn's time is over: check if possible, else fold. It happens at the deadline, where the next clock starts."""
    play = _play(table)
    turn, running = play.engine.turn, play.clock
    if turn is None or running is None:
        raise Bug("no clock runs")
    deadline_ms = clock.acts_for_at_ms(running)
    cause = _cause(play, connected=running.connected)
    _close_turn(play, turn.seat, deadline_ms)
    play.timeouts[turn.seat] += 1
    action = ActionKind.CHECK if ActionKind.CHECK in turn.legal else ActionKind.FOLD
    _relay(table, play, play.engine.act(turn.seat, action), cause)
    _go_on(table, play, deadline_ms)


def _cause(play: Play, *, connected: bool) -> ForcedCause:
    if play.provider_down:
        return ForcedCause.PROVIDER_DOWN
    return ForcedCause.AGENT_SLOW if connected else ForcedCause.DISCONNECTED


def leave(table: Table, seat: Seat, because: LeftBecause, now_ms: int) -> None:
    """Gives a seat up; on its own turn it is folded at once."""
    give_up(table, table.chairs[seat], because, now_ms)
    if table.play is not None and table.play.turn_seat == seat:
        _close_turn(table.play, seat, now_ms)
        _go_on(table, table.play, now_ms)


def line_changed(table: Table, seat: Seat, *, connected: bool, now_ms: int) -> None:
    """The line of a seat went up or down: in its own turn the other bank runs from now on."""
    play = table.play
    if play is None or not play.is_dealt(seat):
        return
    if not connected:
        play.lost_line.add(seat)
    if play.turn_seat == seat and play.clock is not None:
        play.clock = clock.line_changed(play.clock, now_ms, connected=connected)


# --- going on -----------------------------------------------------------------------------------------------------------


def _go_on(table: Table, play: Play, now_ms: int) -> None:
    """Folds those who left when the action gets to them; then opens the next turn, or ends the hand."""
    hand = play.engine
    while hand.turn is not None and table.chairs[hand.turn.seat].leaving is not None:
        _relay(table, play, hand.act(hand.turn.seat, ActionKind.FOLD), ForcedCause.LEAVE)
    if hand.turn is not None:
        _open_turn(table, play, hand.turn, now_ms)
    else:
        hand_end.finish(table, play, now_ms)


def _open_turn(table: Table, play: Play, turn: Turn, now_ms: int) -> None:
    chair = table.chairs[turn.seat]
    banks = play.banks[turn.seat]
    play.clock = clock.start(now_ms, table.options.clocks.turn_ms, connected=chair.connected, banks=banks)
    play.turn_id = table.new_turn_id()
    play.provider_down = False
    table.tell(
        TurnOpened(
            turn_id=play.turn_id,
            turn=turn,
            turn_ends_at_ms=play.clock.turn_ends_at_ms,
            acts_for_at_ms=clock.acts_for_at_ms(play.clock),
            time_bank_ms=banks.time_bank_ms,
        )
    )


def _close_turn(play: Play, seat: Seat, now_ms: int) -> None:
    """The banks keep what the turn has left of them."""
    if play.clock is not None:
        play.banks[seat] = clock.banks_at(play.clock, now_ms)
    play.clock = None
    play.turn_id = None


def _relay(table: Table, play: Play, facts: Iterable[HandFact], cause: ForcedCause | None) -> None:
    """Tells what the engine said. The result is told by `hand_end`, with what only the table knows."""
    for fact in facts:
        match fact:
            case HandOver():
                pass
            case Acted():
                moved = Moved(fact, cause)
                play.moves.append(moved)
                table.tell(moved)
            case Posted():
                play.moves.append(fact)
                table.tell(fact)
            case CardsShown(seat=seat, cards=cards):
                play.shown.append((seat, cards))
                table.tell(fact)
            case _:
                table.tell(fact)


def _play(table: Table) -> Play:
    if table.play is None:
        raise Bug("no hand is in play")
    return table.play
