"""The door's second look: a frame whose card fields hold a card that its addressee may not have is refused.

It is the tripwire and not the gate. What an audience may hold it finds by itself, from the table's state and the same gate, by
none of the code that built the frame: so a view that mixes up two seats, two hands or two audiences does not get out.
Text is no card field: what somebody says in words about their own cards is addressed elsewhere.
A refusal is logged without the card, and counted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
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


_HandPlayers: TypeAlias = Sequence[tuple[Seat, Player]]


class _Hand:
    """A hand of a table, and how the gate knows its players."""

    __slots__ = ("board", "cards", "players", "viewers")

    def __init__(self, board: Sequence[Card], cards: HandCards | None, players: _HandPlayers) -> None:
        self.board, self.cards, self.players = board, cards, players
        self.viewers = {player_id(player): _seated(seat, player) for seat, player in players}


class _Hands:
    """The hands of one table, each found once in a state of it."""

    __slots__ = ("_found", "_state")

    def __init__(self) -> None:
        self._state: TableState | None = None
        self._found: dict[int, _Hand] = {}

    def find(self, hand_number: int, state: TableState) -> _Hand:
        if state is not self._state:
            self._state, self._found = state, {}
        hand = self._found.get(hand_number)
        if hand is None:
            hand = self._found[hand_number] = _find_hand(hand_number, state)
        return hand


class Tripwire:
    """Looks at the frames of one table. `state`: the table as it is after the change that made them.

    `shown`: the table as an audience is shown it, which may be an earlier one; an owner's own cards are of now all the same.
    """

    def __init__(self, state: Callable[[], TableState], shown: Callable[[Audience], TableState] | None = None) -> None:
        self._state = state
        self._shown = shown
        self._hands = _Hands()
        self.refused = 0

    def permitted(self, audience: Audience, frames: Iterable[NumberedFrame]) -> list[NumberedFrame]:
        """Those of the frames that show this audience no card too many."""
        look, own = self._looks(audience)
        return [
            frame
            for frame in frames
            if not (cards := cards_of_frame(frame))
            or self._passes(own if isinstance(frame, OwnCards) else look, frame, cards)
        ]

    def permits_snapshot(self, audience: Audience, snapshot: Snapshot) -> bool:
        """Whether a snapshot shows this audience no card too many."""
        look, own = self._looks(audience)
        if not self._passes(look, snapshot, cards_of_snapshot(snapshot)):
            return False
        return all(self._passes(own, cards, cards_of_frame(cards)) for cards in snapshot.own_cards or ())

    def _looks(self, audience: Audience) -> tuple[_Look, _Look]:
        """At what is shown of the table, and at an owner's own cards."""
        live = _Look(audience, self._state, self._hands)
        shown = self._shown
        return (live if shown is None else _Look(audience, lambda: shown(audience), self._hands)), live

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

    __slots__ = ("_hands", "_permitted", "_state", "audience")

    def __init__(self, audience: Audience, state: Callable[[], TableState], hands: _Hands) -> None:
        self.audience = audience
        self._state, self._hands = state, hands
        self._permitted: dict[int, frozenset[str]] = {}

    def may_have(self, hand_number: int, cards: Iterable[str]) -> bool:
        permitted = self._permitted.get(hand_number)
        if permitted is None:
            state = self._state()
            hand = self._hands.find(hand_number, state)
            permitted = self._permitted[hand_number] = _cards_for(self.audience, hand, state)
        return permitted.issuperset(cards)


def cards_of_frame(frame: NumberedFrame) -> Sequence[CardsOfHand]:
    """Every card field of a frame. A new kind of frame has to be looked at here."""
    match frame:
        case PlayerAction() | YourTurn() | HandStarted() | HandCancelled() | AgentThought() | Decision() | Note():
            return ()
        case GameState():
            number, revealed = frame.hand_number or 0, frame.revealed_hole_cards or {}
            own = (number, frame.board), (number, frame.your_hole_cards or ())
            return *own, *((number, cards) for cards in revealed.values())
        case StreetDealt():
            return (frame.hand_number or 0, frame.cards), (frame.hand_number or 0, frame.board)
        case CardsShown() | OwnCards():
            return ((frame.hand_number or 0, frame.cards),)
        case HandResult():
            shown = ((frame.hand_number or 0, hand.cards) for hand in frame.shown)
            return (frame.hand_number or 0, frame.board), *shown
        case PowerUsed() | TableOptions() | Presence() | Chat() | TableStatus():
            return ()
        case _:
            assert_never(frame)


def cards_of_snapshot(snapshot: Snapshot) -> Iterator[CardsOfHand]:
    """Every card field of a snapshot, but for an owner's own cards, which are frames by themselves."""
    yield from cards_of_frame(snapshot.state)
    for past in snapshot.recent_hands:
        yield from cards_of_frame(past.result)
        yield past.hand_number, past.your_hole_cards or ()


def _cards_for(audience: Audience, hand: _Hand, state: TableState) -> frozenset[str]:
    """The cards that this audience may have of a hand: its board, and what the gate says of the hole cards."""
    if hand.cards is None:
        return frozenset(hand.board)
    revealed = reveal_policy.compute_revealed_hole_cards(
        viewer=_viewer(audience, hand), hand=hand.cards, options=state.options.reveal
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


def _viewer(audience: Audience, hand: _Hand) -> Viewer:
    match audience:
        case PublicAudience():
            return Spectator()
        case AgentsAudience():
            return UnseatedAgent(AgentId("any"))
        case OwnerAudience(user_id=user_id):
            own = (seat for seat, player in hand.players if isinstance(player, AgentPlayer) and player.owner == user_id)
            return Owner(user_id, frozenset(own))
        case SeatAudience(occupant=occupant):
            # In the seat where they were dealt in, which may have been another one; else as one without a seat.
            return hand.viewers.get(occupant, UnseatedAgent(AgentId("any")))
        case _:
            assert_never(audience)


def _seated(seat: Seat, player: Player) -> SeatedAgent | SeatedUser:
    match player:
        case AgentPlayer(agent_id=agent_id):
            return SeatedAgent(agent_id, seat)
        case UserPlayer(user_id=user_id):
            return SeatedUser(user_id, seat)
