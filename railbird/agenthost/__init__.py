"""Agents that this project runs. They learn by frames only: of the table server this package imports `gameserver.wire` alone,
and it reaches tables through `railbird.client`."""
