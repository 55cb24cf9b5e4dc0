"""What is said of one route: who may ask, what it takes, and what it answers, with an example of each."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

Example: TypeAlias = msgspec.Struct | str
"""A body: its type is the schema. A text is a body that is no JSON."""


class Who(enum.Enum):
    """Who may ask; `value` is for people."""

    ANYBODY = "anybody"
    USER = "a signed-in user"
    SERVICE = "who has the service key"
    OPERATOR = "a signed-in operator"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that is no error. `media_type`: of a text; a struct is JSON. `headers`: names with what they say."""

    status: int
    words: str
    example: Example | None = None
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Query:
    """One parameter of the query. `schema`: a JSON Schema."""

    name: str
    words: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Description:
    """One method of one route.

    `body`: an example of what is sent. `refusals`: the codes of problem documents that this route has of its own.
    `parameters`: what the parameters of the path are, beside the usual ones.
    """

    group: str
    summary: str
    who: Who
    answers: tuple[Answer, ...]
    words: str = ""
    body: msgspec.Struct | None = None
    body_required: bool = True
    query: tuple[Query, ...] = ()
    refusals: tuple[str, ...] = ()


Descriptions: TypeAlias = Mapping[str, Description]
"""By method and path, as `GET /games/poker/{tableId}`."""


def as_json(example: Example) -> Any:
    """An example as the JSON that travels; a text as it is."""
    return example if isinstance(example, str) else msgspec.json.decode(msgspec.json.encode(example))
