"""`railbird check-bot` as its user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from railbird import cli
from railbird.checkbot import FAULTS
from railbird.config import SETTINGS, environment_of_a_bot
from tests.checkbot.test_check_bot import BAD_BOT
from tests.conftest import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own; it runs an event loop."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "railbird", "check-bot", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_good_bot_is_0_and_every_fault_is_told() -> None:
    """With what the bot did."""
    done = run("--only", "drop", "--only", "plain", "--turn-ms", "1500", "--", sys.executable, BAD_BOT, "none")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert lines[0].startswith("ok    plain") and "acted on 3 turns" in lines[1]
    assert lines[2].startswith("ok    drop") and "came back after" in lines[3]
    assert lines[4] == "2 of 2 passed."


def test_a_bad_bot_is_1_and_json_says_why() -> None:
    """One JSON object, and no token in it."""
    words = (
        "--json",
        "--only",
        "drop",
        "--patience-s",
        "3",
        "--turn-ms",
        "1000",
        "--",
        sys.executable,
        BAD_BOT,
        "leaves",
    )
    done = run(*words)
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["passed"] is False
    (fault,) = told["faults"]
    assert (fault["fault"], fault["passed"]) == ("drop", False)
    assert "did not come back" in fault["failures"][0]
    assert "<token>" in fault["said"][0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Say how the bot is started"),
        (["--"], "Say how the bot is started"),
        (["--", "no-such-program"], "There is no program no-such-program."),
        (["--only", "nothing", "--", sys.executable], "There is no fault nothing. There are: plain, drop,"),
        (["--turn-ms", "1", "--", sys.executable], "turn-ms"),
    ],
)
def test_wrong_use_is_2(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And says what would be right."""
    assert cli.run(["check-bot", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_bot_gets_no_setting_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither keys nor addresses of stores: where and as whom it plays, and what any program gets."""
    for setting in SETTINGS:
        monkeypatch.setenv(setting.variable, "hunter2")
    monkeypatch.setenv("SOMETHING_ELSE", "x")
    found = environment_of_a_bot("ws://here", "token")
    assert "hunter2" not in found.values()
    assert (found["RAILBIRD_URL"], found["RAILBIRD_AGENT_TOKEN"], found["SOMETHING_ELSE"]) == (
        "ws://here",
        "token",
        "x",
    )


def test_every_fault_is_in_the_documentation() -> None:
    """With its words, where a bot author reads of it."""
    page = (ROOT / "docs" / "check-bot.md").read_text(encoding="utf-8")
    for name, fault in FAULTS.items():
        assert f"| `{name}` | {fault(1_000).words} |" in page


def test_a_bot_leaves_nothing_behind(tmp_path: Path) -> None:
    """A bot that starts others ends with all of them."""
    script = tmp_path / "family.sh"
    mark = tmp_path / "mark"
    script.write_text(f"#!/bin/sh\n(while :; do date > '{mark}'; sleep 0.1; done) &\nsleep 60\n")
    script.chmod(0o755)
    done = run("--only", "plain", "--patience-s", "1", "--", str(script))
    assert done.returncode == 1
    mark.unlink(missing_ok=True)
    time.sleep(0.5)
    assert not mark.exists()
