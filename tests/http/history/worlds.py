"""One finished hand with a known card at each seat, under every state of the table that the history asks about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gameserver.hand.facts import Acted, ActionKind, ForcedKind, HandOver, Posted, PotResult, Street
from gameserver.store.disclosure import Disclosure
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.table.facts import HandResult, Moved, Positions
from gameserver.table.options import TableOptions
from policy.ids import ActionIndex, AgentId, AgentVersionId, Card, HandNumber, HoleCards, Seat, TableId, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind

TABLE: Final = TableId("t-1")
BEGAN_MS: Final = 1_700_000_000_000
ENDED_MS: Final = BEGAN_MS + 60_000
LONG_AFTER_MS: Final = ENDED_MS + 10_000_000
OPEN: Final = RevealOptions(show_hands=True, show_thoughts=True)

SHOWER, MUCKER, FOLDER, PERSON = Seat(0), Seat(1), Seat(2), Seat(4)
CARDS: Final[Mapping[Seat, HoleCards]] = {
    MUCKER: (Card("2c"), Card("7d")),
    FOLDER: (Card("9h"), Card("8h")),
    PERSON: (Card("Qs"), Card("Jc")),
    SHOWER: (Card("As"), Card("Ad")),
}
BOARD: Final = tuple(Card(card) for card in ("2h", "3d", "4s", "Jh", "Kc"))


def agent(name: str, owner: str) -> AgentPlayer:
    return AgentPlayer(AgentId(name), UserId(owner), AgentVersionId("v1"), hosted=True, model="house")


PLAYERS: Final[Mapping[Seat, Player]] = {
    MUCKER: agent("mucker", "owner-of-mucker"),
    FOLDER: agent("folder", "owner-of-folder"),
    PERSON: UserPlayer(UserId("person")),
    SHOWER: agent("shower", "owner-of-shower"),
}


def table(*, delay_ms: int = 0, off_ms: int | None = None, private: bool = False) -> StoredTable:
    options = TableOptions(
        name="The table",
        kind=TableKind.MIXED,
        max_seats=6,
        small_blind_chips=5,
        big_blind_chips=10,
        min_buy_in_chips=100,
        max_buy_in_chips=1_000,
        created_by=UserId("creator"),
        spectator_delay_ms=delay_ms,
        private=private,
    )
    return StoredTable(TABLE, options, b"", None, show_hands_off_ms=off_ms)


def hand(
    *,
    number: int = 7,
    reveal: RevealOptions = CLOSED,
    streamed: Mapping[Seat, int] | None = None,
    shown_after: Mapping[Seat, int] | None = None,
) -> StoredHand:
    """Everybody puts ten in; one folds, one mucks, one shows and wins, and the person mucks too."""
    return StoredHand(
        table_id=TABLE,
        hand_number=HandNumber(number),
        status=HandStatus.FINISHED,
        result=result(number),
        began_ms=BEGAN_MS,
        ended_ms=ENDED_MS,
        disclosure=Disclosure(reveal, tuple((streamed or {}).items())),
        shown_after=tuple((shown_after or {}).items()),
    )


def cancelled(number: int = 7) -> StoredHand:
    return replace(hand(number=number), status=HandStatus.CANCELLED, result=None)


def result(number: int = 7) -> HandResult:
    standings = {MUCKER: Standing.MUCKED, FOLDER: Standing.FOLDED, PERSON: Standing.MUCKED, SHOWER: Standing.SHOWN}
    cards = tuple(SeatCards(seat, Sealed(CARDS[seat]), standing) for seat, standing in standings.items())
    return HandResult(
        hand_number=HandNumber(number),
        positions=Positions(button=SHOWER, button_dead=False, small_blind=MUCKER, big_blind=FOLDER),
        began_with=tuple((seat, 100) for seat in CARDS),
        players=tuple(PLAYERS.items()),
        names=tuple((seat, f"Seat {seat}") for seat in CARDS),
        moves=(
            Posted(MUCKER, ForcedKind.SMALL_BLIND, 5, ActionIndex(0)),
            Posted(FOLDER, ForcedKind.BIG_BLIND, 10, ActionIndex(1)),
            Moved(Acted(PERSON, ActionKind.CALL, 10, 10, False, Street.PREFLOP, ActionIndex(2)), None),
            Moved(Acted(SHOWER, ActionKind.CALL, 10, 10, False, Street.PREFLOP, ActionIndex(3)), None),
            Moved(Acted(MUCKER, ActionKind.CALL, 10, 5, False, Street.PREFLOP, ActionIndex(4)), None),
            Moved(Acted(FOLDER, ActionKind.FOLD, 10, 0, False, Street.PREFLOP, ActionIndex(5)), None),
        ),
        board=BOARD,
        over=HandOver(
            pots=(PotResult(40, (MUCKER, PERSON, SHOWER), ((SHOWER, 40),)),),
            returned=(),
            uncontested=False,
            stacks=((MUCKER, 90), (FOLDER, 90), (PERSON, 90), (SHOWER, 130)),
            show_order=(SHOWER,),
        ),
        shown=((SHOWER, CARDS[SHOWER]),),
        contributed=tuple((seat, 10) for seat in CARDS),
        cards=HandCards(Stage.OVER, cards, (Peek(by=MUCKER, at=FOLDER),)),
    )
