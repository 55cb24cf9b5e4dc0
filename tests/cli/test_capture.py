"""`railbird capture` on a folder: after its server has ended, and while one runs on it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App

from capture.buffer.writer import BufferSettings
from capture.record import Decided
from gameserver.store import hands
from policy.ids import HandNumber, TableId
from railbird import cli
from railbird.app import opened
from railbird.embedded import valkey
from railbird.home import claimed, is_claimed
from railbird.wiring.record.buffer_place import BufferPlace, RecordSetup, buffer_of
from railbird.wiring.settings import BUFFER_FOLDER
from tests.capture.keeping import TTL_S
from tests.capture.turns import call, decided, fell_back, key, turn
from tests.http.world import setup
from tests.store.stories import options, result

TABLE, AGENT = "t1", "a1"
OVER, OPEN = 7, 8
ODD = "I call \x1b[2J \x00 <b>"


async def played(home: Path) -> None:
    """A server runs on the folder: a hand is over, one is left open, and turns of both were captured."""
    from gameserver.identity.key_files import init_keys

    keys = init_keys(home / "keys", now_s=int(time.time()))
    record = RecordSetup(folder=home / BUFFER_FOLDER, buffer=BufferSettings(ttl_s=TTL_S))
    async with opened(setup(home, keys, record=record)) as server:
        await server.store.create_table(TableId(TABLE), options(), b"")
        now_ms = int(time.time() * 1_000)
        database = server.store._database

        def two_hands(connection: Any) -> None:
            hands.begin(connection, TableId(TABLE), HandNumber(OVER), now_ms)
            hands.finish(connection, TableId(TABLE), result(OVER), now_ms)
            hands.begin(connection, TableId(TABLE), HandNumber(OPEN), now_ms)

        await database.write(two_hands)
        for hand, index in ((OVER, 1), (OVER, 4), (OPEN, 1)):
            done = turn(key(AGENT, hand, index, TABLE), decided(call(completion=ODD)), at_us=now_ms * 1_000 + hand)
            server.record.ledger.charge(done)
            for listener in server.record.listeners:
                listener.turn_finished(done)
        server.record.ledger.charge(turn(key(AGENT, OVER, 9, TABLE), fell_back(call()), at_us=now_ms * 1_000))
        assert server.record.recorder is not None and isinstance(done.outcome, Decided)
        await server.record.recorder.settled()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder on which a server has run. Tests copy it."""
    home = tmp_path_factory.mktemp("recorded")
    asyncio.run(played(home))
    return home


@pytest.fixture
def home(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the test's own, named in the environment."""
    import shutil

    copy = tmp_path / "home"
    shutil.copytree(recorded, copy)
    monkeypatch.setenv("RAILBIRD_HOME", str(copy))
    for name in ("RAILBIRD_DATABASE_URL", "AGENT_CAPTURE_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    yield copy


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    capsys.readouterr()
    code = cli.run(["capture", *arguments])
    return code, *capsys.readouterr()


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command says with --json, where it ends well."""
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    return json.loads(out)


def audit(home: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(home / "railbird.sqlite") as database:
        return database.execute("SELECT action, outcome FROM railbird_audit ORDER BY ordinal").fetchall()


def test_a_folder_is_read_after_its_server_has_ended(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By position or by name; also the hand that the server left open, since no server has it open; each with its audit row."""
    one = told(capsys, "hand", TABLE, str(OVER), AGENT)
    assert [(each["actionIndex"], each["isFallback"]) for each in one["turns"]] == [(1, False), (4, False), (9, True)]
    assert one["turns"][0]["response"] == ODD
    every = told(capsys, "hand-all", "--table", TABLE, "--hand", str(OVER))
    assert every["agents"] == [AGENT] and every["turns"] == one["turns"]
    left_open = told(capsys, "hand", "--table-id", TABLE, "--hand-number", str(OPEN), "--agent-id", AGENT)
    assert len(left_open["turns"]) == 1
    assert [(hand["handNumber"], hand["inPlay"]) for hand in told(capsys, "recent")["hands"]] == [
        (OPEN, False),
        (OVER, False),
    ]
    reads = ("read_turns", "read_all_turns", "read_turns", "read_recent_hands")
    assert audit(home) == [(action, "asked") for action in reads]


def test_a_hand_that_a_running_server_has_open_is_live(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """While a server holds the folder; a hand that is over is read meanwhile; each refusal is in the audit."""
    assert not is_claimed(home)
    with claimed(home):
        assert is_claimed(home)
        for arguments in (
            ("hand", TABLE, str(OPEN), AGENT),
            ("hand-all", TABLE, str(OPEN)),
            ("promote", TABLE, str(OPEN), AGENT),
        ):
            code, out, errors = run(capsys, *arguments, "--json")
            assert (code, out) == (1, "") and errors.startswith("hand_live: ")
        assert audit(home)[-2:] == [("keep_turns", "asked"), ("keep_turns", "refused")]
        assert len(told(capsys, "hand", TABLE, str(OVER), AGENT)["turns"]) == 3
        assert told(capsys, "recent")["hands"][0]["inPlay"] is True
    assert not is_claimed(home)
    assert told(capsys, "promote", TABLE, str(OPEN), AGENT)["status"] == "pinned"


def test_a_database_elsewhere_may_be_another_machines_servers(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody holds this folder, and yet a hand that began there and has not ended is in play."""
    elsewhere = tmp_path / "elsewhere.sqlite"
    (home / "railbird.sqlite").rename(elsewhere)
    monkeypatch.setenv("RAILBIRD_DATABASE_URL", f"sqlite:///{elsewhere}")
    code, _, errors = run(capsys, "hand", TABLE, str(OPEN), AGENT)
    assert code == 1 and errors.startswith("hand_live: ")
    assert run(capsys, "hand", TABLE, str(OVER), AGENT)[0] == 0


def test_what_is_kept_is_there_once_the_buffer_is_purged(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And what was not kept has expired; the numbers say so."""
    assert told(capsys, "promote", TABLE, str(OVER), AGENT) == {"status": "pinned", "turns": 2, "missing": []}
    before = told(capsys, "stats")
    assert (before["buffer"]["turns"], before["buffer"]["envelopes"], before["kept"]["turns"]) == (3, 1, 2)
    whole = told(capsys, "hand", TABLE, str(OVER), AGENT)
    assert told(capsys, "purge")["keys"] > 0
    after = told(capsys, "stats")
    assert (after["buffer"]["turns"], after["kept"]["turns"]) == (0, 2)
    assert told(capsys, "hand", TABLE, str(OVER), AGENT) == whole
    assert told(capsys, "promote", TABLE, str(OVER), AGENT)["status"] == "already_pinned"
    assert told(capsys, "hand", TABLE, str(OPEN), AGENT)["turns"][0]["missing"] == {"all": "dropped"}
    assert told(capsys, "promote", TABLE, str(OPEN), AGENT) == {
        "status": "nothing_to_capture",
        "turns": 0,
        "missing": [1],
    }
    assert ("purge_turns", "asked") in audit(home)


def test_every_record_is_hashed_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All is well: 0. One byte of a prompt or of an envelope differs, in the buffer or in what is kept: 1, and it is named."""
    told(capsys, "promote", TABLE, str(OVER), AGENT)
    assert told(capsys, "verify") == {
        "buffered": 3, "kept": 2, "envelopes": 1, "prompts": 5, "withoutPrompt": 0, "differences": [],
    }  # fmt: skip
    with sqlite3.connect(home / "railbird.sqlite") as database:
        database.execute("UPDATE agent_call_records SET record = substr(record, 1, 30) WHERE action_index = 4")
    with buffer_of(RecordSetup(folder=home / BUFFER_FOLDER)) as place:
        assert place is not None
        asyncio.run(spoil_envelope(place))
    code, out, _ = run(capsys, "verify", "--json")
    found = json.loads(out)
    assert code == 1
    assert [(each["where"], each["name"][:4]) for each in found["differences"]] == [
        ("buffer", "env:"),
        ("kept", "turn"),
    ]
    assert found["withoutPrompt"] == 3 and found["prompts"] == 1
    code, out, _ = run(capsys, "verify")
    assert code == 1 and "2 differ:" in out


async def spoil_envelope(place: BufferPlace) -> None:
    client = place.client()
    (name,) = await client.scan("env:*")
    await client.command("SET", name, "not what it was", "KEEPTTL")
    await client.close()


def test_a_command_beside_a_running_server_joins_its_buffer(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It does not start a second one on the same data, and leaves the running one alone."""
    with valkey.running(home / BUFFER_FOLDER) as running:
        assert running.owned
        assert told(capsys, "stats")["buffer"]["turns"] == 3
        with valkey.running(home / BUFFER_FOLDER) as again:
            assert not again.owned


def test_people_are_shown_the_turns_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a model said cannot reach the terminal's controls."""
    _, out, _ = run(capsys, "hand", TABLE, str(OVER), AGENT)
    assert "Hand 7 at t1, a1: 3 turns" in out and "FALLBACK (timed_out)" in out and "(as chosen)" in out
    assert "\x1b" not in out and "\\x1b[2J \\x00 <b>" in out
    _, out, _ = run(capsys, "hand-all", TABLE, str(OVER))
    assert "#1 a1 call (as chosen)" in out
    _, out, _ = run(capsys, "hand", TABLE, "9", AGENT)
    assert "nothing: before_capture (nobody told of such a turn: are the ids right?)" in out
    for command, said in (("recent", "  t1 7  "), ("stats", "3 turns, 1 envelope ("), ("purge", "keys of the buffer")):
        code, out, _ = run(capsys, command)
        assert code == 0 and said in out
    code, out, _ = run(capsys, "promote", TABLE, str(OVER), AGENT)
    assert out == "nothing_to_capture: 0 turns kept; not whole: 1, 4\n"
    assert run(capsys, "recent")[1].count("[expired]") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["hand"], ["hand", TABLE], ["hand", TABLE, "7"], ["hand", TABLE, "x", AGENT], ["hand", TABLE, "0", AGENT],
        ["hand", TABLE, "2147483648", AGENT], ["hand-all", TABLE], ["hand-all", TABLE, "7", AGENT], ["promote", TABLE, "7"],
        ["recent", "--limit", "0"], ["nothing"],
    ],
)  # fmt: skip
def test_a_command_that_names_no_ones_turns_is_used_wrongly(
    home: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """2, and nothing is read: there is no "all" by leaving something out."""
    assert run(capsys, *arguments)[0] == 2
    assert audit(home) == []


def test_a_folder_without_a_record_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And none is made by asking."""
    monkeypatch.setenv("RAILBIRD_HOME", str(tmp_path / "none"))
    for command in ("stats", "verify", "recent", "purge"):
        code, _, errors = run(capsys, command)
        assert code == 1 and "no server has run on this folder" in errors
    assert not (tmp_path / "none").exists()


def test_a_buffer_that_does_not_answer_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is kept is read all the same."""
    told(capsys, "promote", TABLE, str(OVER), AGENT)
    monkeypatch.setenv("AGENT_CAPTURE_REDIS_URL", f"unix://{home / 'nobody'}")
    code, _, errors = run(capsys, "promote", TABLE, str(OVER), AGENT)
    assert code == 1 and "The buffer does not answer" in errors and "nobody" not in errors
    turns = told(capsys, "hand", TABLE, str(OVER), AGENT)["turns"]
    assert [each["missing"] for each in turns] == [{}, {}, {"all": "no_decision"}]


def test_the_command_has_its_parts() -> None:
    """As the interface names them."""
    from railbird.commands.capture import app

    assert isinstance(app, App)
    assert {"hand", "hand-all", "recent", "promote", "verify", "stats", "purge"} <= set(app)
