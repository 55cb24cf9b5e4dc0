"""Keys in a folder: who may read them, and what a rotation leaves."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

import pytest

from gameserver.identity.key_files import KeysMissing, KeysNotPrivate, init_keys, load_keys, rotate_keys
from gameserver.identity.keys import KeyUse, UnusableKey
from tests.identity.people import NOW_S

DAY_S: Final = 86_400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where no keys are yet."""
    return tmp_path / "home" / "keys"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_keys_are_for_their_owner_alone(folder: Path) -> None:
    """700 and 600, whatever the umask says."""
    before = os.umask(0)
    try:
        init_keys(folder, now_s=NOW_S)
        rotate_keys(folder, now_s=NOW_S, overlap_s=DAY_S)
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}


def test_what_others_may_read_is_not_used(folder: Path) -> None:
    """A key that somebody else could have copied is refused, and the words say what to do."""
    init_keys(folder, now_s=NOW_S)
    (folder / "agent.pem").chmod(0o640)
    with pytest.raises(KeysNotPrivate, match="chmod 600"):
        load_keys(folder, now_s=NOW_S)
    (folder / "agent.pem").chmod(0o600)
    folder.chmod(0o755)
    for read in (load_keys, init_keys):
        with pytest.raises(KeysNotPrivate, match="chmod 700"):
            read(folder, now_s=NOW_S)


def test_making_keys_twice_changes_nothing(folder: Path) -> None:
    """A second start finds the keys of the first."""
    first = init_keys(folder, now_s=NOW_S)
    again = init_keys(folder, now_s=NOW_S)
    assert {use: key.key_id for use, key in first.signing.items()} == {
        use: key.key_id for use, key in again.signing.items()
    }
    assert set(first.signing) == set(KeyUse)


def test_a_rotation_overlaps_and_then_ends(folder: Path) -> None:
    """The new key signs at once; the old one verifies until its time is over, and its file goes with the next rotation."""
    old = init_keys(folder, now_s=NOW_S).signing[KeyUse.AGENT]
    rotated = rotate_keys(folder, now_s=NOW_S, overlap_s=DAY_S, uses=[KeyUse.AGENT])
    new = rotated.signing[KeyUse.AGENT]
    assert new.key_id != old.key_id
    assert {key.key_id for key in rotated.ring} >= {old.key_id, new.key_id}
    just_before, after = load_keys(folder, now_s=NOW_S + DAY_S - 1), load_keys(folder, now_s=NOW_S + DAY_S)
    assert old.key_id in {key.key_id for key in just_before.ring}
    assert old.key_id not in {key.key_id for key in after.ring}
    rotate_keys(folder, now_s=NOW_S + DAY_S, overlap_s=DAY_S, uses=[KeyUse.USER])
    assert [path.name for path in folder.glob("agent.*.pem")] == []


def test_a_rotation_that_was_cut_short_does_no_harm(folder: Path) -> None:
    """The old key was copied and the new one is not there yet: all goes on as before."""
    keys = init_keys(folder, now_s=NOW_S)
    copy = folder / f"agent.{keys.signing[KeyUse.AGENT].key_id[:8]}.until-{NOW_S + DAY_S}.pem"
    copy.write_bytes((folder / "agent.pem").read_bytes())
    copy.chmod(0o600)
    half = folder / ".agent.pem.abcdefgh"
    half.write_bytes(b"-----BEGIN")
    half.chmod(0o600)
    assert len(list(load_keys(folder, now_s=NOW_S).ring)) == 3
    rotate_keys(folder, now_s=NOW_S, overlap_s=DAY_S)
    assert not half.exists()


def test_missing_and_broken_keys_are_told_apart(folder: Path) -> None:
    """An operator reads which it is."""
    with pytest.raises(KeysMissing):
        load_keys(folder, now_s=NOW_S)
    init_keys(folder, now_s=NOW_S)
    (folder / "user.pem").write_bytes(b"-----BEGIN PRIVATE KEY-----\nMARKER\n-----END PRIVATE KEY-----\n")
    with pytest.raises(UnusableKey) as refused:
        load_keys(folder, now_s=NOW_S)
    assert "MARKER" not in f"{refused.value} {refused.value.__cause__}"
    (folder / "user.pem").unlink()
    with pytest.raises(KeysMissing):
        load_keys(folder, now_s=NOW_S)


def test_a_key_does_not_print(folder: Path) -> None:
    """Neither a key nor the set of keys shows a private byte, or a file's content."""
    keys = init_keys(folder, now_s=NOW_S)
    private = keys.signing[KeyUse.AGENT].private.private_bytes_raw()
    shown = f"{keys!r} {keys} {keys.signing[KeyUse.AGENT]!r}"
    assert private.hex() not in shown
    assert repr(private) not in shown
    assert "private=" not in shown
