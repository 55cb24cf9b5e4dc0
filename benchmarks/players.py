"""The players of `thousand`, as a process of its own: sockets to every table, and moves by the clock.

    python -m benchmarks.players PORT TABLES       then lines on standard input:
    pace SECONDS     from now on a move is due so long after its turn began, half to one and a half times that
    measure          forget what was measured so far
    tell             what was measured, as one line of JSON on standard output
    end

The load is open: a move is due by the clock, however late the server is, and its time is counted from when it was due until the
player who made it has the frame that tells of it. So is the time that it waits because this process is late itself; `late_ms` says
how much that was.

A WebSocket client of the least kind: it trusts the server and parses no more than it needs, so that it takes little of the second core.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.hall import BUY_IN_CHIPS, SEATS, agent_in, table_name
from benchmarks.measure import percentile

_TABLES_AT_ONCE: Final = 4
_TEXT, _CLOSE, _PING, _PONG = 0x1, 0x8, 0x9, 0xA
_HANDSHAKE: Final = (
    "GET /games/poker/{table}/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Load:
    """What the players have in common: the pace, and what was measured."""

    def __init__(self) -> None:
        self.dice = random.Random(11)
        self.every_s = 2.0
        self.forget()

    def forget(self) -> None:
        """Measure from now on."""
        self.answers_s: list[float] = []
        self.lates_s: list[float] = []
        self.messages = 0
        self.refused = 0
        self._cpu_s, self._since = time.process_time(), time.monotonic()

    def told(self) -> dict[str, float]:
        """Times in milliseconds."""
        elapsed_s = time.monotonic() - self._since
        return {
            "moves": len(self.answers_s),
            "moves_per_s": len(self.answers_s) / elapsed_s,
            "messages_per_s": self.messages / elapsed_s,
            "refused": self.refused,
            "cpu": (time.process_time() - self._cpu_s) / elapsed_s,
            **_percentiles_ms("", self.answers_s),
            **_percentiles_ms("late_", self.lates_s),
        }


def _percentiles_ms(name: str, seconds: Sequence[float]) -> dict[str, float]:
    in_order = sorted(seconds) or [0.0]
    shares = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "max": 1.0}
    return {f"{name}{key}_ms": percentile(in_order, share) * 1_000 for key, share in shares.items()}


class Player(asyncio.Protocol):
    """One connection: an agent in its seat, or (`seat` None) somebody who watches."""

    def __init__(self, load: Load, number: int, seat: int | None) -> None:
        self._load, self._number, self._seat = load, number, seat
        self.entered = asyncio.get_running_loop().create_future()
        self._buffer = b""
        self._is_open = False
        self._due_s: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(_HANDSHAKE.format(table=table_name(self._number)).encode())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._is_open:
            _, ended, self._buffer = self._buffer.partition(b"\r\n\r\n")
            self._is_open = bool(ended)
            if not ended:
                return
        self._take_frames()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.entered.done():
            self.entered.set_exception(ConnectionError("the server hung up"))

    # --- what the server says -------------------------------------------------------------------------------------------

    def _take_frames(self) -> None:
        data, at = self._buffer, 0
        while (place := _frame_at(data, at)) is not None:
            begin, end = place
            self._take(data[at] & 0xF, data[begin:end])
            at = end
        self._buffer = data[at:]

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == _TEXT:
            self._load.messages += 1
            self._hear(payload)
        elif kind == _PING:
            self._send(payload, _PONG)
        elif kind == _CLOSE:
            self._transport.close()

    def _hear(self, message: bytes) -> None:
        match message[9 : message.index(b'"', 9)]:
            case b"player_action":
                if self._due_s is not None:
                    self._load.answers_s.append(time.monotonic() - self._due_s)
                    self._due_s = None
            case b"your_turn":
                self._think(json.loads(message))
            case b"hello":
                self._say({"type": "enter"} if self._seat is None else self._entry(self._seat))
            case b"snapshot":
                self._entered(json.loads(message))
            case b"hand_result":
                self._buy_if_broke(json.loads(message))
            case b"error":
                self._load.refused += 1

    def _entry(self, seat: int) -> Mapping[str, str]:
        return {"type": "enter", "agentToken": agent_in(self._number, seat).agent_id}

    def _entered(self, snapshot: Mapping[str, Any]) -> None:
        if not self.entered.done():
            self.entered.set_result(None)
        if "yourTurn" in snapshot:
            self._think(snapshot["yourTurn"])

    def _buy_if_broke(self, result: Mapping[str, Any]) -> None:
        if result["stacks"].get(str(self._seat)) == 0:
            self._say({"type": "rebuy", "amount": BUY_IN_CHIPS})

    # --- moving ---------------------------------------------------------------------------------------------------------

    def _think(self, turn: Mapping[str, Any]) -> None:
        wait_s = self._load.every_s * self._load.dice.uniform(0.5, 1.5)
        move = {"type": "action", "turnId": turn["turnId"], **_move(self._load.dice, turn)}
        asyncio.get_running_loop().call_later(wait_s, self._make, move, time.monotonic() + wait_s)

    def _make(self, move: Mapping[str, Any], due_s: float) -> None:
        self._due_s = due_s
        self._load.lates_s.append(time.monotonic() - due_s)
        self._say(move)

    def _say(self, message: Mapping[str, Any]) -> None:
        self._send(json.dumps(message).encode(), _TEXT)

    def _send(self, payload: bytes, kind: int) -> None:
        """Masked with zeros, which leaves the payload as it is. None of ours is long."""
        assert len(payload) < 1 << 16
        size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2)
        self._transport.write(bytes([0x80 | kind]) + size + b"\0\0\0\0" + payload)


def _frame_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame at `at` begins and ends; None where not all of it is there. A server masks nothing."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1], at + 2
    if size >= 126:
        begin += 2 if size == 126 else 8
        size = int.from_bytes(data[at + 2 : begin])
    return (begin, begin + size) if len(data) >= begin + size and begin <= len(data) else None


def _move(dice: random.Random, turn: Mapping[str, Any]) -> dict[str, Any]:
    """A random legal move, with the weights of `benchmarks.hands.choose`."""
    legal, chips = turn["legalActions"], turn["chipRange"]
    call = legal[1]
    raises = [legal[2]] if chips is not None else []
    action = dice.choice([*raises, call, call, *(["fold"] if turn["toCall"] else [])])
    if action not in raises:
        return {"action": action}
    return {"action": action, "amount": min(chips["max"], chips["min"] + dice.randint(0, 3) * 100)}


# --- the process --------------------------------------------------------------------------------------------------------


async def _enter_all(load: Load, port: int, tables: int) -> None:
    """A few tables at a time, so that each can begin soon after its first one is there."""
    turns = asyncio.Semaphore(_TABLES_AT_ONCE)

    async def enter(number: int, seat: int | None) -> None:
        loop = asyncio.get_running_loop()
        _, player = await loop.create_connection(lambda: Player(load, number, seat), "127.0.0.1", port)
        await player.entered

    async def fill(number: int) -> None:
        async with turns:
            await asyncio.gather(*(enter(number, seat) for seat in (None, *range(SEATS))))

    await asyncio.gather(*map(fill, range(tables)))


async def _obey(load: Load, reader: asyncio.StreamReader) -> None:
    while (words := (await reader.readline()).decode().split()) and words[0] != "end":
        match words:
            case ["pace", seconds]:
                load.every_s = float(seconds)
            case ["measure"]:
                load.forget()
            case ["tell"]:
                _tell(load.told())
            case _:
                raise ValueError(f"what is {words}?")


def _tell(message: Mapping[str, Any]) -> None:
    print(json.dumps(message), flush=True)


async def _main(port: int, tables: int) -> None:
    loop, load = asyncio.get_running_loop(), Load()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await _enter_all(load, port, tables)
    _tell({"entered": tables})
    await _obey(load, reader)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
