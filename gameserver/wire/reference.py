"""The message reference, docs/protocol.md, written from the models.

`python -m gameserver.wire.reference --write` writes it, `--check` says whether it lags (exit code 1).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gameserver.errors import ErrorCode
from gameserver.wire import fields
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_MEANINGS
from gameserver.wire.messages import MIN_PROTOCOL, PROTOCOL
from gameserver.wire.schema import CLIENT, SERVER, Schema, components, tag

PAGE: Final = Path("docs/protocol.md")
"""Below the project's root."""

_OPENING: Final = f"""# The protocol, message by message

<!-- Written by `python -m gameserver.wire.reference --write` from `gameserver/wire`; change the models, not this page. -->

One WebSocket a table, `/games/poker/{{tableId}}/ws`; text frames, one JSON object each. This is protocol {PROTOCOL}; the oldest
that is spoken is {MIN_PROTOCOL}. The server speaks first (`hello`), the client answers with `enter` or `resume`, and gets a `snapshot`.

- Chips and times are whole numbers, times are milliseconds, seats count from 0.
- A card is two characters, rank then suit: `As`, `Td`, `2c`.
- Names are in camelCase. A field that may be absent says so; where it is there it is not null, unless its type says null.
- A new field may appear in a message of the server at any time: take no notice of fields that you do not know.
- A reply carries the `requestId` of its request, and the same `requestId` twice gets the first answer.

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

Characters count after normalising to NFC; the text itself is taken as it was sent.

## How a message is checked

Frame, encoding, size, JSON, duplicate keys, depth, object, `type`, unknown fields, missing fields, types, values; then: entered,
allowed, seated, turn, legality, amount. The first check that fails answers, with one `error` frame to the sender; nothing has
changed then. Bytes that are not UTF-8 close the connection with 1007, a message above the limit with 1009.
A JSON Schema of each message: `/schemas/client.<type>.json` and `/schemas/server.<type>.json`.
"""


def reference() -> str:
    """The whole page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    known = components()
    yield _OPENING
    yield "## From a client\n"
    for sent in CLIENT:
        yield from _message(tag(sent), known[sent.__name__], known)
    yield "## From the server\n"
    for received in SERVER:
        yield from _message(tag(received), known[received.__name__], known)
    yield "## Parts of messages\n"
    messages = {model.__name__ for model in (*CLIENT, *SERVER)}
    for name in sorted(known.keys() - messages - {ErrorCode.__name__}):
        yield from _part(name, known[name], known)
    yield from _error_codes()
    yield from _close_codes()


def _message(name: str, schema: Schema, known: Mapping[str, Schema]) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield schema["description"] + "\n"
    rows = {field: kind for field, kind in schema["properties"].items() if field != "type"}
    yield from _fields(rows, schema, known)


def _part(name: str, schema: Schema, known: Mapping[str, Schema]) -> Iterator[str]:
    yield f"### {name}\n"
    if "description" in schema:
        yield schema["description"] + "\n"
    if "enum" in schema:
        yield _words(schema["enum"]) + "\n"
    else:
        yield from _fields(schema["properties"], schema, known)


def _fields(rows: Mapping[str, Schema], schema: Schema, known: Mapping[str, Schema]) -> Iterator[str]:
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
        yield f"| `{name}` | {_type(kind, known)} | {' '.join(note for note in notes if note)} |"
    yield ""


def _default(kind: Schema) -> str:
    return f": `{kind['default']}`" if kind.get("default") not in (None, "") else ""


def _type(kind: Schema, known: Mapping[str, Schema]) -> str:
    match kind:
        case {"$ref": str() as target}:
            return _named(target.rpartition("/")[2], known)
        case {"anyOf": kinds}:
            return " or ".join(_type(one, known) for one in kinds)
        case {"enum": words}:
            return _words(words)
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"whole number, {least} to {most}"
        case {"type": "integer"}:
            return "whole number"
        case {"type": "array", "items": items}:
            return f"list of {_type(items, known)}"
        case {"type": "object", "additionalProperties": values}:
            return f"object of {_type(values, known)}"
        case {"type": "string", "maxLength": most}:
            return f"text, at most {most} characters"
        case {"type": "string"}:
            return "text"
        case {"type": str() as name}:
            return name
        case _:
            raise AssertionError("a type that the reference cannot name")


def _named(name: str, known: Mapping[str, Schema]) -> str:
    title = next((f"`{tag(model)}`" for model in SERVER if model.__name__ == name), name)
    return f"[{title}](#{title.strip('`').lower()})"


def _words(words: Sequence[Any]) -> str:
    return " ".join(f"`{str(word).lower() if isinstance(word, bool) else word}`" for word in words)


def _error_codes() -> Iterator[str]:
    yield "## Error codes\n"
    yield "| `code` | what it says |"
    yield "|---|---|"
    for code in ErrorCode:
        yield f"| `{code}` | {ERROR_MEANINGS[code]} |"
    yield ""


def _close_codes() -> Iterator[str]:
    yield "## Close codes\n"
    yield "An `error` frame comes first where one can.\n"
    yield "| code | why | come back? |"
    yield "|---|---|---|"
    for code, meaning in sorted(CLOSE_MEANINGS.items()):
        yield f"| {int(code)} | {meaning.what} | {meaning.reconnect} |"


def main(arguments: Sequence[str], page: Path = PAGE) -> int:
    """Exit code 0 where the page is up to date or was written, 1 where it lags, 2 for other arguments."""
    match arguments:
        case ["--write"]:
            page.write_text(reference(), encoding="utf-8")
            return 0
        case ["--check"]:
            if page.is_file() and page.read_text(encoding="utf-8") == reference():
                return 0
            sys.stderr.write(f"{page} lags behind the models: python -m gameserver.wire.reference --write\n")
            return 1
        case _:
            sys.stderr.write("python -m gameserver.wire.reference --check|--write, in the project's root\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
