"""Anything in any order at one table: a machine that plays, leaves, loses lines and crashes, and checks the books after each step.

After every step: chips conserved, at the table and against what was bought and paid out; no stack below zero; one button; the
next to act is somebody who can; statuses as they were told; a refusal left everything as it was, and `verify` foretold it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gameserver.errors import ErrorCode, Refusal
from gameserver.hand.facts import ActionKind, Turn
from gameserver.table import commands, facts, memory
from gameserver.table.commands import AgentPlayer, Command, PlayerId, player_id
from gameserver.table.facts import Fact, SeatStatus
from gameserver.table.options import AnteKind, Clocks, TableOptions
from gameserver.table.room import Room
from gameserver.table.state import LiveHand, TableState
from policy.ids import DECK, AgentId, AgentVersionId, Card, Seat, TurnId, UserId
from policy.table_kind import TableKind

CLOCKS: Final = Clocks(
    turn_ms=1_000,
    time_bank_ms=2_000,
    refill_every_hands=2,
    refill_ms=500,
    disconnect_bank_ms=3_000,
    timeouts_to_sit_out=2,
    sit_out_remove_ms=20_000,
    rathole_ms=60_000,
)
PLAYERS: Final = tuple(
    AgentPlayer(AgentId(f"a{n}"), UserId(f"u{n}"), AgentVersionId("v1"), hosted=False, model=None) for n in range(8)
)
WAITS_MS: Final = (1, 400, 999, 1_000, 1_001, 2_999, 3_001, 3_001, 4_001, 4_001, 9_000, 20_001, 70_000)
_SIMPLE: Final = (
    commands.SitIn,
    commands.PostBlind,
    commands.WaitForBigBlind,
    commands.WishStraddle,
    commands.ShowCards,
)
_MOVES: Final = (0, 1, 1, 1, 1, 1, 1, 2, 2, 3)
"""Which of the legal moves: fold, check or call, bet or raise, all in."""
_A_CARD: Final = re.compile(rb'"[2-9TJQKA][cdhs]"')

players = st.sampled_from(PLAYERS).map(player_id)


class SeededDeck:
    """A full deck in an order that a seed gives: a failure can be played again."""

    def __init__(self, seed: int) -> None:
        self._cards = list(DECK)
        random.Random(seed).shuffle(self._cards)

    def deal(self) -> Card:
        return self._cards.pop()


class TableMachine(RuleBasedStateMachine):
    """`in_play_chips`: bought in and reserved, less what was paid out or given back."""

    room: Room
    options: TableOptions

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = 1_000
        self.turns = 0
        self.in_play_chips = 0
        self.told: dict[Seat, SeatStatus] = {}
        self.stacks_before: dict[PlayerId, int] = {}
        self.last_big_blind: PlayerId | None = None
        self.this_big_blind: PlayerId | None = None
        self.numbers: list[int] = []

    @initialize(
        seats=st.sampled_from([2, 3, 4, 6, 6, 6]),
        seated=st.integers(0, 12),
        ante=st.sampled_from([0, 0, 1, 7]),
        kind=st.sampled_from(AnteKind),
        straddle=st.booleans(),
        drawn=st.integers(0, 5),
    )
    def open_table(self, seats: int, seated: int, ante: int, kind: AnteKind, straddle: bool, drawn: int) -> None:
        self.options = TableOptions(
            name="a table",
            kind=TableKind.AGENT,
            max_seats=seats,
            small_blind_chips=5,
            big_blind_chips=10,
            min_buy_in_chips=40,
            max_buy_in_chips=200,
            created_by=UserId("u0"),
            ante_chips=ante,
            ante_kind=kind,
            straddle=straddle,
            clocks=CLOCKS,
            powers={"dealer_peek": 1},
        )
        self._open(memory.encode(memory.new_memory(Seat(drawn % seats))))
        for number in range(min(seats, seated)):
            self.send(commands.Sit(PLAYERS[number], f"n{number}", Seat(number), 40 + 37 * number % 160))

    # --- what people do -------------------------------------------------------------------------------------------------

    @rule(player=st.sampled_from(PLAYERS), seat=st.integers(-1, 6), buy_in=st.integers(39, 201))
    def sit(self, player: AgentPlayer, seat: int, buy_in: int) -> None:
        self.send(commands.Sit(player, f"n{player.agent_id}", Seat(seat), buy_in))

    @rule(player=players)
    def stand(self, player: PlayerId) -> None:
        self.send(commands.Stand(player))

    @rule(player=players, when=st.sampled_from(commands.SitOutWhen))
    def sit_out(self, player: PlayerId, when: commands.SitOutWhen) -> None:
        self.send(commands.SitOut(player, when))

    @rule(player=players, wish=st.sampled_from(_SIMPLE))
    def wish(self, player: PlayerId, wish: type[commands.SitIn]) -> None:
        self.send(wish(player))

    @rule(player=players, amount=st.integers(1, 210))
    def rebuy(self, player: PlayerId, amount: int) -> None:
        self.send(commands.Rebuy(player, amount))

    @rule(player=players, up=st.sampled_from([True, True, False]))
    def line(self, player: PlayerId, up: bool) -> None:
        self.send(commands.Connect(player) if up else commands.Disconnect(player))

    @rule(player=players, at=st.integers(0, 6))
    def peek(self, player: PlayerId, at: int) -> None:
        self.send(commands.UsePower(player, "dealer_peek", Seat(at)))

    @rule(player=st.sampled_from(PLAYERS))
    def publish(self, player: AgentPlayer) -> None:
        self.send(commands.SetVersion(player.agent_id, AgentVersionId(f"v{self.now_ms}")))

    # --- the hand -------------------------------------------------------------------------------------------------------

    @rule(seed=st.integers(0, 2**32))
    def hand(self, seed: int) -> None:
        self._hand(seed)

    @rule(seed=st.integers(0, 2**32), moves=st.integers(1, 40))
    def play(self, seed: int, moves: int) -> None:
        """Many moves by chance, hands begun as they may be: most of what happens at a table."""
        chance = random.Random(seed)
        for _ in range(moves):
            if self.room.wants_hand():
                self._hand(chance.randrange(2**32))
            if chance.random() < 0.4:
                self._something(chance)
            self.act(chance.choice(_MOVES), chance.random(), chance.choice((0, 0, 0, 0, 0, 0, 500, 1_001)))

    @rule(seed=st.integers(0, 2**32))
    def play_a_hand(self, seed: int) -> None:
        """One whole hand."""
        chance = random.Random(seed)
        if self.turn() is None:
            self._hand(seed)
        while self.turn() is not None:
            self.act(chance.choice(_MOVES), chance.random(), 0)

    @rule(choice=st.integers(0, 3), share=st.floats(0, 1), waits=st.sampled_from((0, 0, 0, 500, 1_000, 1_500)))
    def act(self, choice: int, share: float, waits: int) -> None:
        self.pass_time(waits)
        open_turn = self.turn()
        if open_turn is None:
            return
        turn_id, turn = open_turn
        action = turn.legal[choice % len(turn.legal)]
        self.send(commands.Act(self._who(turn.seat), turn_id, action, _amount(turn, action, share)), legal=True)

    @rule(player=players, action=st.sampled_from(ActionKind), amount=st.none() | st.integers(-1, 300))
    def say_anything(self, player: PlayerId, action: ActionKind, amount: int | None) -> None:
        open_turn = self.turn()
        self.send(commands.Act(player, open_turn[0] if open_turn else TurnId("none"), action, amount))

    @precondition(lambda self: self.turn() is not None)
    @rule()
    def provider_is_down(self) -> None:
        open_turn = self.turn()
        if open_turn is not None:
            self.send(commands.ReportProviderDown(self._who(open_turn[1].seat), open_turn[0]), legal=True)

    @rule(waits=st.sampled_from(WAITS_MS))
    def pass_time(self, waits: int) -> None:
        self.now_ms += waits
        self.send(commands.Tick(), legal=True)

    # --- who runs it ----------------------------------------------------------------------------------------------------

    @rule(seat=st.integers(-1, 6), what=st.sampled_from(["pause", "remove", "cancel", "crash"]))
    def trouble(self, what: str, seat: int) -> None:
        match what:
            case "pause":
                self.send(commands.Pause(), legal=True)
                self.hand(0)
                assert self.state().status == "paused"
                self.send(commands.Resume(), legal=True)
            case "remove":
                self.send(commands.Remove(Seat(seat)))
            case "cancel":
                self.send(commands.CancelHand("an operator"))
            case "crash":
                self._crash()
            case other:
                raise AssertionError(f"no such trouble: {other}")

    def _crash(self) -> None:
        """The process dies: what a floor has stored after the last command comes back."""
        self._open(self.stored)
        if self.room.live_hand_number is not None:
            self.send(commands.CancelHand("a crash"), legal=True)
        for seat in self.state().seats:
            self.send(commands.Connect(player_id(seat.player)), legal=True)

    def teardown(self) -> None:
        """A close pays everybody, and not a chip is left."""
        if not hasattr(self, "room"):
            return
        if self.room.live_hand_number is not None and self.state().hand is None:
            self.send(commands.CancelHand("nobody dealt it"), legal=True)
        self.send(commands.Close(), legal=True)
        self.pass_time(1_000_000)
        assert self.room.closed and not self.state().seats
        assert self.in_play_chips == 0

    # --- after each step ------------------------------------------------------------------------------------------------

    @invariant()
    def chips_are_conserved(self) -> None:
        state = self.state()
        pot = state.hand.pot_chips if state.hand is not None else 0
        reserved = sum(chair.reserved_chips for chair in self.room.memory().chairs)
        assert all(seat.stack_chips >= 0 for seat in state.seats)
        assert sum(seat.stack_chips for seat in state.seats) + pot + reserved == self.in_play_chips

    @invariant()
    def there_is_one_button(self) -> None:
        hand = self.state().hand
        if hand is None:
            return
        positions = hand.positions
        assert positions.big_blind in hand.dealt and positions.small_blind in (None, *hand.dealt)
        assert positions.button_dead == (positions.button not in hand.dealt)
        assert positions.big_blind not in (positions.button, positions.small_blind)
        assert (positions.button == positions.small_blind) == (len(hand.dealt) == 2)
        _assert_in_order(hand)

    @invariant()
    def the_next_to_act_can(self) -> None:
        open_turn = self.turn()
        if open_turn is None:
            return
        turn = open_turn[1]
        [seat] = [seat for seat in self.state().seats if seat.seat == turn.seat]
        assert seat.status is SeatStatus.IN_HAND and seat.stack_chips > 0 and not seat.paid_out
        for action in turn.legal:
            amount = _amount(turn, action, 0)
            self.room.verify(commands.Act(player_id(seat.player), open_turn[0], action, amount), self.now_ms)

    @invariant()
    def statuses_are_as_told(self) -> None:
        assert self.told == {seat.seat: seat.status for seat in self.state().seats}

    @invariant()
    def nothing_that_is_due_waits(self) -> None:
        due_ms = self.room.next_due_ms()
        assert due_ms is None or due_ms > self.now_ms

    @invariant()
    def the_memory_can_be_kept(self) -> None:
        kept = self.room.memory()
        assert memory.decode(memory.encode(kept)) == kept
        assert not _A_CARD.search(memory.encode(kept))

    # --- inside ---------------------------------------------------------------------------------------------------------

    def send(self, command: Command, *, legal: bool = False) -> tuple[Fact, ...]:
        """Lets due things happen, then the command; a refusal must change nothing, and `verify` must foretell it."""
        self._take(self.room.receive(commands.Tick(), self.now_ms), bought_now=False)
        before, foretold = self._fingerprint(), self._verify(command)
        try:
            told = self.room.receive(command, self.now_ms)
        except Refusal as refusal:
            assert not legal and foretold is refusal.code
            assert self._fingerprint() == before
            return ()
        assert foretold is None
        self._take(told, bought_now=isinstance(command, commands.Rebuy))
        self.stored = memory.encode(self.room.memory())
        return told

    def state(self) -> TableState:
        return self.room.state(self.now_ms)

    def turn(self) -> tuple[TurnId, Turn] | None:
        hand = self.state().hand
        return None if hand is None or hand.turn is None else (hand.turn.turn_id, hand.turn.turn)

    def _open(self, stored: bytes) -> None:
        self.stored = stored
        self.room = Room(
            options=self.options, memory=memory.decode(stored), new_turn_id=self._new_turn_id, now_ms=self.now_ms
        )
        self.told = {seat.seat: seat.status for seat in self.state().seats}

    def _new_turn_id(self) -> TurnId:
        self.turns += 1
        return TurnId(f"turn {self.turns}")

    def _hand(self, seed: int) -> None:
        told = self.send(commands.BeginHand())
        if any(isinstance(fact, facts.HandBegan) for fact in told):
            self.send(commands.Deal(SeededDeck(seed)), legal=True)

    def _something(self, chance: random.Random) -> None:
        """One thing that people at a table do, of a player who sits there or of one who does not."""
        player = chance.choice(PLAYERS)
        who = player_id(player)
        seat = self.room.seat_of(who)
        mended = _mended(who, self.told[seat]) if seat is not None else None
        if mended is not None and chance.random() < 0.7:
            self.send(mended)
        elif seat is None:
            self.sit(player, chance.randrange(self.options.max_seats), chance.randint(40, 200))
        else:
            self._something_of(who, chance)

    def _something_of(self, who: PlayerId, chance: random.Random) -> None:
        anything: list[Command] = [commands.SitIn(who), commands.PostBlind(who), commands.WishStraddle(who)]
        anything += [commands.SitOut(who, chance.choice(list(commands.SitOutWhen))), commands.Connect(who)]
        anything += [commands.Rebuy(who, chance.randint(1, 200)), commands.Disconnect(who), commands.Connect(who)]
        anything += [commands.PostBlind(who), commands.SitIn(who), commands.Rebuy(who, 40), commands.Stand(who)]
        self.send(chance.choice(anything))

    def _who(self, seat: Seat) -> PlayerId:
        [player] = [each.player for each in self.state().seats if each.seat == seat]
        return player_id(player)

    def _verify(self, command: Command) -> ErrorCode | None:
        try:
            self.room.verify(command, self.now_ms)
        except Refusal as refusal:
            return refusal.code
        return None

    def _fingerprint(self) -> object:
        state = self.state()
        hand = state.hand
        play = (
            None if hand is None else (hand.moves, hand.board, hand.pots, dict(hand.bets), hand.turn, hand.cards.peeks)
        )
        return self.room.memory(), state.status, state.seats, play, self.room.next_due_ms(), self.room.options

    def _take(self, told: Sequence[Fact], *, bought_now: bool) -> None:
        for fact in told:
            self._book(fact, bought_now=bought_now)
            self._follow(fact)

    def _book(self, fact: Fact, *, bought_now: bool) -> None:
        match fact:
            case facts.SeatTaken(buy_in_chips=chips) | facts.RebuyReserved(amount_chips=chips):
                self.in_play_chips += chips
            case facts.ChipsBought(amount_chips=chips, player=player):
                self.in_play_chips += chips if bought_now else 0
                self.stacks_before[player_id(player)] = self.stacks_before.get(player_id(player), 0) + chips
            case facts.RebuyReturned(amount_chips=chips) | facts.SeatPaid(amount_chips=chips):
                self.in_play_chips -= chips
            case facts.HandCancelled(refunds=refunds, paid_out=paid_out):
                self.in_play_chips -= sum(chips for seat, _, chips in refunds if seat in paid_out)
            case _:
                pass

    def _follow(self, fact: Fact) -> None:
        match fact:
            case facts.StatusChanged(seat, status):
                self.told[seat] = status
            case facts.SeatFreed(seat=seat, player=player):
                self.told.pop(seat, None)
                if player_id(player) == self.last_big_blind:
                    self.last_big_blind = None  # may sit down again where the big blind comes next
            case facts.HandBegan():
                self._hand_began(fact)
            case facts.HandEnded(result):
                self.last_big_blind = self.this_big_blind
                self.this_big_blind = None
                assert sum(dict(result.contributed).values()) == sum(pot.amount_chips for pot in result.over.pots)
            case facts.HandCancelled():
                self._all_have_again_what_they_had()
            case _:
                pass

    def _hand_began(self, began: facts.HandBegan) -> None:
        players_dealt = dict(began.players)
        assert began.hand_number not in self.numbers
        self.numbers.append(began.hand_number)
        self.stacks_before = {player_id(players_dealt[seat]): chips for seat, chips in began.dealt}
        self.this_big_blind = player_id(players_dealt[began.positions.big_blind])
        assert self.this_big_blind != self.last_big_blind

    def _all_have_again_what_they_had(self) -> None:
        for seat in self.state().seats:
            before = self.stacks_before.get(player_id(seat.player))
            if before is not None and not seat.paid_out:
                assert seat.stack_chips >= before


def _mended(who: PlayerId, status: SeatStatus) -> Command | None:
    """What brings a seat back into play, so that tables do not run empty."""
    mending: dict[SeatStatus, Command] = {
        SeatStatus.WAITING_BIG_BLIND: commands.PostBlind(who),
        SeatStatus.SITTING_OUT: commands.SitIn(who),
        SeatStatus.AWAY: commands.Connect(who),
        SeatStatus.NO_CHIPS: commands.Rebuy(who, 150),
    }
    return mending.get(status)


def _amount(turn: Turn, action: ActionKind, share: float) -> int | None:
    if action not in (ActionKind.BET, ActionKind.RAISE) or turn.raise_range is None:
        return None
    least, most = turn.raise_range
    return least + round((most - least) * share**4)


def _assert_in_order(hand: LiveHand) -> None:
    """First left of the button first, once around."""
    turns = [(seat - hand.positions.button - 1) % 16 for seat in hand.dealt]
    assert turns == sorted(set(turns))


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(
    max_examples=40,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
