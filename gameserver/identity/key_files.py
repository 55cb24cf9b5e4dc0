"""Private keys in a folder: made, read, rotated. The folder is for its owner alone (mode 700, files 600).

The names of the files are the whole index: `agent.pem` signs; `agent.<key>.until-<seconds>.pem` is an earlier one that still
verifies until then (Unix time). A rotation is complete or has not happened: the new key takes the name in one step.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gameserver.errors import RailbirdError
from gameserver.identity.keys import (
    KeyRing,
    KeyUse,
    SigningKey,
    VerifyingKey,
    new_key,
    private_pem,
    signing_key_from_pem,
)

_RETIRED: Final = re.compile(r"(?P<use>[a-z]+)\.[A-Za-z0-9_-]{8}\.until-(?P<until>[0-9]{1,12})\.pem")


class KeysMissing(RailbirdError):
    """There is no key of a use; `railbird keys init` makes them."""


class KeysNotPrivate(RailbirdError):
    """Somebody else than the owner may read the keys."""


@dataclass(frozen=True, slots=True)
class StoredKeys:
    """`signing`: the present key of each use. `ring`: these and the earlier ones that still verify."""

    signing: Mapping[KeyUse, SigningKey]
    ring: KeyRing


def init_keys(folder: Path, *, now_s: int) -> StoredKeys:
    """Make the folder and every key that is not there yet; what is there stays. `now_s`: Unix time."""
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
        folder.chmod(0o700)
    _require_private(folder)
    for use in KeyUse:
        if not _current(folder, use).exists():
            _put(folder, _current(folder, use), new_key(use))
    return load_keys(folder, now_s=now_s)


def load_keys(folder: Path, *, now_s: int) -> StoredKeys:
    """Read the keys. Raises `KeysMissing`, `KeysNotPrivate`, or `UnusableKey` for a file that holds none."""
    if not folder.is_dir():
        raise KeysMissing(f"there is no folder of keys at {folder}")
    _require_private(folder)
    signing = {use: _read(_current(folder, use), use) for use in KeyUse}
    earlier = (_read(path, use) for path, use, until_s in _retired(folder) if until_s > now_s)
    return StoredKeys(signing, KeyRing(_public(signing.values(), earlier)))


def rotate_keys(folder: Path, *, now_s: int, overlap_s: int, uses: Iterable[KeyUse] = frozenset(KeyUse)) -> StoredKeys:
    """New keys for these uses; the present ones verify for `overlap_s` more. Removed are earlier ones
    whose time is over, and what a rotation that was cut short left behind.
    """
    _require_private(folder)
    for use in uses:
        present = _read(_current(folder, use), use)
        _put(folder, folder / f"{use}.{present.key_id[:8]}.until-{now_s + overlap_s}.pem", present)
        _put(folder, _current(folder, use), new_key(use))
    _remove(path for path, _, until_s in list(_retired(folder)) if until_s <= now_s)
    _remove(list(folder.glob(".*.pem.*")))
    return load_keys(folder, now_s=now_s)


def _current(folder: Path, use: KeyUse) -> Path:
    return folder / f"{use}.pem"


def _retired(folder: Path) -> Iterator[tuple[Path, KeyUse, int]]:
    """Earlier keys: file, use, and until when it verifies (Unix seconds)."""
    for path in sorted(folder.iterdir()):
        named = _RETIRED.fullmatch(path.name)
        if named is not None and named["use"] in set(KeyUse):
            yield path, KeyUse(named["use"]), int(named["until"])


def _public(present: Iterable[SigningKey], earlier: Iterable[SigningKey]) -> Iterator[VerifyingKey]:
    """Each key once: a rotation that was cut short leaves the present key under both names."""
    by_id = {key.key_id: key for key in (*earlier, *present)}
    return (key.verifying() for key in by_id.values())


def _read(path: Path, use: KeyUse) -> SigningKey:
    if not path.is_file():
        raise KeysMissing(f"there is no key {path.name} in {path.parent}")
    _require_private(path)
    return signing_key_from_pem(path.read_bytes(), use)


def _put(folder: Path, path: Path, key: SigningKey) -> None:
    """Write it beside, then give it its name: a reader finds the old key or the new one, and no half of either."""
    beside = folder / f".{path.name}.{key.key_id[:8]}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
        file.write(private_pem(key))
        file.flush()
        os.fsync(descriptor)
    beside.replace(path)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _require_private(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise KeysNotPrivate(
            f"{path} may be read by others (mode {mode:o}); chmod {'700' if path.is_dir() else '600'} it"
        )
