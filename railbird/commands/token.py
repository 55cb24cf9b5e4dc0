"""`railbird token`: tokens for development and for agents that somebody hosts themselves.

None of them is hosted: only the hosting service signs that (test_no_token_is_hosted). A token is printed once and kept nowhere.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Annotated, Final

from cyclopts import App, Parameter
from cyclopts.validators import Number
from sqlalchemy.exc import SQLAlchemyError

from gameserver.floor.clock import SystemClock
from gameserver.identity import ids
from gameserver.identity.issue import issue_agent_token, issue_user_token
from gameserver.identity.key_files import KeysMissing, KeysNotPrivate, load_keys
from gameserver.identity.keys import KeyUse, SigningKey, UnusableKey
from gameserver.store.engine import DatabaseUrlError, open_database
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from policy import name_policy
from policy.errors import PolicyRefusal
from policy.ids import AgentId, AgentVersionId, UserId
from railbird import migrations
from railbird.commands.answer import AsJson, ConfigFile, Exit, Failed, UsedWrongly, say, say_json, settings
from railbird.config import Settings

app = App(name="token", help="Tokens for development and for agents that you host yourself.")

_DAY_S: Final = 86_400
_FIRST_VERSION: Final = b"{}"
"""Who hosts an agent keeps its strategy to themselves."""


@app.command
def user(
    name: str,
    *,
    days: Annotated[int, Parameter(validator=Number(gte=1, lte=30))] = 1,
    json: AsJson = False,
    config: ConfigFile = None,
) -> int:
    """Print a token for a person.

    Parameters
    ----------
    name
        The person's user id.
    days
        How long it is good.
    """
    user_id = _user_id(name)
    key = _key(settings(config), KeyUse.USER)
    now_s, life_s = int(time.time()), days * _DAY_S
    token = issue_user_token(key, user_id=user_id, token_id=_new_id("t"), now_s=now_s, life_s=life_s)
    return _tell(token, json, {"userId": user_id, "token": token, "expiresAt": (now_s + life_s) * 1000})


@app.command
def agent(
    name: str,
    *,
    owner: str,
    days: Annotated[int, Parameter(validator=Number(gte=1, lte=90))] = 30,
    json: AsJson = False,
    config: ConfigFile = None,
) -> int:
    """Print a token for an agent. Registers the agent and its version 1 where its owner has none of that name.

    Parameters
    ----------
    name
        The agent's name, as the tables show it, or its id.
    owner
        The user id of its owner.
    days
        How long it is good.
    """
    wanted = settings(config)
    owner_id, shown_name = _user_id(owner), _display_name(name)
    key = _key(wanted, KeyUse.AGENT)
    agent_id, version_id = _registered(wanted, shown_name, owner_id)
    now_s, life_s = int(time.time()), days * _DAY_S
    token = issue_agent_token(
        key,
        agent_id=agent_id,
        owner=owner_id,
        version_id=version_id,
        token_id=_new_id("t"),
        now_s=now_s,
        life_s=life_s,
    )
    told = {"agentId": agent_id, "owner": owner_id, "agentVersionId": version_id}
    return _tell(token, json, {**told, "agentToken": token, "expiresAt": (now_s + life_s) * 1000})


def _tell(token: str, as_json: bool, told: dict[str, object]) -> int:
    if as_json:
        say_json(told)
    else:
        say(token)
    return Exit.FINE


def _key(wanted: Settings, use: KeyUse) -> SigningKey:
    try:
        return load_keys(wanted.store.keys_folder, now_s=int(time.time())).signing[use]
    except KeysMissing as missing:
        raise Failed(f"{missing}. `railbird keys init` makes them.") from None
    except (KeysNotPrivate, UnusableKey) as problem:
        raise Failed(f"{problem}.") from None


def _registered(wanted: Settings, name: str, owner: UserId) -> tuple[AgentId, AgentVersionId]:
    try:
        wanted.store.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return asyncio.run(_register(wanted, name, owner))
    except DatabaseUrlError as problem:
        raise UsedWrongly(f"RAILBIRD_DATABASE_URL: {problem}.") from None
    except (OSError, SQLAlchemyError) as failed:
        raise Failed(f"The database does not answer ({type(failed).__name__}); `railbird doctor` says more.") from None


async def _register(wanted: Settings, name: str, owner: UserId) -> tuple[AgentId, AgentVersionId]:
    """The owner's agent of that name or id, with its latest version; both are made where they are missing."""
    database = await open_database(wanted.store.database_url, migrate=migrations.upgrade)
    try:
        people = People(database, Bookkeeping(SystemClock().wall_ms, wanted.store.starting_chips))
        agent_id = await _agent(people, name, owner)
        return agent_id, await _version(people, agent_id)
    finally:
        await database.dispose()


async def _agent(people: People, name: str, owner: UserId) -> AgentId:
    for known in await people.agents_of(owner):
        if name in (known.name, known.agent_id):
            return known.agent_id
    return (await people.create_agent(AgentId(_new_id("a")), name, owner)).agent_id


async def _version(people: People, agent_id: AgentId) -> AgentVersionId:
    versions = await people.versions_of(agent_id)
    if versions:
        return versions[-1].version_id
    return (await people.publish_version(agent_id, AgentVersionId(_new_id("v")), _FIRST_VERSION)).version_id


def _new_id(kind: str) -> str:
    return f"{kind}-{secrets.token_hex(8)}"


def _user_id(name: str) -> UserId:
    user_id = ids.user_id(name)
    if user_id is None:
        raise UsedWrongly("A user id is one word of at most 128 letters, digits and . _ @ | + = ~ - signs.")
    return user_id


def _display_name(name: str) -> str:
    try:
        return name_policy.check_display_name(name=name)
    except PolicyRefusal as refused:
        raise UsedWrongly(f"No agent can have that name: {refused.why}.") from None
