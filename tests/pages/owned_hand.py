"""A hand as the owner of the agent in seat 1 gets it: the public frames, own cards, thoughts and decisions. Made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gameserver.hand.facts import ActionKind, ForcedKind, Street
from gameserver.wire.messages import AgentThought, Decision, HandCancelled, OwnCards
from tests.client.frames import TABLE
from tests.pages.played_hand import NAMES, Hand

OWN, OWN_SEAT, OWN_CARDS = "agent-of-mine", 1, ["Qd", "Qc"]
TEXTS = ("Queens: raise, and see who stays.", "Top set; a small bet keeps them in.", "Too many diamonds?")


class OwnedHand(Hand):
    """Frames of an owner's stream."""

    def own_cards(self, cards: list[str], hand_number: int | None = None) -> None:
        number = self.hand if hand_number is None else hand_number
        self.frames.append(
            OwnCards(
                seq=self.number(), table_id=TABLE, hand_number=number, agent_id=OWN, seat=OWN_SEAT, cards=list(cards)
            )
        )

    def think(self, turn_id: str, text: str, *, seat: int = OWN_SEAT, agent_id: str = OWN) -> None:
        self.frames.append(
            AgentThought(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                agent_id=agent_id,
                seat=seat,
                turn_id=turn_id,
                text=text,
            )
        )

    def decide(
        self,
        turn_id: str,
        status: Literal["provisional", "recorded", "changed", "discarded"],
        action: ActionKind,
        amount: int | None = None,
        text: str = "",
    ) -> None:
        self.frames.append(
            Decision(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                agent_id=OWN,
                seat=OWN_SEAT,
                turn_id=turn_id,
                action=action,
                amount=amount,
                text=text,
                status=status,
            )
        )

    def cancel(self) -> None:
        self.frames.append(
            HandCancelled(seq=self.number(), table_id=TABLE, hand_number=self.hand, refunds={}, why="operator")
        )


def owned_hand(names: Sequence[str] = NAMES, texts: Sequence[str] = TEXTS) -> OwnedHand:
    """With places to look at: `thinking`, `deciding`, `recorded`, `changed`, `second`, `cancelled`."""
    hand = OwnedHand(names)
    hand.begin()
    hand.own_cards(OWN_CARDS)
    hand.post(4, ForcedKind.SMALL_BLIND, 10)
    hand.post(5, ForcedKind.BIG_BLIND, 20)
    hand.act(0, ActionKind.FOLD, to_act=1)
    hand.think("turn-1", texts[0])
    hand.stop("thinking")
    hand.decide("turn-1", "provisional", ActionKind.RAISE, 60)
    hand.stop("deciding")
    hand.act(1, ActionKind.RAISE, 60, to_act=2)
    hand.decide("turn-1", "recorded", ActionKind.RAISE, 60)
    hand.stop("recorded")
    hand.think("turn-x", "a spectator may read this", seat=2, agent_id="somebody-elses")
    hand.act(2, ActionKind.CALL, 60, to_act=3)
    for seat in (3, 4, 5):
        hand.act(seat, ActionKind.FOLD)
    hand.deal(Street.FLOP, ["Qs", "7d", "2c"], to_act=1)
    hand.think("turn-2", texts[1])
    hand.decide("turn-2", "provisional", ActionKind.BET, 1_240)
    hand.act(1, ActionKind.CHECK, to_act=2)
    hand.decide("turn-2", "changed", ActionKind.BET, 1_240)
    hand.stop("changed")
    hand.act(2, ActionKind.CHECK, to_act=1)
    hand.decide("turn-3", "provisional", ActionKind.ALL_IN, None, texts[2])
    hand.stop("second")
    hand.cancel()
    hand.decide("turn-3", "discarded", ActionKind.ALL_IN, None, texts[2])
    hand.stop("cancelled")
    return hand
