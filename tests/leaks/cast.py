"""Who there is in a world: every kind of viewer, with their credentials. Keys are made once; a signature is the same each time."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gameserver.identity.issue import issue_agent_token, issue_hosted_token, issue_user_token
from gameserver.identity.keys import KeyRing, KeyUse, SigningKey
from policy.ids import AgentId, AgentVersionId, UserId


class Viewer(enum.StrEnum):
    """The rows of the matrix."""

    SEATED_AGENT = "seated agent"
    UNSEATED_AGENT = "agent without a seat"
    LEFT_AGENT = "agent that just left"
    SEATED_USER = "seated user"
    OWNER = "owner"
    OTHER_OWNER = "owner of another"
    FORMER_OWNER = "former owner"
    SPECTATOR = "spectator"
    SIGNED_IN = "signed-in user"
    NOBODY = "nobody"


class Kind(enum.Enum):
    """How somebody proves who they are."""

    AGENT = "agent"
    USER = "user"
    NONE = "none"
    BROKEN = "broken"
    """They show a credential that proves nothing."""


@dataclass(frozen=True, slots=True)
class Who:
    """One of the cast. `name`: the user's or the agent's id. `owner`: of an agent. `agent`: that a user owns at the beginning."""

    name: str
    viewer: Viewer
    kind: Kind
    owner: str = ""
    agent: str = ""
    hosted: bool = True


_KEY: Final = {
    use: SigningKey(use, Ed25519PrivateKey.from_private_bytes(use.value.encode().ljust(32, b"."))) for use in KeyUse
}
RING: Final = KeyRing(key.verifying() for key in _KEY.values())


def version_of(agent: str) -> AgentVersionId:
    """The one version of an agent of the cast."""
    return AgentVersionId(f"v-{agent}")


AGENTS: Final = ("ada", "ben", "cyd", "dot")
"""Agents that sit at the table in the seats from 0; `dot` is the one that leaves."""
PERSON: Final = "pat"
"""The person who sits at a mixed table, in the seat after the agents."""

RECORDED: Final = ("amber", "birch", "cedar", "delta", "ember", "fjord", "gorse", "heath", "indigo", "juniper")
"""Agents that play recorded hands, in the seats from 0."""

EVERYBODY: Final = (
    "ada", "ben", "cyd", "dot", "eve", "owner-ada", "owner-ben", "owner-cyd", "owner-dot", "owner-eve", "pat", "sid",
    "crowd", "noone",
)  # fmt: skip
"""The cast of every other play."""

CAST: Final[Mapping[str, Who]] = {
    who.name: who
    for who in (
        *(Who(name, Viewer.SEATED_AGENT, Kind.AGENT, owner=f"owner-{name}") for name in RECORDED),
        *(Who(f"owner-{name}", Viewer.OWNER, Kind.USER, agent=name) for name in RECORDED),
        *(Who(name, Viewer.SEATED_AGENT, Kind.AGENT, owner=f"owner-{name}") for name in AGENTS[:3]),
        Who("dot", Viewer.LEFT_AGENT, Kind.AGENT, owner="owner-dot"),
        Who("eve", Viewer.UNSEATED_AGENT, Kind.AGENT, owner="owner-eve"),
        *(Who(f"owner-{name}", Viewer.OWNER, Kind.USER, agent=name) for name in AGENTS[:2]),
        Who("owner-cyd", Viewer.FORMER_OWNER, Kind.USER, agent="cyd"),
        Who("owner-dot", Viewer.OWNER, Kind.USER, agent="dot"),
        Who("owner-eve", Viewer.OTHER_OWNER, Kind.USER, agent="eve"),
        Who("out", Viewer.UNSEATED_AGENT, Kind.AGENT, owner="owner-out", hosted=False),
        Who("pat", Viewer.SEATED_USER, Kind.USER),
        Who("sid", Viewer.SIGNED_IN, Kind.USER),
        Who("crowd", Viewer.SPECTATOR, Kind.NONE),
        Who("noone", Viewer.NOBODY, Kind.BROKEN),
    )
}  # fmt: skip
SOLD, BUYER = "cyd", "sid"
"""The agent that its owner sells, and who gets it."""


def agent_token(who: Who, owner: str, now_ms: int) -> str:
    """A token for an agent, attested where the agent is hosted."""
    now_s = now_ms // 1_000
    agent_id, owned_by, version_id = AgentId(who.name), UserId(owner), version_of(who.name)
    if who.hosted:
        return issue_hosted_token(
            _KEY[KeyUse.HOSTING],
            agent_id=agent_id,
            owner=owned_by,
            version_id=version_id,
            model="house",
            token_id=f"h-{who.name}-{now_s}",
            now_s=now_s,
            life_s=600,
        )
    return issue_agent_token(
        _KEY[KeyUse.AGENT],
        agent_id=agent_id,
        owner=owned_by,
        version_id=version_id,
        token_id=f"a-{who.name}-{now_s}",
        now_s=now_s,
        life_s=86_400,
    )


def user_token(name: str, now_ms: int) -> str:
    """A person's token."""
    now_s = now_ms // 1_000
    return issue_user_token(
        _KEY[KeyUse.USER], user_id=UserId(name), token_id=f"u-{name}-{now_s}", now_s=now_s, life_s=86_400
    )
