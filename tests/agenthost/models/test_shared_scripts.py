"""The shared scripts of misbehaving upstreams, met without a proxy between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capture.record import Call, CallOutcome
from tests.agenthost.models.asking import asking
from tests.agenthost.models.played import cases, played

OURS = {
    "w12b-br-stream": CallOutcome.GARBLED,  # a compression that was not asked for
    "w31-line-of-five-megabytes": CallOutcome.GARBLED,  # more than any answer has
    "w10-no-final-chunk-after-done": CallOutcome.ANSWERED,  # all had been said
}
"""Where a proxy keeps what a player has no use for, or the other way round."""


async def test_every_script_is_read_as_it_says(shared: Path) -> None:
    """Content, usage, bytes and how it ended; what is not whole is no answer."""
    found = [*cases(shared / "data" / "proxy")]
    assert len(found) >= 38
    for case in found:
        exchange = case["exchanges"][0]
        async with asking(played(exchange["upstream"]), least_call_s=3_600.0) as them:
            call = await them.one(within_s=60.0)
        _check(case["id"], exchange["expect"], call)


def _check(name: str, expect: dict[str, Any], call: Call) -> None:
    read, stored = expect.get("read", {}), expect["stored"]
    content = read.get("content")
    if name in OURS:
        assert call.outcome is OURS[name], name
        return
    whole = stored["complete"] and isinstance(content, str)
    assert (call.outcome is CallOutcome.ANSWERED) == whole, (name, call.outcome)
    assert (call.completion or "") == (content if content not in (None, "absent") else ""), name
    if read.get("usage") == "unknown":
        assert (call.input_tokens, call.output_tokens) == (None, None), name
    elif "usage" in read:
        assert (call.input_tokens, call.output_tokens) == (read["usage"]["input"], read["usage"]["output"]), name
    if stored.get("content_encoding") is None and "error" not in read:
        assert len(call.response_body) == stored["response"]["bytes"], name


@pytest.mark.parametrize("name", [*OURS])
def test_the_exceptions_are_scripts(shared: Path, name: str) -> None:
    """Each of them is there."""
    assert (shared / "data" / "proxy" / f"{name}.json").is_file()
