"""SECURITY: not display logic. The writer of a finished hand, and its reader.

The record holds everything of a hand that is over: who played (and who owned whom then), every move, the board, and all hole
cards, those that nobody showed too. So it is no answer to anybody: `history_policy` alone says what of it is disclosed to whom.
`write_hand` is the one function here that opens a seal, and it takes the result of a hand that is over and nothing else
(test_a_hand_that_is_not_over_is_not_written). `read_hand` seals the cards again before anybody gets them.

The bytes are JSON with `schema: 2`. The models below are that schema, and apart from the facts of the table on purpose: a fact
may change its shape, a written hand does not (test_a_hand_that_was_written_long_ago_is_read). Cards come last in it, so that
whoever prints the beginning of a row prints none. Schema 1 says nothing of what was streamed, nor which forced bet took all chips.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, assert_never

import msgspec

from gameserver.errors import Bug
from gameserver.hand.facts import Acted, ActionKind, ForcedKind, HandOver, Posted, PotResult, Street
from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.table.facts import ForcedCause, HandResult, Moved, Positions
from policy.ids import ActionIndex, AgentId, AgentVersionId, Card, HandNumber, HoleCards, Seat, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed, open_sealed
from policy.spectator_policy import RevealOptions

_SeatChips: TypeAlias = tuple[tuple[Seat, int], ...]


class _Agent(msgspec.Struct, frozen=True, tag_field="kind", tag="agent"):
    agent_id: AgentId
    owner: UserId
    version_id: AgentVersionId
    hosted: bool
    model: str | None
    house: bool


class _User(msgspec.Struct, frozen=True, tag_field="kind", tag="user"):
    user_id: UserId


class _Player(msgspec.Struct, frozen=True):
    seat: Seat
    name: str
    began_with_chips: int
    player: _Agent | _User


class _Forced(msgspec.Struct, frozen=True, tag_field="kind", tag="forced"):
    action_index: ActionIndex
    seat: Seat
    bet: ForcedKind
    amount_chips: int
    all_in: bool = False


class _Move(msgspec.Struct, frozen=True, tag_field="kind", tag="move"):
    action_index: ActionIndex
    seat: Seat
    action: ActionKind
    total_chips: int
    added_chips: int
    all_in: bool
    street: Street
    cause: ForcedCause | None


class _Pot(msgspec.Struct, frozen=True):
    amount_chips: int
    eligible: tuple[Seat, ...]
    winners: _SeatChips


class _Cards(msgspec.Struct, frozen=True):
    seat: Seat
    standing: Standing
    cards: HoleCards


class _Shown(msgspec.Struct, frozen=True):
    seat: Seat
    cards: HoleCards


class _Disclosed(msgspec.Struct, frozen=True):
    show_hands: bool
    show_thoughts: bool
    streamed: tuple[tuple[Seat, int], ...]


class _Hand(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal[1, 2]
    hand_number: HandNumber
    button: Seat
    button_dead: bool
    small_blind: Seat | None
    big_blind: Seat
    players: tuple[_Player, ...]
    moves: tuple[_Forced | _Move, ...]
    pots: tuple[_Pot, ...]
    contributed: _SeatChips
    returned: _SeatChips
    stacks: _SeatChips
    uncontested: bool
    show_order: tuple[Seat, ...]
    peeks: tuple[tuple[Seat, Seat], ...]
    disclosed: _Disclosed | None = None
    board: tuple[Card, ...]
    shown: tuple[_Shown, ...]
    cards: tuple[_Cards, ...]


SCHEMA: Final = 2
_decoder: Final = msgspec.json.Decoder(_Hand)


def write_hand(result: HandResult, disclosure: Disclosure = UNKNOWN) -> bytes:
    """The record of a hand that is over; opens the seals of all its cards. Raises Bug for one that is not over."""
    if result.cards.stage is not Stage.OVER:
        raise Bug("a hand that is not over is not written")
    over = result.over
    hand = _Hand(
        schema=SCHEMA,
        hand_number=result.hand_number,
        button=result.positions.button,
        button_dead=result.positions.button_dead,
        small_blind=result.positions.small_blind,
        big_blind=result.positions.big_blind,
        players=_write_players(result),
        moves=tuple(_write_move(move) for move in result.moves),
        pots=tuple(_Pot(pot.amount_chips, pot.eligible, pot.winners) for pot in over.pots),
        contributed=result.contributed,
        returned=over.returned,
        stacks=over.stacks,
        uncontested=over.uncontested,
        show_order=over.show_order,
        peeks=tuple((peek.by, peek.at) for peek in result.cards.peeks),
        disclosed=_write_disclosure(disclosure),
        board=result.board,
        shown=tuple(_Shown(seat, cards) for seat, cards in result.shown),
        cards=tuple(_Cards(entry.seat, entry.standing, open_sealed(entry.cards)) for entry in result.cards.seats),
    )
    return msgspec.json.encode(hand)


def _write_disclosure(disclosure: Disclosure) -> _Disclosed:
    reveal = disclosure.reveal_at_deal
    return _Disclosed(reveal.show_hands, reveal.show_thoughts, disclosure.streamed)


def _write_players(result: HandResult) -> tuple[_Player, ...]:
    names, stacks = dict(result.names), dict(result.began_with)
    return tuple(_Player(seat, names[seat], stacks[seat], _write_player(player)) for seat, player in result.players)


def _write_player(player: Player) -> _Agent | _User:
    match player:
        case AgentPlayer():
            return _Agent(player.agent_id, player.owner, player.version_id, player.hosted, player.model, player.house)
        case UserPlayer():
            return _User(player.user_id)
        case _:
            assert_never(player)


def _write_move(move: Posted | Moved) -> _Forced | _Move:
    match move:
        case Posted():
            return _Forced(move.action_index, move.seat, move.kind, move.amount_chips, move.all_in)
        case Moved(move=m, cause=cause):
            return _Move(m.action_index, m.seat, m.action, m.total_chips, m.added_chips, m.all_in, m.street, cause)
        case _:
            assert_never(move)


def read_hand(record: bytes) -> tuple[HandResult, Disclosure]:
    """The result that `write_hand` wrote, its cards sealed, and what the public stream had shown of it.

    Raises Bug for bytes that it did not write; none of them are told.
    """
    hand = _decoded(record)
    return _read_result(hand), _read_disclosure(hand)


def _decoded(record: bytes) -> _Hand:
    try:
        hand = _decoder.decode(record)
        if (hand.schema == 1) != (hand.disclosed is None):
            raise msgspec.ValidationError("schema and fields do not fit")
    except msgspec.MsgspecError:
        raise Bug("a stored hand cannot be read") from None
    return hand


def _read_disclosure(hand: _Hand) -> Disclosure:
    found = hand.disclosed
    if found is None:
        return UNKNOWN
    return Disclosure(RevealOptions(show_hands=found.show_hands, show_thoughts=found.show_thoughts), found.streamed)


def _read_result(hand: _Hand) -> HandResult:
    return HandResult(
        hand_number=hand.hand_number,
        positions=Positions(hand.button, hand.button_dead, hand.small_blind, hand.big_blind),
        began_with=tuple((entry.seat, entry.began_with_chips) for entry in hand.players),
        players=tuple((entry.seat, _read_player(entry.player)) for entry in hand.players),
        names=tuple((entry.seat, entry.name) for entry in hand.players),
        moves=tuple(_read_move(move) for move in hand.moves),
        board=hand.board,
        over=_read_over(hand),
        shown=tuple((entry.seat, entry.cards) for entry in hand.shown),
        contributed=hand.contributed,
        cards=_read_cards(hand),
    )


def _read_player(player: _Agent | _User) -> Player:
    match player:
        case _Agent():
            return AgentPlayer(
                player.agent_id, player.owner, player.version_id, player.hosted, player.model, player.house
            )
        case _User():
            return UserPlayer(player.user_id)
        case _:
            assert_never(player)


def _read_move(move: _Forced | _Move) -> Posted | Moved:
    match move:
        case _Forced():
            return Posted(move.seat, move.bet, move.amount_chips, move.action_index, move.all_in)
        case _Move():
            acted = Acted(
                move.seat, move.action, move.total_chips, move.added_chips, move.all_in, move.street, move.action_index
            )
            return Moved(acted, move.cause)
        case _:
            assert_never(move)


def _read_over(hand: _Hand) -> HandOver:
    pots = tuple(PotResult(pot.amount_chips, pot.eligible, pot.winners) for pot in hand.pots)
    return HandOver(pots, hand.returned, hand.uncontested, hand.stacks, hand.show_order)


def _read_cards(hand: _Hand) -> HandCards:
    seats = tuple(SeatCards(entry.seat, Sealed(entry.cards), entry.standing) for entry in hand.cards)
    return HandCards(Stage.OVER, seats, tuple(Peek(by, at) for by, at in hand.peeks))
