"""The folder of the embedded default."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import stat
import threading
from pathlib import Path

import pytest

from railbird.home import LOCK, HomeTaken, claimed, is_claimed


def test_a_folder_is_for_one_server_at_a_time(tmp_path: Path) -> None:
    """A second one is told so, and may have it once the first is gone."""
    home = tmp_path / "home"
    with claimed(home), pytest.raises(HomeTaken, match="Another server runs on the folder"), claimed(home):
        pass
    with claimed(home):
        pass


def _die_in(home: Path) -> None:
    with claimed(home):
        os._exit(9)


def test_a_killed_server_leaves_no_lock(tmp_path: Path) -> None:
    """The kernel lets go of it."""
    process = multiprocessing.get_context("spawn").Process(target=_die_in, args=(tmp_path,))
    process.start()
    process.join(30)
    assert process.exitcode == 9 and (tmp_path / LOCK).exists()
    with claimed(tmp_path):
        pass


def test_looking_whether_a_server_runs_keeps_none_from_starting(tmp_path: Path) -> None:
    """Who looks holds the lock for a moment, and a server that starts just then tries again."""
    assert not is_claimed(tmp_path / "none") and not (tmp_path / "none").exists()
    with claimed(tmp_path):
        assert is_claimed(tmp_path)
    with open(tmp_path / LOCK, "rb") as looking:
        fcntl.flock(looking.fileno(), fcntl.LOCK_SH)
        threading.Timer(0.05, fcntl.flock, (looking.fileno(), fcntl.LOCK_UN)).start()
        with claimed(tmp_path):
            assert is_claimed(tmp_path)
    assert not is_claimed(tmp_path)


def test_what_is_made_in_it_is_for_its_user_alone(tmp_path: Path) -> None:
    """Finished hands are in there with all their cards; the umask is as before afterwards."""
    before = os.umask(0o022)
    try:
        home = tmp_path / "home"
        with claimed(home):
            (home / "railbird.sqlite").write_bytes(b"")
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "railbird.sqlite").stat().st_mode) == 0o600
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
