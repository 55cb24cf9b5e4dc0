"""F32: identifiers out of range, on every route that takes one, by whoever may ask there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import pytest

from tests.faults.test_who_you_are import LOCKS, OWNER, SERVICE, USER, routes_of
from tests.faults.world import SERVICE_KEY, Stage, World

NUMBERS: Final = (
    b"-1",
    b"0",
    b"2147483648",
    b"9223372036854775808",
    b"1e3",
    b"007",
    b"%D9%A3",
    "\u0663".encode(),
    b"1.0",
    b"+1",
    b"%201",
    b"1%0a",
    b"0x1",
    b"",
    b"9" * 5_000,
)
NAMES: Final = (
    b"a" * 10_000,
    b"%00",
    b"a%00b",
    b"%2f",
    b"..",
    b"%2e%2e",
    b"..%2f..%2fetc%2fpasswd",
    b"%ff%fe",
    b"\xff\xfe",
    b"%c0%af",
    b"%ed%a0%80",
    b"%0d%0aX-Injected:%201",
    b"%F0%9F%82%A1",
    b"*",
    b"%25",
    b"%",
    b"",
    b" x",
)
REFUSED: Final = {400, 404, 405, 414, 431}
"""405: an empty name leaves the address of another route, which has no such method."""


def routes_with(now: World, parameter: str) -> list[tuple[str, str]]:
    found = routes_of(now.server.app)
    return [
        (method, path) for method, path in found if "{" + parameter + "}" in path and method not in ("WS", "STATIC")
    ]


def shown(lock: str | None, stage: Stage) -> Sequence[tuple[str, str]]:
    """Who may ask there."""
    if lock == SERVICE:
        return [("x-service-key", SERVICE_KEY)]
    return [stage.owner("A")] if lock in (USER, OWNER) else []


def somebody(here: World, path: str) -> tuple[str, str]:
    """A user's header: of one who owns nothing, and another one for each path."""
    return "Authorization", f"Bearer {here.user_token(f'somebody-{sum(path.encode())}')}"


def with_value(path: str, parameter: str, value: bytes, stage: Stage) -> bytes:
    """The path with this value in this place and sound ones in the others."""
    before, _, after = path.partition("{" + parameter + "}")
    sound = {
        "table_id": stage.table,
        "agent_id": f"A-{stage.number}",
        "number": "1",
        "name": "x",
        "code": "x",
        "n": "1",
    }
    for name, text in sound.items():
        before, after = before.replace("{" + name + "}", text), after.replace("{" + name + "}", text)
    return before.encode() + value + after.encode()


@pytest.mark.parametrize(
    ("parameter", "values"),
    [("number", NUMBERS), ("n", NUMBERS), ("table_id", NAMES), ("agent_id", NAMES), ("name", NAMES), ("code", NAMES)],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_f32_identifiers_out_of_range(parameter: str, values: Sequence[bytes], here: World) -> None:
    """400 or 404, or what the lock says to anybody; no redirect, no fault of ours, nothing of the value in a header."""
    tried = 0
    for method, path in routes_with(here, parameter):
        stage = await here.stage()  # of other people each time: one person's changes have a rate
        async with stage.undisturbed():
            lock = LOCKS.get(f"{method} {path}")
            body = b"" if method == "GET" else b"{}"
            allowed = REFUSED | ({403} if lock == OWNER else set()) | ({401} if path in ("/signin/{code}",) else set())
            allowed |= {401, 403} if path.startswith("/tables/") else set()
            # Whoever changes so much is told to wait: where it is no agent of theirs, each route has its own somebody.
            who = [somebody(here, path)] if lock == USER and parameter == "agent_id" else shown(lock, stage)
            for value in values:
                answer = await here.send(method, with_value(path, parameter, value, stage), who, body)
                assert answer.status in allowed, (method, path, value[:40], answer.status)
                assert not [name for name, _ in answer.headers if name == "x-injected"]
                tried += 1
    assert tried or parameter == "n"


@pytest.mark.parametrize("query", ["limit", "before"])
async def test_f32_numbers_of_a_query(query: str, here: World) -> None:
    """A page's bounds are plain whole numbers too: 400 for anything else, and for two of them."""
    stage = await here.stage()
    async with stage.undisturbed():
        for path, lock in ((f"{stage.path}/hands", None), ("/internal/audit", SERVICE)):
            for value in NUMBERS:
                answer = await here.send("GET", f"{path}?{query}=".encode() + value, shown(lock, stage))
                allowed = {200, 400} if is_plain(value) else {400, 414, 431}
                assert answer.status in allowed, (path, value[:40])
            twice = f"{path}?{query}=1&{query}=2"
            assert (await here.get(twice, shown(lock, stage))).status == 400


def is_plain(value: bytes) -> bool:
    """A whole number that a store can have, in digits; whether it is in a page's range is the route's to say."""
    return value.isdigit() and len(value) < 20 and int(value) < 2**63


async def test_f32_ids_in_a_body(here: World) -> None:
    """Ids in what is asked for with a body: 4xx, and the books are as before."""
    stage = await here.stage()
    service = [("x-service-key", SERVICE_KEY)]
    bad = [*map(json.dumps, ("", "a" * 10_000, "a\0b", "..", "a/b", "\ud800", "x:y")), "7", "null", "[]", "true", "{}"]
    async with stage.undisturbed():
        for value in bad:
            for path, field, rest, headers in (
                ("/internal/bankroll", "userId", ',"amount":5', service),
                ("/internal/revocations", "agentId", "", service),
                (f"{stage.path}/invites", "userId", "", [stage.owner("A")]),
                (f"/agents/A-{stage.number}/transfer", "toUserId", "", [stage.owner("A")]),
                (f"/agents/A-{stage.number}/tokens", "agentVersionId", "", [stage.owner("A")]),
            ):
                sent = f'{{"{field}":{value}{rest}}}'.encode("utf-8", "surrogatepass")
                answer = await here.send("POST", path, headers, sent)
                assert 400 <= answer.status < 500 and answer.status != 401, (path, value[:40], answer.status)
        for seat in ("-1", "99", "1e3", "9" * 5_000, '"0"', "true", "null"):
            path = f"/internal/tables/{stage.table}/remove"
            answer = await here.send("POST", path, service, f'{{"seat":{seat}}}'.encode())
            assert 400 <= answer.status < 500, seat
        assert await here.server.ledger.verify_ledger() == ()


def test_the_values_are_what_they_say() -> None:
    """One of them is the digit three of another script."""
    assert quote("\u0663").encode() in NUMBERS and int("\u0663") == 3
