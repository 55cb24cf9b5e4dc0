"""Players, tables and finished hands for the tests of the store, built of the real values."""

from __future__ import annotations

from typing import Final

from gameserver.hand.facts import Acted, ActionKind, ForcedKind, HandOver, Posted, PotResult, Street
from gameserver.store.accounts import Account, Bankroll, ChipMove, PotAccount, Reason, SeatAccount
from gameserver.table.commands import AgentPlayer, UserPlayer
from gameserver.table.facts import ForcedCause, HandResult, Moved, Positions
from gameserver.table.options import TableOptions
from policy.ids import ActionIndex, AgentId, AgentVersionId, Card, HandNumber, HoleCards, Seat, TableId, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

TABLE: Final = TableId("t_1")
ALICE: Final = UserId("u_alice")
BOB: Final = UserId("u_bob")
ALICES: Final = AgentPlayer(AgentId("a_alice"), ALICE, AgentVersionId("v_1"), True, "house", True)
BOBS: Final = AgentPlayer(AgentId("a_bob"), BOB, AgentVersionId("v_2"), False, None)
CAROL: Final = UserPlayer(UserId("u_carol"))

WINNING: Final = (Card("As"), Card("Ad"))
MUCKED: Final = (Card("7h"), Card("2c"))
FOLDED: Final = (Card("9d"), Card("8d"))


def options(
    kind: TableKind = TableKind.AGENT, *, show_hands: bool = False, name: str = "First", private: bool = False
) -> TableOptions:
    return TableOptions(
        name=name,
        kind=kind,
        max_seats=6,
        small_blind_chips=1,
        big_blind_chips=2,
        min_buy_in_chips=40,
        max_buy_in_chips=200,
        created_by=ALICE,
        reveal=RevealOptions(show_hands=show_hands, show_thoughts=False),
        powers={"dealer_peek": 1},
        private=private,
    )


def seat_account(player: AgentPlayer, table_id: TableId = TABLE) -> SeatAccount:
    return SeatAccount(table_id, player.agent_id)


def move(
    source: Account,
    target: Account,
    amount_chips: int,
    reason: Reason = Reason.BUY_IN,
    hand_number: int | None = None,
    table_id: TableId | None = TABLE,
) -> ChipMove:
    number = None if hand_number is None else HandNumber(hand_number)
    return ChipMove(source, target, amount_chips, reason, table_id, number)


def buy_in(player: AgentPlayer, amount_chips: int, table_id: TableId = TABLE) -> ChipMove:
    return move(Bankroll(player.owner), seat_account(player, table_id), amount_chips, table_id=table_id)


def settled(hand_number: int) -> list[ChipMove]:
    """What `result` moves: Bob's ten to Alice."""
    pot = PotAccount(TABLE)
    return [
        move(seat_account(ALICES), pot, 10, Reason.BET, hand_number),
        move(seat_account(BOBS), pot, 10, Reason.BET, hand_number),
        move(pot, seat_account(ALICES), 20, Reason.WIN, hand_number),
    ]


def result(hand_number: int = 1, stage: Stage = Stage.OVER) -> HandResult:
    """Alice shows and wins twenty, Bob mucks, Carol folds; each case of every union is in it."""
    alice, bob, carol = Seat(0), Seat(2), Seat(5)
    return HandResult(
        hand_number=HandNumber(hand_number),
        positions=Positions(button=alice, button_dead=False, small_blind=None, big_blind=carol),
        began_with=((bob, 100), (carol, 50), (alice, 100)),
        players=((bob, BOBS), (carol, CAROL), (alice, ALICES)),
        names=((bob, "Bob's"), (carol, "Cárol"), (alice, "Alice's")),
        moves=(
            Posted(carol, ForcedKind.BIG_BLIND, 2, ActionIndex(0)),
            Moved(Acted(alice, ActionKind.RAISE, 10, 10, False, Street.PREFLOP, ActionIndex(1)), None),
            Moved(Acted(bob, ActionKind.CALL, 10, 10, False, Street.PREFLOP, ActionIndex(2)), None),
            Moved(
                Acted(carol, ActionKind.FOLD, 2, 0, False, Street.PREFLOP, ActionIndex(3)), ForcedCause.PROVIDER_DOWN
            ),
        ),
        board=tuple(Card(card) for card in ("2d", "3c", "4s", "Jh", "Kc")),
        over=HandOver(
            pots=(PotResult(20, (bob, alice), ((alice, 20),)),),
            returned=((carol, 2),),
            uncontested=False,
            stacks=((bob, 90), (carol, 50), (alice, 110)),
            show_order=(alice,),
        ),
        shown=((alice, WINNING),),
        contributed=((bob, 10), (carol, 0), (alice, 10)),
        cards=HandCards(
            stage,
            (
                _cards(bob, MUCKED, Standing.MUCKED),
                _cards(carol, FOLDED, Standing.FOLDED),
                _cards(alice, WINNING, Standing.SHOWN),
            ),
            (Peek(by=bob, at=carol),),
        ),
    )


def _cards(seat: Seat, cards: HoleCards, standing: Standing) -> SeatCards:
    return SeatCards(seat, Sealed(cards), standing)
