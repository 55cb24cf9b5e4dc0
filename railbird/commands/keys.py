"""`railbird keys`: the signing keys in RAILBIRD_HOME. Prints names of keys, which are public, and no key."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from gameserver.identity import key_files
from gameserver.identity.key_files import KeysMissing, KeysNotPrivate, StoredKeys
from gameserver.identity.keys import KeyUse, UnusableKey
from railbird.commands.answer import AsJson, ConfigFile, Exit, Failed, say, say_json, settings

app = App(name="keys", help="Signing keys: make them, and change them with overlap.")

_DAY_S = 86_400


@app.command
def init(*, json: AsJson = False, config: ConfigFile = None) -> int:
    """Make the signing keys that are not there yet. Those that are there stay."""
    folder = settings(config).store.keys_folder
    try:
        return _tell(folder, key_files.init_keys(folder, now_s=int(time.time())), json)
    except (KeysNotPrivate, UnusableKey) as problem:
        raise Failed(f"{problem}.") from None


@app.command
def rotate(
    *,
    overlap_days: Annotated[int, Parameter(validator=Number(gte=0, lte=365))] = 90,
    use: Annotated[tuple[KeyUse, ...], Parameter(negative="")] = (),
    json: AsJson = False,
    config: ConfigFile = None,
) -> int:
    """Make new signing keys. Tokens of the earlier ones stay good for the overlap.

    Parameters
    ----------
    overlap_days
        How long the earlier keys still verify. An agent's token lives 90 days at most.
    use
        Only the keys of this use. Without it: all of them.
    """
    folder = settings(config).store.keys_folder
    try:
        key_files.load_keys(folder, now_s=int(time.time()))
        uses = use or tuple(KeyUse)
        stored = key_files.rotate_keys(folder, now_s=int(time.time()), overlap_s=overlap_days * _DAY_S, uses=uses)
    except KeysMissing as missing:
        raise Failed(f"{missing}. `railbird keys init` makes them.") from None
    except (KeysNotPrivate, UnusableKey) as problem:
        raise Failed(f"{problem}.") from None
    return _tell(folder, stored, json)


def _tell(folder: Path, stored: StoredKeys, as_json: bool) -> int:
    present = {use.value: key.key_id for use, key in stored.signing.items()}
    earlier = [key.key_id for key in stored.ring if key.key_id not in present.values()]
    if as_json:
        say_json({"folder": str(folder), "keys": present, "stillVerify": earlier})
        return Exit.FINE
    say(f"Keys in {folder}:")
    for use, key_id in present.items():
        say(f"  {use:8} {key_id}")
    for key_id in earlier:
        say(f"  earlier  {key_id} (still verifies)")
    return Exit.FINE
