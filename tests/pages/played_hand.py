"""One hand at a six-handed table as a spectator's frames, for pages to draw. Made up, but as the rules have it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from gameserver.hand.facts import ActionKind, ForcedKind, ShownBecause, Street
from gameserver.wire.messages import (
    CardsShown,
    GameState,
    HandStarted,
    PlayerAction,
    ServerMessage,
    Snapshot,
    StreetDealt,
)
from tests.client.frames import RULES, TABLE, result, seat, snapshot, state

NAMES = ("Ada Rock", "Ben Shark", "Cleo Gambler", "Dot Station", "Eli Mathematician", "Fay Trickster")
BEGAN_AT = 40
STACKS = (1_480, 2_140, 655, 990, 1_820, 1_215)


def now_ms() -> int:
    return int(time.time() * 1000)


class Hand:
    """Frames in order, each with the next number; `stop(name)` marks a place to look at."""

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self.seq = BEGAN_AT
        self.hand = 118
        self.seats = [
            seat(number, name, stack, status="ready")
            for number, (name, stack) in enumerate(zip(names, STACKS, strict=True))
        ]
        self.frames: list[ServerMessage | str] = []
        self.index = 0
        self.board: list[str] = []
        self.street: Street | None = None
        self.pots: list[int] = []
        self.button = 3
        self.revealed: dict[str, list[str]] = {}

    def number(self) -> int:
        self.seq += 1
        return self.seq

    def snapshot(self) -> Snapshot:
        return snapshot(
            self._state(None, seq=self.seq), seq=self.seq, rules=msgspec.structs.replace(RULES, name="Heron")
        )

    def stop(self, name: str) -> None:
        self.frames.append(name)

    def show_state(self, to_act: int | None = None) -> None:
        self.frames.append(self._state(to_act, seq=self.number()))

    def begin(self) -> None:
        self.street, self.board, self.pots = Street.PREFLOP, [], []
        dealt = [4, 5, 0, 1, 2, 3]
        for number in range(6):
            self._change(number, status="in_hand")
        self.frames.append(
            HandStarted(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                button=self.button,
                button_dead=False,
                small_blind_seat=4,
                big_blind_seat=5,
                dealt=dealt,
                stacks={str(each.seat): each.stack for each in self.seats},
            )
        )

    def post(self, number: int, kind: ForcedKind, amount: int) -> None:
        self._pay(number, amount)
        self._tell(number, kind, amount, forced=True)

    def act(
        self, number: int, kind: ActionKind, total: int = 0, *, all_in: bool = False, to_act: int | None = None
    ) -> None:
        if kind is ActionKind.FOLD:
            self._change(number, status="folded")
        elif total:
            self._pay(number, total - self.seats[number].bet)
            self._change(number, status="all_in" if all_in else "in_hand")
        self._tell(number, kind, total, all_in=all_in)
        self.show_state(to_act)

    def deal(self, street: Street, cards: list[str], to_act: int | None) -> None:
        self.collect()
        self.street = street
        self.board = [*self.board, *cards]
        self.frames.append(
            StreetDealt(
                seq=self.number(), table_id=TABLE, hand_number=self.hand, street=street, cards=cards, board=self.board
            )
        )
        self.show_state(to_act)

    def show(self, number: int, cards: list[str]) -> None:
        self.revealed[str(number)] = cards
        self.frames.append(
            CardsShown(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                seat=number,
                cards=cards,
                because=ShownBecause.SHOWDOWN,
            )
        )

    def collect(self) -> None:
        self.pots = [sum(self.pots) + sum(each.bet for each in self.seats)]
        for each in self.seats:
            self._change(each.seat, bet=0)

    def pay(self, winner: int) -> None:
        self.collect()
        amount = self.pots[0]
        self._change(winner, stack=self.seats[winner].stack + amount)
        for number in range(6):
            self._change(number, status="ready")
        shown = [(int(number), cards) for number, cards in self.revealed.items()]
        self.frames.append(
            result(
                seq=self.number(),
                hand=self.hand,
                board=self.board,
                pots=[(amount, [(winner, amount)])],
                shown=shown,
                stacks={str(each.seat): each.stack for each in self.seats},
            )
        )
        self.street, self.pots = None, []
        self.show_state()

    def _pay(self, number: int, chips: int) -> None:
        self._change(number, stack=self.seats[number].stack - chips, bet=self.seats[number].bet + chips)

    def _change(self, number: int, **changes: object) -> None:
        self.seats[number] = msgspec.structs.replace(self.seats[number], **changes)

    def _tell(
        self, number: int, kind: ActionKind | ForcedKind, amount: int, *, forced: bool = False, all_in: bool = False
    ) -> None:
        street = self.street or Street.PREFLOP
        self.frames.append(
            PlayerAction(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                seat=number,
                action=kind,
                amount=amount,
                action_index=self.index,
                street=street,
                forced=forced,
                all_in=all_in,
            )
        )
        self.index += 1

    def _state(self, to_act: int | None, *, seq: int) -> GameState:
        return state(
            self.seats,
            seq=seq,
            hand=self.hand,
            street=self.street,
            board=self.board,
            pots=self.pots,
            button=self.button,
            to_act=to_act,
            ends_at=UNSET if to_act is None else now_ms() + 11_000,
            revealed=dict(self.revealed) if self.revealed else UNSET,
        )


def played_hand(names: Sequence[str] = NAMES) -> Hand:
    """A whole hand with places to look at: `preflop`, `flop`, `turn`, `showdown`."""
    hand = Hand(names)
    hand.begin()
    hand.post(4, ForcedKind.SMALL_BLIND, 10)
    hand.post(5, ForcedKind.BIG_BLIND, 20)
    hand.show_state(to_act=0)
    hand.act(0, ActionKind.FOLD, to_act=1)
    hand.act(1, ActionKind.RAISE, 60, to_act=2)
    hand.stop("preflop")
    hand.act(2, ActionKind.CALL, 60, to_act=3)
    hand.act(3, ActionKind.FOLD, to_act=4)
    hand.act(4, ActionKind.CALL, 60, to_act=5)
    hand.act(5, ActionKind.FOLD)
    hand.deal(Street.FLOP, ["Qs", "7d", "2c"], to_act=4)
    hand.act(4, ActionKind.CHECK, to_act=1)
    hand.act(1, ActionKind.BET, 120, to_act=2)
    hand.stop("flop")
    hand.act(2, ActionKind.RAISE, 595, all_in=True, to_act=4)
    hand.act(4, ActionKind.FOLD, to_act=1)
    hand.act(1, ActionKind.CALL, 595)
    hand.show(1, ["Qd", "Qc"])
    hand.show(2, ["As", "Ks"])
    hand.deal(Street.TURN, ["Jh"], to_act=None)
    hand.stop("turn")
    hand.deal(Street.RIVER, ["Ts"], to_act=None)
    hand.pay(2)
    hand.stop("showdown")
    return hand
