"""`GET /bankroll`: a person's own play chips."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.askers import HttpAskers
from gameserver.http.tables import json_answer
from gameserver.store.ledger import Ledger


def bankroll_routes(askers: HttpAskers, ledger: Ledger) -> list[BaseRoute]:
    """For whoever is signed in; a person who was not seen before has the starting chips."""

    async def bankroll(request: Request) -> Response:
        asker = await askers.user(request)
        return json_answer({"userId": asker.user_id, "balance": await ledger.bankroll_chips(asker.user_id)})

    return [Route("/bankroll", bankroll, methods=["GET"], name="bankroll")]
