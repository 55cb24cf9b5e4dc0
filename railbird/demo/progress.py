"""How far a demo with a number of hands is: a bar on a terminal, plain lines where the output is piped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from policy.ids import TableId

_LINE_EVERY_HANDS: Final = 10


class Told(Protocol):
    def __call__(self, table_id: TableId, finished: int) -> None: ...


@contextmanager
def shown(console: Console, *, wanted: int | None) -> Iterator[Told]:
    """What is to be called after each hand of a table."""
    if wanted is None:
        yield lambda table_id, finished: None
    elif not console.is_terminal:
        yield lambda table_id, finished: _line(console, table_id, finished, wanted)
    else:
        with _bars(console) as bars:
            rows = _Rows(bars, wanted)
            yield rows.told


class _Rows:
    """One bar a table, made when its first hand is over."""

    def __init__(self, bars: Progress, wanted: int) -> None:
        self._bars = bars
        self._wanted = wanted
        self._rows: dict[TableId, TaskID] = {}

    def told(self, table_id: TableId, finished: int) -> None:
        if table_id not in self._rows:
            self._rows[table_id] = self._bars.add_task(str(table_id), total=self._wanted)
        self._bars.update(self._rows[table_id], completed=min(finished, self._wanted))


def _bars(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def _line(console: Console, table_id: TableId, finished: int, wanted: int) -> None:
    if finished <= wanted and (finished % _LINE_EVERY_HANDS == 0 or finished == wanted):
        console.print(f"table {table_id}: {finished} of {wanted} hands", highlight=False)
