"""A hand, and a list of hands, as JSON. Names are those of the wire; chips are whole numbers, seats count from 0."""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from gameserver.http.history.disclosed import CancelledHand, FinishedHand, HandSeat, PublicHand
from gameserver.http.history.page import Page
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.views.actions import player_actions
from gameserver.wire.messages import PlayerAction, PotShare, PotWon, ShownHand
from policy.ids import Seat


class _Document(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Camel case on the wire."""


class HandPlayer(_Document, frozen=True, kw_only=True):
    """Who was dealt in. `stack`: before any forced bet. `holeCards`: where the reader may have them."""

    seat: int
    name: str
    kind: Literal["agent", "human"]
    stack: int
    hole_cards: list[str] | UnsetType = UNSET
    agent_id: str | UnsetType = UNSET


class HandDocument(_Document, frozen=True, kw_only=True, tag_field="status", tag="finished"):
    """A finished hand, by its `status`. `players`: in the order dealt. `actions`: as the frames `player_action`, without a place in a stream.

    `shown`: cards that lay face up. Times are Unix milliseconds.
    """

    table_id: str
    hand_number: int
    began_at: int
    ended_at: int
    small_blind: int
    big_blind: int
    ante: int
    ante_kind: Literal["each", "big_blind"]
    button: int
    button_dead: bool
    small_blind_seat: int | None
    big_blind_seat: int
    players: list[HandPlayer]
    actions: list[PlayerAction]
    board: list[str]
    pots: list[PotWon]
    returned: dict[str, int]
    uncontested: bool
    shown: list[ShownHand]
    stacks: dict[str, int]
    rake: int = 0


class CancelledDocument(_Document, frozen=True, kw_only=True, tag_field="status", tag="cancelled"):
    """A hand that did not take place: its number is used, and nothing of it is kept."""

    table_id: str
    hand_number: int
    began_at: int
    ended_at: int


class HandWinner(_Document, frozen=True, kw_only=True):
    """What one seat won, of all pots together."""

    seat: int
    name: str
    amount: int


class HandLine(_Document, frozen=True, kw_only=True, tag_field="status", tag="finished"):
    """A finished hand in a list. `pot`: all chips that were won."""

    hand_number: int
    began_at: int
    ended_at: int
    players: int
    board: list[str]
    pot: int
    uncontested: bool
    winners: list[HandWinner]


class HandsDocument(_Document, frozen=True, kw_only=True):
    """A page, newest first. `before`: what to ask for next as `?before=`; null: there is nothing before these."""

    table_id: str
    hands: list[HandLine | CancelledDocument]
    before: int | None


Document: TypeAlias = HandDocument | CancelledDocument


def hand_document(hand: PublicHand) -> Document:
    """One hand."""
    match hand:
        case FinishedHand():
            return _finished(hand)
        case CancelledHand():
            return _cancelled(hand)
        case _:
            assert_never(hand)


def hands_document(table_id: str, page: Page) -> HandsDocument:
    """A page of hands."""
    return HandsDocument(table_id=table_id, hands=[_line(hand) for hand in page.hands], before=page.before)


def _finished(hand: FinishedHand) -> HandDocument:
    holds = {seat.seat: seat.holds for seat in hand.seats}
    return HandDocument(
        table_id=hand.table_id,
        hand_number=hand.hand_number,
        began_at=hand.began_ms,
        ended_at=hand.ended_ms,
        small_blind=hand.options.small_blind_chips,
        big_blind=hand.options.big_blind_chips,
        ante=hand.options.ante_chips,
        ante_kind=hand.options.ante_kind.value,
        button=hand.positions.button,
        button_dead=hand.positions.button_dead,
        small_blind_seat=hand.positions.small_blind,
        big_blind_seat=hand.positions.big_blind,
        players=[_player(seat) for seat in hand.seats],
        actions=player_actions(hand.table_id, hand.hand_number, hand.moves),
        board=list(hand.board),
        pots=_pots(hand),
        returned={str(seat): chips for seat, chips in hand.over.returned},
        uncontested=hand.over.uncontested,
        shown=[ShownHand(seat=seat, cards=list(holds[seat] or ())) for seat in hand.shown],
        stacks={str(seat.seat): seat.finished_with_chips for seat in hand.seats},
    )


def _pots(hand: FinishedHand) -> list[PotWon]:
    return [
        PotWon(
            amount=pot.amount_chips,
            eligible=list(pot.eligible),
            winners=[PotShare(seat=seat, amount=chips) for seat, chips in pot.winners],
        )
        for pot in hand.over.pots
    ]


def _player(seat: HandSeat) -> HandPlayer:
    return HandPlayer(
        seat=seat.seat,
        name=seat.name,
        kind=_kind(seat.player),
        stack=seat.began_with_chips,
        hole_cards=UNSET if seat.holds is None else list(seat.holds),
        agent_id=seat.player.agent_id if isinstance(seat.player, AgentPlayer) else UNSET,
    )


def _kind(player: Player) -> Literal["agent", "human"]:
    match player:
        case AgentPlayer():
            return "agent"
        case UserPlayer():
            return "human"
        case _:
            assert_never(player)


def _cancelled(hand: CancelledHand) -> CancelledDocument:
    return CancelledDocument(
        table_id=hand.table_id,
        hand_number=hand.hand_number,
        began_at=hand.began_ms,
        ended_at=hand.ended_ms,
    )


def _line(hand: PublicHand) -> HandLine | CancelledDocument:
    if isinstance(hand, CancelledHand):
        return _cancelled(hand)
    return HandLine(
        hand_number=hand.hand_number,
        began_at=hand.began_ms,
        ended_at=hand.ended_ms,
        players=len(hand.seats),
        board=list(hand.board),
        pot=sum(pot.amount_chips for pot in hand.over.pots),
        uncontested=hand.over.uncontested,
        winners=_winners(hand),
    )


def _winners(hand: FinishedHand) -> list[HandWinner]:
    won: dict[Seat, int] = {}
    for pot in hand.over.pots:
        for seat, chips in pot.winners:
            won[seat] = won.get(seat, 0) + chips
    names = {seat.seat: seat.name for seat in hand.seats}
    return [HandWinner(seat=seat, name=names[seat], amount=chips) for seat, chips in won.items()]
