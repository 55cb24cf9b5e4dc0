"""The next hand on paper: who is dealt in, who posts what, and what it makes of debts and wishes. Pure; nothing is dealt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gameserver.hand.facts import ForcedBet, ForcedKind
from gameserver.table import debts, positions
from gameserver.table.debts import NONE, Debt
from gameserver.table.facts import NotDealt
from gameserver.table.options import AnteKind, TableOptions
from gameserver.table.positions import Candidate, Marks, Seating
from gameserver.table.seats import Chair, why_not_dealt
from policy.ids import Seat


@dataclass(frozen=True, slots=True)
class Plan:
    """`dealt`: seat and stack, first left of the button first. `forced`: in order of posting.

    `debts`: of every occupied seat, from the deal on. `straddler`: who straddles. `cannot_straddle`: who wished to and has not
    the chips.
    """

    seating: Seating
    dealt: tuple[tuple[Seat, int], ...]
    not_dealt: tuple[tuple[Seat, NotDealt], ...]
    forced: tuple[ForcedBet, ...]
    debts: Mapping[Seat, Debt]
    straddler: Seat | None
    cannot_straddle: Seat | None


def candidates(chairs: Iterable[Chair], last: Marks | None) -> tuple[Candidate, ...]:
    """Who is ready. Before the first hand of a table nobody owes."""
    return tuple(
        Candidate(chair.seat, last is not None and chair.debt.owes, chair.posts, chair.out_at_big_blind)
        for chair in chairs
        if chair.is_ready
    )


def plan_hand(seating: Seating, chairs: Mapping[Seat, Chair], options: TableOptions, last: Marks | None) -> Plan:
    """The hand with these positions. `chairs`: every occupied seat, after those who sit out now were set so."""
    straddler, cannot = _straddler(seating, chairs, options)
    return Plan(
        seating=seating,
        dealt=tuple((seat, chairs[seat].stack_chips) for seat in seating.dealt),
        not_dealt=tuple((seat, why_not_dealt(chairs[seat])) for seat in sorted(chairs) if seat not in seating.dealt),
        forced=(
            *_antes(seating, options),
            *_blinds(seating, options),
            *_posts(seating, chairs, options),
            *_straddle(straddler, options),
        ),
        debts={seat: _debt_after(chair, seating, last) for seat, chair in chairs.items()},
        straddler=straddler,
        cannot_straddle=cannot,
    )


def straddle_chips(options: TableOptions) -> int:
    return 2 * options.big_blind_chips


def _debt_after(chair: Chair, seating: Seating, last: Marks | None) -> Debt:
    if chair.seat in seating.dealt or last is None:
        return NONE
    return debts.after_passing(
        chair.debt,
        small=positions.passed_by_small_blind(chair.seat, last, seating.marks),
        big=positions.passed_by_big_blind(chair.seat, last, seating.marks),
    )


def _antes(seating: Seating, options: TableOptions) -> tuple[ForcedBet, ...]:
    if options.ante_chips == 0 or options.ante_kind is not AnteKind.EACH:
        return ()
    return tuple(ForcedBet(seat, ForcedKind.ANTE, options.ante_chips) for seat in seating.dealt)


def _blinds(seating: Seating, options: TableOptions) -> tuple[ForcedBet, ...]:
    """Small, big, and the big blind's ante with what is left."""
    small_blind, big_blind = seating.positions.small_blind, seating.positions.big_blind
    bets = [ForcedBet(big_blind, ForcedKind.BIG_BLIND, options.big_blind_chips)]
    if small_blind is not None:
        bets.insert(0, ForcedBet(small_blind, ForcedKind.SMALL_BLIND, options.small_blind_chips))
    if options.ante_chips and options.ante_kind is AnteKind.BIG_BLIND:
        bets.append(ForcedBet(big_blind, ForcedKind.BIG_BLIND_ANTE, options.ante_chips))
    return tuple(bets)


def _posts(seating: Seating, chairs: Mapping[Seat, Chair], options: TableOptions) -> tuple[ForcedBet, ...]:
    return tuple(
        bet
        for seat in seating.dealt
        if seat in seating.posters
        for bet in debts.posts(
            seat,
            chairs[seat].debt,
            small_blind_chips=options.small_blind_chips,
            big_blind_chips=options.big_blind_chips,
        )
    )


def _straddle(straddler: Seat | None, options: TableOptions) -> tuple[ForcedBet, ...]:
    return () if straddler is None else (ForcedBet(straddler, ForcedKind.STRADDLE, straddle_chips(options)),)


def _straddler(
    seating: Seating, chairs: Mapping[Seat, Chair], options: TableOptions
) -> tuple[Seat | None, Seat | None]:
    """Who straddles, or else who cannot. A wish stays open where it has no chance: no seat for it, or a post to pay first."""
    if not options.straddle or len(seating.dealt) < 3:
        return None, None
    seat = positions.seat_after(seating.positions.big_blind, seating.dealt)
    if not chairs[seat].straddles or seat in seating.posters:
        return None, None
    ante = options.ante_chips if options.ante_kind is AnteKind.EACH else 0
    if chairs[seat].stack_chips - ante < straddle_chips(options):
        return None, seat
    return seat, None
