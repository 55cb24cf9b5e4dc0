"""What a turn came to in figures and few words: its move, its model, tokens, cost and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, TypeAlias

from markupsafe import Markup

from capture.captured import CapturedCall, CapturedTurn
from capture.ledger.charge import Charge
from capture.reads.document import money
from capture.record import Move
from railbird.pages.exact_text import word

Facts: TypeAlias = tuple[tuple[str, Markup], ...]
"""By name, in the order in which they are shown."""

_US_A_S: Final = 1_000_000
_VERBS: Final = {"raise": "raise to", "all_in": "all in"}


def when(at_us: int) -> str:
    """A time for people, in UTC."""
    return datetime.fromtimestamp(at_us / _US_A_S, UTC).strftime("%Y-%m-%d %H:%M UTC")


def dollars(usd: Decimal | None) -> str:
    """An exact price; a price that nobody knows is not nothing."""
    return "price not known" if usd is None else f"${money(usd)}"


def facts_of(turn: CapturedTurn) -> Facts:
    """Of a decided turn; tokens and cost of all its calls together."""
    return tuple(_facts(turn))


def charged(charge: Charge | None) -> Facts:
    """What the ledger knows of a turn that has no record."""
    if charge is None:
        return ()
    version = () if charge.agent_version_id is None else (("version", word(charge.agent_version_id)),)
    model = () if charge.model is None else (("model", _model(charge.provider or "", charge.model)),)
    return (
        *version,
        *model,
        ("tokens", _tokens(charge.input_tokens, charge.output_tokens)),
        ("cost", word(priced(charge.cost_usd, charge.unpriced_calls))),
        ("took", word(_took(charge.latency_ms))),
        ("ended", word(when(charge.at_us))),
    )


def figures_of(call: CapturedCall) -> Facts:
    """Of one call."""
    return (
        ("model", _model(call.provider, call.model)),
        ("tokens", _tokens(call.input_tokens, call.output_tokens)),
        ("cost", word(dollars(call.cost_usd))),
        ("took", word(_took(call.latency_ms))),
    )


def move_of(move: Move) -> Markup:
    """A move in a few words."""
    verb = _VERBS.get(move.action, move.action)
    return word(verb if move.amount is None else f"{verb} {move.amount:,}")


def priced(usd: Decimal, unpriced_calls: int) -> str:
    """What is known of a price, and of how many calls it is not."""
    calls = f"{unpriced_calls} {'call' if unpriced_calls == 1 else 'calls'}"
    return f"{dollars(usd)} and {calls} of unknown price" if unpriced_calls else dollars(usd)


def _facts(turn: CapturedTurn) -> Iterator[tuple[str, Markup]]:
    call = turn.deciding_call
    if turn.agent_version_id is not None:
        yield "version", word(turn.agent_version_id)
    if call is not None:
        told, said = _sum([each.input_tokens for each in turn.calls]), _sum([each.output_tokens for each in turn.calls])
        yield "model", _model(call.provider, call.model)
        yield "tokens", _tokens(told, said)
        yield "cost", word(_cost(turn.calls))
    yield "took", word(_took(turn.latency_ms))
    for name, value in _asked_with(turn).items():
        if value is not None:
            yield name, word(str(value))
    yield "ended", word(when(turn.at_us))


def _asked_with(turn: CapturedTurn) -> dict[str, float | int | str | None]:
    return {
        "temperature": turn.temperature,
        "seed": turn.seed,
        "max. tokens": turn.max_tokens,
        "prompt version": turn.prompt_version,
    }


def _cost(calls: Sequence[CapturedCall]) -> str:
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    return priced(sum(known, Decimal(0)), len(calls) - len(known)) if known else dollars(None)


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _tokens(told: int | None, said: int | None) -> Markup:
    return Markup("{} in, {} out").format(*("not told" if n is None else f"{n:,}" for n in (told, said)))


def _model(provider: str, model: str) -> Markup:
    return word(model) if provider in ("", model) else Markup("{} ({})").format(word(model), word(provider))


def _took(latency_ms: int) -> str:
    return f"{latency_ms:,} ms" if latency_ms < 1_000 else f"{latency_ms / 1_000:.2f} s"
