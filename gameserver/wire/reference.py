"""The message reference, docs/protocol.md, written from the models. It writes no file: `python -m railbird.documents` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gameserver.errors import ErrorCode
from gameserver.wire import fields
from gameserver.wire.examples import FROM_CLIENT, FROM_SERVER, HELLO, example_text
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_ADVICE, ERROR_MEANINGS
from gameserver.wire.messages import MIN_PROTOCOL, PROTOCOL, Inbound, ServerMessage
from gameserver.wire.schema import CLIENT, SERVER, Schema, components, tag
from gameserver.wire.type_words import listed, type_words

_OPENING: Final = f"""# The protocol, message by message

<!-- Written by `python -m railbird.documents --write` from `gameserver/wire`; change the models, not this page. -->

One WebSocket a table, `/games/poker/{{tableId}}/ws`; text frames, one JSON object each. This is protocol {PROTOCOL}; the oldest
that is spoken is {MIN_PROTOCOL}. The server speaks first (`hello`), the client answers with `enter` or `resume`, and gets a `snapshot`.

- Chips and times are whole numbers, times are milliseconds, seats count from 0.
- A card is two characters, rank then suit: `As`, `Td`, `2c`.
- Names are in camelCase. A field that may be absent says so; where it is there it is not null, unless its type says null.
- A new field may appear in a message of the server at any time: take no notice of fields that you do not know.
- A reply carries the `requestId` of its request, and the same `requestId` twice gets the first answer.

- A message of a type that you do not know may appear too: take no notice of it.

The same for machines: `/asyncapi.json`, and `/schemas/client.<type>.json` and `/schemas/server.<type>.json` for one message each.
In plain text, without the parts: `/llms.txt`. The routes of HTTP: [http.md](http.md).

## Limits of a message from a client

| what | limit |
|---|---|
| a message | {fields.MAX_INBOUND_BYTES} bytes, {fields.MAX_INBOUND_BYTES_BEFORE_ENTER} before `enter` |
| nesting of arrays and objects | {fields.MAX_INBOUND_DEPTH} |
| `text` of `chat` | {fields.MAX_CHAT_CHARACTERS} characters |
| `text` of `agent_thought` and `agent_decision` | {fields.MAX_THOUGHT_CHARACTERS} characters and {fields.MAX_THOUGHT_BYTES} bytes of UTF-8 |
| a note | {fields.MAX_NOTE_CHARACTERS} characters |
| a name | {fields.MAX_NAME_CHARACTERS} characters |
| chips in one message | {fields.MAX_CHIPS} |
| messages | {HELLO.limits.messages_per_second} a second, {HELLO.limits.message_burst} at once; `hello` has this server's own |
| from connecting to `enter` | {HELLO.limits.enter_within_ms} ms |
| what waits unread on your connection | {HELLO.limits.max_queued_bytes} bytes; above that you get a new snapshot, or are closed with 4450 |

Characters count after normalising to NFC; the text itself is taken as it was sent.

## How a message is checked

Frame, encoding, size, JSON, duplicate keys, depth, object, `type`, unknown fields, missing fields, types, values; then: entered,
allowed, seated, turn, legality, amount. The first check that fails answers, with one `error` frame to the sender; nothing has
changed then. Bytes that are not UTF-8 close the connection with 1007, a message above the limit with 1009.
"""


def reference() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    known = components()
    yield _OPENING
    yield "## From a client\n"
    for sent, example in zip(CLIENT, FROM_CLIENT, strict=True):
        yield from _message(tag(sent), known[sent.__name__], example)
    yield "## From the server\n"
    for received, answer in zip(SERVER, FROM_SERVER, strict=True):
        yield from _message(tag(received), known[received.__name__], answer)
    yield "## Parts of messages\n"
    messages = {model.__name__ for model in (*CLIENT, *SERVER)}
    for name in sorted(known.keys() - messages - {ErrorCode.__name__}):
        yield from _part(name, known[name])
    yield from _error_codes()
    yield from _close_codes()


def _message(name: str, schema: Schema, example: Inbound | ServerMessage) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield schema["description"] + "\n"
    rows = {field: kind for field, kind in schema["properties"].items() if field != "type"}
    yield from _fields(rows, schema)
    yield f"    {example_text(example)}\n"


def _part(name: str, schema: Schema) -> Iterator[str]:
    yield f"### {name}\n"
    if "description" in schema:
        yield schema["description"] + "\n"
    if "enum" in schema:
        yield listed(schema["enum"]) + "\n"
    else:
        yield from _fields(schema["properties"], schema)


def _fields(rows: Mapping[str, Schema], schema: Schema) -> Iterator[str]:
    if not rows:
        yield "No fields.\n"
        return
    required = set(schema.get("required", ()))
    yield "| field | type | |"
    yield "|---|---|---|"
    for name, kind in rows.items():
        notes = [kind.get("description", "")]
        if name not in required:
            notes.insert(0, "May be absent" + _default(kind) + ".")
        yield f"| `{name}` | {type_words(kind, _named)} | {' '.join(note for note in notes if note)} |"
    yield ""


def _default(kind: Schema) -> str:
    return f": `{kind['default']}`" if kind.get("default") not in (None, "") else ""


def _named(name: str) -> str:
    title = next((f"`{tag(model)}`" for model in SERVER if model.__name__ == name), name)
    return f"[{title}](#{title.strip('`').lower()})"


def _error_codes() -> Iterator[str]:
    yield "## Error codes\n"
    yield "| `code` | what it says | what to do |"
    yield "|---|---|---|"
    for code in ErrorCode:
        yield f"| `{code}` | {ERROR_MEANINGS[code]} | {ERROR_ADVICE[code]} |"
    yield ""


def _close_codes() -> Iterator[str]:
    yield "## Close codes\n"
    yield "An `error` frame comes first where one can.\n"
    yield "| code | why | come back? |"
    yield "|---|---|---|"
    for code, meaning in sorted(CLOSE_MEANINGS.items()):
        yield f"| {int(code)} | {meaning.what} | {meaning.reconnect} |"
