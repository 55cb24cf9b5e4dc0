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
    "policy.seating_policy.check_seating",
    "policy.visibility_policy.admit_visitor",
    "policy.thought_policy.address_thought",
    "policy.thought_policy.address_decision",
    "policy.whisper_policy.admit_whisper",
    "policy.owner_policy.admit_owner",
    "policy.owner_policy.look_as_owner",
    "policy.history_policy.compute_disclosed_hole_cards",
    "policy.name_policy.check_display_name",
    "policy.name_policy.check_table_name",
    "policy.name_policy.check_name_at_table",
    "policy.prompt_policy.quote_for_prompt",
    "policy.redaction_policy.redact_for_record",
    "policy.redaction_policy.redact_text_for_record",
    "policy.redaction_policy.keep_known_headers",
    "policy.capture_scope.scope_for_owner",
    "policy.capture_scope.scope_for_operator",
)
