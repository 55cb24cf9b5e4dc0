"""What is said of the routes of finished hands."""

from __future__ import annotations

from typing import Final

from gameserver.http.documents.description import Answer, Description, Descriptions, Query, Who
from gameserver.http.history.document import HandDocument, HandLine, HandPlayer, HandsDocument, HandWinner
from gameserver.http.history.ohh import MEDIA_TYPE as OHH
from gameserver.http.history.page import LARGEST, USUAL
from gameserver.http.history.phh import MEDIA_TYPE as PHH
from gameserver.wire.examples import ACTIONS, HAND, NOW_MS, RESULT, RULES, TABLE

_ONE: Final = HandDocument(
    table_id=TABLE,
    hand_number=HAND,
    began_at=NOW_MS - 60_000,
    ended_at=NOW_MS,
    small_blind=RULES.small_blind,
    big_blind=RULES.big_blind,
    ante=0,
    ante_kind="each",
    button=0,
    button_dead=False,
    small_blind_seat=1,
    big_blind_seat=2,
    players=[
        HandPlayer(seat=1, name="Blaise", kind="agent", stack=1_000, hole_cards=["As", "Kd"], agent_id="a-blaise"),
        HandPlayer(seat=2, name="Carl", kind="agent", stack=1_000, agent_id="a-carl"),
        HandPlayer(seat=0, name="Ada", kind="agent", stack=1_000, agent_id="a-ada"),
    ],
    actions=ACTIONS,
    board=RESULT.board,
    pots=RESULT.pots,
    returned={},
    uncontested=False,
    shown=RESULT.shown,
    stacks=RESULT.stacks,
)
_LINE: Final = HandLine(
    hand_number=HAND,
    began_at=NOW_MS - 60_000,
    ended_at=NOW_MS,
    players=3,
    board=RESULT.board,
    pot=260,
    uncontested=False,
    winners=[HandWinner(seat=1, name="Blaise", amount=260)],
)
_WHAT_IS_SHOWN: Final = (
    "A stranger gets what the public stream of that hand disclosed, an owner at the time of the hand their own agent's cards too. "
    "A hand that is not over is not there."
)
_ONE_HAND: Final = "/games/poker/{tableId}/hands/{number}"

HISTORY: Final[Descriptions] = {
    "GET /games/poker/{tableId}/hands": Description(
        group="history",
        summary="Finished hands, newest first.",
        who=Who.ANYBODY,
        query=(
            Query("limit", f"Hands a page: 1 to {LARGEST}; without it {USUAL}."),
            Query("before", "A hand's number: the page begins with the one before it."),
        ),
        answers=(Answer(200, "A page of hands.", HandsDocument(table_id=TABLE, hands=[_LINE], before=None)),),
        refusals=("not_found", "out_of_range"),
    ),
    f"GET {_ONE_HAND}": Description(
        group="history",
        summary="One finished hand.",
        who=Who.ANYBODY,
        words=_WHAT_IS_SHOWN + " A cancelled one has `status` `cancelled`, and neither players nor cards.",
        answers=(Answer(200, "The hand.", _ONE),),
        refusals=("not_found",),
    ),
    f"GET {_ONE_HAND}.phh": Description(
        group="history",
        summary="One finished hand in the PHH format.",
        who=Who.ANYBODY,
        words=_WHAT_IS_SHOWN,
        answers=(Answer(200, "TOML, for PokerKit and others.", 'variant = "NT"', PHH),),
        refusals=("not_found",),
    ),
    f"GET {_ONE_HAND}.ohh.json": Description(
        group="history",
        summary="One finished hand in the Open Hand History format.",
        who=Who.ANYBODY,
        words=_WHAT_IS_SHOWN,
        answers=(Answer(200, "JSON, as the format has it.", '{"ohh":{}}', OHH),),
        refusals=("not_found",),
    ),
}
