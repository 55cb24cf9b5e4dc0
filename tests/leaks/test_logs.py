"""What the process says to its log, at any level, under any server: no card, no credential, no event of a stream."""

from __future__ import annotations

from pathlib import Path

from tests.leaks.script import Act, Crash, Err, Read, Sit, Stream, Think, Wait, Watch
from tests.leaks.stage import REVEALING, staged


def test_no_event_of_a_stream_is_in_a_log(template: Path) -> None:
    """The library that streams events prints each of them where debug lines are on, and an owner's have cards."""
    with staged(template) as stage:
        stage.play(Sit("ada"), Sit("ben"), Stream("owner-ada"), Stream("crowd"), Wait(300), Think("marked"), Act(1))
        assert b"own_cards" in stage.got("owner-ada")
        assert not [line for line in stage.heard.lines if "event:" in line or "chunk" in line]


def test_no_card_of_a_hand_in_play_is_in_a_log(template: Path) -> None:
    """Not even where live hands are shown to watchers; a crash in mid-hand included."""
    with staged(template, REVEALING) as stage:
        stage.play(Sit("ada"), Sit("ben"), Watch("crowd"), Stream("owner-ada"), Wait(300), Act(1), Read("crowd"))
        cards = [*stage.cards_of("ada"), *stage.cards_of("ben")]
        stage.play(Crash(), Err("sid"))
        assert any(card.encode() in stage.got("crowd") for card in cards)
        told = "\n".join(stage.heard.lines)
        assert not [card for card in cards if f"'{card}'" in told or f'"{card}"' in told]


def test_no_credential_is_in_a_log(template: Path) -> None:
    """Users' and agents' tokens, good ones and broken ones."""
    with staged(template) as stage:
        stage.play(Sit("ada"), Stream("owner-ada"), Watch("sid"), Read("noone"), Err("ada"), Err("sid"), Crash())
        told = "\n".join(stage.heard.lines)
        assert "eyJ" not in told and "broken" not in told
