"""The layout of a stored turn: how each field of a captured turn lies in MessagePack, and how it is read from there.

A field is added at the end, with a default, and none is taken away: records outlive the version that wrote them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar

import msgspec

from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn
from capture.envelope import EnvelopeHash, Fingerprint
from capture.record import CallOutcome, MissingReason, Move, Purpose, TurnKey
from policy.ids import ActionIndex, AgentId, AgentVersionId, HandNumber, TableId

EnvelopeOf: TypeAlias = Callable[[EnvelopeHash], bytes | None]
"""Where envelopes are found; `None`: it is gone."""

Text: TypeAlias = bytes
"""A text that may hold anything: UTF-8 in which a lone surrogate has the three bytes that its number would have."""

AS_IT_IS: Final = 0
"""A request body that is kept whole."""
UTF8: Final = 1
"""The body without the prompt, which stands in it as a JSON text with others' letters as they are."""
ASCII: Final = 2
"""The same, with others' letters escaped."""

_SURROGATES: Final = "surrogatepass"
_PROBE_BYTES: Final = 64
_MOST_ENVELOPES: Final = 64


class StoredPrompt(msgspec.Struct, array_like=True):
    """A prompt without its envelope."""

    envelope_hash: bytes
    remainder: bytes
    sha256: bytes
    length_bytes: int


class StoredBody(msgspec.Struct, array_like=True):
    """A request body. `form`: AS_IT_IS (all of it is in `head`), UTF8 or ASCII."""

    form: int
    head: bytes
    tail: bytes


class StoredCall(msgspec.Struct, array_like=True):
    """One call. `missing`: by the field's name the reason why it is None."""

    attempt: int
    purpose: str
    outcome: str
    provider: Text
    model: Text
    prompt: StoredPrompt | None
    request_body: StoredBody | None
    response_body: bytes
    completion: Text | None
    finish_reason: Text | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None
    latency_ms: int
    missing: dict[str, str]


class StoredTurn(msgspec.Struct, array_like=True):
    """One turn. `missing`: by the field's name the reason why it is None."""

    agent_id: Text
    table_id: Text
    hand_number: int
    action_index: int
    agent_version_id: Text | None
    at_us: int
    knowledge: bytes | None
    messages: list[bytes] | None
    calls: list[StoredCall]
    deciding: int
    chosen: tuple[Text, int | None]
    sent: tuple[Text, int | None]
    why: Text | None
    history_gap: bool
    prompt_version: Text | None
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    latency_ms: int
    missing: dict[str, str]


def lay_out(turn: CapturedTurn) -> tuple[object, ...]:
    """The fields in the order of StoredTurn."""
    key, chosen, sent = turn.key, turn.chosen, turn.sent
    return (
        _bytes(key.agent_id), _bytes(key.table_id), key.hand_number, key.action_index,
        _bytes_or_none(turn.agent_version_id), turn.at_us, _there(turn.knowledge), _there(turn.messages),
        [_call(call) for call in turn.calls], turn.deciding,
        (_bytes(chosen.action), chosen.amount), (_bytes(sent.action), sent.amount), _bytes_or_none(turn.why),
        turn.history_gap, _bytes_or_none(turn.prompt_version), turn.temperature, turn.seed, turn.max_tokens,
        turn.latency_ms, _reasons(knowledge=turn.knowledge, messages=turn.messages),
    )  # fmt: skip


def read(stored: StoredTurn, envelope_of: EnvelopeOf) -> CapturedTurn:
    """The turn. Raises ValueError, ArithmeticError or IndexError for values that no turn has."""
    calls = tuple(_read_call(call, envelope_of) for call in stored.calls)
    if calls and not 0 <= stored.deciding < len(calls):
        raise IndexError("no call decided")
    return CapturedTurn(
        key=TurnKey(
            AgentId(_text(stored.agent_id)),
            TableId(_text(stored.table_id)),
            HandNumber(stored.hand_number),
            ActionIndex(stored.action_index),
        ),
        agent_version_id=None if stored.agent_version_id is None else AgentVersionId(_text(stored.agent_version_id)),
        at_us=stored.at_us,
        knowledge=_reason(stored.missing, "knowledge") if stored.knowledge is None else stored.knowledge,
        messages=_reason(stored.missing, "messages") if stored.messages is None else tuple(stored.messages),
        calls=calls,
        deciding=stored.deciding,
        chosen=_move(stored.chosen),
        sent=_move(stored.sent),
        why=_text_or_none(stored.why),
        history_gap=stored.history_gap,
        prompt_version=_text_or_none(stored.prompt_version),
        temperature=stored.temperature,
        seed=stored.seed,
        max_tokens=stored.max_tokens,
        latency_ms=stored.latency_ms,
    )


def _call(call: CapturedCall) -> tuple[object, ...]:
    return (
        call.attempt, call.purpose.value, call.outcome.value, _bytes(call.provider), _bytes(call.model),
        _prompt(call.prompt), _body(call.request_body, call.prompt), call.response_body,
        _bytes_or_none(call.completion), _bytes_or_none(call.finish_reason), call.input_tokens, call.output_tokens,
        None if call.cost_usd is None else str(call.cost_usd), call.latency_ms,
        _reasons(prompt=call.prompt, request_body=call.request_body),
    )  # fmt: skip


def _prompt(prompt: CapturedPrompt | MissingReason) -> object:
    if isinstance(prompt, MissingReason):
        return None
    return (prompt.envelope_hash, prompt.remainder, prompt.fingerprint.sha256, prompt.fingerprint.length_bytes)


def _body(body: bytes | MissingReason, prompt: CapturedPrompt | MissingReason) -> object:
    if isinstance(body, MissingReason):
        return None
    if isinstance(prompt, CapturedPrompt) and (without := _without_prompt(body, prompt)):
        return without
    return (AS_IT_IS, body, b"")


def _without_prompt(body: bytes, prompt: CapturedPrompt) -> tuple[int, bytes, bytes] | None:
    """What stands around the prompt in the body; None where the prompt does not stand in it."""
    for form in (UTF8, ASCII):
        begin, rest = _escaped(prompt, form)
        if begin and (at := _find(body, begin, rest)) >= 0:
            return (form, body[:at], body[at + len(begin) + len(rest) :])
        if _is_one_way(prompt.envelope) and _is_one_way(prompt.remainder):
            return None
    return None


def _is_one_way(part: bytes) -> bool:
    """Whether both forms write it alike."""
    return part.isascii() and b"\x7f" not in part


def _escaped(prompt: CapturedPrompt, form: int) -> tuple[bytes, bytes]:
    """The prompt's two parts as they stand within a JSON text; nothing where one is no UTF-8."""
    begin, rest = _escaped_envelope(prompt.envelope, form), _escaped_part(prompt.remainder, form)
    if begin is None or rest is None:
        return b"", b""
    return begin, b"\\n" + rest if prompt.remainder else b""


def _escaped_part(part: bytes, form: int) -> bytes | None:
    try:
        text = part.decode()
    except UnicodeDecodeError:
        return None
    return msgspec.json.encode(text)[1:-1] if form == UTF8 else json.dumps(text)[1:-1].encode()


_escaped_envelope = functools.lru_cache(maxsize=_MOST_ENVELOPES)(_escaped_part)


def _find(body: bytes, begin: bytes, rest: bytes) -> int:
    """Where `begin` and `rest` stand; looks for a short beginning first, which is quicker than to look for a long text."""
    probe, at = begin[:_PROBE_BYTES], -1
    while (at := body.find(probe, at + 1)) >= 0:
        if body.startswith(begin, at) and body.startswith(rest, at + len(begin)):
            return at
    return -1


def _read_call(stored: StoredCall, envelope_of: EnvelopeOf) -> CapturedCall:
    prompt = _read_prompt(stored, envelope_of)
    return CapturedCall(
        attempt=stored.attempt,
        purpose=Purpose(stored.purpose),
        outcome=CallOutcome(stored.outcome),
        provider=_text(stored.provider),
        model=_text(stored.model),
        prompt=prompt,
        request_body=_read_body(stored, prompt),
        response_body=stored.response_body,
        completion=_text_or_none(stored.completion),
        finish_reason=_text_or_none(stored.finish_reason),
        input_tokens=stored.input_tokens,
        output_tokens=stored.output_tokens,
        cost_usd=None if stored.cost_usd is None else Decimal(stored.cost_usd),
        latency_ms=stored.latency_ms,
    )


def _read_prompt(call: StoredCall, envelope_of: EnvelopeOf) -> CapturedPrompt | MissingReason:
    if (stored := call.prompt) is None:
        return _reason(call.missing, "prompt")
    name = EnvelopeHash(stored.envelope_hash)
    if (envelope := envelope_of(name)) is None:
        return MissingReason.EXPIRED
    return CapturedPrompt(name, envelope, stored.remainder, Fingerprint(stored.sha256, stored.length_bytes))


def _read_body(call: StoredCall, prompt: CapturedPrompt | MissingReason) -> bytes | MissingReason:
    if (stored := call.request_body) is None:
        return _reason(call.missing, "request_body")
    if stored.form == AS_IT_IS:
        return stored.head
    if isinstance(prompt, MissingReason):
        return prompt
    return b"".join((stored.head, *_escaped(prompt, stored.form), stored.tail))


def _move(stored: tuple[Text, int | None]) -> Move:
    return Move(_text(stored[0]), stored[1])


_T = TypeVar("_T")


def _there(part: _T | MissingReason) -> _T | None:
    return None if isinstance(part, MissingReason) else part


def _reasons(**parts: object) -> dict[str, str]:
    return {name: part.value for name, part in parts.items() if isinstance(part, MissingReason)}


def _reason(missing: dict[str, str], field: str) -> MissingReason:
    return MissingReason(missing.get(field))


def _bytes(text: str) -> Text:
    return text.encode("utf-8", _SURROGATES)


def _bytes_or_none(text: str | None) -> Text | None:
    return None if text is None else text.encode("utf-8", _SURROGATES)


def _text(stored: Text) -> str:
    return stored.decode("utf-8", _SURROGATES)


def _text_or_none(stored: Text | None) -> str | None:
    return None if stored is None else stored.decode("utf-8", _SURROGATES)
