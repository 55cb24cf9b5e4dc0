"""`/games/poker/{tableId}/hands`: finished hands, as their reader may know them.

    routes = history_routes(HistoryPorts(tables=store, hands=hands, identify=identify, admit=admit, now_ms=clock.wall_ms))

`disclosed` asks the gate what one reader has of one hand; `page` finds the hands of a page; `document`, `phh` and `ohh` write what
they are given in three forms, and know neither readers nor hidden cards; `routes` reads requests. Nothing here decides who may see
what: `history_policy` and `visibility_policy` do.
"""

from gameserver.http.history.ports import HistoryPorts
from gameserver.http.history.routes import history_routes

__all__ = ["HistoryPorts", "history_routes"]
