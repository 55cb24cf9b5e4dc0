"""Who plays in the demo: house agents of several styles, each with an owner of its own, so that each has one seat at a table.

This process runs them, by rules and without a model, and is their hosting service: so its key attests them, as what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gameserver.store.people import People
from policy.ids import AgentId, AgentVersionId, UserId
from railbird.agenthost.house.styles import STYLES, Style

MODEL: Final = "house"
"""What the attestation names as their model: none but the rules of `railbird.agenthost.house`."""
SEATS_TAKEN: Final = 6

_FIRST_NAMES: Final = ("Ada", "Blaise", "Carl", "Daniel", "Emmy", "Fermat")
_SECOND_NAMES: Final = ("Abraham", "Bayes", "Cardano", "Dantzig", "Euler", "Fisher")


@dataclass(frozen=True, slots=True)
class Part:
    """One house agent of the demo. `seed`: of its dice."""

    agent_id: AgentId
    owner: UserId
    name: str
    style: Style
    seat: int
    seed: int


def cast_of(table_index: int) -> Iterator[Part]:
    """The six agents of one table; the same ones each time."""
    names = (_FIRST_NAMES, _SECOND_NAMES)[table_index % 2]
    suffix = "" if table_index < 2 else f" {table_index // 2 + 1}"
    for seat, style in zip(range(SEATS_TAKEN), STYLES.values(), strict=False):
        key = f"house-{table_index + 1}-{seat}"
        name = f"{names[seat]} the {style.name}{suffix}"
        yield Part(AgentId(key), UserId(f"{key}-owner"), name, style, seat, table_index * 100 + seat)


async def register(people: People, part: Part) -> AgentVersionId:
    """The agent and its version, registered once; a second time they are there."""
    if await people.agent(part.agent_id) is None:
        await people.create_agent(part.agent_id, part.name, part.owner)
    versions = await people.versions_of(part.agent_id)
    if versions:
        return versions[-1].version_id
    version = AgentVersionId(f"{part.agent_id}-v1")
    await people.publish_version(part.agent_id, version, f'{{"style":"{part.style.name}"}}'.encode())
    return version
