"""The house model: rules that are asked like any other model, so that agents play where there is no key and no network.

It is named as what it is: provider `house`, cost 0. All that it knows is the text of the prompt; its style is the one that the strategy
names. Its dice are made of the prompt and the seed: the same question has the same answer, in a replay too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from decimal import Decimal

from capture import envelope
from capture.record import Call, CallOutcome
from railbird.agenthost.house.decide import weigh
from railbird.agenthost.house.knowledge import Choice
from railbird.agenthost.house.reader import Read, read_prompt
from railbird.agenthost.house.reasoning import reasoning
from railbird.agenthost.house.styles import Style
from railbird.agenthost.models.platform import HOUSE
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.client import ActionKind


class HouseModel:
    """Answers at once, in JSON."""

    provider = HOUSE
    name = HOUSE

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        """It reads the joined prompt and nothing else of the request but the seed."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        text = envelope.join(request.prompt.envelope, request.prompt.remainder)
        completion = answer(text, request.seed)
        call = Call(
            attempt=0,
            purpose=request.purpose,
            outcome=CallOutcome.ANSWERED,
            provider=self.provider,
            model=self.name,
            prompt=request.prompt,
            request_body=b"",
            response_body=completion.encode(),
            completion=completion,
            finish_reason="stop",
            input_tokens=0,
            output_tokens=0,
            cost_usd=Decimal(0),
            latency_ms=round((loop.time() - began) * 1000),
        )
        return Reply((call,))


def answer(prompt: bytes, seed: int | None) -> str:
    """The house model's reply to a prompt: a JSON object with `reasoning`, `action` and `amount`."""
    read = read_prompt(prompt.decode("utf-8", "replace"))
    dice = random.Random(hashlib.sha256(b"%d:" % (seed or 0) + prompt).digest())
    choice, why = _choose(read, dice)
    said = {"reasoning": why, "action": choice.action.value, "amount": choice.amount_chips}
    return json.dumps(said, ensure_ascii=False)


def _choose(read: Read, dice: random.Random) -> tuple[Choice, str]:
    if read.knowledge is None:
        passive = ActionKind.CHECK if ActionKind.CHECK in read.legal else ActionKind.FOLD
        return Choice(passive), f"House rules, {read.style.name}: I do not see my seat."
    weighed = weigh(read.knowledge, read.style, dice)
    return weighed.choice, reasoning(weighed, read.knowledge, read.style)


def house_strategy(style: Style) -> str:
    """A strategy that asks the house model for a style, in words that say what it is."""
    return f"House style: {style.name}. {style.in_words[0].upper()}{style.in_words[1:]}."
