"""F05: a credential is in no log line, no answer and no store, at the most talkative level; F35: one event is one line."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from policy.ids import TableId
from railbird.logs import OneLine, on_one_line
from tests.system.process import Home, running
from tests.system.test_sigterm import OPTIONS

MARKER: Final = "mArKeR-1234567890-abcdefghij"
SERVICE_KEY: Final = "a service key of sixteen characters and more"


def handshakes(table: TableId) -> list[tuple[str, dict[str, str]]]:
    """Path and headers of handshakes, most of which are refused."""
    path = f"games/poker/{table}/ws"
    return [
        (f"{path}?token={MARKER}", {}),
        (f"{path}?ticket={MARKER}", {}),
        (path, {"Authorization": f"Bearer {MARKER}"}),
        (path, {"Authorization": MARKER}),
        (path, {"Cookie": f"railbird_session={MARKER}"}),
        (path, {"X-Service-Key": MARKER}),
        (path, {"Origin": f"https://{MARKER}.example"}),
        (f"nothing/{MARKER}", {}),
    ]


def messages() -> list[str]:
    """First messages with the marker as a token, well made and not."""
    bodies: list[dict[str, Any]] = [
        {"type": "enter", "agentToken": MARKER},
        {"type": "enter", "agentToken": MARKER, "requestId": 7},
        {"type": "enter", "agentToken": {"token": MARKER}},
        {"type": "enter", "agentToken": [MARKER]},
        {"type": "enter", "agentToken": MARKER, "seat": 1},
        {"type": "enter", MARKER: 1},
        {"type": MARKER},
        {"type": "resume", "session": MARKER, "epoch": MARKER, "lastSeq": 0, "agentToken": MARKER},
        {"type": "resume", "session": MARKER, "agentToken": MARKER},
    ]
    return [*map(json.dumps, bodies), f'{{"type":"enter","agentToken":"{MARKER}"', f'{{"agentToken":{MARKER}}}', MARKER]


REQUESTS: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("GET", "games/poker", {"headers": {"authorization": f"Bearer {MARKER}"}}),
    ("GET", f"games/poker?token={MARKER}", {}),
    ("GET", f"bankroll?ticket={MARKER}", {}),
    ("GET", f"signin/{MARKER}", {}),
    ("GET", f"{MARKER}/{MARKER}", {}),
    ("GET", "internal/audit", {"headers": {"x-service-key": MARKER}}),
    ("GET", "bankroll", {"headers": {"cookie": f"railbird_session={MARKER}", "referer": f"http://x/{MARKER}"}}),
    ("POST", "login", {"json": {"token": MARKER}}),
    ("POST", "login", {"content": f'{{"token":"{MARKER}","token":1}}'}),
    ("POST", "logout", {"headers": {"x-csrf-token": MARKER, "cookie": f"railbird_session={MARKER}"}}),
    ("POST", "internal/revocations", {"json": {"jti": MARKER}, "headers": {"x-service-key": MARKER}}),
    ("GET", f"games/poker/x/owner-stream?token={MARKER}&lastEventId={MARKER}", {}),
    ("GET", "games/poker", {"headers": {"user-agent": f"{MARKER}\x1b[2J"}}),
]


async def test_f05_a_credential_is_in_no_log_line(tmp_path: Path) -> None:
    """A server that logs all it can: refused or malformed, in the address, a header or a message, the marker is nowhere.

    Neither are a good token, a session, a ticket and a sign-in link that were really used.
    """
    home = Home(tmp_path)
    table = await home.with_table(OPTIONS)
    settings = {"RAILBIRD_PORT": "0", "RAILBIRD_LOG_LEVEL": "debug", "RAILBIRD_SERVICE_KEY": SERVICE_KEY}
    async with running(home, "serve", **settings) as process:
        base = (await process.line("Railbird is open on ")).rpartition(" ")[2]
        answers = await _ask(base)
        answers += await _shake_hands(base, table)
        answers += await _enter(base, table)
        used = await _use_good_ones(base, home, table)
        process.terminate()
        await process.ended(30)
    said = "\n".join(process.said)
    assert "Railbird is open on" in said
    for secret in (MARKER, *used, SERVICE_KEY):
        assert secret not in said
    assert MARKER not in "\n".join(answers)
    stored = _stored(tmp_path)
    assert b"owner-of-ann" in stored
    for secret in (MARKER, *used, SERVICE_KEY):
        assert secret.encode() not in stored


def _stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("railbird.sqlite*")))


async def _ask(base: str) -> list[str]:
    answers = []
    async with httpx2.AsyncClient() as client:
        for method, path, options in REQUESTS:
            answer = await client.request(method, f"{base}{path}", **options)
            assert answer.status_code < 500
            answers.append(f"{answer.headers} {answer.text}")
    return answers


async def _shake_hands(base: str, table: TableId) -> list[str]:
    answers = []
    for path, headers in handshakes(table):
        try:
            async with connect(f"{base.replace('http', 'ws')}{path}", additional_headers=headers, proxy=None) as socket:
                answers.append(str(await socket.recv()))
        except InvalidStatus as refused:
            answers.append(f"{refused.response.status_code} {refused.response.body!r} {refused.response.headers}")
    return answers


async def _enter(base: str, table: TableId) -> list[str]:
    answers = []
    for message in messages():
        async with connect(f"{base.replace('http', 'ws')}games/poker/{table}/ws", proxy=None) as socket:
            await socket.send(message)
            with suppress(ConnectionClosed, TimeoutError):
                async with asyncio.timeout(0.5):
                    while True:
                        answers.append(str(await socket.recv()))
            answers.append(str(socket.close_reason))
    return answers


async def _use_good_ones(base: str, home: Home, table: TableId) -> list[str]:
    """Each is used as it is meant; what of it must be nowhere: a token's signature, the others whole."""
    agent_token, user_token = home.token("ann"), home.user_token("ann")
    url = f"{base.replace('http', 'ws')}games/poker/{table}/ws"
    async with httpx2.AsyncClient(base_url=base) as client:
        signed_in = await client.post("login", headers={"authorization": f"Bearer {user_token}"})
        cookie = client.cookies["railbird_session"]
        bearer = {"authorization": f"Bearer {user_token}"}
        ticket: str = (await client.post("stream-ticket", headers=bearer)).json()["ticket"]
        issued: str = (
            await client.post(
                "agents/ann/tokens", headers={"authorization": f"Bearer {home.user_token('owner-of-ann')}"}
            )
        ).json()["agentToken"]
    for query, token in ((f"?ticket={ticket}", None), (f"?token={user_token}", None), ("", agent_token), ("", issued)):
        async with connect(f"{url}{query}", proxy=None) as socket:
            await socket.recv()
            await socket.send(
                json.dumps({"type": "enter"} if token is None else {"type": "enter", "agentToken": token})
            )
            assert '"snapshot"' in str(await socket.recv())
    signatures = [token.rpartition(".")[2] for token in (agent_token, user_token, issued)]
    return [*signatures, cookie, ticket, str(signed_in.json()["csrfToken"])]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words, ünïcode too", "plain words, ünïcode too"),
        ("two\r\nlines", "two\\r\\nlines"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("\u202eright to left\u2028next", "\\u202eright to left\\u2028next"),
        ("\x85\x9b31m", "\\x85\\x9b31m"),
    ],
)
def test_f35_one_event_is_one_line(text: str, line: str) -> None:
    """Whatever would break a line or act on a terminal is written as its escape."""
    assert on_one_line(text) == line


def test_f35_an_event_with_an_error_is_one_line_too() -> None:
    """It says the error's kind and place: nothing of its text, and nothing behind the message's own first line."""
    try:
        raise ValueError("bad\x1b[2J\nINFO railbird all is well")
    except ValueError as error:
        record = logging.LogRecord("n", logging.ERROR, "p", 1, "it broke: %s", ("a\r\nb",), None)
        record.exc_info = (type(error), error, error.__traceback__)
    line = OneLine("%(levelname)s %(name)s %(message)s").format(record)
    assert line.isprintable() and line.startswith("ERROR n it broke: a\\r\\nValueError at ")
    assert "all is well" not in line
