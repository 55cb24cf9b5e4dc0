"""The pages and documents of the protocol that lie in docs/: written from the models and the routes, and checked against them.

`python -m railbird.documents --write` writes them, `--check` says which lag (exit code 1). Run it in the project's root.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from starlette.routing import BaseRoute

from gameserver.http.documents.found import found_routes
from gameserver.http.documents.llms import llms
from gameserver.http.documents.openapi import openapi
from gameserver.http.documents.reference import http_reference
from gameserver.identity.keys import KeyRing
from gameserver.wire.asyncapi import asyncapi
from gameserver.wire.reference import reference
from railbird.app import Setup, opened
from railbird.wiring.descriptions import DESCRIPTIONS

FOLDER: Final = Path("docs")
"""Below the project's root."""


def written(routes: Sequence[BaseRoute]) -> Mapping[str, str]:
    """Every document by its name in the folder."""
    return {
        "protocol.md": reference(),
        "http.md": http_reference(found_routes(routes), DESCRIPTIONS),
        "llms.txt": llms(routes, DESCRIPTIONS),
        "openapi.json": _readable(openapi(routes, DESCRIPTIONS)),
        "asyncapi.json": _readable(asyncapi()),
    }


async def routes_of_a_server() -> Sequence[BaseRoute]:
    """The routes of a server with an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Setup(f"sqlite:///{folder}/railbird.sqlite", KeyRing(()))) as server:
            return server.app.routes


def lagging(documents: Mapping[str, str], folder: Path) -> list[str]:
    """Names of those that lag or are not there."""
    return [name for name, text in documents.items() if _present(folder / name) != text]


def _present(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _readable(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str], folder: Path = FOLDER) -> int:
    """Exit code 0 where all is up to date or was written, 1 where something lags, 2 for other arguments."""
    if list(arguments) not in (["--check"], ["--write"]):
        print("python -m railbird.documents --check|--write, in the project's root", file=sys.stderr)
        return 2
    documents = written(asyncio.run(routes_of_a_server()))
    if list(arguments) == ["--write"]:
        for name, text in documents.items():
            (folder / name).write_text(text, encoding="utf-8")
        return 0
    behind = lagging(documents, folder)
    for name in behind:
        print(f"{folder / name} lags: python -m railbird.documents --write", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
