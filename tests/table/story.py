"""Plays a table case against a real room, with a virtual clock and a scripted deck, and says what is so after each step.

The steps and what may be expected are in tests/cases/README.md; the further steps of our own cases in tests/table/cases/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gameserver.errors import Refusal
from gameserver.hand.deck import Deck, scripted_deck, secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.table import commands, facts, memory
from gameserver.table.clock import Banks
from gameserver.table.commands import AgentPlayer, Command, Player, PlayerId, UserPlayer, player_id
from gameserver.table.facts import Fact
from gameserver.table.options import AnteKind, Clocks, TableOptions
from gameserver.table.room import Room
from gameserver.table.seats import Chair
from gameserver.table.state import TableState
from policy.ids import AgentId, AgentVersionId, Seat, TurnId, UserId
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.cases.casebook import TableCase, hole_by_seat, split_cards
from tests.table import seen

Json = Any
NO_TURN: Final = TurnId("no turn")
_OF_THE_TABLE: Final[Mapping[str, Command]] = {
    "pause": commands.Pause(),
    "resume": commands.Resume(),
    "close": commands.Close(),
    "cancel": commands.CancelHand("an operator"),
}


def options_of(table: Mapping[str, Json]) -> TableOptions:
    """The table of a case as options. Our own cases may have `powers`, `practice`, `created_by` and `reveal` besides."""
    return TableOptions(
        name="a table",
        kind=TableKind(table["table_kind"]),
        max_seats=table["max_seats"],
        small_blind_chips=table["small_blind"],
        big_blind_chips=table["big_blind"],
        min_buy_in_chips=table["min_buy_in"],
        max_buy_in_chips=table["max_buy_in"],
        created_by=UserId(table.get("created_by", "nobody")),
        ante_chips=table["ante"],
        ante_kind=AnteKind(table["ante_kind"]),
        straddle=table["straddle"],
        clocks=Clocks(**{name: table[name] for name in Clocks.__dataclass_fields__}),
        reveal=RevealOptions(show_hands=True, show_thoughts=True) if table.get("reveal") else CLOSED,
        powers=table.get("powers", {}),
        practice=table.get("practice", False),
    )


def player_of(who: str, owner: str, kind: str, *, house: bool = False, model: str | None = None) -> Player:
    if kind == "human":
        return UserPlayer(UserId(who))
    hosted = model is not None
    return AgentPlayer(AgentId(who), UserId(owner), AgentVersionId("v1"), hosted=hosted, model=model, house=house)


class Story:
    """One case on its way. `facts`: of the last step. `stored`: the memory as a floor would have stored it."""

    def __init__(self, case: TableCase) -> None:
        self.case = case
        self.options = options_of(case.table)
        self.now_ms = 0
        self.turns = 0
        self.facts: list[Fact] = []
        self.last_turn_of: dict[Seat, TurnId] = {}
        first = replace(memory.new_memory(Seat(case.table["button"])), chairs=tuple(map(self._chair, case.players)))
        self.room = self._room(memory.encode(first))
        for player in case.players:
            self.receive(commands.Connect(self._id(self._player(player))))
        self.stored = memory.encode(self.room.memory())

    def play(self) -> None:
        """Runs all steps; raises AssertionError at the first one that comes out differently."""
        for number, step in enumerate(self.case.steps):
            self._check(number, step, self.take(step))

    # --- steps ----------------------------------------------------------------------------------------------------------

    def take(self, step: Mapping[str, Json]) -> dict[str, Json]:
        """One step, and what is so after it."""
        self.facts = []
        before, paid = self.fingerprint(), self._paid_out()
        try:
            self._do(step)
        except Refusal as refusal:
            return {"refused": str(refusal.code), "unchanged": before == self.fingerprint()}
        self.stored = memory.encode(self.room.memory())
        return self._picture(paid)

    def receive(self, command: Command) -> tuple[Fact, ...]:
        told = self.room.receive(command, self.now_ms)
        self.facts += told
        for fact in told:
            if isinstance(fact, facts.TurnOpened):
                self.last_turn_of[fact.turn.seat] = fact.turn_id
        return told

    def _do(self, step: Mapping[str, Json]) -> None:
        match step["step"]:
            case "hand":
                self._hand(step.get("cards", {}))
            case "clock":
                self.now_ms += step["ms"]
                self.receive(commands.Tick())
            case "action":
                self._action(step)
            case "play":
                self._play_on(step["how"])
            case "crash":
                self._crash()
            case _:
                self.receive(self._command(step))

    def _command(self, step: Mapping[str, Json]) -> Command:
        name = step["step"]
        if name in _OF_THE_TABLE:
            return _OF_THE_TABLE[name]
        if name == "narrow":
            return commands.NarrowReveal(
                RevealOptions(show_hands=step["show_hands"], show_thoughts=step["show_thoughts"])
            )
        if name == "remove":
            return commands.Remove(Seat(step["seat"]))
        if name == "sit":
            player = self._player(step)
            return commands.Sit(player, step.get("name", step["who"]), Seat(step["seat"]), step["buy_in"])
        return self._of_seated(step, self._seated(step))

    def _of_seated(self, step: Mapping[str, Json], who: PlayerId) -> Command:
        match step["step"]:
            case "stand":
                return commands.Stand(who)
            case "leave":
                return commands.Leave(who)
            case "sit_out":
                return commands.SitOut(who, commands.SitOutWhen(step.get("when", "next_hand")))
            case "sit_in":
                return commands.SitIn(who)
            case "post_blind":
                return commands.PostBlind(who)
            case "wait_for_big_blind":
                return commands.WaitForBigBlind(who)
            case "straddle":
                return commands.WishStraddle(who)
            case "rebuy":
                return commands.Rebuy(who, step["amount"])
            case "disconnect":
                return commands.Disconnect(who)
            case "reconnect":
                return commands.Connect(who)
            case "show_cards":
                return commands.ShowCards(who)
            case "power":
                return commands.UsePower(who, step.get("power", "dealer_peek"), Seat(step["target"]))
            case "report":
                return commands.ReportProviderDown(who, self._turn_of(step))
            case "version":
                return commands.SetVersion(AgentId(step["who"]), AgentVersionId(step["version"]))
            case other:
                raise AssertionError(f"no such step: {other}")

    def _seated(self, step: Mapping[str, Json]) -> PlayerId:
        """Who the step is of: `who`, or else the occupant of `seat`."""
        if "who" in step:
            return self._id(self._player(step))
        return next(self._id(seat.player) for seat in self.state().seats if seat.seat == step["seat"])

    def _hand(self, cards: Mapping[str, Json]) -> None:
        told = self.receive(commands.BeginHand())
        self.stored = memory.encode(self.room.memory())
        for fact in told:
            if isinstance(fact, facts.HandBegan):
                self.receive(commands.Deal(self._deck(cards, [seat for seat, _ in fact.dealt])))

    def _deck(self, cards: Mapping[str, Json], order: list[Seat]) -> Deck:
        if not cards:
            return secure_deck()
        return scripted_deck(
            hole=hole_by_seat(cards.get("hole", {})), board=split_cards(cards.get("board", "")), order=order
        )

    def _action(self, step: Mapping[str, Json]) -> None:
        action = ActionKind(step["do"])
        self.receive(commands.Act(self._seated(step), self._turn_of(step), action, step.get("amount")))

    def _turn_of(self, step: Mapping[str, Json]) -> TurnId:
        if step.get("turn", "current") == "stale":
            return self.last_turn_of[Seat(step["seat"])]
        hand = self.state().hand
        return hand.turn.turn_id if hand is not None and hand.turn is not None else NO_TURN

    def _play_on(self, how: str) -> None:
        while (hand := self.state().hand) is not None and hand.turn is not None:
            action = ActionKind.FOLD
            if how == "check_down":
                action = next(each for each in (ActionKind.CHECK, ActionKind.CALL) if each in hand.turn.turn.legal)
            who = self._seated({"seat": hand.turn.turn.seat})
            self.receive(commands.Act(who, hand.turn.turn_id, action, None))

    def _crash(self) -> None:
        """The process is gone; what is stored comes back, and a hand that never ended is cancelled."""
        self.room = self._room(self.stored)
        if self.room.live_hand_number is not None:
            self.receive(commands.CancelHand("a crash"))

    # --- what is so -----------------------------------------------------------------------------------------------------

    def state(self) -> TableState:
        return self.room.state(self.now_ms)

    def fingerprint(self) -> object:
        """All that can be seen of the room, but for cards."""
        state = self.state()
        hand = state.hand
        play = None if hand is None else (hand.moves, hand.street, hand.board, hand.pots, dict(hand.bets), hand.turn)
        peeks = () if hand is None else hand.cards.peeks
        return self.room.memory(), state.status, state.seats, play, peeks, self.room.next_due_ms()

    def _picture(self, paid_before: frozenset[Seat]) -> dict[str, Json]:
        state = self.state()
        seats = {str(seat.seat): seat for seat in state.seats if not seat.paid_out}
        pot = state.hand.pot_chips if state.hand is not None else 0
        stacks = {seat: each.stack_chips for seat, each in seats.items()}
        return {
            "stacks": stacks,
            "status": {seat: str(each.status) for seat, each in seats.items()},
            "pot": pot,
            "total_chips": sum(stacks.values()) + pot,
            "bank": {seat: each.time_bank_ms for seat, each in seats.items()},
            "disconnect_bank": {seat: each.disconnect_bank_ms for seat, each in seats.items()},
            "table_status": state.status,
            **seen.missed(seats),
            **seen.turn(state),
            **seen.told_by_hand(self.facts),
            **seen.told_by_table(self.facts, paid_before),
        }

    def _paid_out(self) -> frozenset[Seat]:
        return frozenset(seat.seat for seat in self.state().seats if seat.paid_out)

    def _check(self, number: int, step: Mapping[str, Json], found: dict[str, Json]) -> None:
        expected = dict(step["expect"])
        if "refused" not in expected:
            for key in ("not_dealt", "missed", "auto", "removed", "cashed_out"):
                expected.setdefault(key, [] if key in ("auto", "removed") else {})
        came = {key: found.get(key, "absent") for key in expected}
        if "result" in expected and "rebuy_applied" not in expected["result"]:
            expected["result"] = {**expected["result"], "rebuy_applied": {}}
        wrong = {key: (came[key], expected[key]) for key in expected if came[key] != expected[key]}
        where = {key: value for key, value in step.items() if key != "expect"}
        assert not wrong, f"{self.case.id}, step {number} {where}: found, expected: {wrong}"

    # --- set-up ---------------------------------------------------------------------------------------------------------

    def _room(self, stored: bytes) -> Room:
        return Room(
            options=self.options,
            memory=memory.decode(stored),
            new_turn_id=self._new_turn_id,
            now_ms=self.now_ms,
            platform_models=frozenset({"house"}),
        )

    def _new_turn_id(self) -> TurnId:
        self.turns += 1
        return TurnId(f"turn {self.turns}")

    def _player(self, row: Mapping[str, Json]) -> Player:
        kind = row.get("kind", "human" if self.options.kind is TableKind.HUMAN else "agent")
        owner = row.get("owner", row["who"])
        return player_of(row["who"], owner, kind, house=row.get("house", False), model=row.get("model"))

    def _chair(self, row: Mapping[str, Json]) -> Chair:
        banks = Banks(self.options.clocks.time_bank_ms, self.options.clocks.disconnect_bank_ms)
        return Chair(Seat(row["seat"]), self._player(row), row["who"], row["stack"], banks)

    def _id(self, player: Player) -> PlayerId:
        return player_id(player)
