"""Who owned an agent at a deal is read from a finished hand once."""

from __future__ import annotations

from typing import Any

import pytest

from gameserver.store.hands import Hands
from tests.capture.http.conftest import Recorded


async def test_a_finished_hand_is_read_once_however_often_it_is_listed(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row holds the whole hand, and a listing asks for one a hand."""
    read: list[object] = []
    hand = Hands.hand

    async def counted(self: Hands, *which: Any) -> Any:
        read.append(which)
        return await hand(self, *which)

    monkeypatch.setattr(Hands, "hand", counted)
    for _ in range(3):
        answer = await recorded.world.ask("GET", f"/agents/{recorded.a1}/hands", user="ann")
        assert len(answer.json()["hands"]) == 1
    assert len(read) == 1


async def test_what_is_remembered_of_one_hand_is_no_answer_for_another(recorded: Recorded) -> None:
    """Neither for another agent, nor for another person, nor for another number."""
    asked = recorded.world.ask
    assert (await asked("GET", recorded.own, user="ann")).status_code == 200
    assert (await asked("GET", recorded.own, user="bob")).status_code == 404
    assert (await asked("GET", recorded.own.replace(recorded.a1, recorded.b1), user="ann")).status_code == 404
    assert (await asked("GET", f"/agents/{recorded.a1}/hands/{recorded.table_id}/8", user="ann")).status_code == 404
