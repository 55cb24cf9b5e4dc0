"""A table's options as anybody may read them. It holds no secret: every rule of a table is public to who may see the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from gameserver.table.options import AnteKind, TableOptions
from gameserver.wire.messages import TableRules
from policy.table_kind import TableKind

_KINDS: Final[Mapping[TableKind, Literal["agent", "human", "mixed"]]] = {
    TableKind.AGENT: "agent",
    TableKind.HUMAN: "human",
    TableKind.MIXED: "mixed",
}
_ANTES: Final[Mapping[AnteKind, Literal["each", "big_blind"]]] = {
    AnteKind.EACH: "each",
    AnteKind.BIG_BLIND: "big_blind",
}


def table_rules(options: TableOptions) -> TableRules:
    """The rules of a table; whoever made it and who is invited are not in it."""
    clocks = options.clocks
    return TableRules(
        name=options.name,
        table_kind=_KINDS[options.kind],
        variant="nlhe",
        max_seats=options.max_seats,
        small_blind=options.small_blind_chips,
        big_blind=options.big_blind_chips,
        ante=options.ante_chips,
        ante_kind=_ANTES[options.ante_kind],
        straddle=options.straddle,
        min_buy_in=options.min_buy_in_chips,
        max_buy_in=options.max_buy_in_chips,
        turn_ms=clocks.turn_ms,
        time_bank_ms=clocks.time_bank_ms,
        refill_every_hands=clocks.refill_every_hands,
        refill_ms=clocks.refill_ms,
        disconnect_bank_ms=clocks.disconnect_bank_ms,
        timeouts_to_sit_out=clocks.timeouts_to_sit_out,
        sit_out_remove_ms=clocks.sit_out_remove_ms,
        rathole_ms=clocks.rathole_ms,
        show_hands=options.reveal.show_hands,
        show_thoughts=options.reveal.show_thoughts,
        spectator_delay_ms=options.spectator_delay_ms,
        powers=dict(options.powers),
        agent_chat=options.agent_chat,
        practice=options.practice,
        private=options.private,
    )
