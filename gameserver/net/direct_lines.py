"""A broadcast's shortest way: one ready frame to a thousand sockets, each of which has nothing queued.

What a frame costs is the kernel's work for each socket, and what Python adds to it is mostly the memory that it looks at on the way.
So the loop here holds nothing but the sockets' own `send`. Everything else, who listens and who may, was settled before.
"""

from __future__ import annotations

import logging
from typing import Final, Generic, Protocol, TypeVar

from gameserver.floor import faults
from gameserver.net.batch import Batch
from gameserver.net.outlet import Form, Send

_log: Final = logging.getLogger(__name__)


class _Connected(Protocol):
    def write_rest(self, data: bytes) -> None: ...


class _Listening(Protocol):
    @property
    def connection(self) -> _Connected: ...


_Listener = TypeVar("_Listener", bound=_Listening)


class DirectLines(Generic[_Listener]):
    """The listeners of a stream whose sockets take its frames at once, all in one form."""

    __slots__ = ("_form", "_sends")

    def __init__(self, form: Form) -> None:
        self._form = form
        self._sends: dict[_Listener, Send] = {}

    def add(self, listener: _Listener, send: Send) -> None:
        """From now on it gets what is sent here."""
        self._sends[listener] = send

    def remove(self, listener: _Listener) -> None:
        """A listener that is not here stays so."""
        self._sends.pop(listener, None)

    def send(self, batch: Batch) -> None:
        """To all of them. What a socket does not take goes to its transport, which queues it, or finds that the peer is gone."""
        if not self._sends:
            return
        data = self._form(batch)
        size = len(data)
        short: list[tuple[int, int]] = []
        for place, send in enumerate(self._sends.values()):
            try:
                sent = send(data)
            except OSError:
                sent = 0
            if sent != size:
                short.append((place, sent))
        if short:
            self._send_rest(data, short)

    def _send_rest(self, data: bytes, short: list[tuple[int, int]]) -> None:
        listeners = list(self._sends)
        for place, sent in short:
            try:
                listeners[place].connection.write_rest(data[sent:])
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one connection, the others get their frame
                _log.error("a connection broke in mid-broadcast: %s", faults.in_words(error))
