"""Who each audience is, to the gate, and what the gate lets it see of the hand on the table.

Every hole card of a view comes from here, and here from `reveal_policy`. Nothing is decided in this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from gameserver.table.commands import AgentPlayer, Player, UserPlayer, owner_of, player_id
from gameserver.table.facts import HandResult
from gameserver.table.state import SeatState, TableState
from gameserver.views.audience import SeatAudience
from gameserver.views.table_view import PrivateView
from policy import owner_policy, reveal_policy
from policy.ids import AgentId, HoleCards, Seat, UserId
from policy.owner_policy import OwnedSeat
from policy.reveal_policy import HandCards
from policy.spectator_policy import RevealOptions
from policy.viewer import Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer

ANY_UNSEATED_AGENT: Final = UnseatedAgent(AgentId("any"))
"""The audience `agents` is one stream for all of them, and the gate gives each the same: what is face up."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A hand as the gate is asked about it. `players`: who was dealt in, by seat; `dealt_in`: the same, as viewers."""

    cards: HandCards
    options: RevealOptions
    players: tuple[tuple[Seat, Player], ...]
    dealt_in: frozenset[SeatedAgent | SeatedUser]

    def seen_by(self, viewer: Viewer) -> Mapping[Seat, HoleCards]:
        """The hole cards that the gate lets a viewer have, in the order of the deal."""
        return self._seen(viewer, self.dealt_in)

    def view_of_player(self, seat: Seat, player: Player) -> PrivateView:
        """What who holds a seat now sees: their own cards as theirs, and the others that the gate returned.

        An agent that was sold was not dealt in, as far as its new owner is concerned.
        """
        if not self.was_dealt_in(seat, player):  # what the gate gives to who came after the deal is the table's
            return PrivateView(seat, None, self._seen(seated_viewer(seat, player), frozenset()))
        seen = self._seen(seated_viewer(seat, player), self.dealt_in)
        return PrivateView(seat, seen.get(seat), {at: cards for at, cards in seen.items() if at != seat})

    def _seen(self, viewer: Viewer, dealt_in: frozenset[SeatedAgent | SeatedUser]) -> Mapping[Seat, HoleCards]:
        as_dealt = reveal_policy.look_from_the_deal(viewer=viewer, dealt_in=dealt_in)
        return reveal_policy.compute_revealed_hole_cards(viewer=as_dealt, hand=self.cards, options=self.options)

    def owner(self, user_id: UserId) -> Owner:
        """A person as this hand's gates know them: by their agents at the deal."""
        agents = [
            OwnedSeat(seat, player.agent_id, player.owner)
            for seat, player in self.players
            if isinstance(player, AgentPlayer)
        ]
        return owner_policy.look_as_owner(user_id=user_id, dealt_in=agents)

    def own_seats(self, user_id: UserId) -> dict[Seat, AgentId]:
        """Where a person's own agents were dealt in."""
        own = self.owner(user_id).seats
        return {
            seat: player.agent_id for seat, player in self.players if seat in own and isinstance(player, AgentPlayer)
        }

    def was_dealt_in(self, seat: Seat, player: Player) -> bool:
        """Whether this player held the seat at the deal."""
        for dealt, at in self.players:
            if dealt == seat:
                return is_same_player(at, player)
        return False


def sight_of_table(state: TableState) -> Sight | None:
    """The hand in play, or between hands the one that has just ended; None where no cards are on the table."""
    if state.hand is not None:
        dealt = set(state.hand.dealt)
        players = tuple((seat.seat, seat.player) for seat in state.seats if seat.seat in dealt)
        return _sight(state.hand.cards, state, players)
    if state.last_cards is not None and state.recent:
        return _sight(state.last_cards, state, state.recent[-1].players)
    return None


def sight_of_past_hand(result: HandResult, state: TableState) -> Sight:
    """A finished hand."""
    return _sight(result.cards, state, result.players)


def _sight(cards: HandCards, state: TableState, players: tuple[tuple[Seat, Player], ...]) -> Sight:
    dealt_in = frozenset(seated_viewer(seat, player) for seat, player in players)
    return Sight(cards, state.options.reveal, players, dealt_in)


def seated_viewer(seat: Seat, player: Player) -> SeatedAgent | SeatedUser:
    """A player in a seat, as a viewer."""
    match player:
        case AgentPlayer(agent_id=agent_id):
            return SeatedAgent(agent_id, seat)
        case UserPlayer(user_id=user_id):
            return SeatedUser(user_id, seat)
        case _:
            assert_never(player)


def is_same_player(one: Player, other: Player) -> bool:
    """The same player of the same owner: an agent that was sold does not bring its past hands along."""
    return one is other or (player_id(one) == player_id(other) and owner_of(one) == owner_of(other))


def occupant(audience: SeatAudience, state: TableState) -> SeatState | None:
    """The audience's seat while its player holds it; None once it is somebody else's or nobody's."""
    for seat in state.seats:
        if seat.seat == audience.seat and player_id(seat.player) == audience.occupant:
            return seat
    return None


def view_of_spectator(sight: Sight | None) -> PrivateView:
    """The public view."""
    return PrivateView(None, None, {} if sight is None else sight.seen_by(Spectator()))


def view_of_unseated_agents(sight: Sight | None) -> PrivateView:
    """What an agent without a seat sees."""
    return PrivateView(None, None, {} if sight is None else sight.seen_by(ANY_UNSEATED_AGENT))


def view_of_seat(sight: Sight | None, seat: SeatState) -> PrivateView:
    """What the player in a seat sees."""
    return PrivateView(seat.seat, None, {}) if sight is None else sight.view_of_player(seat.seat, seat.player)


def own_hand_of_player(past: Sight, player: Player) -> tuple[Seat, HoleCards] | None:
    """A player's seat and cards in a finished hand; they may have sat elsewhere then. None where they were not dealt in."""
    for seat, dealt_in in past.players:
        if is_same_player(dealt_in, player):
            seen = past.seen_by(seated_viewer(seat, player))
            return (seat, seen[seat]) if seat in seen else None
    return None


def view_of_owner(sight: Sight | None, user_id: UserId) -> PrivateView:
    """The public view, and what a peek of their own agent showed. Their own agents' cards travel as `own_cards`."""
    if sight is None:
        return PrivateView(None, None, {})
    own, public = sight.own_seats(user_id), sight.seen_by(Spectator())
    seen = _seen_by_owner(sight, user_id)
    return PrivateView(None, None, {at: cards for at, cards in seen.items() if at in public or at not in own})


def own_cards_of_owner(sight: Sight | None, user_id: UserId) -> list[tuple[Seat, AgentId, HoleCards]]:
    """The cards of a person's own agents, as the gate returns them."""
    if sight is None:
        return []
    seen = _seen_by_owner(sight, user_id)
    return [(seat, agent_id, seen[seat]) for seat, agent_id in sight.own_seats(user_id).items() if seat in seen]


def _seen_by_owner(sight: Sight, user_id: UserId) -> Mapping[Seat, HoleCards]:
    return sight.seen_by(sight.owner(user_id))
