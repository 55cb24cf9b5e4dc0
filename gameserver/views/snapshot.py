"""All that an audience may know, at once: rules, state, the actions of this hand, and the recent hands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from msgspec import UNSET

from gameserver.errors import Bug
from gameserver.table.facts import HandResult
from gameserver.table.state import SeatState, TableState
from gameserver.views import sight
from gameserver.views.actions import player_actions
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.beside_hand import told_to
from gameserver.views.fact_frames import hand_result
from gameserver.views.now import Now
from gameserver.views.owner_cards import own_cards
from gameserver.views.rules import table_rules
from gameserver.views.table_view import PrivateView, table_view
from gameserver.views.turns import present_turn
from gameserver.wire.messages import OwnCards, PastHand, PlayerAction, Snapshot, YourTurn
from policy.ids import TableId


def snapshot(
    audience: Audience, table_id: TableId, state: TableState, now: Now, *, own_cards_from: TableState | None = None
) -> Snapshot:
    """The whole of a table for one audience. The stream fills in `session`, `epoch` and `seq`; frames inside have `seq` 0.

    `own_cards_from`: the table as it is now, where `state` is an earlier one; an owner's own cards are of now.
    Raises Bug for a seat's audience that does not hold the seat.
    """
    on_table = sight.sight_of_table(state)
    match audience:
        case PublicAudience():
            return _snapshot(table_id, state, now, sight.view_of_spectator(on_table), _public_hands(table_id, state))
        case AgentsAudience():
            return _snapshot(
                table_id, state, now, sight.view_of_unseated_agents(on_table), _public_hands(table_id, state)
            )
        case SeatAudience():
            return _of_seat(audience, table_id, state, now)
        case OwnerAudience(user_id=user_id):
            private = sight.view_of_owner(on_table, user_id)
            live = state if own_cards_from is None else own_cards_from
            cards = own_cards(table_id, live, sight.sight_of_table(live), user_id)
            return _snapshot(table_id, state, now, private, _public_hands(table_id, state), own=cards)
        case _:
            assert_never(audience)


def _of_seat(audience: SeatAudience, table_id: TableId, state: TableState, now: Now) -> Snapshot:
    held = sight.occupant(audience, state)
    if held is None:
        raise Bug("a snapshot of a seat is for the player who holds it")
    private = sight.view_of_seat(sight.sight_of_table(state), held)
    hands = [_hand_of_player(table_id, result, held, state) for result in state.recent]
    turn = present_turn(table_id, state, held, now)
    return _snapshot(table_id, told_to(held, state), now, private, hands, turn=turn)


def _snapshot(
    table_id: TableId,
    state: TableState,
    now: Now,
    private: PrivateView,
    hands: list[PastHand],
    *,
    turn: YourTurn | None = None,
    own: Iterable[OwnCards] = (),
) -> Snapshot:
    return Snapshot(
        table_id=table_id,
        hand_number=state.hand_number,
        session="",
        epoch="",
        seq=0,
        rules=table_rules(state.options),
        state=table_view(table_id, state, now).for_audience(private),
        actions=_actions(table_id, state),
        recent_hands=hands,
        your_turn=UNSET if turn is None else turn,
        own_cards=list(own) or UNSET,
        server_time=now.wall_ms,
    )


def _actions(table_id: TableId, state: TableState) -> list[PlayerAction]:
    return [] if state.hand is None else player_actions(table_id, state.hand.hand_number, state.hand.moves)


def _public_hands(table_id: TableId, state: TableState) -> list[PastHand]:
    return [_public_hand(table_id, result) for result in state.recent]


def _public_hand(table_id: TableId, result: HandResult) -> PastHand:
    return PastHand(
        hand_number=result.hand_number,
        actions=player_actions(table_id, result.hand_number, result.moves),
        result=hand_result(table_id, result),
    )


def _hand_of_player(table_id: TableId, result: HandResult, seat: SeatState, state: TableState) -> PastHand:
    """A finished hand with the player's own cards, from whichever seat they played it."""
    past = sight.sight_of_past_hand(result, state)
    own = sight.own_hand_of_player(past, seat.player)
    if own is None:
        return _public_hand(table_id, result)
    return PastHand(
        hand_number=result.hand_number,
        actions=player_actions(table_id, result.hand_number, result.moves),
        result=hand_result(table_id, result),
        your_seat=own[0],
        your_hole_cards=list(own[1]),
    )
