"""A recorded hand at a table of ours: the real room with the recorded stacks and blinds, and a scripted deck.

What no room can set up (`what_no_room_can`) goes through the hand engine alone. Neither reads a file or compares anything. A hand
has seat 0 where the record has p1, so that the last player is on the button; heads-up that player has the small blind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, Protocol

from gameserver.errors import ErrorCode, Refusal
from gameserver.hand.deck import Deck, scripted_deck
from gameserver.hand.facts import Acted, ActionKind, ForcedBet, ForcedKind, HandOver, Posted, Turn
from gameserver.hand.hand import Hand
from gameserver.table.commands import (
    Act,
    AgentPlayer,
    BeginHand,
    Command,
    Deal,
    PlayerId,
    Sit,
    WishStraddle,
    player_id,
)
from gameserver.table.facts import Fact, HandBegan, HandEnded, Moved, TurnOpened
from gameserver.table.memory import new_memory
from gameserver.table.options import AnteKind, TableOptions
from gameserver.table.room import Room
from policy.ids import AgentId, AgentVersionId, Card, Seat, TurnId, UserId
from policy.table_kind import TableKind
from railbird.phh import RecordedHand

_NOW_MS: Final = 0
"""No time passes in a replay, so no clock runs out."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What came out. `unfolded`: seats that were in to the end."""

    board: tuple[Card, ...]
    over: HandOver
    unfolded: frozenset[Seat]


class Played(Protocol):
    """A hand that is dealt and waits for moves. `turn` and `finished`: None where nobody is asked, or it is not over."""

    @property
    def turn(self) -> Turn | None: ...

    @property
    def finished(self) -> Finished | None: ...

    def act(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> None:
        """Makes the move. Raises Refusal where the rules do not allow it."""


class AtATable:
    """The hand in a room of its own, by commands and facts. Raises `NotAsRecorded` where the table posts something else."""

    def __init__(self, recorded: RecordedHand) -> None:
        self._turn_ids: Final = count(1)
        self._room: Final = Room(
            options=_options(recorded),
            memory=new_memory(Seat(len(recorded.stacks) - 1)),
            new_turn_id=lambda: TurnId(f"turn-{next(self._turn_ids)}"),
            now_ms=_NOW_MS,
        )
        self._open: TurnOpened | None = None
        self._ended: HandEnded | None = None
        self._posted: Final[list[Posted]] = []
        self._folded: Final[set[Seat]] = set()
        self._dealt: tuple[Seat, ...] = ()
        for seat, stack in enumerate(recorded.stacks):
            self._tell(Sit(_player(seat), f"p{seat + 1}", Seat(seat), stack))
        for seat in _straddlers(recorded):
            self._tell(WishStraddle(_player_id(seat)))
        self._tell(BeginHand())
        self._tell(Deal(_deck(recorded, self._dealt)))
        if {(each.seat, each.kind, each.amount_chips) for each in self._posted} != set(_owed(recorded)):
            raise NotAsRecorded("the table posts other blinds and antes")

    @property
    def turn(self) -> Turn | None:
        return None if self._open is None else self._open.turn

    @property
    def finished(self) -> Finished | None:
        if self._ended is None:
            return None
        result = self._ended.result
        return Finished(result.board, result.over, frozenset(self._dealt) - self._folded)

    def act(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> None:
        if self._open is None:
            raise Refusal(ErrorCode.STALE_TURN, "nobody is asked")
        self._tell(Act(_player_id(seat), self._open.turn_id, action, amount_chips))

    def _tell(self, command: Command) -> None:
        facts = self._room.receive(command, _NOW_MS)
        if isinstance(command, Act):
            self._open = None
        for fact in facts:
            self._hear(fact)

    def _hear(self, fact: Fact) -> None:
        match fact:
            case HandBegan(dealt=dealt):
                self._dealt = tuple(seat for seat, _ in dealt)
            case Posted():
                self._posted.append(fact)
            case TurnOpened():
                self._open = fact
            case Moved(move=Acted(seat=seat, action=ActionKind.FOLD)):
                self._folded.add(seat)
            case HandEnded():
                self._ended = fact
            case _:
                pass


class ByTheHandEngine:
    """The hand without a table. The engine knows one straddle, which is what a call comes to; earlier ones are live posts."""

    def __init__(self, recorded: RecordedHand) -> None:
        self._hand: Final = Hand(
            seats=[(Seat(number), stack) for number, stack in enumerate(recorded.stacks)],
            forced=[*_one_straddle(recorded)],
            big_blind_chips=recorded.big_blind_chips,
            straddle_chips=recorded.straddle_chips,
        )
        self._hand.deal(_deck(recorded, self._hand.dealt))

    @property
    def turn(self) -> Turn | None:
        return self._hand.turn

    @property
    def finished(self) -> Finished | None:
        over = self._hand.result
        return (
            None if over is None else Finished(self._hand.board, over, frozenset(self._hand.dealt) - self._hand.folded)
        )

    def act(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> None:
        self._hand.act(seat, action, amount_chips)


class NotAsRecorded(Exception):
    """The table does something else than the record says."""


def what_no_room_can(recorded: RecordedHand) -> str | None:
    """Why a table that seats these players for a first hand cannot have these forced bets; None: it can."""
    return next(_obstacles(recorded), None)


def _obstacles(recorded: RecordedHand) -> Iterator[str]:
    kinds = [bet.kind for bet in recorded.forced]
    antes = [bet.amount_chips for bet in recorded.forced if bet.kind is ForcedKind.ANTE]
    if ForcedKind.POST in kinds or ForcedKind.DEAD_POST in kinds:
        yield "somebody posts besides the blinds"
    if antes and (len(antes) < len(recorded.stacks) or len(set(antes)) > 1 or ForcedKind.BIG_BLIND_ANTE in kinds):
        yield "antes that are not the same for everybody"
    if _seats_of_blinds(recorded) != ([1, 0] if len(recorded.stacks) == 2 else [0, 1]):
        yield "blinds that are not the first two left of the button"
    if len(_straddlers(recorded)) > 1:
        yield "several straddles"
    if recorded.straddle_chips is not None and not _can_straddle(recorded, sum(antes[:1])):
        yield "a straddle that is not two big blinds, or not left of the big blind"
    if ForcedKind.BIG_BLIND_ANTE in kinds and _big_blind_is_short(recorded):
        yield "a big blind without the chips for blind and ante, which a table takes in the other order"


def _seats_of_blinds(recorded: RecordedHand) -> list[int]:
    """Small, then big."""
    wanted = (ForcedKind.SMALL_BLIND, ForcedKind.BIG_BLIND)
    return [bet.seat for kind in wanted for bet in recorded.forced if bet.kind is kind]


def _can_straddle(recorded: RecordedHand, ante_chips: int) -> bool:
    full = 2 * recorded.big_blind_chips
    return recorded.straddle_chips == full and _straddlers(recorded) == [2] and recorded.stacks[2] - ante_chips >= full


def _big_blind_is_short(recorded: RecordedHand) -> bool:
    owed = [bet for bet in recorded.forced if bet.kind in (ForcedKind.BIG_BLIND, ForcedKind.BIG_BLIND_ANTE)]
    return sum(bet.amount_chips for bet in owed) > recorded.stacks[owed[0].seat]


def _owed(recorded: RecordedHand) -> Iterator[tuple[Seat, ForcedKind, int]]:
    """The forced bets as far as the stacks go."""
    left = dict(enumerate(recorded.stacks))
    for bet in recorded.forced:
        chips = min(bet.amount_chips, left[bet.seat])
        left[bet.seat] -= chips
        if chips:
            yield bet.seat, bet.kind, chips


def _one_straddle(recorded: RecordedHand) -> Iterator[ForcedBet]:
    last = _straddlers(recorded)[-1:]
    for bet in recorded.forced:
        is_earlier = bet.kind is ForcedKind.STRADDLE and bet.seat not in last
        yield replace(bet, kind=ForcedKind.POST) if is_earlier else bet


def _straddlers(recorded: RecordedHand) -> list[Seat]:
    return [bet.seat for bet in recorded.forced if bet.kind is ForcedKind.STRADDLE]


def _options(recorded: RecordedHand) -> TableOptions:
    first = {bet.kind: bet.amount_chips for bet in recorded.forced}
    each, for_all = first.get(ForcedKind.ANTE, 0), first.get(ForcedKind.BIG_BLIND_ANTE, 0)
    return TableOptions(
        name="recorded",
        kind=TableKind.AGENT,
        max_seats=len(recorded.stacks),
        small_blind_chips=first[ForcedKind.SMALL_BLIND],
        big_blind_chips=recorded.big_blind_chips,
        min_buy_in_chips=1,
        max_buy_in_chips=max(recorded.stacks),
        created_by=UserId("recorded"),
        ante_chips=each or for_all,
        ante_kind=AnteKind.BIG_BLIND if for_all else AnteKind.EACH,
        straddle=recorded.straddle_chips is not None,
    )


def _player(seat: int) -> AgentPlayer:
    """One owner has one seat, so each player is an owner's only agent."""
    name = f"p{seat + 1}"
    return AgentPlayer(AgentId(name), UserId(f"{name}-owner"), AgentVersionId("v1"), hosted=False, model=None)


def _player_id(seat: int) -> PlayerId:
    return player_id(_player(seat))


def _deck(recorded: RecordedHand, dealt: Sequence[Seat]) -> Deck:
    return scripted_deck(hole=recorded.hole, board=recorded.board, order=dealt)
