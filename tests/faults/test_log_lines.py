"""F35: one event stays one log line, and no control byte reaches the log."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest
import structlog

from tests.faults.log import logged
from tests.faults.wire import HandshakeRefused, text_frame
from tests.faults.world import Stage, world

FORGERY: Final = "x\r\nERROR gameserver forged line\x1b[2J\x1b]0;title\x07\u2028\u0085\x9b31m\0"
PRINTABLE: Final = FORGERY.replace("\0", "").replace("\x07", "")


async def test_f35_log_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, chat, paths, user agents and error texts with line breaks, escapes and a log line in them, at every log level."""
    async with world(tmp_path, level="debug") as now:
        stage = await now.stage()
        async with stage.undisturbed():
            await say_it_everywhere(stage)
        before = len(now.log.lines)
        with monkeypatch.context() as broken:
            broken.setattr(now.server.floor, "say", fail)
            peer = await now.entered(stage.table, stage.tokens["C"])
            peer.say("chat", text="x")
            await peer.is_closed()
        fault = now.log.lines[before:]
        assert len(fault) == 1 and "RuntimeError at " in fault[0], "its kind and its place, on one line"
        assert "forged line" not in fault[0], "and no word of it"
        lines = [*now.log.lines, *now.log.events.getvalue().splitlines(keepends=True)]
    for line in lines:
        assert line.removesuffix("\n").isprintable(), line
    assert not [line for line in lines if line.startswith("ERROR gameserver forged")]


def fail(*_: object) -> bool:
    raise RuntimeError(FORGERY)


async def say_it_everywhere(stage: Stage) -> None:
    now, owner = stage.world, stage.owner("A")
    for text in (PRINTABLE, PRINTABLE.replace("\r\n", "\r"), PRINTABLE.replace("\r\n", "\n")):
        await stage.A.ask("chat", text=text)
        await stage.A.ask("ping", echo=text[:60])
        since = len(stage.A.messages)
        stage.A.send(text_frame(json.dumps({"type": text, "turnId": text})))
        await stage.A.sees(lambda m: m["type"] == "error", since=since)
    for body in ({"name": FORGERY}, {FORGERY: 1}, {"name": "Rook", "x": FORGERY}):
        assert (await now.send("POST", "/agents", [owner], json.dumps(body).encode())).status >= 400
    for path in (
        f"/{quote(FORGERY)}",
        f"/games/poker/{quote(FORGERY)}",
        f"/agents/{quote(FORGERY)}",
        f"/signin/{quote(FORGERY)}",
    ):
        assert (await now.get(path, [owner])).status in (401, 404)
        assert (await now.get(path.encode() + b"\x1b[2J\x9b", [owner])).status < 500
    agent = ("User-Agent", "x\x1b[2J\x9b31m\xff ERROR gameserver forged line")
    assert (await now.get("/healthz", [agent])).status in (200, 400)
    try:
        await (await now.connect(stage.table, headers=[("User-Agent", "x\x9b31m\xff")])).leave()
    except HandshakeRefused as refused:
        assert refused.answer.status == 400
    peer = await now.connect(stage.table)
    peer.say("enter", agentToken=FORGERY.replace("\0", ""))
    await peer.is_closed()


def test_f35_both_kinds_of_logger_write_one_line_an_event() -> None:
    """Whatever is given to them: text, arguments, values, names of loggers, tracebacks."""
    with logged("debug") as log:
        logging.getLogger("gameserver.x").warning("said %s", FORGERY)
        logging.getLogger(f"gameserver.{FORGERY}").warning(FORGERY)
        try:
            raise ValueError(FORGERY)
        except ValueError:
            logging.getLogger("gameserver.x").exception("failed")
        structlog.get_logger().error("an_event", text=FORGERY, where={"a": FORGERY})
        events = log.events.getvalue()
    assert len(log.lines) == 3 and all(line.isprintable() for line in log.lines)
    assert events.count("\n") == 1 and events.removesuffix("\n").isprintable()
