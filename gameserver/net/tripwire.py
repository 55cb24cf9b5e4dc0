"""The door's second look: a frame whose card fields hold a card that its addressee may not have is refused.

It is the tripwire and not the gate. What an audience may hold it finds by itself, from the table's state and the same gate, by
none of the code that built the frame: so a view that mixes up two seats, two hands or two audiences does not get out.
Text is no card field: what somebody says in words about their own cards is addressed elsewhere.
A refusal is logged without the card, and counted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from gameserver.table.commands import AgentPlayer, Player, UserPlayer, player_id
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.wire.messages import (
    AgentThought,
    CardsShown,
    Chat,
    Decision,
    GameState,
    HandCancelled,
    HandResult,
    HandStarted,
    Note,
    NumberedFrame,
    OwnCards,
    PlayerAction,
    PowerUsed,
    Presence,
    Snapshot,
    StreetDealt,
    TableOptions,
    TableStatus,
    YourTurn,
)
from policy import reveal_policy
from policy.ids import AgentId, Card, Seat
from policy.reveal_policy import HandCards
from policy.viewer import Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer

_log: Final = logging.getLogger(__name__)

CardsOfHand: TypeAlias = tuple[int, Sequence[str]]
"""A hand's number, and cards that a frame shows of it."""


@dataclass(frozen=True, slots=True)
class _Hand:
    board: Sequence[Card]
    cards: HandCards | None
    players: Sequence[tuple[Seat, Player]]


class Tripwire:
    """Looks at the frames of one table. `state`: the table as it is after the change that made them.

    `shown`: the table as an audience is shown it, which may be an earlier one; an owner's own cards are of now all the same.
    """

    def __init__(self, state: Callable[[], TableState], shown: Callable[[Audience], TableState] | None = None) -> None:
        self._state = state
        self._shown = shown
        self.refused = 0

    def permitted(self, audience: Audience, frames: Iterable[NumberedFrame]) -> list[NumberedFrame]:
        """Those of the frames that show this audience no card too many."""
        look, own = self._looks(audience)
        return [
            frame
            for frame in frames
            if self._passes(own if isinstance(frame, OwnCards) else look, frame, cards_of_frame(frame))
        ]

    def permits_snapshot(self, audience: Audience, snapshot: Snapshot) -> bool:
        """Whether a snapshot shows this audience no card too many."""
        look, own = self._looks(audience)
        if not self._passes(look, snapshot, cards_of_snapshot(snapshot)):
            return False
        return all(self._passes(own, cards, cards_of_frame(cards)) for cards in snapshot.own_cards or ())

    def _looks(self, audience: Audience) -> tuple[_Look, _Look]:
        """At what is shown of the table, and at an owner's own cards."""
        live = _Look(audience, self._state)
        shown = self._shown
        return (live if shown is None else _Look(audience, lambda: shown(audience))), live

    def _passes(self, look: _Look, shown: NumberedFrame | Snapshot, cards: Iterable[CardsOfHand]) -> bool:
        for number, shown_cards in cards:
            if shown_cards and not look.may_have(number, shown_cards):
                break
        else:
            return True
        self.refused += 1
        _log.error(
            "refused to send a %s to %s: it shows a card too many", type(shown).__name__, type(look.audience).__name__
        )
        return False


class _Look:
    """What one audience may have of each hand, found out once."""

    def __init__(self, audience: Audience, state: Callable[[], TableState]) -> None:
        self.audience = audience
        self._state = state
        self._permitted: dict[int, frozenset[str]] = {}

    def may_have(self, hand_number: int, cards: Iterable[str]) -> bool:
        permitted = self._permitted.get(hand_number)
        if permitted is None:
            permitted = self._permitted[hand_number] = _cards_for(self.audience, hand_number, self._state())
        return permitted.issuperset(cards)


def cards_of_frame(frame: NumberedFrame) -> Iterator[CardsOfHand]:
    """Every card field of a frame. A new kind of frame has to be looked at here."""
    match frame:
        case GameState():
            number = frame.hand_number or 0
            yield number, frame.board
            yield number, frame.your_hole_cards or ()
            for cards in (frame.revealed_hole_cards or {}).values():
                yield number, cards
        case StreetDealt():
            yield frame.hand_number or 0, frame.cards
            yield frame.hand_number or 0, frame.board
        case CardsShown() | OwnCards():
            yield frame.hand_number or 0, frame.cards
        case HandResult():
            yield frame.hand_number or 0, frame.board
            for shown in frame.shown:
                yield frame.hand_number or 0, shown.cards
        case YourTurn() | PlayerAction() | HandStarted() | HandCancelled() | AgentThought() | Decision() | Note():
            return
        case PowerUsed() | TableOptions() | Presence() | Chat() | TableStatus():
            return
        case _:
            assert_never(frame)


def cards_of_snapshot(snapshot: Snapshot) -> Iterator[CardsOfHand]:
    """Every card field of a snapshot, but for an owner's own cards, which are frames by themselves."""
    yield from cards_of_frame(snapshot.state)
    for past in snapshot.recent_hands:
        yield from cards_of_frame(past.result)
        yield past.hand_number, past.your_hole_cards or ()


def _cards_for(audience: Audience, hand_number: int, state: TableState) -> frozenset[str]:
    """The cards that this audience may have of a hand: its board, and what the gate says of the hole cards."""
    hand = _find_hand(hand_number, state)
    if hand.cards is None:
        return frozenset(hand.board)
    revealed = reveal_policy.compute_revealed_hole_cards(
        viewer=_viewer(audience, hand.players), hand=hand.cards, options=state.options.reveal
    )
    return frozenset(hand.board).union(*revealed.values())


def _find_hand(hand_number: int, state: TableState) -> _Hand:
    if state.hand is not None and state.hand.hand_number == hand_number:
        players = [(seat.seat, seat.player) for seat in state.seats if seat.seat in state.hand.dealt]
        return _Hand(state.hand.board, state.hand.cards, players)
    for result in reversed(state.recent):
        if result.hand_number == hand_number:
            latest = result is state.recent[-1] and state.last_cards is not None
            return _Hand(result.board, state.last_cards if latest else result.cards, result.players)
    return _Hand((), None, ())


def _viewer(audience: Audience, players: Sequence[tuple[Seat, Player]]) -> Viewer:
    match audience:
        case PublicAudience():
            return Spectator()
        case AgentsAudience():
            return UnseatedAgent(AgentId("any"))
        case OwnerAudience(user_id=user_id):
            own = (seat for seat, player in players if isinstance(player, AgentPlayer) and player.owner == user_id)
            return Owner(user_id, frozenset(own))
        case SeatAudience():
            return _player(audience, players)
        case _:
            assert_never(audience)


def _player(audience: SeatAudience, players: Sequence[tuple[Seat, Player]]) -> Viewer:
    """The player in the seat where they were dealt in, which may have been another one; else one without a seat."""
    for seat, player in players:
        if player_id(player) == audience.occupant:
            match player:
                case AgentPlayer(agent_id=agent_id):
                    return SeatedAgent(agent_id, seat)
                case UserPlayer(user_id=user_id):
                    return SeatedUser(user_id, seat)
    return UnseatedAgent(AgentId("any"))
