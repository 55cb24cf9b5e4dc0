"""Every security gate. A line is added or removed by hand, in the commit that adds or removes the gate, and says what it is.

`test_gates.py` compares this list with `policy.gates.GATES`, in this order.
"""

from __future__ import annotations

from typing import Final

GATES_BY_NAME: Final = (
    "policy.reveal_policy.compute_revealed_hole_cards",
    "policy.reveal_policy.look_from_the_deal",
    "policy.spectator_policy.refuse_reveal_at_creation",
    "policy.spectator_policy.fold_reveal_options",
    "policy.spectator_policy.narrow_reveal_options",
)
