"""The ways in which public systems leaked, and those found here, each as a small patch of our own code that an attack has to notice.

A patch names a function and a text in it. It fails where that text is not there once: then the code has changed, and the patch is to
be written anew. It is put into the running function and taken out again; no file is touched.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final


class StalePatch(Exception):
    """A patch does not apply any more."""


@dataclass(frozen=True, slots=True)
class Patch:
    """`function`: `module:name` or `module:Class.name`. `old` stands there once, and becomes `new`."""

    function: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One leak class. `seen_in`: what it was, in the systems it is known from."""

    name: str
    seen_in: str
    patches: Sequence[Patch]


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The leak is in the code within the block. Raises StalePatch."""
    with ExitStack() as stack:
        for patch in mutant.patches:
            stack.enter_context(_patched(patch))
        yield


@contextmanager
def _patched(patch: Patch) -> Iterator[None]:
    function = find(patch.function)
    before = function.__code__
    function.__code__ = _changed(function, patch)
    try:
        yield
    finally:
        function.__code__ = before


def find(name: str) -> FunctionType:
    """The function itself, of a module or of a class."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = inspect.getattr_static(found, part)
    if not isinstance(found, FunctionType):
        raise StalePatch(f"{name} is no plain function")
    return found


def _changed(function: FunctionType, patch: Patch) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(patch.old) != 1:
        raise StalePatch(f"{patch.function}: {patch.old!r} stands there {source.count(patch.old)} times, and not once")
    made: dict[str, Any] = {}
    text = source.replace(patch.old, patch.new)
    exec(compile(f"from __future__ import annotations\n{text}", patch.function, "exec"), function.__globals__, made)  # noqa: S102  (a patch of this file)
    code: CodeType = made[function.__name__].__code__
    if code.co_code == function.__code__.co_code and code.co_consts == function.__code__.co_consts:
        raise StalePatch(f"{patch.function}: the patch changes nothing")
    return code


_OPEN: Final = "__import__('policy.sealed', fromlist=['x']).open_sealed"
_DOOR_AJAR: Final = Patch(
    "gameserver.net.tripwire:Tripwire._passes",
    "if shown_cards and not look.may_have(number, shown_cards):",
    "if False:",
)
"""The tripwire is out of the way, so that it is the leak that is noticed and not the door's refusal."""


def _mutant(name: str, seen_in: str, *patches: tuple[str, str, str]) -> Mutant:
    return Mutant(name, seen_in, [_DOOR_AJAR, *(Patch(*patch) for patch in patches)])


MUTANTS: Final[Mapping[str, Mutant]] = {
    mutant.name: mutant
    for mutant in (
        _mutant(
            "first_snapshot_unfiltered",
            "the live frames are filtered, and the first state of a connection is not",
            (
                "gameserver.views.snapshot:snapshot",
                "sight.view_of_spectator(on_table)",
                "(sight.view_of_seat(on_table, state.seats[0]) if state.seats else sight.view_of_spectator(on_table))",
            ),
        ),
        _mutant(
            "history_slots",
            "earlier states are kept for undo or history, whole",
            (
                "gameserver.views.snapshot:_public_hand",
                "result=hand_result(table_id, result),",
                f"result=hand_result(table_id, result), your_seat=0, your_hole_cards=list({_OPEN}(result.cards.seats[0].cards)),",
            ),
        ),
        _mutant(
            "log_arguments",
            "a line of the log prints what a function was given",
            (
                "gameserver.net.delivery:Delivery._send",
                "try:\n",
                "_log.info('sending %s', frames)\n    try:\n",
            ),
        ),
        _mutant(
            "rest_twin_of_a_frame",
            "the same state over plain HTTP, without the filter of the socket",
            (
                "gameserver.http.floor_lobby:public_table",
                "sight.view_of_spectator(sight.sight_of_table(state))",
                (
                    "(sight.view_of_seat(sight.sight_of_table(state), state.seats[0]) if state.seats"
                    " else sight.view_of_spectator(sight.sight_of_table(state)))"
                ),
            ),
        ),
        _mutant(
            "archive_without_a_lock",
            "live access is checked, and the archive of events is open",
            ("gameserver.http.history.routes:_asked", "ports.admit(identity, table.table_id, table.options)", "pass"),
        ),
        _mutant(
            "opaque_blob_beside_a_clean_view",
            "a token, a cache key or a save for the client's convenience has the whole state in it",
            (
                "gameserver.views.fact_frames:_power_used",
                "power=used.power",
                (
                    f"power=used.power + '|' + __import__('base64').b64encode(repr({_OPEN}("
                    "state.hand.cards.seats[-1].cards)).encode()).decode()"
                ),
            ),
        ),
        _mutant(
            "null_viewer_is_all_seeing",
            "nobody in particular is taken for everybody",
            (
                "policy.reveal_policy:compute_revealed_hole_cards",
                "permitted = face_up | _live_to_the_public(hand, options)\n        case _",
                "permitted = frozenset(entry.seat for entry in hand.seats)\n        case _",
            ),
        ),
        _mutant(
            "reveal_by_phase",
            "the hand is over, so all cards are shown: but an uncontested pot is no showdown",
            (
                "policy.reveal_policy:_face_up",
                "case Stage.BETTING | Stage.OVER:",
                "case Stage.OVER:\n            return {entry.seat for entry in hand.seats}\n        case Stage.BETTING:",
            ),
        ),
        _mutant(
            "summary_with_folded_cards",
            "the summary of a hand has folded and mucked cards in it",
            (
                "gameserver.views.fact_frames:hand_result",
                "shown=[ShownHand(seat=seat, cards=list(cards)) for seat, cards in result.shown],",
                f"shown=[ShownHand(seat=e.seat, cards=list({_OPEN}(e.cards))) for e in result.cards.seats],",
            ),
        ),
        _mutant(
            "reasoning_to_everybody",
            "what an agent thinks is broadcast, without an address",
            (
                "gameserver.floor.thoughts:Thoughts._send_thought",
                "self._door.send_to_user(user_id, self._table_id, [thought])",
                "self._door.send_thought_to_public(owner, self._table_id, thought)",
            ),
        ),
        _mutant(
            "deck_from_what_is_public",
            "the deck is shuffled by a generator whose seed somebody can find out",
            (
                "gameserver.hand.deck:secure_deck",
                "secrets.randbelow(_ORDERS)",
                "__import__('random').Random(len(left)).randrange(_ORDERS)",
            ),
        ),
        _mutant(
            "commitment_that_opens_the_deck",
            "a seed or a hash is published that all cards can be tried against",
            (
                "gameserver.views.fact_frames:hand_result",
                "returned={str(seat): chips for seat, chips in over.returned},",
                (
                    "returned={**{str(seat): chips for seat, chips in over.returned}, __import__('hashlib').sha256(repr("
                    f"[{_OPEN}(e.cards) for e in result.cards.seats]).encode()).hexdigest(): 0}},"
                ),
            ),
        ),
        _mutant(
            "masking_in_the_page",
            "the page has all of it, and draws the back of the cards",
            (
                "railbird.lobby:_summary",
                "name=options.name,",
                f"name=options.name + ('' if state.hand is None else repr({_OPEN}(state.hand.cards.seats[0].cards))),",
            ),
        ),
        _mutant(
            "ring_of_another_viewer",
            "what a lost connection missed is replayed from somebody else's frames",
            (
                "gameserver.net.delivery:Delivery._join",
                "missed = None if place is None else stream.missed_since(place)",
                "missed = None if place is None else max(table.streams.values(), key=lambda s: hasattr(s.audience, 'seat'))._ring.after(place.seq, 0)",
            ),
        ),
        _mutant(
            "numbers_with_gaps",
            "one numbering for all, so that what is hidden from somebody is a hole in theirs",
            (
                "gameserver.net.streams:Stream._keep",
                "self.seq += 1",
                "Stream.all = getattr(Stream, 'all', 0) + 1; self.seq = Stream.all",
            ),
        ),
        _mutant(
            "identity_from_the_message",
            "who acts is read from what was sent",
            (
                "gameserver.floor.dispatch:command_of",
                "case messages.ShowCards():",
                (
                    "case messages.ShowCards() if message.request_id:\n            return commands.ShowCards(message.request_id)"
                    "\n        case messages.ShowCards():"
                ),
            ),
        ),
        _mutant(
            "numbers_from_the_first_listener",
            "a stream is there from when somebody first listens, and its numbers say when that was",
            ("gameserver.net.delivery:Delivery.open_table", "for audience in SHARED:", "for audience in ():"),
        ),
        _mutant(
            "stream_that_dies_with_its_last_listener",
            "a stream is forgotten when nobody listens, so that who comes back can tell that somebody did",
            ("gameserver.net.streams:Stream.is_abandoned", "if self.audience in SHARED or", "if"),
        ),
        _mutant(
            "error_text_in_the_log",
            "a traceback ends with the text of the error, and that with the row that was read",
            ("railbird.logs:OneLine.formatException", "faults.in_words(ei[1])", "repr(ei[1])"),
        ),
    )
}
