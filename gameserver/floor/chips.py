"""From what happened at a table to moves of the ledger. Pure.

While a hand is played the ledger does not move: a seat's account holds what the seat had before the deal. When the hand is over,
what each seat put in goes to the pot account and from there to the winners. So a hand that never ended needs no move back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gameserver.store.accounts import Account, Bankroll, ChipMove, Issued, PotAccount, Reason, SeatAccount
from gameserver.table.commands import Player, owner_of, player_id
from gameserver.table.facts import Fact, HandCancelled, HandEnded, HandResult, RebuyReturned, SeatPaid
from policy.ids import HandNumber, TableId


class TableChips:
    """The ledger moves of one table. `practice`: chips are issued for it and go back; no bankroll is touched."""

    def __init__(self, table_id: TableId, *, practice: bool) -> None:
        self._table_id = table_id
        self._practice = practice

    def taken(self, player: Player, amount_chips: int, reason: Reason) -> ChipMove:
        """The chips of a buy-in or a rebuy, from where this table's chips come from."""
        return self._move(self._home(player), self._seat(player), amount_chips, reason, None)

    def moves(self, facts: Iterable[Fact], *, hand_number: HandNumber | None) -> list[ChipMove]:
        """All moves that these facts ask for, in an order in which no account goes below zero."""
        return [move for fact in facts for move in self._of(fact, hand_number) if move.amount_chips > 0]

    def _of(self, fact: Fact, hand_number: HandNumber | None) -> Iterator[ChipMove]:
        match fact:
            case HandEnded(result):
                yield from self._settle(result)
            case SeatPaid(player=player, amount_chips=amount):
                yield self._move(self._seat(player), self._home(player), amount, Reason.CASH_OUT, hand_number)
            case RebuyReturned(player=player, amount_chips=amount):
                yield self._move(self._seat(player), self._home(player), amount, Reason.REBUY_RETURNED, hand_number)
            case HandCancelled(hand_number=number, refunds=refunds, paid_out=paid_out):
                for seat, player, amount in refunds:
                    if seat in paid_out:
                        yield self._move(self._seat(player), self._home(player), amount, Reason.REFUND, number)
            case _:
                return

    def _settle(self, result: HandResult) -> Iterator[ChipMove]:
        players = dict(result.players)
        pot = PotAccount(self._table_id)
        for seat, amount in result.contributed:
            yield self._move(self._seat(players[seat]), pot, amount, Reason.BET, result.hand_number)
        for pot_result in result.over.pots:
            for seat, amount in pot_result.winners:
                yield self._move(pot, self._seat(players[seat]), amount, Reason.WIN, result.hand_number)

    def _home(self, player: Player) -> Account:
        return Issued() if self._practice else Bankroll(owner_of(player))

    def _seat(self, player: Player) -> SeatAccount:
        return SeatAccount(self._table_id, str(player_id(player)))

    def _move(
        self, source: Account, target: Account, amount_chips: int, reason: Reason, hand_number: HandNumber | None
    ) -> ChipMove:
        return ChipMove(source, target, amount_chips, reason, self._table_id, hand_number)
