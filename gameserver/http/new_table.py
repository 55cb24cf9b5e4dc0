"""From what was asked for to the options of a new table. What it may reveal is the gate's to say, as is its name."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.requests import NewTable
from gameserver.table.options import AnteKind, Clocks, TableOptions
from gameserver.wire.fields import MAX_CHIPS
from policy import name_policy, spectator_policy
from policy.ids import UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

LEAST_BUY_IN_BIG_BLINDS: Final = 20
MOST_BUY_IN_BIG_BLINDS: Final = 100


def options_of(asked: NewTable, created_by: UserId) -> TableOptions:
    """The options of a table that somebody makes. Raises Refusal and PolicyRefusal."""
    kind = TableKind(asked.table_kind)
    reveal = RevealOptions(show_hands=asked.show_hands, show_thoughts=asked.show_thoughts)
    least, most = _buy_ins(asked)
    return TableOptions(
        name=name_policy.check_table_name(name=asked.name),
        kind=kind,
        max_seats=asked.max_seats,
        small_blind_chips=asked.small_blind,
        big_blind_chips=_big_blind(asked),
        min_buy_in_chips=least,
        max_buy_in_chips=most,
        created_by=created_by,
        ante_chips=asked.ante,
        ante_kind=AnteKind(asked.ante_kind),
        straddle=asked.straddle,
        clocks=_clocks(asked),
        reveal=spectator_policy.refuse_reveal_at_creation(table_kind=kind, asked=reveal),
        spectator_delay_ms=asked.spectator_delay_ms,
        powers=MappingProxyType({str(name): uses for name, uses in asked.powers.items()}),
        agent_chat=asked.agent_chat,
        house_agents=_house_agents(asked),
        practice=asked.practice,
        private=asked.private,
    )


def _big_blind(asked: NewTable) -> int:
    if asked.big_blind < asked.small_blind:
        raise Refusal(ErrorCode.OUT_OF_RANGE, "bigBlind is at least smallBlind")
    return asked.big_blind


def _buy_ins(asked: NewTable) -> tuple[int, int]:
    """Least and most; what is not said follows the big blind, and what is said."""
    least, most = asked.min_buy_in, asked.max_buy_in
    usual_least = min(LEAST_BUY_IN_BIG_BLINDS * asked.big_blind, MAX_CHIPS)
    usual_most = min(MOST_BUY_IN_BIG_BLINDS * asked.big_blind, MAX_CHIPS)
    if least is UNSET:
        least = usual_least if most is UNSET else min(usual_least, most)
    if most is UNSET:
        most = max(usual_most, least)
    if least > most:
        raise Refusal(ErrorCode.OUT_OF_RANGE, "minBuyIn is at most maxBuyIn")
    return least, most


def _clocks(asked: NewTable) -> Clocks:
    return Clocks(
        turn_ms=asked.turn_ms,
        time_bank_ms=asked.time_bank_ms,
        refill_every_hands=asked.refill_every_hands,
        refill_ms=asked.refill_ms,
        disconnect_bank_ms=asked.disconnect_bank_ms,
        timeouts_to_sit_out=asked.timeouts_to_sit_out,
        sit_out_remove_ms=asked.sit_out_remove_ms,
        rathole_ms=asked.rathole_ms,
    )


def _house_agents(asked: NewTable) -> int:
    if asked.house_agents > asked.max_seats:
        raise Refusal(ErrorCode.OUT_OF_RANGE, "houseAgents is at most maxSeats")
    if asked.house_agents and asked.table_kind == "human":
        raise Refusal(ErrorCode.TABLE_KIND, "no agent sits at a human table")
    return asked.house_agents
