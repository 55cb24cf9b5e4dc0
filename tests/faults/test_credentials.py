"""A. Who are you: F03 to F05, forged tokens, other clocks, and credentials in logs."""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from gameserver.identity.keys import KeyUse
from gameserver.identity.tokens import TokenRules
from tests.faults.wire import HandshakeRefused, Peer, connect, text_frame
from tests.faults.world import HOST, OUR_ORIGIN, Stage, World, world
from tests.hostile.tokens import Forge, HostileToken

CLAIMS: Final = {
    "sub": "ursula",
    "aud": "railbird-user",
    "iss": "railbird",
    "iat": "now",
    "exp": "now+600",
    "jti": "unique",
}
HEADER: Final = {"alg": "EdDSA", "typ": "JWT", "kid": "${USER_KID}"}


def without(name: str) -> dict[str, str]:
    return {claim: value for claim, value in CLAIMS.items() if claim != name}


FORGED: Final[dict[str, dict[str, Any]]] = {
    "alg none": {"header": {**HEADER, "alg": "none"}, "then": ["signature_empty"]},
    "one bit changed": {"then": ["flip_signature_bit"]},
    "hmac of the public key in pem": {"header": {**HEADER, "alg": "HS256"}, "key": "hmac_of_user_public_key_pem"},
    "hmac of the public key raw": {"header": {**HEADER, "alg": "HS256"}, "key": "hmac_of_user_public_key_raw"},
    "no exp": {"claims": without("exp")},
    "no sub": {"claims": without("sub")},
    "another aud": {"claims": {**CLAIMS, "aud": "railbird-agent"}},
    "another iss": {"claims": {**CLAIMS, "iss": "https://evil.example"}},
    "expired an hour ago": {"claims": {**CLAIMS, "iat": "now-7200", "exp": "now-3600"}},
    "not before an hour ahead": {"claims": {**CLAIMS, "nbf": "now+3600"}},
    "crit": {"header": {**HEADER, "crit": ["x-unknown"], "x-unknown": 1}},
    "kid a path": {"header": {**HEADER, "kid": "../../../../dev/null"}},
    "kid sql": {"header": {**HEADER, "kid": "' OR 1=1 --"}},
    "kid a url": {"header": {**HEADER, "kid": "http://lookup.example/key"}},
    "kid long": {"header": {**HEADER, "kid": {"repeat": "k", "times": 10_000}}},
    "kid nul": {"header": {**HEADER, "kid": "a\0b"}},
    "kid a number": {"header": {**HEADER, "kid": 7}},
    "jwk": {"header": {**HEADER, "jwk": "public_of_signing_key"}, "key": "fresh_ed25519"},
    "jku": {"header": {**HEADER, "jku": "http://lookup.example/jwks.json"}, "key": "fresh_ed25519"},
    "x5u": {"header": {**HEADER, "x5u": "ftp://lookup.example/key.pem"}, "key": "fresh_ed25519"},
}


def forge(world: World) -> Forge:
    user = world.keys.signing[KeyUse.USER]
    keys = {"user_key": user.private, "agent_key": world.keys.signing[KeyUse.AGENT].private}
    return Forge(keys, {"USER_KID": user.key_id}, int(time.time()), lambda: secrets.token_hex(8))


def token(world: World, **other: Any) -> str:
    """A user's token, but for what is named."""
    fields = {"header": HEADER, "claims": CLAIMS, "key": "user_key", "then": (), **other}
    shape = HostileToken(
        "", "user", (), fields["header"], fields["claims"], fields["key"], tuple(fields["then"]), "refused", "", "", ""
    )
    return forge(world).build(shape)


async def statuses(shown: str, stage: Stage) -> dict[str, object]:
    """The answer to a user's token on the user's socket and on the owner's stream, in the address and in the header."""
    now, table = stage.world, stage.table
    bearer = [("Authorization", f"Bearer {shown}")]
    found: dict[str, object] = {}
    for name, query, headers in (("socket", f"?token={shown}", []), ("socket header", "", bearer)):
        try:
            peer = await connect(HOST, now.port, f"/games/poker/{table}/ws{query}", headers)
        except HandshakeRefused as refused:
            found[name] = refused.answer.same_for_all
        else:
            found[name] = "taken"
            await peer.end()
    for name, query, headers in (("stream", f"?token={shown}", []), ("stream header", "", bearer)):
        found[name] = (await now.get(f"/games/poker/{table}/owner-stream{query}", headers)).same_for_all
    found["bankroll"] = (await now.get("/bankroll", bearer)).same_for_all
    return found


# --- F03 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORGED)
async def test_f03_forged_and_half_valid_user_tokens(kind: str, here: World) -> None:
    """Each is refused with the very answer that nonsense gets, and nothing is looked up that its header names."""
    stage = await here.quiet_stage()
    forged = token(here, **FORGED[kind])
    async with stage.undisturbed():
        nonsense = await statuses("a.b.c", stage)
        with looked_up() as names:
            answers = await statuses(forged, stage)
        for name in ("socket", "socket header"):  # what no parser of heads reads to its end is refused for that
            answer = answers[name]
            if len(forged) > 8_192 and isinstance(answer, tuple) and answer[0] in (414, 431):
                answers[name] = nonsense[name]
        assert answers == nonsense
        assert not [name for name in names if "lookup.example" in name or "dev/null" in name or "kkkk" in name]
        status = {name: answer[0] for name, answer in nonsense.items() if isinstance(answer, tuple)}
        assert set(status.values()) == {401} and len(status) == len(nonsense)


async def test_f03_the_sound_token_is_taken(here: World) -> None:
    """The same token without a fault is taken everywhere: the refusals above are for the faults."""
    stage = await here.quiet_stage()
    answers = await statuses(token(here), stage)
    assert [answers["socket"], answers["socket header"]] == ["taken", "taken"]
    status = {name: answer[0] for name, answer in answers.items() if isinstance(answer, tuple)}
    assert status == {"stream": 403, "stream header": 403, "bankroll": 200}


_WATCHING: list[list[str]] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHING and event in ("open", "socket.connect", "socket.getaddrinfo", "os.listdir", "sqlite3.connect"):
        _WATCHING[-1].append(f"{event} {arguments}")


sys.addaudithook(_audit)


@contextmanager
def looked_up() -> Iterator[list[str]]:
    """Every file that is opened and every address that is asked, by name, while the block runs."""
    names: list[str] = []
    _WATCHING.append(names)
    try:
        yield names
    finally:
        _WATCHING.remove(names)


# --- F04 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({"iat": "now+5", "nbf": "now+5"}, True),
        ({"iat": "now-600", "exp": "now-5"}, True),
        ({"iat": "now+300", "nbf": "now+300"}, False),
        ({"iat": "now-900", "exp": "now-300"}, False),
    ],
    ids=["ahead", "behind", "far-ahead", "far-behind"],
)
async def test_f04_small_clock_differences_do_not_lock_everybody_out(
    claims: dict[str, str], taken: bool, here: World
) -> None:
    """Five seconds either way are taken, five minutes are not; the tolerance is one named setting."""
    stage = await here.quiet_stage()
    assert 5 < TokenRules().leeway_s < 300
    async with stage.undisturbed():
        answers = await statuses(token(here, claims={**CLAIMS, **claims}), stage)
        assert (answers["socket"] == "taken") == taken
        bankroll = answers["bankroll"]
        assert isinstance(bankroll, tuple) and (bankroll[0] == 200) == taken


# --- F05 ----------------------------------------------------------------------------------------------------------------


async def test_f05_credentials_never_reach_a_log(tmp_path: Path) -> None:
    """A marker as every kind of credential, in every place and in broken forms: in no log line, answer, frame, file or row."""
    marker = "MARKER" + secrets.token_hex(12)
    said: list[bytes] = []
    async with world(tmp_path, level="debug") as now:
        stage = await now.stage()
        async with stage.undisturbed():
            for shown in (marker, f"{marker}.{marker}.{marker}"):
                said += await shown_over_http(shown, stage)
                said += await shown_in_messages(shown, stage)
                said += await shown_in_handshakes(shown, stage)
        assert len(said) > 60
        log = now.log.text
    assert marker not in log
    assert marker.encode() not in b"".join(said)
    assert files_with(tmp_path, marker) == []


async def test_f05_good_credentials_neither(tmp_path: Path) -> None:
    """Tokens, a ticket, a session and a service key that are taken, and used: their secret parts are nowhere either."""
    async with world(tmp_path, level="debug") as now:
        stage = await now.stage()
        user = now.user_token("ursula")
        bearer = [("Authorization", f"Bearer {user}")]
        ticket = json.loads((await now.send("POST", "/stream-ticket", bearer)).body)["ticket"]
        signed_in = await now.send("POST", "/login", bearer)
        cookie = (signed_in.header("set-cookie") or "").partition("=")[2].partition(";")[0]
        async with stage.undisturbed():
            await now.entered(stage.table, query=f"?ticket={ticket}")
            await now.entered(stage.table, query=f"?token={user}")
            assert (await now.get("/bankroll", [("Cookie", f"railbird_session={cookie}")])).status == 200
            assert (await now.get("/internal/audit", [("x-service-key", "a-service-key-of-these-tests")])).status == 200
            await now.entered(stage.table, stage.tokens["C"])
        log = now.log.text
    secret = [
        user.rpartition(".")[2],
        stage.tokens["C"].rpartition(".")[2],
        ticket,
        cookie,
        "a-service-key-of-these-tests",
    ]
    for each in secret:
        assert len(each) > 16 and each not in log
        assert files_with(tmp_path, each) == []


def files_with(folder: Path, text: str) -> list[str]:
    """The files of the server, its database among them, in which this stands."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.suffix == ".sqlite" for file in files)
    return [file.name for file in files if text.encode() in file.read_bytes()]


async def shown_over_http(marker: str, stage: Stage) -> list[bytes]:
    """In the address, as a header, as a cookie, as a body, at routes of each kind."""
    found = []
    table = f"/games/poker/{stage.table}"
    for path in (
        table,
        f"{table}/stream",
        f"{table}/owner-stream",
        "/bankroll",
        "/internal/audit",
        "/metrics",
        "/nowhere",
    ):
        for query, headers in (
            (f"?token={marker}", []),
            (f"?ticket={marker}", []),
            ("", [("Authorization", f"Bearer {marker}")]),
            ("", [("Authorization", marker)]),
            ("", [("x-service-key", marker)]),
        ):
            if path.endswith("/stream") and headers == [("x-service-key", marker)]:
                continue  # it opens, as without any credential
            answer = await stage.world.get(path + query, headers)
            assert answer.status < 500
            found.append(answer.body + repr(answer.headers).encode())
    for path, body in (
        ("/login", json.dumps({"token": marker})),
        ("/login", json.dumps({"token": [marker]})),
        ("/login", json.dumps({"token": marker, "other": 1})),
        ("/login", f'{{"token":"{marker}'),
        ("/stream-ticket", json.dumps({marker: marker})),
    ):
        answer = await stage.world.send("POST", path, body=body.encode())
        assert answer.status < 500
        found.append(answer.body)
    answer = await stage.world.get(f"/signin/{marker}")
    return [*found, answer.body + repr(answer.headers).encode()]


async def shown_in_messages(marker: str, stage: Stage) -> list[bytes]:
    """In `enter` and `resume`, sound and malformed."""
    found: list[bytes] = []
    for body in (
        {"type": "enter", "agentToken": marker},
        {"type": "enter", "agentToken": [marker]},
        {"type": "enter", "agentToken": {"jwt": {"a": {"b": marker}}}},
        {"type": "enter", "agentToken": marker, "seat": "x"},
        {"type": "enter", "token": marker},
        {"type": "enter", marker: 1},
        {"type": marker},
        {"type": "enter", "agentToken": marker, "requestId": 7},
        {"type": "resume", "session": marker, "lastSeq": 0, "agentToken": marker},
        {"type": "resume", "session": marker, "lastSeq": "0"},
    ):
        found += await answers_to(await stage.world.connect(stage.table), text_frame(json.dumps(body)))
    for text in (
        f'{{"type":"enter","agentToken":"{marker}"',
        f'{{"type":"enter","agentToken":"{marker}","type":"enter"}}',
    ):
        found += await answers_to(await stage.world.connect(stage.table), text_frame(text))
    return found


async def answers_to(peer: Peer, sent: bytes) -> list[bytes]:
    """What one message gets: an error, and perhaps the end."""
    peer.send(sent)
    await peer.sees(lambda m: m["type"] == "error")
    await peer.leave()
    return [*peer.raw_texts, peer.close_reason]


async def shown_in_handshakes(marker: str, stage: Stage) -> list[bytes]:
    """In handshakes that are refused."""
    found = []
    for query, headers in (
        (f"?token={marker}", []),
        (f"?ticket={marker}", []),
        (f"?token={marker}", [("Origin", "https://evil.example")]),
        ("", [("Authorization", f"Bearer {marker}")]),
        (f"?token={marker}", [("Origin", OUR_ORIGIN), ("Sec-WebSocket-Protocol", marker)]),
    ):
        with pytest.raises(HandshakeRefused) as refused:
            await connect(HOST, stage.world.port, f"/games/poker/{stage.table}/ws{query}", headers)
        found.append(refused.value.answer.body + repr(refused.value.answer.headers).encode())
    return found
