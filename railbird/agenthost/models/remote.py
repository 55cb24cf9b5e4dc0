"""A model behind a network: asks, asks again where that may help and time allows, and is back by the deadline whatever happens.

Every try is a call of its own in the reply. What a provider does raises nothing here; how it is spoken to is a `Speech`'s
matter, and what an outcome is `verdict`'s.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Protocol

import httpx2

from capture.record import Call, CallOutcome
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.models.complaints import Complaints
from railbird.agenthost.models.endpoint import Endpoint
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.offer import Offer, first_offer, poorer
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.models.tape import Tape, Unreadable, record_on
from railbird.agenthost.models.verdict import Again, Failure, Verdict, judge

_LOG: Final = logging.getLogger(__name__)
_MARGIN_S: Final = 0.02
_AFTER_THE_END_S: Final = 0.5
"""How long a report of usage is waited for when the answer itself is whole."""
_CONNECT_S: Final = 5.0
_MOST_CALLS: Final = 6
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 4.0
WITHHELD: Final = b"<an answer that repeated the key>"
"""Stands in the record for the bytes of such an answer."""
_NONSENSE: Final = (ValueError, TypeError, LookupError, RecursionError, Unreadable)


class Events(Protocol):
    """The events of an answer, as plain JSON."""

    def __aiter__(self) -> Any: ...


class Speech(Protocol):
    """One way to speak with an endpoint. `errors`: what its SDK raises."""

    errors: tuple[type[Exception], ...]

    def body(self, request: ModelRequest, offer: Offer) -> dict[str, object]: ...

    async def open(self, body: Mapping[str, object], limits: httpx2.Timeout) -> AbstractAsyncContextManager[Events]: ...

    def take(self, heard: Heard, event: object) -> None: ...

    def take_whole(self, heard: Heard, answer: object) -> None: ...


@dataclass(slots=True)
class _Try:
    """The call that is under way."""

    began_s: float
    tape: Tape = field(default_factory=Tape)
    heard: Heard = field(default_factory=Heard)
    error: BaseException | None = None


@dataclass(slots=True)
class _Course:
    """One question's calls so far, and the one under way."""

    request: ModelRequest
    deadline: float
    calls: list[Call] = field(default_factory=list)
    trying: _Try | None = None


class RemoteModel:
    """One endpoint's model. `rng`: spreads tries in time. `least_call_s`: with less time than this no further try begins."""

    def __init__(self, endpoint: Endpoint, speech: Speech, rng: random.Random, *, least_call_s: float = 0.5) -> None:
        self._endpoint = endpoint
        self._speech = speech
        self._rng = rng
        self._least_call_s = least_call_s
        self._broken: tuple[type[Exception], ...] = (*speech.errors, httpx2.HTTPError, OSError)
        self._offer = first_offer(endpoint.structured)
        self._complaints = Complaints(f"{self.provider} ({self.name})", _now_s)
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def provider(self) -> str:
        return self._endpoint.provider_name

    @property
    def name(self) -> str:
        return self._endpoint.model

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        """See `port.Model`. The work is a task of its own: not even a clean-up that hangs keeps this past the deadline."""
        left_s = deadline - _MARGIN_S - _now_s()
        if left_s <= 0:
            return Reply((), not_asked=Fallback.NO_TIME)
        course = _Course(request, deadline - _MARGIN_S)
        work = asyncio.get_running_loop().create_task(self._work(course))
        try:
            await asyncio.wait({work}, timeout=left_s)
        finally:
            self._leave(work)
        if (trying := course.trying) is not None:
            self._close(course, trying, _unfinished(trying, work))
        return Reply(tuple(course.calls))

    def _leave(self, work: asyncio.Task[None]) -> None:
        if not work.done():
            work.cancel()
        self._leaving.add(work)
        work.add_done_callback(self._left)

    def _left(self, work: asyncio.Task[None]) -> None:
        self._leaving.discard(work)
        if not work.cancelled() and (error := work.exception()) is not None:
            # Its words may hold what a provider said, and with it anything.
            _LOG.error("asking %s failed in an unforeseen way: %s", self.provider, type(error).__name__)

    # --- tries ----------------------------------------------------------------------------------------------------------

    async def _work(self, course: _Course) -> None:
        offer = self._offer
        while True:
            verdict = await self._try(course, offer)
            refusal = course.calls[-1].response_body
            less = self._less(verdict, offer, course.request, refusal)
            wait_s = 0.0 if less is not None else self._pause_s(verdict, len(course.calls))
            if wait_s is None or not self._has_time(course, wait_s):
                break
            offer = less or offer
            await asyncio.sleep(wait_s)
        if verdict.outcome in (CallOutcome.ANSWERED, CallOutcome.CUT_SHORT):
            self._offer = offer  # what was given up was given up rightly

    def _less(self, verdict: Verdict, offer: Offer, request: ModelRequest, refusal: bytes) -> Offer | None:
        match verdict.again:
            case Again.LESS | Again.LESS_IF_NAMED:
                return poorer(
                    offer,
                    offer.of(request),
                    refusal,
                    structured=self._endpoint.structured,
                    must_name=verdict.again is Again.LESS_IF_NAMED,
                )
            case Again.NO | Again.LATER:
                return None

    def _pause_s(self, verdict: Verdict, tries: int) -> float | None:
        """How long to wait before the next try; `None`: there is none."""
        passing = verdict.again is Again.LATER or (
            verdict.again is Again.LESS_IF_NAMED and verdict.outcome is CallOutcome.UNREACHABLE
        )
        if not passing:
            return None
        own_s = min(_FIRST_PAUSE_S * 2.0 ** (tries - 1), _LONGEST_PAUSE_S) * self._rng.uniform(0.5, 1.5)
        if verdict.wait_s is None:
            return own_s
        return max(verdict.wait_s + own_s * 0.1, own_s if tries > 1 else 0.0)

    def _has_time(self, course: _Course, wait_s: float) -> bool:
        return len(course.calls) < _MOST_CALLS and _now_s() + wait_s + self._least_call_s <= course.deadline

    async def _try(self, course: _Course, offer: Offer) -> Verdict:
        trying = course.trying = _Try(_now_s())
        record_on(trying.tape)
        failure = await self._listen(trying, self._speech.body(course.request, offer), course.deadline)
        verdict = judge(trying.tape, trying.heard, failure)
        self._close(course, trying, verdict.outcome)
        return verdict

    async def _listen(self, trying: _Try, body: Mapping[str, object], deadline: float) -> Failure | None:
        heard = trying.heard
        limits = httpx2.Timeout(None, connect=min(_CONNECT_S, (deadline - _now_s()) / 2))
        try:
            async with asyncio.timeout(None) as patience, await self._speech.open(body, limits) as events:
                async for event in events:
                    self._speech.take(heard, event)
                    if heard.finish_reason is not None and patience.when() is None:
                        patience.reschedule(_now_s() + _AFTER_THE_END_S)
            self._take_whole(trying)
        except TimeoutError:
            return None
        except self._broken as error:
            trying.error = error
            heard.fault = getattr(error, "body", None)
            return Failure.TOLD if heard.fault is not None and not trying.tape.broken else Failure.LINE
        except _NONSENSE:
            return Failure.NONSENSE
        return Failure.TOLD if heard.fault is not None else None

    def _take_whole(self, trying: _Try) -> None:
        """A stream was asked for, and something else came: an answer in one piece, an error, a page."""
        if trying.heard.events or not trying.tape.response_body.lstrip().startswith(b"{"):
            return
        answer = json.loads(bytes(trying.tape.response_body))
        trying.heard.fault = answer.get("error")
        self._speech.take_whole(trying.heard, answer)

    # --- the record -----------------------------------------------------------------------------------------------------

    def _close(self, course: _Course, trying: _Try, outcome: CallOutcome) -> None:
        course.trying = None
        if course.calls or not trying.tape.hung_up:
            self._complaints.hear(outcome, trying.tape.status, trying.error)
        tape, heard, request = trying.tape, trying.heard, course.request
        course.calls.append(
            Call(
                attempt=len(course.calls),
                purpose=request.purpose,
                outcome=outcome,
                provider=self.provider,
                model=self.name,
                prompt=request.prompt,
                request_body=self._without_key(tape.request_body),
                response_body=self._response_body(tape, heard),
                completion=self._text_without_key(heard.completion),
                finish_reason=self._text_without_key(heard.finish_reason),
                input_tokens=heard.input_tokens,
                output_tokens=heard.output_tokens,
                cost_usd=self._cost_usd(tape, heard),
                latency_ms=round((_now_s() - trying.began_s) * 1000),
            )
        )

    def _cost_usd(self, tape: Tape, heard: Heard) -> Decimal | None:
        """By tokens; nothing for what was refused; unknown where the provider did not say."""
        price = self._endpoint.known_price
        if price is None:
            return None
        if tape.status is not None and tape.status >= 300:
            return Decimal(0)
        if heard.input_tokens is None or heard.output_tokens is None:
            return None
        return price.cost_usd(heard.input_tokens, heard.output_tokens)

    def _response_body(self, tape: Tape, heard: Heard) -> bytes:
        """As it came. An answer that says the key says it in pieces, over many events, so nothing of that one is kept."""
        key = self._endpoint.key
        said = "".join((heard.completion or "", heard.reasoning)).encode("utf-8", "surrogatepass")
        return WITHHELD if key is not None and key.is_in(said) else self._without_key(bytes(tape.response_body))

    def _without_key(self, data: bytes) -> bytes:
        key = self._endpoint.key
        return data if key is None else key.taken_from(data)

    def _text_without_key(self, text: str | None) -> str | None:
        if text is None:
            return None
        return self._without_key(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _unfinished(trying: _Try, work: asyncio.Task[None]) -> CallOutcome:
    """How a call ended that nobody ended: by an error that was not foreseen, out of time, or whole all the same."""
    if work.done():
        return CallOutcome.GARBLED
    if trying.heard.finish_reason is not None:
        return judge(trying.tape, trying.heard, None).outcome
    return CallOutcome.TIMED_OUT


def _now_s() -> float:
    return asyncio.get_running_loop().time()
