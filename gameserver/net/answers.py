"""The same `requestId` twice gets the first answer: a bounded memory of one connection's requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gameserver.net.batch import Batch

REMEMBERED_REQUESTS: Final = 128


@dataclass(slots=True)
class _Request:
    answer: Batch | None = None
    waiting: int = 1
    """How many times the answer is owed, once it is there."""


class Answers:
    """The last requests and their answers, oldest forgotten first."""

    __slots__ = ("_requests",)

    def __init__(self) -> None:
        self._requests: dict[str, _Request] = {}

    def is_new(self, request_id: str) -> bool:
        """Take note of a request. False for a repeated one, which is not to be done again."""
        known = self._requests.get(request_id)
        if known is not None:
            known.waiting += 1
            return False
        if len(self._requests) >= REMEMBERED_REQUESTS:
            del self._requests[next(iter(self._requests))]
        self._requests[request_id] = _Request()
        return True

    def forget(self, request_id: str) -> None:
        """A request that was not done after all: when it comes again it is new."""
        self._requests.pop(request_id, None)

    def owed(self, request_id: str) -> list[Batch]:
        """The answer of a request, as many times as it was asked since; nothing while there is none."""
        request = self._requests.get(request_id)
        if request is None or request.answer is None:
            return []
        times, request.waiting = request.waiting, 0
        return [request.answer] * times

    def answer(self, request_id: str, answer: Batch) -> list[Batch]:
        """Note the first answer. Returns what is to be sent now: it, once for each time it was asked for."""
        request = self._requests.get(request_id)
        if request is None:
            return [answer]
        if request.answer is not None:
            return []
        request.answer = answer
        return self.owed(request_id)
