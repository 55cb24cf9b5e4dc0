"""Reads `ws.json`: what to put on the wire, what may come back, and which cases the decoder alone can answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent

STAND_INS: Final[Mapping[str, str]] = {
    "TURN": "t-3",
    "OLD_TURN": "t-2",
    "OTHER_TURN": "t-4",
    "OTHER_SEAT": "4",
    "OTHER_USER": "bob",
    "OTHER_AGENT": "bobs-agent",
    "TABLE": "table-1",
    "AGENT_TOKEN": "eyJh.eyJz.c2ln",
    "OTHER_AGENT_TOKEN": "eyJh.eyJv.c2ln",
    "USER_TOKEN": "eyJh.eyJ1.c2ln",
    "OWN_SESSION": "own-session",
    "OTHER_SESSION": "other-session",
    "MIN": "40",
    "MIN_MINUS_1": "39",
    "MAX_PLUS_1": "1001",
}
"""Values of the placeholders for tests without a live table."""


@dataclass(frozen=True, slots=True)
class HostileMessage:
    """One case of the file. `expect` and the rest as README.md has them; `within_ms`: None where the file names no time."""

    id: str
    when: str
    send: Mapping[str, Any]
    expect: Mapping[str, Any]
    why: str
    also_allowed: Mapping[str, Any] | None
    then: str
    within_ms: int | None

    @property
    def may_be_taken(self) -> bool:
        """Whether an answer other than a refusal is right too."""
        answers = (self.expect, *self.expect.get("any_of", ()))
        return not self.codes or any("reply" in answer for answer in answers)

    @property
    def codes(self) -> frozenset[str]:
        """The error codes of which one is right."""
        found: list[str] = []
        for answer in (self.expect, *self.expect.get("any_of", ())):
            error = answer.get("error", [])
            found += [error] if isinstance(error, str) else error
        return frozenset(found)


def hostile_messages() -> Sequence[HostileMessage]:
    """All cases, in the order of the file."""
    cases = json.loads((FOLDER / "ws.json").read_text(encoding="utf-8"))["messages"]
    return [
        HostileMessage(
            case["id"],
            case["when"],
            case["send"],
            case["expect"],
            case["why"],
            case.get("also_allowed"),
            case.get("then", ""),
            case.get("within_ms"),
        )
        for case in cases
    ]


def filled(text: str, values: Mapping[str, str] = STAND_INS) -> str:
    """The text with its placeholders filled in."""
    for name, value in values.items():
        text = text.replace("${" + name + "}", value)
    return text


def payload(send: Mapping[str, Any], values: Mapping[str, str] = STAND_INS) -> tuple[bytes, bool] | None:
    """One message's bytes once its frames are put together, and whether it is binary; None for what is no whole message."""
    if "text" in send:
        return filled(send["text"], values).encode("utf-8"), False
    if "repeat" in send:
        return filled(repeated(send["repeat"]), values).encode("utf-8"), False
    if "pad_to" in send:
        return padded(**send["pad_to"]).encode("utf-8"), False
    if "fragments" in send:
        return fragments_joined(send["fragments"]).encode("utf-8"), False
    if "times" in send and "message" in send["times"]:
        return send["times"]["message"].encode("utf-8"), False
    return _sound_frames(send.get("frames", ()))


def repeated(send: Mapping[str, Any]) -> str:
    times = send["times"]
    return str(
        send.get("prefix", "")
        + send["unit"] * times
        + send.get("middle", "")
        + send.get("close", "") * times
        + send.get("suffix", "")
    )


def padded(*, bytes: int, message: str, **_: str) -> str:
    return message[:-1] + " " * (bytes - len(message)) + message[-1]


def fragments_joined(send: Mapping[str, Any]) -> str:
    spaces = send.get("space_continuations", {"count": 0, "bytes": 0})
    return str(send["first"] + " " * spaces["count"] * spaces["bytes"] + send["last"])


def _sound_frames(frames: Sequence[Mapping[str, Any]]) -> tuple[bytes, bool] | None:
    data = [frame for frame in frames if frame["opcode"] in ("text", "binary", "continuation")]
    opcodes = [frame["opcode"] for frame in data]
    well_formed = data and opcodes[0] != "continuation" and set(opcodes[1:]) <= {"continuation"}
    if not well_formed or any(f["rsv"] or not f["masked"] for f in frames) or not data[-1]["fin"]:
        return None
    return b"".join(_body(frame) for frame in data), opcodes[0] == "binary"


def _body(frame: Mapping[str, Any]) -> bytes:
    return frame["text"].encode("utf-8") if "text" in frame else bytes.fromhex(frame["hex"])
