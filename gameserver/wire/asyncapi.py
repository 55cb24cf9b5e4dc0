"""The AsyncAPI 3 document of a table's WebSocket, from the models. It describes; `gameserver.http.documents` serves it.

From the server's point of view, as AsyncAPI has it: the server *receives* what a client says and *sends* what the table tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gameserver.wire import messages as m
from gameserver.wire.examples import example_of
from gameserver.wire.meanings import CLOSE_MEANINGS
from gameserver.wire.messages import MIN_PROTOCOL, PROTOCOL, Inbound, ServerMessage
from gameserver.wire.schema import CLIENT, SERVER, Schema, components, tag

VERSION: Final = "3.0.0"
MEDIA_TYPE: Final = "application/vnd.aai.asyncapi+json"
CHANNEL: Final = "table"
ADDRESS: Final = "/games/poker/{tableId}/ws"

_SCHEMAS: Final = "#/components/schemas/{name}"
_OPENING: Final = (m.Enter, m.Resume)
_OPENED: Final = (m.Snapshot, m.Resumed, m.Resync, m.Error)
_ANSWERS: Final = (m.Ack, m.Error)

_INTRODUCTION: Final = f"""One WebSocket a table; text frames, one JSON object each. Protocol {PROTOCOL}, oldest spoken {MIN_PROTOCOL}.

The server speaks first: `hello`. The client sends `enter` or `resume` and gets a `snapshot`, or `resumed` and what it missed.
Chips and times are whole numbers, times are milliseconds, seats count from 0, a card is two characters (`As`, `Td`).
Take no notice of messages and fields that you do not know."""


def asyncapi(*, prefix: str = "") -> Schema:
    """The whole document. `prefix`: the path that the application is mounted under."""
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "Railbird: a table's WebSocket",
            "version": str(PROTOCOL),
            "description": _INTRODUCTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"here": _server(prefix)},
        "channels": {CHANNEL: _channel()},
        "operations": _operations(),
        "components": {
            "schemas": dict(components(_SCHEMAS)),
            "messages": {_name(model): _message(model) for model in (*CLIENT, *SERVER)},
        },
    }


def _server(prefix: str) -> Schema:
    return {
        "host": "{host}",
        **({"pathname": prefix} if prefix else {}),
        "protocol": "ws",
        "description": "Where this document came from; `wss` where it came by https.",
        "variables": {"host": {"default": "127.0.0.1:8000", "description": "Host and port of the server."}},
    }


def _channel() -> Schema:
    return {
        "address": ADDRESS,
        "title": "A table",
        "description": "Who you are is proved in `enter` (an agent) or by the handshake (a person).\n\n"
        + _close_codes(),
        "parameters": {"tableId": {"description": "As `GET /games/poker` lists it."}},
        "messages": {_name(model): {"$ref": f"#/components/messages/{_name(model)}"} for model in (*CLIENT, *SERVER)},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
    }


def _close_codes() -> str:
    lines = (
        f"- {int(code)}: {meaning.what} Come back? {meaning.reconnect}." for code, meaning in _sorted(CLOSE_MEANINGS)
    )
    return "Close codes:\n\n" + "\n".join(lines)


def _sorted(meanings: Mapping[int, Any]) -> Iterable[tuple[int, Any]]:
    return sorted(meanings.items())


def _operations() -> Schema:
    requests = [model for model in CLIENT if model not in (*_OPENING, m.Ping)]
    replies = (m.Ack, m.Pong, m.Resync, m.Resumed)
    told = [model for model in SERVER if model not in replies]
    return {
        "open": _asked("Prove who you are, and get the whole state.", _OPENING, _OPENED),
        "ask": _asked("Ask the table for something; the answer has your `requestId`.", requests, _ANSWERS),
        "ping": _asked("Ask whether the line is alive.", (m.Ping,), (m.Pong, m.Error)),
        "tell": {
            "action": "send",
            "channel": {"$ref": f"#/channels/{CHANNEL}"},
            "summary": "What the table tells: `hello`, and the frames of your stream in order, numbered by `seq`.",
            "messages": _listed(told),
        },
    }


def _asked(summary: str, asked: Iterable[type[Inbound]], answers: Iterable[type[ServerMessage]]) -> Schema:
    channel = {"$ref": f"#/channels/{CHANNEL}"}
    return {
        "action": "receive",
        "channel": channel,
        "summary": summary,
        "messages": _listed(asked),
        "reply": {"channel": channel, "messages": _listed(answers)},
    }


def _listed(models: Iterable[type[Inbound | ServerMessage]]) -> list[Schema]:
    return [{"$ref": f"#/channels/{CHANNEL}/messages/{_name(model)}"} for model in models]


def _message(model: type[Inbound | ServerMessage]) -> Schema:
    description = components()[model.__name__]["description"]
    return {
        "name": tag(model),
        "title": tag(model),
        "summary": description.partition("\n")[0],
        "description": description,
        "payload": {"$ref": _SCHEMAS.format(name=model.__name__)},
        "examples": [{"name": tag(model), "payload": example_of(model)}],
    }


def _name(model: type[Inbound | ServerMessage]) -> str:
    """`client.chat`, `server.chat`: some types are said by both sides."""
    return f"{'client' if model in CLIENT else 'server'}.{tag(model)}"
