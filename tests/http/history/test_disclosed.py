"""What each kind of reader has of one hand: the gate's answer to what the store knows, in all three forms, byte by byte."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import msgspec
import pytest

from gameserver.errors import Bug
from gameserver.http.history.disclosed import STREAM_LAG_MS, CancelledHand, FinishedHand, disclose, reader_of
from gameserver.http.history.document import hand_document, hands_document
from gameserver.http.history.ohh import ohh_json
from gameserver.http.history.page import Page
from gameserver.http.history.phh import phh_text
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, AgentVersionId, Seat, UserId
from policy.spectator_policy import CLOSED
from tests.http.history.worlds import (
    BEGAN_MS,
    BOARD,
    CARDS,
    ENDED_MS,
    FOLDER,
    LONG_AFTER_MS,
    MUCKER,
    OPEN,
    PERSON,
    SHOWER,
    cancelled,
    hand,
    table,
)

CARD: Final = re.compile(rb"[2-9TJQKA][cdhs](?![a-z])")
DELAY_MS: Final = 10_000


def user(name: str) -> UserIdentity:
    return UserIdentity(UserId(name), 0, None)


def agent(name: str, owner: str) -> AgentIdentity:
    return AgentIdentity(AgentId(name), UserId(owner), AgentVersionId("v9"), False, None, 0, None)


READERS: Final[dict[str, Identity]] = {
    "nobody": Nobody(),
    "signed in": user("somebody"),
    "owner": user("owner-of-folder"),
    "another owner": user("owner-of-mucker"),
    "who played": user("person"),
    "named like an agent": user("folder"),
    "agent": agent("folder", "owner-of-folder"),
    "agent that was sold": agent("folder", "somebody"),
    "agent elsewhere": agent("elsewhere", "owner-of-folder"),
}

OWN: Final[dict[str, set[Seat]]] = {
    "owner": {FOLDER},
    "another owner": {MUCKER},
    "who played": {PERSON},
    "agent": {FOLDER},
}
OF_THE_PUBLIC: Final = ("nobody", "signed in", "owner", "another owner", "who played", "named like an agent")


def written(stored: StoredHand, who: str, of: StoredTable, now_ms: int = LONG_AFTER_MS) -> list[bytes]:
    """Every byte that this reader can get of the hand."""
    found = disclose(table=of, hand=stored, reader=reader_of(READERS[who]), now_ms=now_ms)
    documents = [hand_document(found), hands_document("t-1", Page((found,), None))]
    files = [phh_text(found).encode(), ohh_json(found)] if isinstance(found, FinishedHand) else []
    return [*map(msgspec.json.encode, documents), *files]


def seats_in(stored: StoredHand, who: str, of: StoredTable, now_ms: int = LONG_AFTER_MS) -> set[Seat]:
    """Whose hole cards are in these bytes; each form that has hole cards has the same."""
    document, line, phh, ohh = written(stored, who, of, now_ms)
    assert set(CARD.findall(line)) <= {card.encode() for card in BOARD}
    found = [seats_of(form) for form in (document, phh, ohh)]
    assert found[0] == found[1] == found[2]
    return found[0]


def seats_of(form: bytes) -> set[Seat]:
    text = form.decode()
    by_card = {seat: [card in text for card in cards] for seat, cards in CARDS.items()}
    assert all(len(set(cards)) == 1 for cards in by_card.values()), "half a hand"
    return {seat for seat, cards in by_card.items() if all(cards)}


@pytest.mark.parametrize("who", READERS)
def test_a_closed_table_discloses_what_lay_face_up_and_ones_own(who: str) -> None:
    """Neither folded nor mucked cards of others, nor what was peeked at, nor anything to a name that is only alike."""
    assert seats_in(hand(), who, table()) == {SHOWER} | OWN.get(who, set())


@pytest.mark.parametrize("who", READERS)
def test_what_a_stream_has_shown_stays_shown_to_the_public(who: str) -> None:
    """A fold took the cards out of the live view, and not out of the history; no agent learns of them."""
    stored = hand(reveal=OPEN, streamed={MUCKER: BEGAN_MS, FOLDER: BEGAN_MS})
    public = {MUCKER, FOLDER} if who in OF_THE_PUBLIC else set()
    assert seats_in(stored, who, table()) == {SHOWER} | public | OWN.get(who, set())


@pytest.mark.parametrize("who", READERS)
def test_cards_shown_after_the_hand_are_everybodys(who: str) -> None:
    """By choice, also folded ones."""
    stored = hand(shown_after={FOLDER: ENDED_MS + 5})
    assert seats_in(stored, who, table()) == {SHOWER, FOLDER} | OWN.get(who, set())


@pytest.mark.parametrize("who", READERS)
@pytest.mark.parametrize("form", range(4))
def test_the_bytes_have_no_thought_no_peek_and_no_owner(who: str, form: int) -> None:
    """Nor any word for them."""
    stored = hand(reveal=OPEN, streamed=dict.fromkeys(CARDS, BEGAN_MS))
    text = written(stored, who, table())[form].decode().lower()
    assert not any(word in text for word in ("thought", "peek", "owner", "sealed", "model", "version_id"))


@pytest.mark.parametrize("who", READERS)
def test_a_hand_is_there_for_strangers_when_a_delayed_stream_has_shown_it(who: str) -> None:
    """Who played it has it at once; at a closed table the owner of an agent in it too."""
    delayed, stored = table(delay_ms=DELAY_MS), hand(reveal=CLOSED)
    at_once = who in OWN
    assert is_there(stored, who, delayed, ENDED_MS + DELAY_MS - 1) is at_once
    assert is_there(stored, who, delayed, ENDED_MS + DELAY_MS + STREAM_LAG_MS)


@pytest.mark.parametrize("who", READERS)
def test_owners_wait_at_a_revealing_table(who: str) -> None:
    """Their public part is late there."""
    at_once = who in ("who played", "agent")
    assert is_there(hand(reveal=OPEN), who, table(delay_ms=DELAY_MS), ENDED_MS + DELAY_MS - 1) is at_once


def is_there(stored: StoredHand, who: str, of: StoredTable, now_ms: int) -> bool:
    try:
        disclose(table=of, hand=stored, reader=reader_of(READERS[who]), now_ms=now_ms)
    except PolicyRefusal as refusal:
        assert refusal.code is RefusalCode.NOT_FOUND
        return False
    return True


def test_without_a_delay_a_hand_is_there_at_once() -> None:
    """Whatever the clock says."""
    assert is_there(hand(), "nobody", table(), ENDED_MS - 5_000)


def test_switching_off_takes_back_what_a_delayed_stream_had_not_shown() -> None:
    """What it had shown before stays."""
    stored = hand(reveal=OPEN, streamed={MUCKER: BEGAN_MS + 1_000, FOLDER: BEGAN_MS + 20_000})
    off = table(delay_ms=DELAY_MS, off_ms=BEGAN_MS + 15_000)
    assert seats_in(stored, "nobody", off) == {SHOWER, MUCKER}
    just_before = table(delay_ms=DELAY_MS, off_ms=BEGAN_MS + 1_000 + STREAM_LAG_MS)
    assert seats_in(stored, "nobody", just_before) == {SHOWER}
    assert seats_in(stored, "nobody", table(delay_ms=DELAY_MS)) == {SHOWER, MUCKER, FOLDER}


def test_switching_off_later_takes_nothing_back_without_a_delay() -> None:
    """It was shown when it was sent; what was not sent after that is not in the record."""
    stored = hand(reveal=OPEN, streamed={MUCKER: BEGAN_MS})
    assert seats_in(stored, "nobody", table(off_ms=BEGAN_MS)) == {SHOWER, MUCKER}


def test_cards_on_their_way_through_a_delay_are_not_disclosed_yet() -> None:
    """Neither live ones nor ones shown after the hand, not even to a person who played and so is ahead."""
    delayed = table(delay_ms=DELAY_MS)
    stored = hand(reveal=OPEN, streamed={MUCKER: ENDED_MS + 5_000}, shown_after={FOLDER: ENDED_MS + 2_000})
    assert seats_in(stored, "who played", delayed, ENDED_MS) == {SHOWER, PERSON}
    done = ENDED_MS + DELAY_MS + STREAM_LAG_MS
    assert seats_in(stored, "nobody", delayed, done) == {SHOWER, MUCKER}
    assert seats_in(stored, "nobody", delayed, done + 2_000) == {SHOWER, MUCKER, FOLDER}


@pytest.mark.parametrize("who", READERS)
def test_a_cancelled_hand_shows_its_number_and_its_times(who: str) -> None:
    """To everybody, and to owners nothing more."""
    document, line = written(cancelled(), who, table())
    assert not CARD.findall(document + line)
    assert sorted(msgspec.json.decode(document)) == ["beganAt", "endedAt", "handNumber", "status", "tableId"]
    assert isinstance(
        disclose(table=table(), hand=cancelled(), reader=reader_of(READERS[who]), now_ms=LONG_AFTER_MS), CancelledHand
    )


@pytest.mark.parametrize("who", READERS)
def test_a_cancelled_hand_waits_for_a_delayed_stream_too(who: str) -> None:
    """Nobody is known to have played it."""
    assert not is_there(cancelled(), who, table(delay_ms=DELAY_MS), ENDED_MS)


@pytest.mark.parametrize("who", READERS)
def test_a_hand_in_play_is_not_there(who: str) -> None:
    """For nobody, and there is no result of it to look at."""
    live = replace(hand(), status=HandStatus.BEGAN, ended_ms=None, result=None)
    assert not is_there(live, who, table(), LONG_AFTER_MS)


def test_a_finished_hand_without_a_result_is_a_bug() -> None:
    """The store has none like it."""
    with pytest.raises(Bug):
        disclose(table=table(), hand=replace(hand(), result=None), reader=reader_of(Nobody()), now_ms=LONG_AFTER_MS)


def test_the_document_says_what_the_table_said() -> None:
    """Shown cards in `shown`, what the reader has at each player, and moves as the frames are."""
    document = msgspec.json.decode(written(hand(shown_after={FOLDER: ENDED_MS}), "who played", table())[0])
    assert document["status"] == "finished"
    assert [(entry["seat"], entry["cards"]) for entry in document["shown"]] == [
        (SHOWER, list(CARDS[SHOWER])),
        (FOLDER, list(CARDS[FOLDER])),
    ]
    assert {entry["seat"]: entry.get("holeCards") for entry in document["players"]} == {
        seat: list(cards) if seat != MUCKER else None for seat, cards in CARDS.items()
    }
    assert [action["action"] for action in document["actions"]][:3] == ["small_blind", "big_blind", "call"]
    assert document["stacks"] == {"0": 130, "1": 90, "2": 90, "4": 90}
    assert (document["rake"], sum(pot["amount"] for pot in document["pots"])) == (0, 40)
