"""A turn that any agent program tells of while it decides: what it knew, what it asked, what it chose and what it sent.

What it does not tell is missing from the record, and the record says so. `capture.library` opens turns.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import msgspec

from capture.record import (
    Call,
    CallOutcome,
    Decided,
    FellBack,
    FinishedTurn,
    MissingReason,
    Move,
    Outcome,
    Prompt,
    Purpose,
    TurnKey,
)
from capture.redaction import NOT_ENCODED, json_text
from policy.ids import AgentVersionId


class TurnSettings(msgspec.Struct, frozen=True):
    """What a turn was decided with."""

    agent_version_id: AgentVersionId | None = None
    prompt_version: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    history_gap: bool = False


AS_THEY_ARE: Final = TurnSettings()
"""Of a turn that tells nothing of them."""


class Turn:
    """A turn that is being decided."""

    def __init__(self, key: TurnKey, began_us: int) -> None:
        self.key = key
        self._began_us = began_us
        self._knowledge: object = MissingReason.BEFORE_CAPTURE
        self._calls: list[Call] = []
        self._deciding = 0
        self._chosen: Move | None = None
        self._moved: Move | None = None
        self._why: str | None = None
        self._messages: list[bytes] | None = None

    def knew(self, knowledge: object) -> None:
        """What the agent knows now: anything that msgspec encodes. A later change of it does not change the record."""
        try:
            self._knowledge = msgspec.Raw(json_text(knowledge))
        except NOT_ENCODED:
            self._knowledge = MissingReason.REDACTED

    def called(
        self,
        *,
        provider: str,
        model: str,
        envelope: str | bytes,
        remainder: str | bytes,
        completion: str | None,
        outcome: CallOutcome = CallOutcome.ANSWERED,
        purpose: Purpose = Purpose.DECISION,
        request_body: bytes = b"",
        response_body: bytes = b"",
        finish_reason: str | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost_usd: Decimal | None = None,
        latency_ms: int = 0,
    ) -> None:
        """A model was called. `envelope`: the part of the prompt that repeats from turn to turn; `remainder`: the rest.

        The last call before `chose` is the one that decided.
        """
        prompt = Prompt(_utf8(envelope), _utf8(remainder))
        self._calls.append(
            Call(
                len(self._calls), purpose, outcome, provider, model, prompt, request_body, response_body, completion,
                finish_reason, input_tokens, output_tokens, cost_usd, latency_ms,
            )
        )  # fmt: skip

    def chose(self, action: str, amount: int | None = None) -> None:
        """What the reply was understood as."""
        self._chosen = Move(action, amount)
        self._deciding = max(0, len(self._calls) - 1)

    def sent(self, message: object, action: str, amount: int | None = None, why: str | None = None) -> None:
        """What really left: a message (JSON bytes, or anything that msgspec encodes) and the action in it.

        `why`: why that is another action than the chosen one.
        """
        self.said(message)
        self._moved, self._why = Move(action, amount), why

    def said(self, message: object) -> None:
        """Another message that left within the turn; one that is no JSON has a mark in the record."""
        self._messages = [*(self._messages or ()), message if isinstance(message, bytes) else _json_or_nothing(message)]

    def finished(self, at_us: int, settings: TurnSettings, error: BaseException | None) -> FinishedTurn:
        """The turn as the hooks get it. What was not told as sent was sent as chosen."""
        return FinishedTurn(
            key=self.key,
            agent_version_id=settings.agent_version_id,
            at_us=at_us,
            knowledge=self._knowledge,
            messages=MissingReason.BEFORE_CAPTURE if self._messages is None else tuple(self._messages),
            prompt_version=settings.prompt_version,
            temperature=settings.temperature,
            seed=settings.seed,
            max_tokens=settings.max_tokens,
            history_gap=settings.history_gap,
            latency_ms=(at_us - self._began_us) // 1000,
            outcome=self._outcome(error),
        )

    def _outcome(self, error: BaseException | None) -> Outcome:
        calls = tuple(self._calls)
        if error is not None or self._chosen is None:
            return FellBack(calls, self._moved, type(error).__name__ if error else "nothing_chosen")
        return Decided(calls, self._deciding, self._chosen, self._moved or self._chosen, self._why)


def _json_or_nothing(message: object) -> bytes:
    try:
        return json_text(message)
    except NOT_ENCODED:
        return b""


def _utf8(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
