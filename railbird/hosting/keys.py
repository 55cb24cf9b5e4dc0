"""The keys of `railbird host`: the hosting service's own, and the folder's, where there is one. It holds no rule."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

from gameserver.errors import RailbirdError
from gameserver.identity.key_files import KeysMissing
from gameserver.identity.keys import KeyUse, SigningKey
from railbird.config import Settings
from railbird.wiring.keys import FolderKeys, hosting_key
from railbird.wiring.signing import HostSigning


class NoKeys(Exception):
    """Nothing can be signed; for people."""


def signing_of(settings: Settings) -> HostSigning:
    """What signs the tokens of this host's agents. Raises NoKeys."""
    try:
        folder = _folder(settings)
        own = _own(settings.identity.hosting_key)
    except (RailbirdError, OSError) as problem:
        raise NoKeys(f"The keys cannot be used: {problem}.") from None
    if folder is None and own is None:
        raise NoKeys(
            f"There are no keys in {settings.store.keys_folder}, and RAILBIRD_HOSTING_KEY names none: "
            "`railbird keys init` makes them."
        )

    def signing(use: KeyUse) -> SigningKey | None:
        if use is KeyUse.HOSTING and settings.identity.hosting_key is not None:
            return own
        return None if folder is None else folder.signing(use)

    return HostSigning(signing, lambda agent_id: int(time.time()), lambda: secrets.token_urlsafe(12))


def _folder(settings: Settings) -> FolderKeys | None:
    try:
        return FolderKeys(settings.store.keys_folder, now_ms=lambda: int(time.time() * 1_000))
    except KeysMissing:
        return None


def _own(path: Path | None) -> SigningKey | None:
    """The private half; a public one signs nothing."""
    key = None if path is None else hosting_key(path)
    return key if isinstance(key, SigningKey) else None
