"""`GET /metrics`: numbers of the whole server in Prometheus's text form, for the operator.

A label is a word of a closed list of ours: no id of a person, an agent or a table, no address and no card is ever one
(test_no_label_names_anybody).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.operators import OperatorDoor
from gameserver.http.problems import NO_STORE

MEDIA_TYPE: Final = "text/plain; version=0.0.4"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. `samples`: by the value of `label`; a metric without one has a single sample under the empty text."""

    name: str
    kind: Literal["counter", "gauge"]
    words: str
    samples: Mapping[str, int]
    label: str = ""


def single(name: str, kind: Literal["counter", "gauge"], words: str, value: int) -> Metric:
    """A metric that is one number."""
    return Metric(name, kind, words, {"": value})


def metrics_routes(metrics: Callable[[], Sequence[Metric]], door: OperatorDoor | None) -> list[BaseRoute]:
    """The route; `door`: None where nobody but this machine reaches it."""

    async def show(request: Request) -> Response:
        if door is not None:
            door.require_service_key(request)
        return Response(text_of(metrics()), headers={**NO_STORE, "Content-Type": MEDIA_TYPE})

    return [Route("/metrics", show, methods=["GET"], name="metrics")]


def text_of(metrics: Iterable[Metric]) -> str:
    """The exposition format, one metric after the other."""
    return "".join(line + "\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterable[str]:
    yield f"# HELP {metric.name} {metric.words}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for value, count in sorted(metric.samples.items()):
        yield f'{metric.name}{{{metric.label}="{value}"}} {count}' if metric.label else f"{metric.name} {count}"
