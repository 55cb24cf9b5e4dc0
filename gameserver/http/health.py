"""`GET /healthz` (the process lives) and `GET /readyz` (it can do its work, with each store's state)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.lobby import Readiness
from gameserver.http.tables import json_answer


def health_routes(readiness: Readiness) -> list[BaseRoute]:
    """For anybody. A store has a name and a state here, and no address."""

    async def healthz(request: Request) -> Response:
        return json_answer({"status": "ok"})

    async def readyz(request: Request) -> Response:
        stores = await readiness.stores()
        ready = all(stores.values())
        content = {
            "status": "ready" if ready else "not_ready",
            "stores": {name: "up" if up else "down" for name, up in stores.items()},
        }
        return json_answer(content, 200 if ready else 503)

    return [
        Route("/healthz", healthz, methods=["GET"], name="healthz"),
        Route("/readyz", readyz, methods=["GET"], name="readyz"),
    ]
