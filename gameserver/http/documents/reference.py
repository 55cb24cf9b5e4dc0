"""The page docs/http.md: every route in a few lines, from the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from gameserver.http.documents.description import Answer, Description, Descriptions, as_json
from gameserver.http.documents.found import FoundRoute

_OPENING: Final = """# The routes, one by one

<!-- Written by `python -m railbird.documents --write` from the routes and what is said of them in
`gameserver/http/documents`; change these, not this page. -->

Tables are played over WebSockets: [protocol.md](protocol.md). The same for machines, with every type: `/openapi.json`.

- Errors are problem documents (RFC 9457): `{"type", "title", "status", "code", "detail"}`; `code` is stable. What is not yours and
  what is not there are the same `not_found`.
- A user proves who they are by `Authorization: Bearer TOKEN`, or by the site's session, whose changes need the site's own origin and
  `x-csrf-token` too.
- Whatever is private is answered with `Cache-Control: no-store`.
"""


def http_reference(routes: Iterable[FoundRoute], descriptions: Descriptions) -> str:
    """The whole page, as Markdown. Routes that nothing is said of are left out."""
    return "\n".join(_lines([(route, descriptions[route.key]) for route in routes if route.key in descriptions]))


def _lines(described: list[tuple[FoundRoute, Description]]) -> Iterator[str]:
    yield _OPENING
    for group in dict.fromkeys(said.group for _, said in described):
        yield f"## {group.capitalize()}\n"
        for route, said in described:
            if said.group == group:
                yield from _route(route, said)


def _route(route: FoundRoute, said: Description) -> Iterator[str]:
    yield f"### `{route.key}`\n"
    yield f"{said.summary} For {said.who.value}."
    if said.words:
        yield f"\n{said.words}"
    yield ""
    yield from (f"- `?{query.name}=`: {query.words}" for query in said.query)
    if said.body is not None:
        yield f"- Body: `{json.dumps(as_json(said.body), ensure_ascii=False)}`"
    yield from map(_answer, said.answers)
    if said.refusals:
        yield "- Refusals of its own: " + ", ".join(f"`{code}`" for code in said.refusals)
    yield ""


def _answer(answer: Answer) -> str:
    if answer.example is None:
        return f"- {answer.status}: {answer.words}"
    if isinstance(answer.example, str):
        return f"- {answer.status}: {answer.words} (`{answer.media_type}`)"
    shown = json.dumps(as_json(answer.example), ensure_ascii=False)
    return f"- {answer.status}: {answer.words} `{_short(shown)}`"


def _short(text: str, most: int = 320) -> str:
    """A long example is cut; the OpenAPI document has it whole."""
    return text if len(text) <= most else text[:most] + "..."
