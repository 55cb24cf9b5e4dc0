"""The matrix: each kind of viewer by each way out. A cell is filled by comparison, or there is no such way, and that is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.leaks.cast import CAST, Viewer
from tests.leaks.twins import Cell, Tally
from tests.leaks.world import TABLE, Way, World

_TABLE_PATH: Final = f"/games/poker/{TABLE}"
AGENTS: Final = (Viewer.SEATED_AGENT, Viewer.UNSEATED_AGENT, Viewer.LEFT_AGENT)

TO_ASK: Final[Mapping[Way, Sequence[str]]] = {
    Way.SSE_LIVE: (f"{_TABLE_PATH}/stream", f"{_TABLE_PATH}/owner-stream"),
    Way.SSE_RESUME: (f"{_TABLE_PATH}/stream?lastEventId=1", f"{_TABLE_PATH}/owner-stream?lastEventId=1"),
    Way.REST: ("/games/poker", _TABLE_PATH, "/bankroll", "/agents"),
    Way.HISTORY: (f"{_TABLE_PATH}/hands", f"{_TABLE_PATH}/hands/1"),
    Way.PHH: (f"{_TABLE_PATH}/hands/1.phh",),
    Way.OHH: (f"{_TABLE_PATH}/hands/1.ohh.json",),
    Way.EXPORTS: (f"/agents/ada/hands/{TABLE}/1", "/agents/ada/hands", "/agents/ada/hands.jsonl"),
}


@dataclass(frozen=True, slots=True)
class NoWay:
    """Why a cell cannot be, and what who tries is answered."""

    why: str
    status: int


_NO_AGENT: Final = NoWay("an agent's token is no user's credential: agents learn by their socket alone", 401)
_NO_PROOF: Final = NoWay("a credential that proves nothing gets less than none", 401)
_NO_EXPORT: Final = NoWay("who is not signed in owns no agent, and has nobody's turns", 401)


def no_ways() -> dict[Cell, NoWay]:
    """Every cell that cannot be."""
    sockets = (Way.WS_FIRST, Way.WS_LIVE, Way.WS_RESUME)
    cells: dict[Cell, NoWay] = {(viewer, way): _NO_AGENT for viewer in AGENTS for way in TO_ASK}
    cells |= {(Viewer.NOBODY, way): _NO_PROOF for way in (*sockets, *TO_ASK)}
    return {**cells, (Viewer.SPECTATOR, Way.EXPORTS): _NO_EXPORT}


NO_WAY: Final = no_ways()


def refusals(world: World, cell: Cell) -> Iterator[tuple[str, int]]:
    """What each of the viewer's tries comes to: what was asked for, and the status of the answer."""
    viewer, way = cell
    name = next(name for name, who in CAST.items() if who.viewer is viewer)
    if way not in TO_ASK:
        socket = world.new_socket(name)
        yield way, next(int(code) for code in (b"401", b"403") if any(code in end for end in socket.ends))
        return
    for path in TO_ASK[way]:
        yield path, world.ask(name, path).status


def empty_cells(tally: Tally) -> list[Cell]:
    """Cells that can be and were not compared, or in which there was nothing to compare."""
    cells = [(viewer, way) for viewer in Viewer for way in Way]
    return [cell for cell in cells if cell not in NO_WAY and not _is_filled(cell, tally)]


def _is_filled(cell: Cell, tally: Tally) -> bool:
    # A log without a line is what a log should be: the pairs of worlds are what was compared.
    return bool(tally.worlds.get(cell) if cell[1] is Way.LOGS else tally.sizes.get(cell))


def table(tally: Tally) -> str:
    """The matrix for people: pairs of worlds, pieces and kilobytes of each cell; `-` where there is no such way."""
    rows = [["", *Way], *([viewer, *(_cell(tally, (viewer, way)) for way in Way)] for viewer in Viewer)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)


def _cell(tally: Tally, cell: Cell) -> str:
    if cell in NO_WAY:
        return "-"
    if not _is_filled(cell, tally):
        return "EMPTY"
    return f"{tally.worlds[cell]}w {tally.frames[cell]}f {tally.sizes[cell] / 1_000:.0f}k"


def footnotes() -> list[str]:
    """Why there are cells without a way."""
    reasons: dict[str, list[str]] = {}
    for (viewer, way), no_way in NO_WAY.items():
        reasons.setdefault(f"{no_way.why} ({no_way.status})", []).append(f"{viewer}: {way}")
    return [f"- {why}: {len(cells)} cells" for why, cells in reasons.items()]
