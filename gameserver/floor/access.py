"""From an identity to what the gates ask about it: who may know of a table, and who may still play a seat that is held.

It decides nothing: `visibility_policy` and `seating_policy` do. Their refusals become the table server's own.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import NoReturn, TypeAlias, assert_never

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.dispatch import player_id_of
from gameserver.floor.settings import FloorSettings
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.table.commands import AgentPlayer
from gameserver.table.options import TableOptions
from gameserver.table.room import Room
from policy import owner_policy, seating_policy, visibility_policy
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import TableId, UserId
from policy.owner_policy import OwnedSeat
from policy.seating_policy import HostedAgent, OutsideAgent
from policy.visibility_policy import Guest, OpenTable, PrivateTable, Staff, Stranger, Visitor

Invited: TypeAlias = Callable[[TableId], AbstractSet[UserId]]
"""The users who are invited to a table now."""


def nobody_is_invited(table_id: TableId) -> AbstractSet[UserId]:
    """Where no invitations are kept."""
    return frozenset()


class Access:
    """Who may know of which table."""

    def __init__(self, settings: FloorSettings, invited: Invited) -> None:
        self._settings = settings
        self._invited = invited

    def admit(self, identity: Identity, table_id: TableId, options: TableOptions) -> None:
        """Raises Refusal `not_found`, as for a table that does not exist."""
        table = PrivateTable(options.created_by, self._invited(table_id)) if options.private else OpenTable()
        try:
            visibility_policy.admit_visitor(visitor=self._visitor(identity), table=table)
        except PolicyRefusal as refusal:
            raise_as_refusal(refusal)

    def _visitor(self, identity: Identity) -> Visitor:
        match identity:
            case AgentIdentity(agent_id=agent_id, owner=owner):
                return Staff() if agent_id in self._settings.house_agents else Guest(owner)
            case UserIdentity(user_id=user_id):
                return Staff() if user_id in self._settings.operators else Guest(user_id)
            case Nobody():
                return Stranger()
            case _:
                assert_never(identity)


def check_occupant(room: Room, identity: Identity, platform_models: AbstractSet[str]) -> None:
    """Raises Refusal where an agent's seat at a revealing table would be played under a token that could not have taken it.

    Else an owner whose hosted agent sits there could take the seat over with a process that watches beside it
    (test_an_outside_process_takes_over_no_seat_at_a_revealing_table).
    """
    if not isinstance(identity, AgentIdentity) or room.seat_of(player_id_of(identity)) is None:
        return
    sitter = HostedAgent(identity.model) if identity.hosted and identity.model is not None else OutsideAgent()
    options = room.options
    try:
        seating_policy.check_seating(
            table_kind=options.kind, options=options.reveal, sitter=sitter, platform_models=platform_models
        )
    except PolicyRefusal as refusal:
        raise_as_refusal(refusal)


def admit_owner(room: Room | None, identity: Identity) -> UserId:
    """Who may open an owner's stream. `room`: None for a table that is not there, or not for them.

    Raises Refusal(not_allowed), the same for each of them.
    """
    try:
        if not isinstance(identity, UserIdentity):
            raise PolicyRefusal(RefusalCode.NOT_ALLOWED, "an owner stream is for a user")
        at_table = () if room is None else _owned_seats(room)
        owner_policy.admit_owner(user_id=identity.user_id, at_table=at_table)
    except PolicyRefusal as refusal:
        raise_as_refusal(refusal)
    return identity.user_id


def owns_an_agent(room: Room, user_id: UserId) -> bool:
    """Whether a user has an agent at a table, as the gate says it."""
    try:
        owner_policy.admit_owner(user_id=user_id, at_table=_owned_seats(room))
    except PolicyRefusal:
        return False
    return True


def _owned_seats(room: Room) -> list[OwnedSeat]:
    """The agents that sit at a table or are in its hand. Whose one was at the sale stays in the hand until it is over."""
    return [
        OwnedSeat(seat, player.agent_id, player.owner)
        for seat, player in room.players()
        if isinstance(player, AgentPlayer)
    ]


def raise_as_refusal(refusal: PolicyRefusal) -> NoReturn:
    """A gate's refusal under the same code on the wire."""
    raise Refusal(ErrorCode(refusal.code.value), refusal.why) from None
