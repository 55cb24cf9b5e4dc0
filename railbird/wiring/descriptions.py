"""Everything that is said of the routes, of every package. A route without its words fails test_every_route_is_described."""

from __future__ import annotations

from typing import Final

from gameserver.http.documents.description import Descriptions
from gameserver.http.documents.register import DESCRIPTIONS as OF_THE_TABLE_SERVER
from railbird.wiring.of_hosting import HOSTING
from railbird.wiring.record.descriptions import RECORD

DESCRIPTIONS: Final[Descriptions] = {**OF_THE_TABLE_SERVER, **HOSTING, **RECORD}
