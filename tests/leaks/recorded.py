"""Recorded hands (PHH) in two worlds each, through the whole system: every player at a socket, watchers beside them.

What no table can set up for a first hand is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gameserver.hand.facts import ForcedKind
from gameserver.table.options import AnteKind
from policy.ids import DECK, Seat
from railbird.phh import NotReplayable, RecordedHand, recorded_hand, sections
from railbird.replayed_table import what_no_room_can
from tests.leaks import cast, script
from tests.leaks.deals import Order
from tests.leaks.script import Action
from tests.leaks.twins import Tally, Twins
from tests.leaks.world import Setting

WATCHERS: Final = ("crowd", "sid", "eve")


def recorded_hands(folder: Path) -> Iterator[RecordedHand]:
    """Every hand of a folder that a table can deal."""
    for path in sorted(folder.glob("*.phh*")):
        for name, section, known in sections(path):
            try:
                hand = recorded_hand(f"{path.stem} {name}", section, known)
            except NotReplayable:
                continue
            if what_no_room_can(hand) is None:
                yield hand


def check(hand: RecordedHand, tally: Tally, template: Path, *, seats: Sequence[int], show_hands: bool = False) -> None:
    """Twins for the public and for these seats; where live hands are shown, for their owners and for agents without a seat too.

    At other tables these have seen no more than the seats, or no more than the public, and are compared in their twins.
    """
    players = cast.RECORDED[: len(hand.stacks)]
    owners = [f"owner-{players[seat]}" for seat in seats]
    twins = Twins(_setting(hand, show_hands), 1, tally, template, first=_order(hand), button=len(players) - 1)
    focus = ["crowd", *(players[seat] for seat in seats), *(("eve", *owners) if show_hands else ())]
    twins.check(_script(hand, players, owners), focus, alter_words=False)


def _setting(hand: RecordedHand, show_hands: bool) -> Setting:
    forced = {bet.kind: bet.amount_chips for bet in hand.forced}
    for_all = forced.get(ForcedKind.BIG_BLIND_ANTE, 0)
    return Setting(
        hand.name,
        show_hands=show_hands,
        agents=cast.RECORDED[: len(hand.stacks)],
        small_blind=forced[ForcedKind.SMALL_BLIND],
        big_blind=hand.big_blind_chips,
        ante=forced.get(ForcedKind.ANTE, 0) or for_all,
        ante_kind=AnteKind.BIG_BLIND if for_all else AnteKind.EACH,
        buy_ins=hand.stacks,
    )


def _order(hand: RecordedHand) -> Order:
    """The deck as it was dealt: one card to each, twice round, the board, and the rest."""
    known = {card for cards in hand.hole.values() if cards for card in cards} | set(hand.board)
    spare = [card for card in DECK if card not in known]
    holes = [cards if cards is not None else (spare.pop(), spare.pop()) for _, cards in sorted(hand.hole.items())]
    return (*(cards[0] for cards in holes), *(cards[1] for cards in holes), *hand.board, *spare)


def _script(hand: RecordedHand, players: Sequence[str], owners: Sequence[str]) -> list[Action]:
    straddlers = [bet.seat for bet in hand.forced if bet.kind is ForcedKind.STRADDLE]
    return [
        script.Pause(True),
        *(script.Watch(who) for who in WATCHERS),
        *(script.Sit(who) for who in players),
        *(script.Stream(who) for who in ("crowd", *owners)),
        *(script.Straddle(players[Seat(seat)]) for seat in straddlers),
        script.Pause(False),
        script.Wait(1),
        *(script.Move(kind, amount or 0) for _, kind, amount in hand.actions),
        script.Pause(True),
        script.PlayOn(),
        script.Reconnect("eve"),
        *(script.Read(who) for who in ("crowd", *owners)),
    ]
