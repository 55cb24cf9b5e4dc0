"""The fixture `valkey_url`: a real Valkey for the session, started as the product's embedded default starts it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from railbird.embedded import valkey


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """For `redis.asyncio.from_url`. One server for all tests: use keys of your own, and flush nothing."""
    with valkey.running(tmp_path_factory.mktemp("valkey")) as server:
        yield server.url
