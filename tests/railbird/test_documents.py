"""What lies in docs/ lags behind nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from railbird import documents
from tests.conftest import ROOT


async def test_the_documents_do_not_lag() -> None:
    """docs/ is what models and routes say: `python -m railbird.documents --write` brings it up to date."""
    written = documents.written(await documents.routes_of_a_server())
    assert documents.lagging(written, ROOT / documents.FOLDER) == []


async def test_the_command_checks_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 where one lags or is not there, and 2 for other words."""

    async def run(*words: str) -> int:
        return await asyncio.to_thread(documents.main, words, tmp_path)

    assert await run("--check") == 1
    assert await run("--write") == 0
    assert await run("--check") == 0
    page = tmp_path / "http.md"
    page.write_text(page.read_text(encoding="utf-8") + "x", encoding="utf-8")
    capsys.readouterr()
    assert await run("--check") == 1
    assert capsys.readouterr().err.startswith(str(page))
    assert await run() == await run("--write", "--check") == 2
