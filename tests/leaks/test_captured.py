"""Captured turns with planted markers: every read, export, refusal and line of a log, for everybody who is not their owner."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from capture.durable.turns import Durable
from tests.leaks import cast
from tests.leaks.callers import EventStream, Headers
from tests.leaks.cast import BUYER
from tests.leaks.script import PlayOn, Read, Sell, Sit, Wait, Watch
from tests.leaks.stage import CLOSED, Stage, staged
from tests.leaks.world import OPERATOR, TABLE

MARK: Final = "the-marker-of-a-captured-turn"
ADAS: Final = f"{MARK}-ada"
SAID: Final = "what-an-error-said"
_TWO: Final = (Sit("ada"), Sit("ben"), Watch("crowd"), Wait(300))
_HAND: Final = f"hands/{TABLE}/1"
OWNERS_WAYS: Final = (
    ("GET", _HAND),
    ("POST", f"{_HAND}/keep"),
    ("DELETE", _HAND),
    ("GET", "hands"),
    ("GET", "hands.jsonl"),
    ("DELETE", "hands"),
)
OWNERS_PAGES: Final = (_HAND, "hands")
_ASKED: Final = f"tableId={TABLE}&handNumber=1"
OPERATORS_WAYS: Final[Sequence[tuple[str, str, dict[str, object]]]] = (
    ("GET", f"hand-all?{_ASKED}", {}),
    ("GET", f"hand?{_ASKED}&agentId=ada", {}),
    ("GET", "recent", {}),
    ("POST", "promote", {"tableId": TABLE, "handNumber": 1, "agentId": "ada"}),
)
PREFIXES: Final = ("/internal/agent-capture", "/api/hosted-agent/agent-capture")
RIVALS: Final = ("owner-ben", "owner-eve", "sid", "crowd", "noone", "ada", "ben", "eve")
"""Another player's owner, an owner without a player here, a user without an agent, nobody, a broken credential, and agents."""


def asked(stage: Stage, headers: Headers, method: str, path: str, body: object = None) -> EventStream:
    """One request with these headers, and its whole answer."""
    sent = b"" if body is None else json.dumps(body).encode()
    whole = [*headers, (b"content-type", b"application/json")]
    return EventStream(stage.world.server.app, stage.world.loop, path, whole, method, sent).open()


def operators_headers(stage: Stage) -> Headers:
    return [(b"authorization", f"Bearer {cast.user_token(OPERATOR, stage.world.now_ms())}".encode())]


@contextmanager
def marked(template: Path, *, over: bool) -> Iterator[Stage]:
    """A hand whose turns are captured with the marker in each, in play or over; at the end the marker is in no line of the log."""
    with staged(template) as stage:
        stage.play(*_TWO, *((PlayOn(), Wait(300)) if over else ()))
        stage.world.keep_turns(MARK)
        yield stage
        assert MARK not in "\n".join(stage.heard.lines)


@pytest.mark.parametrize("over", [False, True], ids=["in play", "over"])
def test_nobody_but_its_owner_reads_keeps_exports_or_deletes_a_turn(over: bool, template: Path) -> None:
    """The same answer as for an agent that is not there; and afterwards the owner still has all of it."""
    with marked(template, over=over) as stage:
        for who in RIVALS:
            for method, path in OWNERS_WAYS:
                answers = [stage.world.ask(who, f"/agents/{agent}/{path}", method) for agent in ("ada", "not-there")]
                assert answers[0].whole == answers[1].whole
                assert answers[0].status in (401, 403, 404)
                assert ADAS not in answers[0].whole.decode()
            for path in OWNERS_PAGES:
                pages = [stage.world.ask(who, f"/agents/{a}/{path}", accept=b"text/html") for a in ("ada", "not-there")]
                assert pages[0].whole == pages[1].whole
                assert pages[0].status in (401, 404)
                assert ADAS not in pages[0].whole.decode()
            for prefix in PREFIXES:
                for method, path, body in OPERATORS_WAYS:
                    answer = asked(stage, stage.world.headers(who), method, f"{prefix}/{path}", body or None)
                    assert answer.status in (401, 403)
                    assert ADAS not in answer.whole.decode()
        stage.play(*map(Read, RIVALS))
        assert not [who for who in RIVALS if ADAS in stage.got(who).decode()]
        own = stage.world.ask("owner-ada", f"/agents/ada/{_HAND}")
        assert own.status == 200
        assert ADAS in own.whole.decode()
        page = stage.world.ask("owner-ada", f"/agents/ada/{_HAND}", accept=b"text/html")
        assert page.status == 200
        assert ADAS in page.whole.decode()
        assert b"<!doctype html>" in page.whole


def test_an_operator_gets_no_word_of_a_hand_in_play(template: Path) -> None:
    """By the service key and by their own session, to read and to keep; once it is over, all of it."""
    with marked(template, over=False) as stage:
        assert _asked_by_operators(stage, {200: ["recent"], 409: ["hand-all", "hand", "promote"]}) == set()
        stage.play(PlayOn(), Wait(300))
        assert _asked_by_operators(stage, {200: ["recent", "hand-all", "hand"]}) == {"hand-all", "hand"}


def _asked_by_operators(stage: Stage, expected: dict[int, Sequence[str]]) -> set[str]:
    """Which ways had the marker in their answer."""
    told = set()
    for prefix, headers in zip(PREFIXES, (stage.world.service_headers, operators_headers(stage)), strict=True):
        for method, path, body in OPERATORS_WAYS:
            answer, name = asked(stage, headers, method, f"{prefix}/{path}", body or None), path.partition("?")[0]
            assert name not in [each for status, names in expected.items() if status != answer.status for each in names]
            if ADAS in answer.whole.decode():
                told.add(name)
    return told


def test_who_bought_an_agent_and_who_sold_it_have_their_own_hands_each(template: Path) -> None:
    """In a hand, in the list and in the export; and what one of them deletes stays the other's."""
    with staged(template, CLOSED) as stage:
        stage.play(Sit("ada"), Sit("cyd"), Wait(300), PlayOn(), Sell(), PlayOn(), Wait(300), Sit("cyd"), Wait(500))
        stage.play(PlayOn(), Wait(300))
        stage.world.keep_turns(MARK)
        hands = range(1, len(stage.world.record.hands) + 1)
        sold = {n for n in hands if stage.status("owner-cyd", f"/agents/cyd/hands/{TABLE}/{n}") == 200}
        bought = {n for n in hands if stage.status(BUYER, f"/agents/cyd/hands/{TABLE}/{n}") == 200}
        assert sold
        assert bought
        assert not sold & bought
        for who, theirs in (("owner-cyd", sold), (BUYER, bought)):
            assert _numbers(stage, who, "hands") == theirs
            assert _numbers(stage, who, "hands.jsonl") == theirs
        assert stage.status(BUYER, "/agents/cyd/hands", "DELETE") == 200
        assert _numbers(stage, BUYER, "hands.jsonl") == set()
        assert _numbers(stage, "owner-cyd", "hands.jsonl") == sold


def _numbers(stage: Stage, who: str, path: str) -> set[int]:
    body = b"".join(stage.world.ask(who, f"/agents/cyd/{path}").chunks)
    told = json.loads(body)["hands"] if path == "hands" else map(json.loads, body.splitlines())
    return {entry["handNumber"] for entry in told}


@pytest.mark.parametrize("broken", ["turns_of", "rows_of", "hands_of", "keep", "delete"])
def test_a_store_that_breaks_tells_nobody_what_it_held(broken: str, template: Path) -> None:
    """An error's text may hold a turn: it is in no answer and in no line of the log, its owner's and the operator's included."""

    async def breaks(*given: object, **named: object) -> None:
        raise RuntimeError(SAID)

    with marked(template, over=True) as stage, mock.patch.object(Durable, broken, breaks):
        answers = [
            stage.world.ask(who, f"/agents/ada/{path}", method)
            for who in ("owner-ada", "owner-ben", "crowd")
            for method, path in OWNERS_WAYS
        ]
        answers += [
            stage.world.ask(who, f"/agents/ada/{path}", accept=b"text/html")
            for who in ("owner-ada", "owner-ben", "crowd")
            for path in OWNERS_PAGES
        ]
        answers += [
            asked(stage, stage.world.service_headers, method, f"{PREFIXES[0]}/{path}", body or None)
            for method, path, body in OPERATORS_WAYS
        ]
        assert any(answer.status >= 500 for answer in answers), "somebody met the fault"
        assert not [answer.target for answer in answers if SAID in answer.whole.decode()]
        assert SAID not in "\n".join(stage.heard.lines)
