"""Random hands through the real room, the views and the door, against what the test itself knows of the deck.

The cards of every hand are dealt from a script, so which card is whose is known here from the start, by none of the code under
test: neither the gate nor the tripwire is asked.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from gameserver.errors import Refusal
from gameserver.floor.clock import SystemClock
from gameserver.hand.deck import scripted_deck
from gameserver.hand.facts import ActionKind, CardsShown
from gameserver.identity.who import Identity, Nobody
from gameserver.net.delivery import Delivery
from gameserver.table import commands
from gameserver.table.commands import AgentPlayer, player_id
from gameserver.table.facts import Fact, HandBegan, HandEnded, Moved, PowerUsed
from gameserver.table.memory import new_memory
from gameserver.table.options import TableOptions
from gameserver.table.room import Room
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.change import Change
from gameserver.views.now import Now
from gameserver.views.snapshot import snapshot
from policy.ids import DECK, AgentId, AgentVersionId, Card, HoleCards, Seat, TableId, TurnId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind
from tests.net.recording import RecordingOutlet, recorded
from tests.net.serving import agent, user

TABLE = TableId("t")
SEATED = 5
CARD = re.compile(r'"([2-9TJQKA][cdhs])"')


def player(number: int) -> AgentPlayer:
    return AgentPlayer(AgentId(f"a{number}"), UserId(f"o{number}"), AgentVersionId("v"), hosted=True, model="house")


@dataclass
class Truth:
    """What the test knows of the hand on the table."""

    hole: Mapping[Seat, HoleCards] = field(default_factory=dict)
    board: list[Card] = field(default_factory=list)
    shown: set[Seat] = field(default_factory=set)
    folded: set[Seat] = field(default_factory=set)
    peeked: dict[Seat, set[Seat]] = field(default_factory=dict)
    over: bool = True

    def learn(self, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            match fact:
                case HandBegan():
                    self.shown, self.folded, self.peeked, self.over = set(), set(), {}, False
                case Moved(move=move) if move.action is ActionKind.FOLD:
                    self.folded.add(move.seat)
                case CardsShown(seat=seat):
                    self.shown.add(seat)
                case PowerUsed(by=by, at=at):
                    self.peeked.setdefault(by, set()).add(at)
                case HandEnded():
                    self.over = True

    def seats_known_to(self, audience: Audience, *, show_hands: bool) -> set[Seat]:
        """Whose cards may be in bytes for this audience."""
        dealt = set(self.hole)
        live = set() if self.over or not show_hands else dealt - self.folded
        match audience:
            case PublicAudience():
                return self.shown | live
            case AgentsAudience():
                return self.shown
            case SeatAudience(seat=seat):
                return self.shown | self._own(seat)
            case OwnerAudience(user_id=user_id):
                return self.shown | live | self._own(Seat(int(user_id[1:])))

    def _own(self, seat: Seat) -> set[Seat]:
        return {seat} | (set() if self.over else self.peeked.get(seat, set()))

    def cards_known_to(self, audience: Audience, *, show_hands: bool) -> set[str]:
        known = {
            card for seat in self.seats_known_to(audience, show_hands=show_hands) for card in self.hole.get(seat, ())
        }
        return known | set(self.board)


class Play:
    """A room, the door, and a connection for each audience."""

    def __init__(self, seed: int, *, show_hands: bool) -> None:
        self.dice = random.Random(seed)
        self.show_hands = show_hands
        self.truth = Truth()
        self.now_ms = 0
        turns = map(str, itertools.count(1))
        self.room = Room(
            options=TableOptions(
                name="t",
                kind=TableKind.AGENT,
                max_seats=6,
                small_blind_chips=5,
                big_blind_chips=10,
                min_buy_in_chips=100,
                max_buy_in_chips=1000,
                created_by=UserId("o0"),
                reveal=RevealOptions(show_hands=show_hands, show_thoughts=False),
                powers={"dealer_peek": 1},
            ),
            memory=new_memory(Seat(0)),
            new_turn_id=lambda: TurnId(next(turns)),
            now_ms=0,
            platform_models=frozenset({"house"}),
        )
        names = map(str, itertools.count(1))
        self.door = Delivery(new_name=lambda: f"n{next(names)}", clock=SystemClock())
        self.door.open_table(TABLE, lambda: self.room.state(self.now_ms))
        for number in range(SEATED):
            self.room.receive(commands.Sit(player(number), f"Agent {number}", Seat(number), 200), 0)
            self.room.receive(commands.Connect(player_id(player(number))), 0)
        self.outlets = {audience: self._join(audience, identity) for audience, identity in self._viewers()}

    def _viewers(self) -> Iterator[tuple[Audience, Identity]]:
        yield PublicAudience(), Nobody()
        yield AgentsAudience(), agent("stray")
        for number in range(SEATED):
            yield SeatAudience(Seat(number), player_id(player(number))), agent(f"a{number}")
        yield OwnerAudience(UserId("o0")), user("o0")

    def _join(self, audience: Audience, identity: Identity) -> RecordingOutlet:
        connection, outlet = recorded(repr(audience), identity)
        self.door.subscribe(
            TABLE, audience, connection, lambda: snapshot(audience, TABLE, self.room.state(self.now_ms), self.now), None
        )
        return outlet

    @property
    def now(self) -> Now:
        return Now(self.now_ms, 1_700_000_000_000 + self.now_ms)

    def receive(self, command: commands.Command) -> None:
        """One change: the room, the truth, the views, the door; then every byte is looked at."""
        self.now_ms += 100
        facts = self.room.receive(command, self.now_ms)
        self.truth.learn(facts)
        state = self.room.state(self.now_ms)
        if state.hand is not None:
            self.truth.board = list(state.hand.board)
        elif state.recent and state.last_cards is not None:
            self.truth.board = list(state.recent[-1].board)
        change = Change(TABLE, facts, state, self.now)
        self.door.send_to_public(TABLE, change.public())
        self.door.send_to_unseated_agents(TABLE, change.unseated_agents())
        for audience in self.outlets:
            if isinstance(audience, SeatAudience):
                self.door.send_to_seat(TABLE, audience, change.seat(audience))
        self.door.send_to_user(UserId("o0"), TABLE, change.owner(UserId("o0")))
        self.look()

    def look(self) -> None:
        for audience, outlet in self.outlets.items():
            sent = set(CARD.findall(b"".join(outlet.payloads[1:]).decode()))
            known = self.truth.cards_known_to(audience, show_hands=self.show_hands)
            assert sent <= known, f"{audience}: {sorted(sent - known)}"
            assert [m["seq"] for m in outlet.messages[1:]] == list(range(*self._numbers(outlet)))
            del outlet.payloads[1:]

    @staticmethod
    def _numbers(outlet: RecordingOutlet) -> tuple[int, int]:
        first = outlet.messages[1]["seq"] if len(outlet.payloads) > 1 else 0
        return first, first + len(outlet.payloads) - 1

    def hand(self) -> bool:
        """One hand with random moves. False where it cannot begin."""
        if not self.room.wants_hand():
            return False
        self.receive(commands.BeginHand())
        order = [seat for seat, _ in self._dealt()]
        cards = self.dice.sample(DECK, 2 * len(order) + 5)
        hole: dict[Seat, HoleCards] = {seat: (cards[2 * n], cards[2 * n + 1]) for n, seat in enumerate(order)}
        self.truth.hole, self.truth.board = hole, []
        self.receive(commands.Deal(scripted_deck(hole=hole, board=cards[-5:], order=order)))
        while (live := self.room.state(self.now_ms).hand) is not None and live.turn is not None:
            self._maybe_peek(order)
            self._move(live.turn.turn_id, live.turn.turn.seat)
        self._maybe_show(order)
        for seat in self.room.state(self.now_ms).seats:
            if seat.stack_chips < 100:
                self._try(commands.Rebuy(player_id(seat.player), 200))
        return True

    def _dealt(self) -> tuple[tuple[Seat, int], ...]:
        hand = self.room.memory().begun
        assert hand is not None
        return hand.stacks

    def _move(self, turn_id: TurnId, seat: Seat) -> None:
        live = self.room.state(self.now_ms).hand
        assert live is not None and live.turn is not None
        turn = live.turn.turn
        action = self.dice.choice([*turn.legal, *turn.legal[1:2] * 3])
        amount = None
        if action in (ActionKind.BET, ActionKind.RAISE):
            assert turn.raise_range is not None
            amount = min(turn.raise_range[1], turn.raise_range[0] + self.dice.choice((0, 0, 10, 500)))
        self.receive(commands.Act(player_id(player(seat)), turn_id, action, amount))

    def _maybe_peek(self, order: list[Seat]) -> None:
        if self.dice.random() < 0.15:
            by, at = self.dice.sample(order, 2)
            self._try(commands.UsePower(player_id(player(by)), "dealer_peek", at))

    def _maybe_show(self, order: list[Seat]) -> None:
        if self.dice.random() < 0.3:
            self._try(commands.ShowCards(player_id(player(self.dice.choice(order)))))

    def _try(self, command: commands.Command) -> None:
        try:
            self.room.verify(command, self.now_ms)
        except Refusal:
            return
        self.receive(command)


@pytest.mark.parametrize("show_hands", [False, True], ids=["closed", "showHands"])
@pytest.mark.parametrize("seed", range(4))
def test_no_byte_for_anybody_holds_a_card_that_is_not_theirs(
    seed: int, show_hands: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Every frame of every audience; and the tripwire had nothing to refuse."""
    play = Play(seed, show_hands=show_hands)
    assert all(play.hand() for _ in range(8))
    assert "refused" not in caplog.text


def test_a_seat_gets_its_own_cards_and_the_public_the_board() -> None:
    """The test above would pass if nothing were sent: this says that something is."""
    play = Play(1, show_hands=False)
    seen: dict[Audience, set[str]] = {audience: set() for audience in play.outlets}
    look = play.look

    def watch() -> None:
        for audience, outlet in play.outlets.items():
            seen[audience] |= set(CARD.findall(b"".join(outlet.payloads[1:]).decode()))
        look()

    play.look = watch  # type: ignore[method-assign]
    assert play.hand()
    for audience, cards in seen.items():
        if isinstance(audience, SeatAudience):
            assert set(play.truth.hole[audience.seat]) <= cards
    assert set(play.truth.hole[Seat(0)]) <= seen[OwnerAudience(UserId("o0"))]
