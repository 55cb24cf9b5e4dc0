"""The shared scripts of misbehaving upstreams, played by our provider."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.agenthost.models.provider import Asked, Script, Wire

PLAYED: Final = frozenset({"chunked", "content_length", "close"})
"""Framings that HTTP/1.1 has."""


def cases(folder: Path) -> Iterator[dict[str, Any]]:
    """The scripts that a client can meet by itself: one exchange over HTTP/1.1, in which it stays to the end."""
    for file in sorted(folder.glob("w*.json")):
        case: dict[str, Any] = json.loads(file.read_text("utf-8"))
        exchange = case["exchanges"][0]
        alone = len(case["exchanges"]) == 1 and "client_leaves" not in exchange and "read" in exchange["expect"]
        usual = case.get("store", "up") == "up" and "config" not in case and not case.get("slow")
        if alone and usual and exchange["upstream"] and exchange["upstream"]["framing"] in PLAYED:
            yield case


def played(upstream: dict[str, Any], most_delay_s: float = 0.01) -> Script:
    """The upstream of a script; its delays are cut short."""

    async def script(asked: Asked, wire: Wire) -> None:
        await _head(upstream, wire)
        writes = upstream["writes"]
        for index, write in enumerate(writes):
            await asyncio.sleep(min(write.get("delay_ms", 0) / 1000, most_delay_s))
            data = bytes_of(write)
            if upstream["end"] == "cut_in_chunk" and index == len(writes) - 1:
                await wire.raw(f"{len(data) + upstream['declared_extra']:x}\r\n".encode() + data)
            else:
                await wire.send(data)
        await _end(upstream, wire)

    return script


async def _head(upstream: dict[str, Any], wire: Wire) -> None:
    wire.chunked = upstream["framing"] == "chunked"
    lines = [f"HTTP/1.1 {upstream['status']} Said", *(f"{name}: {value}" for name, value in upstream["headers"])]
    if wire.chunked:
        lines.append("Transfer-Encoding: chunked")
    await wire.raw("\r\n".join([*lines, "", ""]).encode())


async def _end(upstream: dict[str, Any], wire: Wire) -> None:
    if upstream["end"] == "reset":
        wire.reset()
    if upstream["end"] != "clean" or upstream["framing"] == "close":
        wire.cut()
    await wire.end()


def bytes_of(write: dict[str, Any]) -> bytes:
    """One write's bytes."""
    if "b64" in write:
        return base64.b64decode(write["b64"])
    if "repeat" in write:
        unit = write["repeat"]
        return f"{unit['prefix']}{unit['unit'] * unit['times']}{unit['suffix']}".encode()
    return str(write["text"]).encode()
