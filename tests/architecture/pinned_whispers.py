"""Everything that an owner or a watcher can send, and which way to an agent it is.

`test_whispers.py` compares this list with the messages, the routes and the gate's own list, both ways: whoever adds a message or a
route that changes something writes down here whether it reaches an agent, and by which `Way`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policy.whisper_policy import Way

REACHES_NO_AGENT: Final = frozenset[Way]()

MESSAGES: Final[Mapping[str, frozenset[Way]]] = {
    # Another version of the agent is named by a token.
    "enter": frozenset({Way.VERSION}),
    "chat": frozenset({Way.WATCHER_CHAT, Way.PLAYER_CHAT}),
    # How a seat stands beside the hand: the others see it.
    **dict.fromkeys(
        ("sit", "stand", "leave", "sit_out", "sit_in", "rebuy", "post_blind", "wait_for_big_blind"),
        frozenset({Way.ARRIVAL}),
    ),
    # A player's own matters: an agent's connection sends them itself, and nobody sends them for it.
    **dict.fromkeys(
        (
            *("resume", "straddle", "action", "show_cards", "use_power", "ping"),
            *("agent_thought", "agent_decision", "agent_status"),
        ),
        REACHES_NO_AGENT,
    ),
}

ROUTES: Final[Mapping[str, frozenset[Way]]] = {
    "PATCH /games/poker/{tableId}": frozenset({Way.TABLE_NAME, Way.PAUSE, Way.CLOSE, Way.REVEAL_OFF}),
    "POST /agents/{agentId}/notes": frozenset({Way.NOTE}),
    "POST /agents/{agentId}/transfer": frozenset({Way.TRANSFER}),
    "POST /agents/{agentId}/deploy": frozenset({Way.VERSION}),
    # Without a deployment the newest version is deployed with it.
    "POST /agents/{agentId}/seat": frozenset({Way.SEAT, Way.VERSION, Way.ARRIVAL}),
    "POST /agents/{agentId}/stop": frozenset({Way.STOP, Way.ARRIVAL}),
    # A version is published here and reaches the agent by `enter` or a deployment; a table is made before anybody sits at it.
    "POST /agents/{agentId}/versions": REACHES_NO_AGENT,
    "POST /agents/{agentId}/tokens": REACHES_NO_AGENT,
    "POST /agents": REACHES_NO_AGENT,
    "POST /games/poker": REACHES_NO_AGENT,
    "POST /games/poker/{tableId}/invites": REACHES_NO_AGENT,
    "POST /login": REACHES_NO_AGENT,
    "POST /logout": REACHES_NO_AGENT,
    "POST /stream-ticket": REACHES_NO_AGENT,
    # What is kept or deleted of a record is past, and no agent is told of it.
    "POST /agents/{agentId}/hands/{tableId}/{number}/keep": REACHES_NO_AGENT,
    "DELETE /agents/{agentId}/hands/{tableId}/{number}": REACHES_NO_AGENT,
    "DELETE /agents/{agentId}/hands": REACHES_NO_AGENT,
    "POST /api/hosted-agent/agent-capture/promote": REACHES_NO_AGENT,
    # What operators do is no whisper: see the module of the gate.
    "POST /internal/bankroll": REACHES_NO_AGENT,
    "POST /internal/tables/{tableId}/cancel-hand": REACHES_NO_AGENT,
    "POST /internal/tables/{tableId}/remove": REACHES_NO_AGENT,
    "POST /internal/revocations": REACHES_NO_AGENT,
    "POST /internal/agent-capture/promote": REACHES_NO_AGENT,
}

NOT_BUILT: Final[Mapping[Way, str]] = {
    Way.STRATEGY: "a part of a version, which comes by its own way",
    Way.SKILLS: "a part of a version, which comes by its own way",
    Way.AGENT_NAME: "an agent keeps the name that it was registered with",
    Way.WATCHERS: "the gate refuses it always, and no frame tells of watchers",
    Way.STAND: "an owner stops their agent as a whole, and that is its own way",
    Way.REBUY: "a hosted agent buys in again by itself, for what it was sent with",
    Way.BUDGET: "what an agent may spend in a day is the operator's to say, in the host's own file",
}
"""Ways that nothing takes yet, each with the reason."""
