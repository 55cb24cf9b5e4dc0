"""A finished turn made ready for a store: redacted, hashed, encoded. It is done beside the turn, not on its path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from capture import transcript
from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn
from capture.envelope import EnvelopeHash, EnvelopeHasher
from capture.record import Call, Decided, FinishedTurn, MissingReason, TurnKey
from capture.redaction import Redactor


@dataclass(frozen=True, slots=True)
class Entry:
    """What a store is given. `clean`: nothing about the turn asks for a look, so it is the first to go where room is short.

    `raw_bytes`: of the four parts as they were, without the bodies of requests and answers.
    """

    key: TurnKey
    record: bytes
    envelopes: Mapping[EnvelopeHash, bytes]
    raw_bytes: int
    clean: bool


@dataclass(frozen=True, slots=True)
class EntryMaker:
    """Makes entries. `hasher`: remembers envelopes, so one is shared by all turns of a process."""

    redactor: Redactor
    hasher: EnvelopeHasher

    def entry(self, turn: FinishedTurn, decided: Decided) -> Entry:
        """The entry of a turn that is a decision."""
        return entry_of(self.captured(turn, decided))

    def captured(self, turn: FinishedTurn, decided: Decided) -> CapturedTurn:
        """The turn as it will be read back."""
        known, sent = turn.knowledge, turn.messages
        return CapturedTurn(
            key=turn.key,
            agent_version_id=turn.agent_version_id,
            at_us=turn.at_us,
            knowledge=known if isinstance(known, MissingReason) else self.redactor.knowledge(known),
            messages=sent if isinstance(sent, MissingReason) else self.redactor.messages(sent),
            calls=tuple(self._call(call) for call in decided.calls),
            deciding=decided.deciding,
            chosen=decided.chosen,
            sent=decided.sent,
            why=decided.why,
            history_gap=turn.history_gap,
            prompt_version=turn.prompt_version,
            temperature=turn.temperature,
            seed=turn.seed,
            max_tokens=turn.max_tokens,
            latency_ms=turn.latency_ms,
        )

    def _call(self, call: Call) -> CapturedCall:
        prompt = call.prompt
        envelope_hash, fingerprint = self.hasher.hash(prompt)
        return CapturedCall(
            call.attempt, call.purpose, call.outcome, call.provider, call.model,
            CapturedPrompt(envelope_hash, prompt.envelope, prompt.remainder, fingerprint),
            call.request_body, call.response_body, call.completion, call.finish_reason,
            call.input_tokens, call.output_tokens, call.cost_usd, call.latency_ms,
        )  # fmt: skip


def entry_of(captured: CapturedTurn) -> Entry:
    """What a store is given of a turn that is redacted and hashed already."""
    return Entry(
        captured.key,
        transcript.encode(captured),
        transcript.envelopes_of(captured),
        _raw_bytes(captured),
        _is_clean(captured),
    )


def _raw_bytes(turn: CapturedTurn) -> int:
    known = 0 if isinstance(turn.knowledge, MissingReason) else len(turn.knowledge)
    sent = 0 if isinstance(turn.messages, MissingReason) else sum(map(len, turn.messages))
    return known + sent + sum(_said(call) for call in turn.calls)


def _said(call: CapturedCall) -> int:
    asked = call.prompt.fingerprint.length_bytes if isinstance(call.prompt, CapturedPrompt) else 0
    return asked + len(call.completion or "")


def _is_clean(turn: CapturedTurn) -> bool:
    return turn.chosen == turn.sent and not turn.history_gap and len(turn.calls) <= 1
