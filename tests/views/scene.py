"""A table built by hand: three agents, each of another owner, in seats 0, 2 and 5, and the cards that they hold.

Seat 0: `ace` of Ann, As Ah. Seat 2: `bee` of Ben, Kd Kc. Seat 5: `cat` of Cid, 7h 2s. The board's flop is Qs Jd 3c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gameserver.hand.facts import Acted, ActionKind, ForcedKind, HandOver, Posted, PotResult, Street, Turn
from gameserver.table.commands import AgentPlayer, Player
from gameserver.table.facts import HandResult, Moved, Positions, SeatStatus
from gameserver.table.options import TableOptions
from gameserver.table.state import LiveHand, OpenTurn, SeatState, TableState
from gameserver.views.now import Now
from policy.ids import ActionIndex, AgentId, AgentVersionId, Card, HandNumber, HoleCards, Seat, TableId, TurnId, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind

TABLE: Final = TableId("t1")
NOW: Final = Now(monotonic_ms=50_000, wall_ms=1_700_000_000_000)
OPEN_HANDS: Final = RevealOptions(show_hands=True, show_thoughts=False)
FLOP: Final = (Card("Qs"), Card("Jd"), Card("3c"))
HELD: Final[dict[Seat, HoleCards]] = {
    Seat(0): (Card("As"), Card("Ah")),
    Seat(2): (Card("Kd"), Card("Kc")),
    Seat(5): (Card("7h"), Card("2s")),
}
ANN, BEN, CID = UserId("ann"), UserId("ben"), UserId("cid")
POSITIONS: Final = Positions(button=Seat(0), button_dead=False, small_blind=Seat(2), big_blind=Seat(5))


def agent(name: str, owner: UserId, *, model: str | None = None) -> AgentPlayer:
    return AgentPlayer(AgentId(name), owner, AgentVersionId("v1"), hosted=model is not None, model=model)


ACE, BEE, CAT = agent("ace", ANN), agent("bee", BEN, model="house"), agent("cat", CID)
PLAYERS: Final[tuple[tuple[Seat, Player], ...]] = ((Seat(2), BEE), (Seat(5), CAT), (Seat(0), ACE))
"""In the order of the deal."""


def options(reveal: RevealOptions = CLOSED) -> TableOptions:
    return TableOptions(
        name="First table",
        kind=TableKind.AGENT,
        max_seats=6,
        small_blind_chips=5,
        big_blind_chips=10,
        min_buy_in_chips=100,
        max_buy_in_chips=1000,
        created_by=ANN,
        reveal=reveal,
    )


def seat(number: int, player: Player, name: str, *, stack: int = 980, bet: int = 0) -> SeatState:
    return SeatState(
        seat=Seat(number),
        player=player,
        name=name,
        stack_chips=stack,
        bet_chips=bet,
        status=SeatStatus.IN_HAND,
        connected=True,
        time_bank_ms=30_000,
        disconnect_bank_ms=60_000,
        missed=None,
        paid_out=False,
    )


def three_seats() -> tuple[SeatState, ...]:
    return (seat(0, ACE, "Ace"), seat(2, BEE, "Bee"), seat(5, CAT, "Cat"))


def cards(
    stage: Stage = Stage.BETTING,
    standings: dict[int, Standing] | None = None,
    peeks: tuple[Peek, ...] = (),
    order: Sequence[int] = (2, 5, 0),
) -> HandCards:
    """Sealed cards; every seat is live, but for those in `standings`."""
    held = tuple(SeatCards(Seat(at), Sealed(HELD[Seat(at)]), (standings or {}).get(at, Standing.LIVE)) for at in order)
    return HandCards(stage, held, peeks)


def moves() -> tuple[Posted | Moved, ...]:
    return (
        Posted(Seat(2), ForcedKind.SMALL_BLIND, 5, ActionIndex(0)),
        Posted(Seat(5), ForcedKind.BIG_BLIND, 10, ActionIndex(1)),
        Moved(Acted(Seat(0), ActionKind.CALL, 10, 10, False, Street.PREFLOP, ActionIndex(2)), None),
    )


def open_turn(at: int = 0) -> OpenTurn:
    turn = Turn(
        Seat(at), (ActionKind.FOLD, ActionKind.CHECK, ActionKind.BET, ActionKind.ALL_IN), 0, (10, 980), ActionIndex(5)
    )
    return OpenTurn(TurnId("turn-9"), turn, 65_000, 95_000, 30_000, "turn", 15_000)


def live_hand(hand_cards: HandCards | None = None, turn: OpenTurn | None = None) -> LiveHand:
    return LiveHand(
        hand_number=HandNumber(7),
        positions=POSITIONS,
        dealt=(Seat(2), Seat(5), Seat(0)),
        street=Street.FLOP,
        board=FLOP,
        pots=((30, (Seat(2), Seat(5), Seat(0))),),
        pot_chips=40,
        bets={Seat(2): 10, Seat(5): 0},
        moves=moves(),
        turn=turn,
        cards=hand_cards or cards(),
    )


def table(
    hand: LiveHand | None,
    *,
    reveal: RevealOptions = CLOSED,
    seats: tuple[SeatState, ...] | None = None,
    recent: tuple[HandResult, ...] = (),
    last_cards: HandCards | None = None,
) -> TableState:
    return TableState(
        options=options(reveal),
        status="open",
        seats=three_seats() if seats is None else seats,
        hand_number=HandNumber(7),
        hand=hand,
        recent=recent,
        last_cards=last_cards,
    )


def result(number: int = 7, hand_cards: HandCards | None = None, shown: Sequence[int] = (2,)) -> HandResult:
    """A hand that `bee` won at a showdown with `cat`, who mucked; `ace` folded."""
    return HandResult(
        hand_number=HandNumber(number),
        positions=POSITIONS,
        began_with=((Seat(2), 1000), (Seat(5), 1000), (Seat(0), 1000)),
        players=PLAYERS,
        names=((Seat(2), "Bee"), (Seat(5), "Cat"), (Seat(0), "Ace")),
        moves=moves(),
        board=(*FLOP, Card("8d"), Card("9c")),
        over=HandOver(
            pots=(PotResult(30, (Seat(2), Seat(5)), ((Seat(2), 30),)),),
            returned=((Seat(2), 40),),
            uncontested=False,
            stacks=((Seat(2), 1020), (Seat(5), 990), (Seat(0), 990)),
            show_order=(Seat(2),),
        ),
        shown=tuple((Seat(at), HELD[Seat(at)]) for at in shown),
        contributed=((Seat(2), 10), (Seat(5), 10), (Seat(0), 10)),
        cards=hand_cards or finished_cards(),
    )


def finished_cards() -> HandCards:
    return cards(Stage.OVER, {2: Standing.SHOWN, 5: Standing.MUCKED, 0: Standing.FOLDED})


def in_seat(seats: tuple[SeatState, ...], number: int, player: Player) -> tuple[SeatState, ...]:
    """The same seats with somebody else in one of them."""
    return tuple(replace(each, player=player) if each.seat == number else each for each in seats)
