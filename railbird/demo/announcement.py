"""What the demo says when it is open: addresses for people, and what goes on from an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from policy.ids import TableId


def tell_what_to_open(
    console: Console,
    lobby: str,
    tables: Sequence[tuple[TableId, str]],
    owner_links: Sequence[tuple[str, str]],
    hands: int | None,
) -> None:
    """`tables`: with what they show their watchers. `owner_links`: an agent's name, and the link that signs its owner in once."""
    lines = ["Railbird deals. Open in a browser:", f"  lobby    {lobby}"]
    lines += [f"  table    {lobby}tables/{table_id}  {shows}" for table_id, shows in tables]
    lines += ["To see an agent's cards, be its owner. A link signs you in once; the lobby leads to the agent's table:"]
    lines += [f"  owner    {link}  {name}" for name, link in owner_links]
    lines += ["Ctrl-C stops it; what was dealt is kept." if hands is None else f"It ends after {hands} hands."]
    _tell(console, "\n".join(lines))


def tell_what_goes_on(console: Console, home: Path, hand_numbers: Sequence[int]) -> None:
    """`hand_numbers`: the last one of each table; nothing is said where all tables are new."""
    if any(hand_numbers):
        told = ", ".join(str(number) for number in hand_numbers)
        _tell(console, f"An earlier demo in {home} opened these tables: they go on, after hands {told}.")


def _tell(console: Console, text: str) -> None:
    """As it is: no line is broken, so that an address stays one, and no bracket is a style."""
    console.print(text, highlight=False, soft_wrap=True, markup=False)
