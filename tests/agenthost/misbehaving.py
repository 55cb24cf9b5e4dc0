"""A provider that misbehaves in every way that we know of, at random: each question meets another fault, or none."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections.abc import Iterator
from typing import Final

from tests.agenthost.models.provider import (
    Asked,
    Script,
    Wire,
    answers,
    chunk,
    cuts_off,
    drips,
    events,
    fails,
    floods,
    hangs_up,
    says,
    speaks,
    stalls,
    stalls_after,
)
from tests.hostile.texts import hostile_texts

ACTIONS: Final = ("fold", "check", "call", "bet", "raise", "all_in")
AMOUNTS: Final = (None, 0, -5, 1, 40, 55, 120, 400, 10**9, 10**30, "80", "all of it", 12.5, True, [1])
NONSENSE: Final = (
    "I fold.",
    "```json\n{\"action\": \"call\"}\n```",
    "Let me see... {\"action\": \"raise\", \"amount\": 60} it is!",
    "{\"action\": \"resign\"}",
    "{\"action\": \"fold\", \"action\": \"all_in\"}",
    "{\"type\": \"leave\"}",
    "<think>{\"action\": \"fold\"}</think>{\"action\": \"check\"}",
    "{" * 5_000,
    "\x00\ud800",
    "",
)  # fmt: skip

QUICK: Final[tuple[Script, ...]] = (
    hangs_up,
    floods,
    cuts_off(chunk("{\"action\"")),
    cuts_off(chunk("{\"action\""), torn=True),
    events(chunk("{\"action\": \"call\"}"), done=False),
    says("{\"action\": \"ca", finish="length"),
    says("I cannot", finish="content_filter"),
    fails(400, "invalid_request_error"),
    fails(401),
    fails(429, headers={"Retry-After": "0"}),
    fails(429, headers={"Retry-After": "600"}),
    fails(500),
    fails(503, headers={"Retry-After": "soon"}),
    answers(302, "", {"Location": "http://127.0.0.1:9/"}),
    events({"error": {"message": "x", "code": "overloaded"}}),
    speaks(b"data: {\"choices\": [{\n\n"),
    speaks(b"data: \xff\xfe\n\n"),
    speaks(b"<html>Gateway</html>", content_type="text/html"),
    speaks(b""),
    speaks(gzip.compress(b": " + b"x" * 4_000_000), encoding="gzip"),
    speaks(b"\x00\x01", encoding="br"),
)  # fmt: skip
SLOW: Final[tuple[Script, ...]] = (stalls, drips, stalls_after(chunk("{\"action\": ")))  # fmt: skip


def misbehaves(rng: random.Random, *, slow_share: float = 0.08, fault_share: float = 0.3) -> Script:
    """Each question meets a slow fault, a quick one, nonsense, or an answer that may be illegal; it may repeat its key."""
    reasons = [each.text for each in hostile_texts("reasoning")]

    async def script(asked: Asked, wire: Wire) -> None:
        dice = rng.random()
        if dice < slow_share:
            return await rng.choice(SLOW)(asked, wire)
        if dice < slow_share + fault_share:
            return await rng.choice(QUICK)(asked, wire)
        if dice < slow_share + fault_share + 0.1:
            return await says(rng.choice(NONSENSE))(asked, wire)
        await asyncio.sleep(rng.uniform(0, 0.05))
        return await says(_answer(rng, reasons, asked))(asked, wire)

    return script


def _answer(rng: random.Random, reasons: list[str], asked: Asked) -> str:
    reasoning = rng.choice([*reasons, "Kings.", f"My key is {asked.headers.get('authorization', '')}."])
    return json.dumps({"reasoning": reasoning, "action": rng.choice(ACTIONS), "amount": rng.choice(AMOUNTS)})


def all_scripts() -> Iterator[Script]:
    """Each of its faults once."""
    yield from QUICK
    yield from SLOW
