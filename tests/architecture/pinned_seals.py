"""The functions that open a seal: the gates, the showdown, the writer of a finished hand.

A line is added by hand, with its reason. `test_seals.py` compares this list with the source, both ways.
"""

from __future__ import annotations

from typing import Final

SEALS_ARE_OPENED_BY: Final = frozenset(
    {
        # The gates: what they return is what a viewer may have.
        ("policy.reveal_policy", "compute_revealed_hole_cards"),
        ("policy.history_policy", "compute_disclosed_hole_cards"),
        # The showdown: cards in, strengths and winners out; and cards that lie open for everybody from now on.
        ("gameserver.hand.showdown", "_strength"),
        ("gameserver.hand.showdown", "face_up"),
        ("gameserver.hand.hole_cards", "DealtCards.face_up"),
        # The writer of a finished hand: whole, and when it is over.
        ("gameserver.store.hand_record", "write_hand"),
    }
)
