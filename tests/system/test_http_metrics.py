"""Metrics on a port of their own: of this machine alone, without a key."""

from __future__ import annotations

from pathlib import Path

import httpx2

from tests.system.process import Home, running


async def test_metrics_have_a_port_of_their_own(tmp_path: Path) -> None:
    """There is nothing else on it, and the site's own `/metrics` asks for the key all the same."""
    home = Home(tmp_path)
    settings = {"RAILBIRD_PORT": "0", "RAILBIRD_METRICS_PORT": "0", "RAILBIRD_HOST": "127.0.0.1"}
    async with running(home, "serve", **settings) as process, httpx2.AsyncClient() as client:
        base = (await process.line("Railbird is open on ")).rpartition(" ")[2]
        metrics = (await process.line("Metrics are on ")).rpartition(" ")[2]
        assert metrics.startswith("http://127.0.0.1:") and metrics.endswith("/metrics")
        answer = await client.get(metrics)
        assert answer.status_code == 200 and "railbird_websockets 0\n" in answer.text
        assert (await client.get(metrics.replace("/metrics", "/games/poker"))).status_code == 404
        assert (await client.get(f"{base}metrics")).status_code == 401
        process.terminate()
        assert await process.ended(30) == 0
