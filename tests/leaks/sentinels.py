"""For each gate: what it would be if it let everything through, and the attacks that have to notice.

An attack is a plain function that raises AssertionError where a leak is. `test_gates_have_teeth` runs each of them with the
gates as they are, and with its gate taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from policy import history_policy, reveal_policy
from policy.capture_scope import OperatorScope, OwnerScope
from policy.ids import AgentId, HoleCards, Seat, UserId
from policy.name_policy import DisplayName
from policy.owner_policy import OwnedSeat
from policy.sealed import open_sealed
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind
from policy.thought_policy import Address, ToPublic, ToUser
from policy.viewer import Owner, Viewer
from policy.whisper_policy import Arrival
from tests.leaks import script
from tests.leaks.cast import AGENTS
from tests.leaks.records import (
    a_credential_in_a_message,
    a_credential_in_a_message_that_is_no_json,
    a_credential_in_what_an_agent_knew,
    a_header_that_nobody_thought_of,
    captured_turns_of_a_hand_in_play,
    captured_turns_of_a_rival,
    words_that_speak_as_the_prompt,
)
from tests.leaks.script import Act, Leave, Note, PlayOn, Read, Say, Sit, Stream, Think, Wait, Watch
from tests.leaks.stage import CLOSED, PRIVATE, REVEALING, staged
from tests.leaks.world import TABLE

Attack = Callable[[Path], None]
_TABLE: Final = f"/games/poker/{TABLE}"
_MARK: Final = "the-marker-of-this-test"
_TWO: Final = (Sit("ada"), Sit("ben"), Watch("crowd"), Wait(300))


# --- attacks ----------------------------------------------------------------------------------------------------------


def live_cards_of_an_opponent(template: Path) -> None:
    """Nobody but the player has a live hand: not the opponent, not a watcher, not an agent without a seat."""
    with staged(template) as stage:
        stage.play(*_TWO, Watch("eve"), Act(1), Act(1))
        for who in ("ben", "crowd", "eve"):
            stage.assert_none_of(who, "ada")
        stage.assert_none_of("ada", "ben")
        assert all(card.encode() in stage.got("ada") for card in stage.cards_of("ada"))


def the_last_occupants_cards(template: Path) -> None:
    """Who takes a seat while the last hand lies on the table does not get the cards of who sat there."""
    with staged(template) as stage:
        stage.play(*_TWO, Sit("cyd"), Act(0))
        cards = stage.cards_of("ben"), stage.cards_of("ada")
        stage.play(Leave("ben"), Leave("cyd"))
        stage.world.setting = replace(CLOSED, agents=("ada", "eve", "cyd", "dot"))
        stage.play(Sit("eve"))
        assert "eve" in stage.world.seats, stage.got("eve")
        stage.assert_nothing_held_back()
        assert not any(card.encode() in stage.got("eve") for pair in cards for card in pair)


def a_reveal_asked_for_where_people_play(template: Path) -> None:
    """A table with people is not made with a reveal."""
    with staged(template) as stage:
        asked = {"name": "Open", "tableKind": "mixed", "smallBlind": 1, "bigBlind": 2, "showHands": True}
        assert stage.status("sid", "/games/poker", "POST", **asked) == 422
        assert stage.status("sid", "/games/poker", "POST", **{**asked, "showHands": False}) == 201


def a_row_that_reveals_where_people_play(template: Path) -> None:
    """Whatever is stored of a mixed table, its watchers see no live card."""
    with staged(template, replace(REVEALING, kind=TableKind.MIXED)) as stage:
        stage.play(*_TWO)
        stage.assert_none_of("crowd", "ada")


def a_reveal_switched_on_later(template: Path) -> None:
    """What is off stays off."""
    with staged(template) as stage:
        stage.play(*_TWO, script.RevealOff(RevealOptions(show_hands=True, show_thoughts=True)), Act(1))
        stage.assert_none_of("crowd", "ada")


def a_seat_for_a_process_that_can_watch(template: Path) -> None:
    """An agent that nobody attests has no seat where live cards are shown."""
    with staged(template, replace(REVEALING, agents=("ada", "out"))) as stage:
        stage.play(Sit("ada"), Sit("out"))
        assert b"seat_needs_hosted_agent" in stage.got("out") and "out" not in stage.world.seats


def a_private_table_by_every_way(template: Path) -> None:
    """For a stranger it is not there: not on the list, by its name, by socket, by stream, nor its hands."""
    with staged(template, PRIVATE) as stage:
        stage.play(Sit("ada"), Watch("crowd"))
        for path in (_TABLE, f"{_TABLE}/stream", f"{_TABLE}/hands", f"/tables/{TABLE}"):
            assert stage.status("crowd", path) == stage.status("crowd", path.replace(TABLE, "none")) == 404, path
        assert TABLE.encode() not in stage.world.ask("crowd", "/games/poker").whole
        assert stage.status("owner-ada", _TABLE) == 200
        assert b"snapshot" not in stage.got("crowd")


def thoughts_of_a_rival(template: Path) -> None:
    """A thought reaches its owner and nobody else."""
    _heard_by_its_owner_alone(template, Think(_MARK))


def decisions_of_a_rival(template: Path) -> None:
    """A decision reaches its owner and nobody else, before the table has it and after."""
    _heard_by_its_owner_alone(template, script.Decide(_MARK))


def _heard_by_its_owner_alone(template: Path, words: script.Think | script.Decide) -> None:
    with staged(template) as stage:
        stage.play(*_TWO, Watch("eve"), Stream("owner-ada"), Stream("owner-ben"))
        asked = stage.world.open_turn()
        assert asked is not None
        stage.play(words, Act(1), Act(1))
        everybody = ("ada", "ben", "crowd", "eve", "owner-ada", "owner-ben")
        heard = [who for who in everybody if _MARK.encode() in stage.got(who)]
        assert heard == [f"owner-{asked[0]}"], heard


def words_to_an_agent_whose_rivals_are_seen(template: Path) -> None:
    """At a revealing table no watcher's word reaches an agent, and no owner's note is taken."""
    with staged(template, REVEALING) as stage:
        stage.play(*_TWO, Watch("sid"), Say("sid", _MARK), Note("owner-ada", _MARK), PlayOn(), Wait(300), Act(1))
        assert _MARK.encode() in stage.got("crowd")
        assert not any(_MARK.encode() in stage.got(who) for who in ("ada", "ben"))
        assert b"whisper_refused" in stage.got("owner-ada")


def words_in_mid_hand(template: Path) -> None:
    """One player to a hand: a watcher's word waits for the end of it."""
    with staged(template) as stage:
        stage.play(*_TWO, Watch("sid"), Say("sid", _MARK), Act(1))
        assert _MARK.encode() in stage.got("crowd") and _MARK.encode() not in stage.got("ada")


def the_owner_stream_of_somebody_else(template: Path) -> None:
    """Without an agent at the table there is no owner stream, and none of a table that is not there."""
    with staged(template) as stage:
        stage.play(*_TWO)
        assert stage.status("sid", f"{_TABLE}/owner-stream") == 403
        assert stage.status("sid", "/games/poker/none/owner-stream") == 403
        assert stage.status("owner-ada", f"{_TABLE}/owner-stream") == 200


def an_owner_who_sees_more_than_their_own(template: Path) -> None:
    """An owner's stream has their agent's cards and no rival's."""
    with staged(template) as stage:
        stage.play(Sit("ada"), Sit("ben"), Stream("owner-ada"), Wait(300), Act(1))
        stage.assert_none_of("owner-ada", "ben")
        stage.assert_nothing_held_back()
        assert all(card.encode() in stage.got("owner-ada") for card in stage.cards_of("ada"))


def the_history_of_a_hand_that_nobody_showed(template: Path) -> None:
    """An uncontested pot is no showdown: its history has no card of anybody else's, in any form."""
    with staged(template) as stage:
        stage.play(*_TWO, Act(0), Read("crowd"), Read("owner-ada"))
        assert stage.status("crowd", f"{_TABLE}/hands/1") == 200
        stage.assert_none_of("crowd", "ada")
        stage.assert_none_of("crowd", "ben")
        stage.assert_none_of("owner-ada", "ben")


def an_agent_that_speaks_as_the_table(template: Path) -> None:
    """A name that is a role's is nobody's."""
    with staged(template) as stage:
        assert stage.status("sid", "/agents", "POST", name="Dealer") == 422
        assert stage.status("sid", "/agents", "POST", name="Heron") == 201


def a_table_whose_name_is_markup(template: Path) -> None:
    """A name that breaks what it stands in is no table's."""
    with staged(template) as stage:
        asked = {"tableKind": "agent", "smallBlind": 1, "bigBlind": 2}
        assert stage.status("sid", "/games/poker", "POST", name="<b>x</b>", **asked) == 422
        assert stage.status("sid", "/games/poker", "POST", name="Heron", **asked) == 201


def a_name_that_looks_like_a_seated_one(template: Path) -> None:
    """Two players whom nobody could tell apart do not sit at one table."""
    with staged(template, replace(CLOSED, agents=("ada", "eve"))) as stage:
        stage.play(Sit("ada"))
        stage.world.loop.run(_rename(stage.world.server.people, "eve", "ADA"))
        stage.play(Sit("eve"))
        assert b"name_conflict" in stage.got("eve") and "eve" not in stage.world.seats


async def _rename(people: Any, agent: str, name: str) -> None:
    from sqlalchemy import update

    from gameserver.store import schema

    change = update(schema.agents).where(schema.agents.c.agent_id == AgentId(agent)).values(name=name)
    await people._database.write(lambda connection: connection.execute(change))


# --- gates that let everything through --------------------------------------------------------------------------------


def _all_hole_cards(*, viewer: Viewer, hand: reveal_policy.HandCards, options: object) -> dict[Seat, HoleCards]:
    return {entry.seat: open_sealed(entry.cards) for entry in hand.seats}


def _all_past_cards(*, reader: object, hand: history_policy.PastHand) -> dict[Seat, HoleCards]:
    return {past.seat: open_sealed(past.cards) for past in hand.seats}


def _to_all(*, owner: UserId | None, moment: object, options: object) -> tuple[Address, ...]:
    return (ToPublic(), *_to_every_owner(owner=owner))


def _to_every_owner(*, owner: UserId | None) -> tuple[ToUser, ...]:
    return tuple(ToUser(UserId(f"owner-{agent}")) for agent in AGENTS)


def _everybodys_seats(*, user_id: UserId, dealt_in: Sequence[OwnedSeat]) -> Owner:
    return Owner(user_id, frozenset(entry.seat for entry in dealt_in))


def _as_text(*, record: Mapping[str, Any], **_: object) -> dict[str, Any]:
    return {name: [str(each) for each in value] for name, value in record.items()}


def _every_owners(*, owner_at_deal: object, user_id: object, **hand: Any) -> OwnerScope:
    return OwnerScope(**hand)


def _every_operators(*, reader: object, in_play: object, **hand: Any) -> OperatorScope:
    return OperatorScope(operator="anybody", **hand)


def _first_argument(name: str) -> Callable[..., object]:
    return lambda **given: given[name]


LETS_ALL_THROUGH: Final[Mapping[str, Callable[..., object]]] = {
    "policy.reveal_policy.compute_revealed_hole_cards": _all_hole_cards,
    "policy.reveal_policy.look_from_the_deal": _first_argument("viewer"),
    "policy.spectator_policy.refuse_reveal_at_creation": _first_argument("asked"),
    "policy.spectator_policy.fold_reveal_options": _first_argument("stored"),
    "policy.spectator_policy.narrow_reveal_options": _first_argument("asked"),
    "policy.seating_policy.check_seating": _first_argument("sitter"),
    "policy.visibility_policy.admit_visitor": _first_argument("visitor"),
    "policy.thought_policy.address_thought": _to_all,
    "policy.thought_policy.address_decision": _to_every_owner,
    "policy.whisper_policy.admit_whisper": lambda **given: Arrival.NOW,
    "policy.owner_policy.admit_owner": lambda *, user_id, at_table: tuple(at_table),
    "policy.owner_policy.look_as_owner": _everybodys_seats,
    "policy.history_policy.compute_disclosed_hole_cards": _all_past_cards,
    "policy.name_policy.check_display_name": lambda *, name: DisplayName(name),
    "policy.name_policy.check_table_name": _first_argument("name"),
    "policy.name_policy.check_name_at_table": _first_argument("name"),
    "policy.capture_scope.scope_for_owner": _every_owners,
    "policy.capture_scope.scope_for_operator": _every_operators,
    "policy.prompt_policy.quote_for_prompt": _first_argument("text"),
    "policy.redaction_policy.redact_for_record": _as_text,
    "policy.redaction_policy.redact_text_for_record": _first_argument("text"),
    "policy.redaction_policy.keep_known_headers": _first_argument("headers"),
}

SENTINELS: Final[Mapping[str, Sequence[Attack]]] = {
    "policy.reveal_policy.compute_revealed_hole_cards": [live_cards_of_an_opponent],
    "policy.reveal_policy.look_from_the_deal": [the_last_occupants_cards],
    "policy.spectator_policy.refuse_reveal_at_creation": [a_reveal_asked_for_where_people_play],
    "policy.spectator_policy.fold_reveal_options": [a_row_that_reveals_where_people_play],
    "policy.spectator_policy.narrow_reveal_options": [a_reveal_switched_on_later],
    "policy.seating_policy.check_seating": [a_seat_for_a_process_that_can_watch],
    "policy.visibility_policy.admit_visitor": [a_private_table_by_every_way],
    "policy.thought_policy.address_thought": [thoughts_of_a_rival],
    "policy.thought_policy.address_decision": [decisions_of_a_rival],
    "policy.whisper_policy.admit_whisper": [words_to_an_agent_whose_rivals_are_seen, words_in_mid_hand],
    "policy.owner_policy.admit_owner": [the_owner_stream_of_somebody_else],
    "policy.owner_policy.look_as_owner": [an_owner_who_sees_more_than_their_own],
    "policy.history_policy.compute_disclosed_hole_cards": [the_history_of_a_hand_that_nobody_showed],
    "policy.name_policy.check_display_name": [an_agent_that_speaks_as_the_table],
    "policy.name_policy.check_table_name": [a_table_whose_name_is_markup],
    "policy.name_policy.check_name_at_table": [a_name_that_looks_like_a_seated_one],
    "policy.capture_scope.scope_for_owner": [captured_turns_of_a_rival],
    "policy.capture_scope.scope_for_operator": [captured_turns_of_a_hand_in_play],
    "policy.prompt_policy.quote_for_prompt": [words_that_speak_as_the_prompt],
    "policy.redaction_policy.redact_for_record": [a_credential_in_a_message_that_is_no_json],
    "policy.redaction_policy.redact_text_for_record": [a_credential_in_a_message, a_credential_in_what_an_agent_knew],
    "policy.redaction_policy.keep_known_headers": [a_header_that_nobody_thought_of],
}

NOT_ASKED_YET: Final[Mapping[str, str]] = {}
"""Gates that no line of the server calls, each with the reason; from the first call on they need a sentinel."""
