"""`docs/gates.md`: who sees what and when, made by asking the gates themselves.

    python -m railbird.gates_document --write     make the page anew
    python -m railbird.gates_document --check     exit 1 where it lags (test_the_page_of_the_gates_is_what_the_gates_say)

No answer is written here: a cell is what a gate gave for a made-up hand. The cards in it are made up too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from policy import capture_scope, history_policy, reveal_policy, seating_policy, thought_policy, whisper_policy
from policy.capture_scope import EveryAgent, InPlay
from policy.errors import PolicyRefusal
from policy.gates import GATES
from policy.history_policy import Disclosed, Ending, PastAgent, PastHand, PastPerson, PastSeat, PublicStream, Stranger
from policy.ids import AgentId, Card, HandNumber, HoleCards, Seat, TableId, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed
from policy.seating_policy import HostedAgent, OutsideAgent, Person, Sitter
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from policy.thought_policy import Moment, ToPublic, ToUser
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer
from policy.whisper_policy import Way

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "gates.md"

_OWN: Final = Seat(0)
_OTHER: Final = Seat(1)
_CARDS: Final[HoleCards] = (Card("As"), Card("Kd"))
_SHOW_HANDS: Final = RevealOptions(show_hands=True, show_thoughts=False)
_SHOW_THOUGHTS: Final = RevealOptions(show_hands=False, show_thoughts=True)

_VIEWERS: Final[Mapping[str, Viewer]] = {
    "an agent in the other seat": SeatedAgent(AgentId("rival"), _OWN),
    "a person in the other seat": SeatedUser(UserId("rival"), _OWN),
    "an agent without a seat": UnseatedAgent(AgentId("rival")),
    "the owner of another agent": Owner(UserId("rival"), frozenset({_OWN})),
    "a spectator, signed in or not": Spectator(),
    "an operator": Operator("operator"),
    "the owner of this agent": Owner(UserId("owner"), frozenset({_OTHER})),
    "the agent itself": SeatedAgent(AgentId("agent"), _OTHER),
}

_MOMENTS: Final[Mapping[str, tuple[Stage, Standing, RevealOptions]]] = {
    "still in, table closed": (Stage.BETTING, Standing.LIVE, CLOSED),
    "still in, showHands": (Stage.BETTING, Standing.LIVE, _SHOW_HANDS),
    "folded": (Stage.BETTING, Standing.FOLDED, _SHOW_HANDS),
    "all in, no decision left": (Stage.RUN_OUT, Standing.LIVE, CLOSED),
    "shown": (Stage.OVER, Standing.SHOWN, CLOSED),
    "mucked": (Stage.OVER, Standing.MUCKED, _SHOW_HANDS),
    "won as all folded": (Stage.OVER, Standing.LIVE, _SHOW_HANDS),
}


def page() -> str:
    """The whole page, as Markdown."""
    told = (_thoughts(), _history(), _captured(), _seats(), _whispers())
    sections = (_preface(), _hole_cards(), _peeks(), *told, _register())
    return "\n".join(line for section in sections for line in section)


def _preface() -> Iterator[str]:
    yield "# Who sees what, and when"
    yield ""
    yield "This page is made by asking the gates in [policy/](../policy/): every cell is an answer of theirs for a made-up hand."
    yield "`python -m railbird.gates_document --write` makes it anew, and a test fails when it lags."
    yield ""


# --- hole cards ---------------------------------------------------------------------------------------------------------


def _hole_cards() -> Iterator[str]:
    yield "## One player's two cards"
    yield ""
    yield "Rows are who looks, columns what became of the cards (`reveal_policy.compute_revealed_hole_cards`)."
    yield ""
    rows = {name: [_seen(viewer, moment) for moment in _MOMENTS.values()] for name, viewer in _VIEWERS.items()}
    yield from _table("", list(_MOMENTS), rows)


def _seen(viewer: Viewer, moment: tuple[Stage, Standing, RevealOptions], peeks: tuple[Peek, ...] = ()) -> str:
    stage, standing, options = moment
    hand = HandCards(stage, (_seat(_OWN, Standing.FOLDED), _seat(_OTHER, standing)), peeks)
    seen = reveal_policy.compute_revealed_hole_cards(viewer=viewer, hand=hand, options=options)
    return _mark(_OTHER in seen)


def _seat(seat: Seat, standing: Standing) -> SeatCards:
    return SeatCards(seat, Sealed(_CARDS), standing)


def _peeks() -> Iterator[str]:
    yield "## A peek, by a power that the table's rules grant"
    yield ""
    yield "The other seat has peeked at these cards. That it did is told to all; the card is not."
    yield ""
    moments = {name: _MOMENTS[name] for name in ("still in, table closed", "folded", "mucked")}
    peek = (Peek(by=_OWN, at=_OTHER),)
    rows = {name: [_seen(viewer, moment, peek) for moment in moments.values()] for name, viewer in _VIEWERS.items()}
    yield from _table("", list(moments), rows)


# --- words --------------------------------------------------------------------------------------------------------------


def _thoughts() -> Iterator[str]:
    yield "## An agent's reasoning and decisions"
    yield ""
    yield "An agent's connection is in no address: reasoning reaches no agent (`thought_policy`)."
    yield ""
    rows = {
        "a thought, before the action, table closed": _thought(Moment.OPEN, CLOSED),
        "a thought, before the action, showThoughts": _thought(Moment.OPEN, _SHOW_THOUGHTS),
        "a thought, once the table has the action, table closed": _thought(Moment.ACTED, CLOSED),
        "a thought, once the table has the action, showThoughts": _thought(Moment.ACTED, _SHOW_THOUGHTS),
        "a decision, provisional or recorded": _addresses(thought_policy.address_decision(owner=UserId("owner"))),
    }
    yield from _table("what is said, and when", ["newly goes to"], {name: [to] for name, to in rows.items()})


def _thought(moment: Moment, options: RevealOptions) -> str:
    return _addresses(thought_policy.address_thought(moment=moment, owner=UserId("owner"), options=options))


def _addresses(addresses: Sequence[thought_policy.Address]) -> str:
    words = {ToUser: "the agent's owner", ToPublic: "the public view"}
    return ", ".join(words[type(address)] for address in addresses) or "nobody new"


def _whispers() -> Iterator[str]:
    yield "## What an owner or a watcher can move towards an agent"
    yield ""
    yield "One player to a hand: what is taken waits for the next one. This list is whole (`whisper_policy.Way`)."
    yield ""
    tables: Mapping[str, Sequence[RevealOptions]] = {
        "no seat": (),
        "at closed tables": (CLOSED,),
        "at a revealing table": (_SHOW_HANDS,),
    }
    rows = {f"`{way.value}`": [_arrival(way, at) for at in tables.values()] for way in Way}
    yield from _table("what", list(tables), rows)


def _arrival(way: Way, sits_at: Sequence[RevealOptions]) -> str:
    return _answer(lambda: whisper_policy.admit_whisper(way=way, sits_at=sits_at).value.replace("_", " "))


# --- history and seats --------------------------------------------------------------------------------------------------


def _history() -> Iterator[str]:
    yield "## A finished hand, read later"
    yield ""
    yield "`streamed`: a showHands stream really showed the cards while they were live (`history_policy`)."
    yield ""
    readers: Mapping[str, history_policy.Reader] = {
        "a stranger": Stranger(),
        "a user who owned none of its agents": PastPerson(UserId("rival")),
        "the owner at the time": PastPerson(UserId("owner")),
        "an agent that played another seat": PastAgent(AgentId("rival"), UserId("rival")),
        "the agent itself": PastAgent(AgentId("agent"), UserId("owner")),
    }
    columns = [*(each.value.replace("_", " ") for each in Disclosed), "hand cancelled"]
    rows = {
        name: [
            *(_in_history(reader, each, Ending.FINISHED) for each in Disclosed),
            _in_history(reader, Disclosed.FACE_UP, Ending.CANCELLED),
        ]
        for name, reader in readers.items()
    }
    yield from _table("", columns, rows)


def _in_history(reader: history_policy.Reader, disclosed: Disclosed, ending: Ending) -> str:
    player = PastAgent(AgentId("agent"), UserId("owner"))
    hand = PastHand(ending, PublicStream.DONE, CLOSED, (PastSeat(_OTHER, player, Sealed(_CARDS), disclosed),))
    return _mark(_OTHER in history_policy.compute_disclosed_hole_cards(reader=reader, hand=hand))


def _captured() -> Iterator[str]:
    yield "## An agent's captured turns: what it knew, was told, said and did"
    yield ""
    yield "Read, kept, taken along or deleted (`capture_scope`). A hand is in play while a running table has it open."
    yield ""
    viewers = {name: viewer for name, viewer in _VIEWERS.items() if not isinstance(viewer, Owner)}
    rows = {
        "who owned it at the deal": [_of_owner(UserId("owner"))] * 2,
        "who owns it since, and any other user": [_of_owner(UserId("rival"))] * 2,
        **{name: [_of_operator(viewer, state) for state in InPlay] for name, viewer in viewers.items()},
    }
    yield from _table("", ["in play", "over or cancelled"], rows)


def _of_owner(user_id: UserId) -> str:
    def ask() -> str:
        capture_scope.scope_for_owner(
            user_id=user_id,
            agent_id=AgentId("agent"),
            table_id=TableId("t"),
            hand_number=HandNumber(1),
            owner_at_deal=UserId("owner"),
        )
        return "**yes**"

    return _answer(ask)


def _of_operator(reader: Viewer, in_play: InPlay) -> str:
    def ask() -> str:
        capture_scope.scope_for_operator(
            reader=reader,
            whose=EveryAgent(),
            table_id=TableId("t"),
            hand_number=HandNumber(1),
            in_play=in_play,
        )
        return "**yes**"

    return _answer(ask)


def _seats() -> Iterator[str]:
    yield "## Who may sit"
    yield ""
    yield "`seating_policy.check_seating`; only a table of kind `agent` can reveal anything (`spectator_policy`)."
    yield ""
    sitters: Mapping[str, Sitter] = {
        "a person": Person(),
        "an agent of its owner's own": OutsideAgent(),
        "a hosted agent, model of the platform": HostedAgent("house"),
        "a hosted agent, any other model": HostedAgent("other"),
    }
    tables = {
        "agent": (TableKind.AGENT, CLOSED),
        "human": (TableKind.HUMAN, CLOSED),
        "mixed": (TableKind.MIXED, CLOSED),
        "agent, revealing": (TableKind.AGENT, _SHOW_HANDS),
    }
    rows = {name: [_seating(sitter, *table) for table in tables.values()] for name, sitter in sitters.items()}
    yield from _table("", list(tables), rows)


def _seating(sitter: Sitter, kind: TableKind, options: RevealOptions) -> str:
    def ask() -> str:
        seating_policy.check_seating(table_kind=kind, options=options, sitter=sitter, platform_models={"house"})
        return "yes"

    return _answer(ask)


# --- the register -------------------------------------------------------------------------------------------------------


def _register() -> Iterator[str]:
    yield "## Every gate"
    yield ""
    rows = {f"`{gate.module.removeprefix('policy.')}.{gate.name}`": [gate.withholds] for gate in GATES}
    yield from _table("gate", ["withholds"], rows)


def _answer(ask: Callable[[], str]) -> str:
    """What a gate permits, or the code of its refusal."""
    try:
        return ask()
    except PolicyRefusal as refusal:
        return f"`{refusal.code}`"


def _mark(seen: bool) -> str:
    return "**yes**" if seen else "no"


def _table(corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"| {corner} | {' | '.join(columns)} |"
    yield f"|{'---|' * (len(columns) + 1)}"
    for name, cells in rows.items():
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or say whether it lags. Returns the exit code."""
    parser = argparse.ArgumentParser(description="Make docs/gates.md from the gates.")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--write", action="store_true")
    group.add_argument("--check", action="store_true")
    if parser.parse_args(arguments).write:
        PAGE.write_text(page(), "utf-8")
        return 0
    return 0 if PAGE.is_file() and PAGE.read_text("utf-8") == page() else 1


if __name__ == "__main__":
    sys.exit(main())
