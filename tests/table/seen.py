"""What a test sees of a room after a step, in the words of the casebook: from its state and from the facts that it told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gameserver.hand.facts import CardsShown, HandOver, Posted, PotResult, ShownBecause
from gameserver.table import facts
from gameserver.table.commands import Player, UserPlayer
from gameserver.table.facts import Fact, ForcedCause
from gameserver.table.state import SeatState, TableState
from policy.ids import Seat

Json = Any
MISSED: Final = {None: [], "small_blind": ["small"], "big_blind": ["big"], "both": ["big", "small"]}


def name_of(player: Player) -> str:
    return player.user_id if isinstance(player, UserPlayer) else player.agent_id


def missed(seats: Mapping[str, SeatState]) -> dict[str, Json]:
    owed = {seat: MISSED[each.missed] for seat, each in seats.items()}
    return {"missed": {seat: blinds for seat, blinds in owed.items() if blinds}}


def turn(state: TableState) -> dict[str, Json]:
    if state.hand is None or state.hand.turn is None:
        return {"to_act": None, "clock_phase": None}
    opened = state.hand.turn
    raise_range = opened.turn.raise_range
    return {
        "to_act": opened.turn.seat,
        "call": opened.turn.to_call_chips,
        "raise_to": list(raise_range) if raise_range is not None else None,
        "clock_phase": {"phase": opened.phase, "left_ms": opened.phase_left_ms},
    }


def told_by_hand(told: Iterable[Fact]) -> dict[str, Json]:
    """Of the beginning and the end of a hand, and of moves that nobody chose."""
    found: dict[str, Json] = {"auto": [], "classed": [], "forced": [], "not_dealt": {}}
    for fact in told:
        match fact:
            case facts.HandBegan():
                found |= _beginning(fact)
            case facts.NoHand(why):
                found["no_hand"] = why
            case Posted():
                found["forced"].append({"seat": fact.seat, "kind": str(fact.kind), "amount": fact.amount_chips})
            case facts.Moved(move, cause) if cause is not None:
                word = "leave" if cause is ForcedCause.LEAVE else "timeout"
                found["auto"].append({"seat": move.seat, "action": str(move.action), "cause": word})
                found["classed"].append(str(cause))
            case facts.HandEnded(result):
                found["result"] = {**_result(result.over), "rebuy_applied": _bought(told)}
            case facts.HandCancelled():
                found["cancelled"] = fact.hand_number
                found["refunds"] = {str(seat): chips for seat, _, chips in fact.refunds}
            case _:
                pass
    return found


def _beginning(began: facts.HandBegan) -> dict[str, Json]:
    return {
        "hand": began.hand_number,
        "button": began.positions.button,
        "button_dead": began.positions.button_dead,
        "small_blind": began.positions.small_blind,
        "big_blind": began.positions.big_blind,
        "dealt": [seat for seat, _ in began.dealt],
        "not_dealt": {str(seat): str(why) for seat, why in began.not_dealt},
    }


def _result(over: HandOver) -> dict[str, Json]:
    return {
        "pots": _pots(over),
        "returned": {str(seat): chips for seat, chips in over.returned},
        "uncontested": over.uncontested,
    }


def _pots(over: HandOver) -> list[Json]:
    """As the cases write them: the pots of an uncontested hand are one."""
    pots = list(over.pots)
    if over.uncontested and len(pots) > 1:
        pots = [PotResult(sum(pot.amount_chips for pot in pots), pots[-1].eligible, pots[-1].winners)]
    return [
        {
            "amount": pot.amount_chips,
            "eligible": sorted(pot.eligible),
            "winners": sorted(seat for seat, _ in pot.winners),
        }
        for pot in pots
    ]


def _bought(told: Iterable[Fact]) -> dict[str, int]:
    return {str(fact.seat): fact.amount_chips for fact in told if isinstance(fact, facts.ChipsBought)}


def told_by_table(told: Iterable[Fact], paid_before: frozenset[Seat]) -> dict[str, Json]:
    found: dict[str, Json] = {
        "removed": [],
        "cashed_out": {},
        "dropped": {},
        "given_back": {},
        "reserved": {},
        "versions": {},
        "powers": [],
    }
    paid: dict[str, int] = found["cashed_out"]
    for fact in told:
        match fact:
            case facts.SeatPaid(player=player, amount_chips=chips):
                paid[name_of(player)] = paid.get(name_of(player), 0) + chips
            case facts.HandCancelled(refunds=refunds, paid_out=departed):
                paid |= {name_of(player): chips for seat, player, chips in refunds if seat in departed}
            case facts.SeatFreed(seat, player, because):
                if seat not in paid_before:
                    paid.setdefault(name_of(player), 0)
                if because is facts.LeftBecause.SAT_OUT_TOO_LONG:
                    found["removed"].append(seat)
            case facts.WishDropped(seat=seat, code=code):
                found["dropped"][str(seat)] = str(code)
            case facts.RebuyReturned(seat=seat, amount_chips=chips):
                found["given_back"][str(seat)] = chips
            case facts.RebuyReserved(seat=seat, amount_chips=chips):
                found["reserved"][str(seat)] = chips
            case facts.VersionChanged(seat=seat, version_id=version):
                found["versions"][str(seat)] = version
            case facts.PowerUsed(by=by, at=at):
                found["powers"].append([by, at])
            case CardsShown(seat=seat, because=ShownBecause.CHOICE):
                found["shows"] = seat
            case _:
                pass
    return found
