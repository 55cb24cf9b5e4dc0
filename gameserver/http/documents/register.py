"""Everything that is said of the routes of this package. A route without its words fails test_every_route_is_described."""

from __future__ import annotations

from typing import Final

from gameserver.http.documents.description import Descriptions
from gameserver.http.documents.of_agents import AGENTS
from gameserver.http.documents.of_desk import DESK
from gameserver.http.documents.of_history import HISTORY
from gameserver.http.documents.of_operators import OPERATORS
from gameserver.http.documents.of_people import PEOPLE
from gameserver.http.documents.of_streams import STREAMS
from gameserver.http.documents.of_tables import HEALTH, PROTOCOL, TABLES

DESCRIPTIONS: Final[Descriptions] = {
    **TABLES,
    **DESK,
    **STREAMS,
    **HISTORY,
    **AGENTS,
    **PEOPLE,
    **OPERATORS,
    **HEALTH,
    **PROTOCOL,
}
