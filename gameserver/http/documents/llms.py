"""`/llms.txt`: the whole protocol in plain text, for a language model that is to write or to be a player."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from starlette.routing import BaseRoute

from gameserver.errors import ErrorCode
from gameserver.http.documents.description import Descriptions
from gameserver.http.documents.found import found_routes
from gameserver.wire import fields
from gameserver.wire.examples import FROM_CLIENT, FROM_SERVER, HELLO, example_text
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_ADVICE, ERROR_MEANINGS
from gameserver.wire.messages import MIN_PROTOCOL, PROTOCOL, Inbound, ServerMessage
from gameserver.wire.schema import CLIENT, SERVER, Schema, components, tag
from gameserver.wire.type_words import type_words

MEDIA_TYPE: Final = "text/plain"
_PARTS_WITHOUT_A_PLACE: Final = frozenset({ErrorCode.__name__})

_OPENING: Final = f"""# Railbird

> A poker table server: no-limit Texas hold'em for programs and people. This is the whole protocol, version {PROTOCOL} (oldest spoken:
> {MIN_PROTOCOL}), written from the models of the server. For machines: /asyncapi.json, /openapi.json, /schemas/index.json.

## In short

1. Get an agent's token from the server's owner (`railbird token agent NAME --owner USER`) and a table from `GET /games/poker`.
2. Open a WebSocket to /games/poker/{{tableId}}/ws. Text frames, one JSON object each. The server speaks first: `hello`.
3. Send `enter` with the token. You get a `snapshot`: everything that you may know.
4. Without a seat, `sit` on a free one: `seat` from 0 to `rules.maxSeats` - 1 that is not among `state.seats`, `buyIn` from
   `rules.minBuyIn` to `rules.maxBuyIn`.
5. At each `your_turn`, and at a `snapshot` with `yourTurn`, send one `action` with its `turnId` before `turnEndsAt`.
6. When the line breaks, connect again and `resume`. When the stack is empty (`no_chips`), `rebuy`.

## Rules of the wire

- Chips and times are whole numbers; times are milliseconds, and those that name a moment count from 1970 by the server's clock.
- Seats count from 0. A card is two characters, rank then suit: As, Td, 2c.
- From a client, unknown fields, wrong types, null, and fractions are refused. From the server, take no notice of types and fields
  that you do not know.
- A field with ? may be absent; it is not null then.
- `requestId` is yours to choose; the reply (`ack`, `error` or `pong`) carries it. The same one twice gets the first answer.
- `amount` of an action is the total bet on this street after it ("raise to"), not what is added. `bet` and `raise` need one, inside
  `chipRange`; `fold`, `check`, `call` and `all_in` take none. `fold` is legal at any turn.
- One `action` for one `turnId`. A refusal changes nothing, and the clock of the turn runs on. Too late: the table checks, or folds.
- After a lost reply the same `action` with the same `turnId` may be sent again: it counts once.

## Coming back

- Frames of your stream are numbered: `seq` counts without gaps within an `epoch`. Keep `session`, `epoch` (from `snapshot` or
  `resumed`) and the last `seq`.
- A frame whose `seq` is not above your last one was here before: drop it. A gap: connect again.
- `resume` with them, and the token again: `resumed` and the missed frames, or `resync` and a new `snapshot`, or `resume_refused`
  (closed with 4440: connect again and `enter`).
- A frame that was missed may hold a `your_turn` that is over: an action for it is refused with `stale_turn`; go on.
- Wait between attempts: 0.25 s, doubled each time up to 10 s, less a random part.
- A newer connection of the same agent replaces the older one, which is closed with 4409: that one does not come back.

## Limits

- A message: {fields.MAX_INBOUND_BYTES} bytes, {fields.MAX_INBOUND_BYTES_BEFORE_ENTER} before `enter`; nesting {fields.MAX_INBOUND_DEPTH} deep.
- {HELLO.limits.messages_per_second} messages a second, {HELLO.limits.message_burst} at once. `enter` within {HELLO.limits.enter_within_ms} ms.
- `chat` {fields.MAX_CHAT_CHARACTERS} characters; a thought {fields.MAX_THOUGHT_CHARACTERS} characters and {fields.MAX_THOUGHT_BYTES} bytes; a name {fields.MAX_NAME_CHARACTERS} characters; chips up to {fields.MAX_CHIPS}.
- Unread frames: {HELLO.limits.max_queued_bytes} bytes; above that you are given a new snapshot, or are closed with 4450.
- `hello` tells the limits of this server.
"""


def llms(routes: Iterable[BaseRoute], descriptions: Descriptions) -> str:
    """The whole text, as Markdown."""
    return "\n".join((_OPENING, *_messages(), *_parts(), *_codes(), *_over_http(routes, descriptions))) + "\n"


def _messages() -> Iterator[str]:
    yield "## What a client says\n"
    for sent in FROM_CLIENT:
        yield from _message(sent)
    yield "## What the server says\n"
    for told in FROM_SERVER:
        yield from _message(told)


def _message(example: Inbound | ServerMessage) -> Iterator[str]:
    schema = components()[type(example).__name__]
    yield f"### {tag(type(example))}\n"
    yield " ".join(schema["description"].split())
    kinds = {name: kind for name, kind in schema["properties"].items() if name != "type"}
    yield f"Fields: {_fields(kinds, schema)}" if kinds else "No fields."
    yield f"Example: {example_text(example)}\n"


def _parts() -> Iterator[str]:
    yield "## Parts of messages\n"
    messages = {model.__name__ for model in (*CLIENT, *SERVER)}
    for name, schema in sorted(components().items()):
        if name not in messages and name not in _PARTS_WITHOUT_A_PLACE:
            yield f"- {name}: {_part(schema)}"
    yield ""


def _part(schema: Schema) -> str:
    return type_words(schema, str) if "enum" in schema else _fields(schema["properties"], schema)


def _fields(kinds: Schema, schema: Schema) -> str:
    required = set(schema.get("required", ()))
    return "; ".join(
        f"{name}{'' if name in required else '?'}: {type_words(kind, _named)}" for name, kind in kinds.items()
    )


def _named(name: str) -> str:
    return next((tag(model) for model in SERVER if model.__name__ == name), name)


def _codes() -> Iterator[str]:
    yield "## Codes of `error`\n"
    yield from (f"- {code}: {ERROR_MEANINGS[code]} {ERROR_ADVICE[code]}" for code in ErrorCode)
    yield "\n## Codes of a close\n"
    yield "An `error` comes first where one can.\n"
    yield from (
        f"- {int(code)}: {meaning.what} Come back? {meaning.reconnect}."
        for code, meaning in sorted(CLOSE_MEANINGS.items())
    )


def _over_http(routes: Iterable[BaseRoute], descriptions: Descriptions) -> Iterator[str]:
    yield "\n## Over HTTP\n"
    yield "Errors are problem documents (RFC 9457) with a stable `code`. /openapi.json has the bodies.\n"
    yield "A user proves who they are by `Authorization: Bearer TOKEN`. To play, an agent's token and the WebSocket are enough.\n"
    for route in found_routes(routes):
        said = descriptions.get(route.key)
        if said is not None:
            yield f"- {route.key} ({said.who.value}): {said.summary}"
