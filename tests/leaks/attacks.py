"""One attack for each of the sixteen leak classes and for what was found here; `mutants` has the leak that each one finds.

Sentinels of the gates help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final
from unittest import mock

from capture.durable.turns import Durable
from gameserver.hand.deck import Deck, secure_deck
from tests.leaks import sentinels
from tests.leaks.script import (
    Act,
    Action,
    Peek,
    PlayOn,
    Read,
    Reconnect,
    Resume,
    ResumeStream,
    Sit,
    Stream,
    Think,
    Unwatch,
    Wait,
    Watch,
)
from tests.leaks.stage import CLOSED, staged
from tests.leaks.twins import Tally, Twins

Attack = Callable[[Path], None]

_TABLE: Final[tuple[Action, ...]] = (
    *(Sit(who) for who in ("ada", "ben", "cyd")),
    Watch("crowd"),
    Watch("eve"),
    Wait(300),
)


def _twins(template: Path, actions: Sequence[Action], *focus: str) -> None:
    Twins(CLOSED, 7, Tally(), template).check([*_TABLE, *actions], focus)


def a_watcher_who_comes_in_mid_hand(template: Path) -> None:
    """The first snapshot is as narrow as what comes after it."""
    _twins(template, [Act(1), Reconnect("crowd"), Reconnect("eve")], "crowd", "eve")


def the_recent_hands_of_a_snapshot(template: Path) -> None:
    """What is kept of earlier hands is what was public of them."""
    _twins(template, [Act(0), Act(0), Wait(100), Reconnect("crowd"), Reconnect("eve")], "crowd", "eve")


def the_log(template: Path) -> None:
    """Two worlds' logs are the same, at every level."""
    _twins(template, [Act(1), Act(1)], "crowd")


def the_same_table_over_http(template: Path) -> None:
    """The public view over HTTP is as narrow as the stream."""
    _twins(template, [Act(1), Read("crowd")], "crowd")


def the_archive_of_a_private_table(template: Path) -> None:
    """Hands of a private table are not there for a stranger, as the table is not."""
    sentinels.a_private_table_by_every_way(template)


def what_rides_along_with_a_public_word(template: Path) -> None:
    """A public fact has no more in it than it says, in whatever code."""
    _twins(template, [Act(1), Peek("ada", "ben"), Act(1)], "crowd")


def a_viewer_without_a_name(template: Path) -> None:
    """Who has no credential sees the public view."""
    _twins(template, [Act(1), Act(1), Read("crowd")], "crowd")


def a_pot_that_nobody_contested(template: Path) -> None:
    """All others folded: nobody's cards are shown, the winner's neither."""
    _twins(template, [Act(0), Act(0), Wait(100), Read("crowd")], "crowd", "eve", "ada")


def the_summary_of_a_hand(template: Path) -> None:
    """A result has the cards that were shown."""
    _twins(template, [Act(0), Act(1), PlayOn(), Wait(100)], "crowd", "eve")


def what_a_rival_thinks(template: Path) -> None:
    """Reasoning goes where it is addressed; to everybody else it is nothing, not even a number."""
    sentinels.thoughts_of_a_rival(template)


def a_deck_that_can_be_foretold(template: Path) -> None:
    """What the server knows in public, and any state of a generator, says nothing of the next deck."""
    import random

    random.seed(1)
    first = _whole(secure_deck())
    random.seed(1)
    assert _whole(secure_deck()) != first


def a_number_that_all_decks_can_be_tried_against(template: Path) -> None:
    """Nothing that is published depends on a card that nobody was shown."""
    _twins(template, [Act(0), Act(0), Wait(100)], "crowd")


def the_source_of_a_page(template: Path) -> None:
    """A page's HTML is as narrow as the stream."""
    _twins(template, [Act(1), Read("crowd"), Read("sid")], "crowd")


def what_somebody_else_missed(template: Path) -> None:
    """A resumed stream is one's own stream."""
    _twins(template, [Act(1), Resume("crowd", 2), Resume("eve", 1)], "crowd", "eve")


def a_hole_where_something_was_said(template: Path) -> None:
    """Numbers, counts and sizes tell nobody of what was not for them."""
    _twins(template, [Stream("owner-ada"), Think("a"), Think("b"), Act(1), Think("c"), Act(1), Act(1)], "crowd", "eve")


_SAID: Final = "what-an-error-said"
_WATCHED: Final[tuple[Action, ...]] = (
    *(Sit(who) for who in ("ada", "ben", "cyd")),
    Wait(300),
    *(Watch("pat"), Stream("pat"), Watch("eve")),
    Act(1),
)
"""A person and an agent watch: in the twin they do not."""
_GONE: Final = frozenset({"pat", "eve"})


def somebody_who_watched_before(template: Path) -> None:
    """A newcomer's first number is the table's, and says nothing of who was there."""
    gone: tuple[Action, ...] = (Unwatch("pat"), Unwatch("eve"), Act(1))
    come: tuple[Action, ...] = (Watch("crowd"), Watch("out"), Stream("noone"), Act(1), Act(1))
    Twins(CLOSED, 7, Tally(), template).check([*_WATCHED, *gone, *come], ["crowd", "out", "noone"], away=_GONE)


def somebody_who_watched_meanwhile(template: Path) -> None:
    """What who was away can resume follows from how long, and not from who kept the stream alive."""
    come: tuple[Action, ...] = (Watch("crowd"), Watch("out"), Stream("noone"), Act(1))
    for after_ms in (60_000, 130_000):
        back: tuple[Action, ...] = (
            Resume("crowd", 1, after_ms),
            Resume("out", 1, after_ms),
            ResumeStream("noone", 1, after_ms),
        )
        Twins(CLOSED, 7, Tally(), template).check([*_WATCHED, *come, *back], ["crowd", "out", "noone"], away=_GONE)


def what_an_error_said(template: Path) -> None:
    """A fault in a store is told to the log by its kind and place: its text may be what the store holds."""

    async def breaks(*given: object, **named: object) -> None:
        raise RuntimeError(_SAID)

    with staged(template) as stage, mock.patch.object(Durable, "hands_of", breaks):
        assert stage.status("owner-ada", "/agents/ada/hands") == 500
        told = "\n".join(stage.heard.lines)
        assert "RuntimeError at " in told
        assert _SAID not in told


def a_command_in_somebody_elses_name(template: Path) -> None:
    """Who shows their cards is who asks for it, whatever else the message says."""
    with staged(template) as stage:
        stage.play(*_TABLE, Act(0))
        assert stage.world.state().hand is None
        stage.world.sockets["ben"].say({"type": "show_cards", "requestId": "agent:ada"})
        stage.play(Wait(10))
        stage.assert_none_of("crowd", "ada")
        assert all(card.encode() in stage.got("crowd") for card in stage.cards_of("ben"))


def _whole(deck: Deck) -> list[str]:
    return [deck.deal() for _ in range(52)]


ATTACKS: Final[Mapping[str, Attack]] = {
    "first_snapshot_unfiltered": a_watcher_who_comes_in_mid_hand,
    "history_slots": the_recent_hands_of_a_snapshot,
    "log_arguments": the_log,
    "rest_twin_of_a_frame": the_same_table_over_http,
    "archive_without_a_lock": the_archive_of_a_private_table,
    "opaque_blob_beside_a_clean_view": what_rides_along_with_a_public_word,
    "null_viewer_is_all_seeing": a_viewer_without_a_name,
    "reveal_by_phase": a_pot_that_nobody_contested,
    "summary_with_folded_cards": the_summary_of_a_hand,
    "reasoning_to_everybody": what_a_rival_thinks,
    "deck_from_what_is_public": a_deck_that_can_be_foretold,
    "commitment_that_opens_the_deck": a_number_that_all_decks_can_be_tried_against,
    "masking_in_the_page": the_source_of_a_page,
    "ring_of_another_viewer": what_somebody_else_missed,
    "numbers_with_gaps": a_hole_where_something_was_said,
    "identity_from_the_message": a_command_in_somebody_elses_name,
    "numbers_from_the_first_listener": somebody_who_watched_before,
    "stream_that_dies_with_its_last_listener": somebody_who_watched_meanwhile,
    "error_text_in_the_log": what_an_error_said,
}
"""By the name of the leak class. A public system leaked in each of the first sixteen ways; the others were found here."""
