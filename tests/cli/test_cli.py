from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import jwt
import pytest
import redis
from sqlalchemy import URL

from gameserver.identity.key_files import load_keys
from gameserver.identity.tokens import TokenRules, verify_agent_token, verify_user_token
from railbird import cli
from tests.conftest import ROOT

COMMANDS = (
    "demo",
    "serve",
    "host",
    "capture",
    "capture hand",
    "capture hand-all",
    "capture recent",
    "capture promote",
    "capture verify",
    "capture stats",
    "capture purge",
    "replay-hand",
    "check-bot",
    "keys",
    "keys init",
    "keys rotate",
    "token",
    "token user",
    "token agent",
    "doctor",
)
GENERATED = ROOT / "tests" / "cases" / "phh" / "generated.phhs"


@pytest.fixture(autouse=True)
def _a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting from outside, and a fresh working folder."""
    for name in [
        name for name in os.environ if name.startswith(("RAILBIRD_", "AGENT_CAPTURE_", "CAPTURE_TTL", "MIN_TURN"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> int:
    return cli.run(arguments)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What a command prints with --json, where it exits with 0."""
    capsys.readouterr()
    assert run(*arguments, "--json") == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command.split(), "--help") == 0
    out = capsys.readouterr().out
    assert "Usage: railbird" in out and len(out.splitlines()) > 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["demo", "--port", "x"],
        ["demo", "--port", "70000"],
        ["demo", "--hands", "0"],
        ["demo", "--no-open"],
        ["keys", "rotate", "--use", "nothing"],
        ["token", "user"],
        ["token", "user", "a b"],
        ["token", "agent", "Rocky"],
        ["token", "agent", "Rocky", "--owner", "a b"],
        ["token", "agent", "Rocky", "--owner", "ann", "--days", "91"],
        ["token", "agent", "dealer", "--owner", "ann"],
        ["host"],
        ["host", "none-such.toml"],
        ["replay-hand"],
        ["doctor", "--nothing"],
    ],
)
def test_wrong_use_is_2_and_says_so_to_the_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    said = capsys.readouterr()
    assert said.err and not said.out
    assert not Path(".railbird").exists()


def test_a_bad_configuration_is_2_for_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAILBIRD_PORT", "x")
    for command in (["serve"], ["demo"], ["keys", "init"], ["token", "user", "ann"]):
        assert run(*command) == 2
        assert capsys.readouterr().err.startswith("RAILBIRD_PORT has to be")


def test_keys_are_made_once_and_rotated_with_overlap(capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is private; what is printed are names of keys; earlier keys still verify."""
    first = answer(capsys, "keys", "init")
    assert set(first["keys"]) == {"agent", "user", "hosting"} and first["stillVerify"] == []
    assert answer(capsys, "keys", "init") == first
    second = answer(capsys, "keys", "rotate", "--use", "agent")
    assert second["stillVerify"] == [first["keys"]["agent"]]
    assert second["keys"]["user"] == first["keys"]["user"] and second["keys"]["agent"] != first["keys"]["agent"]
    third = answer(capsys, "keys", "rotate")
    assert len(third["stillVerify"]) == 4
    assert Path(".railbird/keys").stat().st_mode & 0o077 == 0
    assert run("keys", "init") == 0
    assert "PRIVATE" not in capsys.readouterr().out


def test_what_needs_keys_says_how_they_are_made(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["keys", "rotate"], ["token", "user", "ann"], ["token", "agent", "Rocky", "--owner", "ann"]):
        assert run(*command) == 1
        assert "railbird keys init" in capsys.readouterr().err


def test_a_server_says_in_words_that_its_database_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It exits with 1, and with one line."""
    monkeypatch.setenv("RAILBIRD_DATABASE_URL", "postgresql://railbird@127.0.0.1:1/railbird")
    monkeypatch.setenv("RAILBIRD_PORT", "0")
    assert run("serve") == 1
    error = capsys.readouterr().err
    assert error == "The database does not answer (ConnectionRefusedError); `railbird doctor` says more.\n"


def test_a_users_token_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "keys", "init")
    told = answer(capsys, "token", "user", "ann@example.org", "--days", "2")
    now_s = told["expiresAt"] // 1000 - 2 * 86_400
    ring = load_keys(Path(".railbird/keys"), now_s=now_s).ring
    identity = verify_user_token(told["token"], keys=ring, rules=TokenRules(), now_s=now_s)
    assert identity.user_id == told["userId"] == "ann@example.org"


def test_an_agents_token_registers_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    """By its name or its id the same agent and version; another owner's is another agent. Plain output is the token alone."""
    answer(capsys, "keys", "init")
    first = answer(capsys, "token", "agent", "Rocky", "--owner", "ann")
    now_s = first["expiresAt"] // 1000 - 30 * 86_400
    ring = load_keys(Path(".railbird/keys"), now_s=now_s).ring
    identity = verify_agent_token(first["agentToken"], keys=ring, rules=TokenRules(), now_s=now_s)
    assert (identity.agent_id, identity.owner, identity.version_id) == (
        first["agentId"],
        "ann",
        first["agentVersionId"],
    )
    for name in ("Rocky", first["agentId"]):
        again = answer(capsys, "token", "agent", name, "--owner", "ann")
        assert (again["agentId"], again["agentVersionId"]) == (first["agentId"], first["agentVersionId"])
    assert answer(capsys, "token", "agent", "Rocky", "--owner", "ben")["agentId"] != first["agentId"]
    capsys.readouterr()
    assert run("token", "agent", "Rocky", "--owner", "ann") == 0
    plain = capsys.readouterr().out
    assert plain.count("\n") == 1 and plain.count(".") == 2


def test_no_token_is_hosted(capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "keys", "init")
    told = answer(capsys, "token", "agent", "Rocky", "--owner", "ann")
    claims = jwt.decode(told["agentToken"], options={"verify_signature": False})
    assert not {"hosted", "model"} & set(claims)
    assert "hosted" not in cli_help("token agent", capsys)


def cli_help(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert run(*command.split(), "--help") == 0
    return capsys.readouterr().out


def test_recorded_hands_are_dealt_again(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, "replay-hand", str(GENERATED), "--check")
    assert told["files"][0]["differing"] == [] and told["files"][0]["replayed"] > 200
    assert run("replay-hand", "none.phh") == 1


def test_doctor_finds_nothing_wrong_in_a_fresh_folder_and_makes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, "doctor", "--config", config(f"[server]\nport = {free_port()}"))
    assert told["fine"] is True
    assert [finding["what"] for finding in told["findings"]] == [
        "python",
        "configuration",
        "folder",
        "keys",
        "database",
        "capture",
        "bus",
        "port",
    ]
    assert not Path(".railbird").exists()


def test_doctor_says_each_thing_that_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A taken port, no Redis, no keys where others reach the server, a database that does not answer."""
    secret = "hunter2-hunter2"
    with socket.create_server(("0.0.0.0", 0)) as taken:
        monkeypatch.setenv("RAILBIRD_HOST", "0.0.0.0")
        monkeypatch.setenv("RAILBIRD_PORT", str(taken.getsockname()[1]))
        monkeypatch.setenv("AGENT_CAPTURE_REDIS_URL", f"redis://:{secret}@127.0.0.1:1")
        monkeypatch.setenv("RAILBIRD_REDIS_URL", f"redis://:{secret}@127.0.0.1:1")
        monkeypatch.setenv("RAILBIRD_DATABASE_URL", f"postgresql://u:{secret}@127.0.0.1:1/d")
        assert run("doctor") == 1
    out = capsys.readouterr().out
    wrong = [line.split()[1] for line in out.splitlines() if line.startswith("WRONG")]
    assert wrong == ["keys", "database", "capture", "bus", "port"]
    assert "5 things are wrong" in out and secret not in out


def test_doctor_tells_a_bad_configuration(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MIN_TURN_MS", "x")
    monkeypatch.setenv("RAILBIRD_HSOT", "x")
    assert run("doctor", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert [finding["health"] for finding in told["findings"]] == ["fine", "wrong", "wrong"]


def test_doctor_sees_keys_and_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "keys", "init")
    answer(capsys, "token", "agent", "Rocky", "--owner", "ann")
    told = answer(capsys, "doctor", "--config", config(f"[server]\nport = {free_port()}"))
    words = {finding["what"]: finding["words"] for finding in told["findings"]}
    assert words["keys"] == "3 keys sign, 3 verify."
    assert "schema is the newest" in words["database"]
    Path(".railbird/keys").chmod(0o755)
    assert run("doctor") == 1
    assert "may be read by others" in capsys.readouterr().out


def test_doctor_and_tokens_with_real_stores(
    empty_postgres_url: URL, valkey_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAILBIRD_DATABASE_URL", empty_postgres_url.render_as_string(hide_password=False))
    monkeypatch.setenv("AGENT_CAPTURE_REDIS_URL", valkey_url)
    answer(capsys, "keys", "init")
    told = answer(capsys, "token", "agent", "Rocky", "--owner", "ann")
    assert (
        answer(capsys, "token", "agent", told["agentId"], "--owner", "ann")["agentVersionId"] == told["agentVersionId"]
    )
    findings = answer(capsys, "doctor", "--config", config(f"[server]\nport = {free_port()}"))["findings"]
    words = {finding["what"]: finding["words"] for finding in findings}
    assert words["database"].startswith("Postgres answers, and its schema is the newest")
    assert words["capture"] == "The server that AGENT_CAPTURE_REDIS_URL names answers."


def test_doctor_warns_of_a_buffer_that_throws_turns_away_by_itself(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a full server evicts is counted nowhere; a warning, since it works until then."""
    monkeypatch.setenv("AGENT_CAPTURE_REDIS_URL", valkey_url)
    with redis.Redis.from_url(valkey_url) as server:
        server.config_set("maxmemory-policy", "allkeys-lru")
        try:
            findings = answer(capsys, "doctor", "--config", config(f"[server]\nport = {free_port()}"))["findings"]
        finally:
            server.config_set("maxmemory-policy", "noeviction")
    found = next(each for each in findings if each["what"] == "capture")
    assert found["health"] == "note" and "allkeys-lru" in found["words"]


def test_as_a_module_and_with_the_help_of_nobody() -> None:
    """`python -m railbird` from a checkout that is not installed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "railbird", "--help"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "replay-hand" in done.stdout


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def config(text: str) -> str:
    path = Path("test.toml")
    path.write_text(text)
    return str(path)
