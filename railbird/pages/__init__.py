"""Pages that draw what arrived: the lobby, a table, a table as the owner of an agent there sees it, and what that agent knew,
was told, said and did.

Nothing is hidden here, since hiding is not security: what a page gets, its reader may have. The pages take their data through
ports and know neither tables nor tokens. All of it is served from this package: no other host, no script or style in the text.
"""

from __future__ import annotations

from railbird.pages.lobby import LobbyPort, NoOwner, PlayerSummary, TableSummary
from railbird.pages.routes import page_routes

__all__ = ["LobbyPort", "NoOwner", "PlayerSummary", "TableSummary", "page_routes"]
