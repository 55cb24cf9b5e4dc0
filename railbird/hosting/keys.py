"""The keys of `railbird host`: the hosting service's own, and the folder's, where there is one. It holds no rule."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path

from gameserver.errors import RailbirdError
from gameserver.floor.clock import SystemClock
from gameserver.identity.key_files import KeysMissing
from gameserver.identity.keys import KeyUse, SigningKey
from railbird.config import Settings
from railbird.wiring.keys import FolderKeys, hosting_key
from railbird.wiring.signing import HostSigning


class NoKeys(Exception):
    """Nothing can be signed; for people."""


class HostKeys:
    """What signs the tokens of this host's agents: `attest`. Raises NoKeys where nothing can be signed."""

    def __init__(self, settings: Settings) -> None:
        self._own_is_elsewhere = settings.identity.hosting_key is not None
        try:
            self._folder = _folder(settings)
            self._own = _own(settings.identity.hosting_key)
        except (RailbirdError, OSError) as problem:
            raise NoKeys(f"The keys cannot be used: {problem}.") from None
        if self._folder is None and self._own is None:
            raise NoKeys(
                f"There are no keys in {settings.store.keys_folder}, and RAILBIRD_HOSTING_KEY names none: "
                "`railbird keys init` makes them."
            )
        self.attest = HostSigning(self._signing, lambda agent_id: int(time.time()), lambda: secrets.token_urlsafe(12))

    async def follow(self) -> None:
        """Look at the folder again and again, until cancelled: keys are rotated while agents play."""
        if self._folder is None:
            await asyncio.Event().wait()
        else:
            await self._folder.follow()

    def _signing(self, use: KeyUse) -> SigningKey | None:
        if use is KeyUse.HOSTING and self._own_is_elsewhere:
            return self._own
        return None if self._folder is None else self._folder.signing(use)


def _folder(settings: Settings) -> FolderKeys | None:
    try:
        return FolderKeys(settings.store.keys_folder, now_ms=SystemClock().wall_ms)
    except KeysMissing:
        return None


def _own(path: Path | None) -> SigningKey | None:
    """The private half; a public one signs nothing."""
    key = None if path is None else hosting_key(path)
    return key if isinstance(key, SigningKey) else None
