"""What a house player keeps of its frames: the latest state and this hand's actions. Nothing else is known to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import UNSET

from gameserver.wire.messages import GameState, HandStarted, PlayerAction, SeatView, Snapshot, TableRules, YourTurn
from railbird.agenthost.house.knowledge import Knowledge
from railbird.client import ActionKind, Frame, Street

_IN = frozenset({"in_hand", "all_in"})
_RAISES = frozenset({ActionKind.BET, ActionKind.RAISE})


@dataclass(slots=True)
class Memory:
    """Filled by `take`; `None` until a snapshot came."""

    state: GameState | None = None
    rules: TableRules | None = None
    actions: list[PlayerAction] = field(default_factory=list)

    def take(self, frame: Frame) -> None:
        """Remember one frame. A snapshot replaces everything."""
        match frame:
            case Snapshot():
                self.state, self.rules, self.actions = frame.state, frame.rules, list(frame.actions)
            case GameState():
                self.state = frame
            case HandStarted():
                self.actions = []
            case PlayerAction():
                self.actions.append(frame)
            case _:
                pass

    def own_seat(self) -> SeatView | None:
        """Our seat, or `None` where we have none."""
        if self.state is None or self.state.your_seat is UNSET:
            return None
        return next((seat for seat in self.state.seats if seat.seat == self.state.your_seat), None)

    def knowledge(self, turn: YourTurn) -> Knowledge | None:
        """What is known about an open turn; `None` where there is no seat to act from."""
        state, own = self.state, self.own_seat()
        if state is None or own is None:
            return None
        street = state.street or Street.PREFLOP
        others = [seat.seat for seat in state.seats if seat.status in _IN and seat.seat != own.seat]
        on_street = [each for each in self.actions if each.street is street and each.seat != own.seat]
        return Knowledge(
            hole_cards=() if state.your_hole_cards is UNSET else tuple(state.your_hole_cards),
            board=tuple(state.board),
            street=street,
            pot_chips=state.pot,
            to_call_chips=turn.to_call,
            own_bet_chips=own.bet,
            own_stack_chips=own.stack,
            big_blind_chips=state.big_blind,
            legal=frozenset(turn.legal_actions),
            raise_range=(turn.chip_range.min, turn.chip_range.max) if turn.chip_range else None,
            opponents=max(1, len(others)),
            to_act_after=_between(own.seat, state.button, others),
            raises=sum(each.action in _RAISES for each in on_street),
            callers=sum(each.action == ActionKind.CALL for each in on_street),
        )


def _between(own: int, button: int | None, others: list[int]) -> int:
    """How many of the others sit after us and not after the button: those who move later on the later streets."""
    if button is None:
        return 0
    ours = (button - own) % 10
    return sum(0 < (other - own) % 10 <= ours for other in others)
