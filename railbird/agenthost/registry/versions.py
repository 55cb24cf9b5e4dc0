"""What is in a published version: how an agent is to play. Its bytes are its maker's own, and never change
(test_what_was_written_once_is_not_changed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from policy.ids import AgentVersionId
from railbird.agenthost.models.platform import HOUSE


class UnreadableVersion(ValueError):
    """These bytes were not published as a version; what is in them is not repeated."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version. `model`: a name of the host's catalogue; the house model where none is named. `None` leaves a parameter to the model's provider."""

    version_id: AgentVersionId
    strategy: str = ""
    skills: tuple[str, ...] = ()
    model: str = HOUSE
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


class _Content(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """As `POST /agents/{agentId}/versions` took it. A field of a later release is passed over."""

    strategy: str = ""
    skills: tuple[str, ...] = ()
    model: str = HOUSE
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


_DECODER: Final = msgspec.json.Decoder(_Content)


def read_version(version_id: AgentVersionId, content: bytes) -> Version:
    """A version from its bytes. Raises UnreadableVersion."""
    try:
        found = _DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UnreadableVersion("this version cannot be read") from None
    return Version(version_id, **{name: getattr(found, name) for name in found.__struct_fields__})


def version_bytes(version: Version) -> bytes:
    """A version as it is published; what is not said is left out."""
    content: dict[str, object] = {"strategy": version.strategy, "skills": list(version.skills), "model": version.model}
    optional = {"temperature": version.temperature, "seed": version.seed, "maxTokens": version.max_tokens}
    return msgspec.json.encode({**content, **{name: value for name, value in optional.items() if value is not None}})
