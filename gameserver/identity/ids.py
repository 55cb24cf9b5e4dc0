"""How ids of people and things are written, and the other words of a token: the one place that says so.

A claim is checked against this before it becomes an id, so that an id is one word wherever it goes: a route, a log line, a
file name, a key of a store (where `:` parts the words, so no id of ours has one). An agent and a user may have the same id:
`gameserver.table.commands.player_id` tells them apart.
"""

from __future__ import annotations

import re
from typing import Final, TypeGuard

from policy.ids import AgentId, AgentVersionId, TableId, UserId

THING: Final = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""Agents, their versions, tables: ours to name."""
PERSON: Final = "[A-Za-z0-9_-][A-Za-z0-9._@|+=~-]{0,127}"
"""Users: named by whoever signs them in, so also addresses and `provider|number`."""
MODEL: Final = "[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}"
"""Models: named by whoever runs them, so also `maker/model:size`."""
TOKEN: Final = "[!-~]{1,128}"
"""A token's own name, its `jti`."""

_THING: Final = re.compile(THING)
_PERSON: Final = re.compile(PERSON)


def agent_id(value: object) -> AgentId | None:
    """The value as an agent's id, or None where it is not written like one."""
    return AgentId(value) if _is(value, _THING) else None


def version_id(value: object) -> AgentVersionId | None:
    """The value as an agent version's id, or None."""
    return AgentVersionId(value) if _is(value, _THING) else None


def table_id(value: object) -> TableId | None:
    """The value as a table's id, or None."""
    return TableId(value) if _is(value, _THING) else None


def user_id(value: object) -> UserId | None:
    """The value as a user's id, or None."""
    return UserId(value) if _is(value, _PERSON) else None


def _is(value: object, form: re.Pattern[str]) -> TypeGuard[str]:
    return isinstance(value, str) and form.fullmatch(value) is not None
