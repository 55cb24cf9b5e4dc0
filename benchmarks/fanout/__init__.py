"""Fan-out: one table, an update of a real frame every 20 ms, to all who watch. Our server beside peers and the kernel's floor.

The server runs on one core and the receivers, a program in C, on another; what counts is the server's CPU for each message that
arrived, since rates depend on what else the machine does. All of a run is measured within a few minutes: compare within it.
It needs two cores and a C compiler. Peers that are not there are named as such; RAILBIRD_BENCH_NODE: a folder with Node's `ws`.

    fanout    1,000 sockets; 3,000 with readers among them that do not read; 1,000 event streams; memory a connection
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.fanout.cells import Cell, Cost, NotHere, Rig
from benchmarks.fanout.ours import SSE_PATH, WS_PATH, new_table
from benchmarks.measure import Figure

_SLOW_READERS = 30


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; each cell is measured for `seconds`."""
    size = new_table()[0].frame_bytes()
    title = f"Fan-out: an update of {size:,} bytes every 20 ms"
    try:
        with Rig(seconds, size) as rig:
            return title, _figures(rig)
    except NotHere as missing:
        return title, [Figure("all of it", None, "", f"not measured: {missing}")]


def _figures(rig: Rig) -> list[Figure]:
    ours, floor, streams = _ours(1_000), _floor(1_000), _ours_sse(1_000)
    many, floor_of_many, streams_of_many = _ours(3_000, slow=_SLOW_READERS), _floor(3_000), _ours_sse(3_000)
    on_uvloop, sse_starlette, peers = _ours(1_000, loop="uvloop"), _peer_sse(1_000), _peers(1_000)
    costs = rig.measure_all(
        [floor, ours, on_uvloop, *peers, streams, sse_starlette, floor_of_many, many, streams_of_many]
    )
    return [
        _cpu("railbird, 1,000 sockets", costs[ours], costs[floor], limit=1.4),
        _cpu("C send() floor", costs[floor], None),
        _cpu("railbird on uvloop", costs[on_uvloop], costs[floor]),
        *[_cpu(cell.name, costs[cell], costs[floor]) for cell in peers],
        _rate(f"railbird, 3,000 sockets, {_SLOW_READERS} of them slow", costs[many], costs[floor_of_many], limit=0.75),
        _rate("C send() floor, 3,000", costs[floor_of_many], None),
        _cpu("railbird, 1,000 event streams", costs[streams], costs[floor], limit=None, unit="µs/event"),
        _cpu("sse-starlette by itself", costs[sse_starlette], costs[floor], unit="µs/event"),
        _memory("railbird, a socket", costs[ours], costs[many]),
        _memory("railbird, an event stream", costs[streams], costs[streams_of_many]),
    ]


def _ours(count: int, *, slow: int = 0, loop: str = "asyncio") -> Cell:
    return Cell("railbird", "python:benchmarks.fanout.ours", count, "railbird", WS_PATH, slow=slow, extra=(loop,))


def _ours_sse(count: int) -> Cell:
    return Cell("railbird", "python:benchmarks.fanout.ours", count, "sse", SSE_PATH, extra=("asyncio",))


def _floor(count: int) -> Cell:
    return Cell("C send() floor", "c:floor", count, "ws", "/ws")


def _peers(count: int) -> list[Cell]:
    python = [
        Cell(name, f"python:benchmarks.fanout.peers:{kind}", count, "ws", "/ws")
        for kind, name in (
            ("picows", "picows"),
            ("websockets", "websockets, broadcast()"),
            ("starlette", "Starlette, its own loop"),
        )
    ]
    return [Cell("Node ws", "node:node_ws.mjs", count, "ws", "/"), *python]


def _peer_sse(count: int) -> Cell:
    return Cell("sse-starlette by itself", "python:benchmarks.fanout.peers:sse-starlette", count, "sse", "/sse")


def _cpu(
    name: str, cost: Cost | NotHere, floor: Cost | NotHere | None, *, limit: float | None = None, unit: str = "µs/msg"
) -> Figure:
    if isinstance(cost, NotHere):
        return Figure(name, None, unit, str(cost), higher=False)
    note = f"p50 {cost.p50_ms:.1f} ms, p99 {cost.p99_ms:.1f} ms, {cost.messages_per_s:,.0f} msgs/s"
    if isinstance(floor, Cost):
        note += f"; {cost.cpu_us / floor.cpu_us:.2f}x the floor" + (f" (goal {limit})" if limit else "")
    return Figure(name, cost.cpu_us, unit, note, higher=False)


def _rate(name: str, cost: Cost | NotHere, floor: Cost | NotHere | None, *, limit: float | None = None) -> Figure:
    if isinstance(cost, NotHere):
        return Figure(name, None, "msgs/s", str(cost))
    note = f"p99 {cost.p99_ms:.1f} ms, {cost.cpu_us:.1f} µs/msg"
    if isinstance(floor, Cost):
        note += f"; {cost.messages_per_s / floor.messages_per_s:.2f} of the floor's rate (goal {limit})"
    return Figure(name, cost.messages_per_s, "msgs/s", note)


def _memory(name: str, few: Cost | NotHere, many: Cost | NotHere) -> Figure:
    if isinstance(few, NotHere) or isinstance(many, NotHere):
        return Figure(name, None, "KB", "not measured", higher=False)
    grown_kb = (many.rss_mb - few.rss_mb) * 1e3 / (many.count - few.count)
    return Figure(
        name, grown_kb, "KB", f"{few.rss_mb:.0f} MB with 1,000, {many.rss_mb:.0f} MB with 3,000 (goal 25)", higher=False
    )
