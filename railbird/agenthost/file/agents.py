"""What AGENTS.toml says, as values. `examples/agents.toml` has every field with a word about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gameserver.wire.fields import MAX_CHIPS, MAX_SAFE_WHOLE
from policy import name_policy
from policy.errors import PolicyRefusal
from railbird.agenthost.file import toml
from railbird.agenthost.file.toml import Bad, Fields, Reader, Wrong
from railbird.agenthost.models.endpoint import Dialect, Endpoint, EndpointError, Structured
from railbird.agenthost.models.platform import HOUSE
from railbird.agenthost.prices import Price

MOST_AGENTS: Final = 2_000
_MODEL: Final = toml.word("[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}", "a model's name")
_PERSON: Final = toml.word("[A-Za-z0-9_-][A-Za-z0-9._@|+=~-]{0,127}", "a user's id")
_VARIABLE: Final = toml.word(
    "(?!RAILBIRD_(?!AGENT_TOKEN$))[A-Za-z_][A-Za-z0-9_]{0,127}",
    "the name of a variable of the environment, and none of the settings RAILBIRD_...",
)
_PLUGIN: Final = toml.word("[A-Za-z0-9][A-Za-z0-9._-]{0,127}", "the name of an entry point")


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """`[models.NAME]`. `key_env`: the variable that holds the provider's key; `None`: it wants none."""

    endpoint: Endpoint
    key_env: str | None


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """`[[agents]]`. `table`: its id or its name. `seat`: `None` takes any free one.

    `owner`: whose agent it is, registered with the server's own database; `None` where `token_env` names the variable that holds
    a token which somebody gave out for it.
    """

    name: str
    table: str
    buy_in_chips: int
    owner: str | None = None
    token_env: str | None = None
    seat: int | None = None
    rebuys: bool = True
    model: str = HOUSE
    strategy: str = ""
    skills: tuple[str, ...] = ()
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    daily_budget_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class AgentsFile:
    """All of it. `server`: as a browser opens it. `deployments`: whether it also plays what owners deploy over HTTP.

    `daily_budget_usd`: of each agent that has none of its own; a deployed one has none.
    """

    server: str
    models: Mapping[str, ModelEntry]
    agents: tuple[AgentEntry, ...]
    deployments: bool
    listeners: tuple[str, ...] = ()
    metrics_port: int | None = None
    stop_within_s: float = 20.0
    daily_budget_usd: Decimal | None = None

    @property
    def needs_the_database(self) -> bool:
        """Whether it registers agents or looks at deployments; else tokens that were given out are enough."""
        return self.deployments or any(agent.token_env is None for agent in self.agents)


_FILE_FIELDS: Final = (
    *("server", "models", "agents", "deployments", "listeners", "metrics_port", "stop_within_s", "daily_budget_usd"),
)


def read_agents_file(file: Path, given: Callable[[Iterable[str]], Mapping[str, str]]) -> AgentsFile:
    """Read and check everything. `given`: those of some variables that are set. Raises Wrong with all that is wrong."""
    reader, tables = toml.parsed(file)
    top = reader.table("", tables, _FILE_FIELDS, _FIELDS)
    models = _models(reader, tables.get("models", {}))
    agents = _agents(reader, tables.get("agents", []), _names(tables.get("models")) | {HOUSE}, file.parent)
    all_have_tokens = bool(agents) and all(agent.token_env is not None for agent in agents)
    found = AgentsFile(
        server=top.required("server", _server, ""),
        models=models,
        agents=agents,
        deployments=top.optional("deployments", toml.flag, not all_have_tokens),
        listeners=top.optional("listeners", toml.list_of(_PLUGIN, 100), ()),
        metrics_port=top.optional("metrics_port", toml.optional(toml.whole(0, 65_535)), None),
        stop_within_s=top.optional("stop_within_s", toml.number(0, 600), 20.0),
        daily_budget_usd=top.optional("daily_budget_usd", toml.optional(toml.dollars), None),
    )
    _refuse_missing_secrets(reader, found, given)
    if not found.agents and not found.deployments:
        reader.report("agents", "missing_field", "there is nothing to play: no [[agents]], and deployments = false")
    if reader.problems:
        raise Wrong(file.name, reader.problems)
    return found


def _refuse_missing_secrets(
    reader: Reader, found: AgentsFile, given: Callable[[Iterable[str]], Mapping[str, str]]
) -> None:
    named = {f"models.{name}.key_env": entry.key_env for name, entry in found.models.items()}
    named |= {f"agents[{number}].token_env": agent.token_env for number, agent in enumerate(found.agents, start=1)}
    there = given([variable for variable in named.values() if variable is not None])
    for place, variable in named.items():
        if variable is not None and variable not in there:
            reader.report(place, "missing_field", f"the environment has no {variable}")


def _server(value: object) -> str:
    address = toml.text(1, 2_000)(value)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise Bad("bad_value", "has to be an address as a browser opens it, http://127.0.0.1:8000")
    return address.rstrip("/")


# --- models -------------------------------------------------------------------------------------------------------------

_MODEL_FIELDS: Final = ("base_url", "model", "key_env", "dialect", "provider", "structured", "input_usd", "output_usd")


def _models(reader: Reader, values: object) -> dict[str, ModelEntry]:
    if not isinstance(values, dict):
        reader.report("models", "bad_type", "has to be tables: [models.NAME]")
        return {}
    found = {name: _model(reader, name, entry) for name, entry in values.items()}
    return {name: entry for name, entry in found.items() if entry is not None}


def _names(values: object) -> set[str]:
    """Those of faulty entries too: what is wrong with one is told once, and not of each agent that names it."""
    return set(values) if isinstance(values, dict) else set()


def _model(reader: Reader, name: str, values: object) -> ModelEntry | None:
    fields = reader.table(f"models.{name}", values, _MODEL_FIELDS, _FIELDS)
    try:
        if _MODEL(name) == HOUSE:
            raise Bad("bad_value", "house is the name of the rules that need no model")
    except Bad as bad:
        reader.report(fields.place, bad.code, bad.why)
    key_env = fields.optional("key_env", toml.optional(_VARIABLE), None)
    try:
        endpoint = Endpoint(
            base_url=fields.required("base_url", toml.text(1, 2_000), "http://nowhere.invalid"),
            model=fields.optional("model", toml.text(1, 128), name),
            dialect=Dialect(fields.optional("dialect", toml.one_of(*(each.value for each in Dialect)), "openai")),
            provider=fields.optional("provider", toml.text(0, 64), ""),
            structured=Structured(
                fields.optional("structured", toml.one_of(*(each.value for each in Structured)), "learn")
            ),
            price=_price(fields),
        )
    except EndpointError as wrong:
        fields.report("base_url", "bad_value", str(wrong))
        return None
    return ModelEntry(endpoint, key_env)


def _price(fields: Fields) -> Price | None:
    """Both or none: half a price would be a wrong one."""
    named = [name for name in ("input_usd", "output_usd") if name in fields.values]
    if not named:
        return None
    cost = [fields.required(name, toml.dollars, Decimal(0)) for name in ("input_usd", "output_usd")]
    return Price(cost[0], cost[1])


# --- agents -------------------------------------------------------------------------------------------------------------

_AGENT_FIELDS: Final = (
    *("name", "owner", "token_env", "table", "seat", "buy_in", "rebuys", "model", "strategy", "strategy_file"),
    *("skills", "temperature", "seed", "max_tokens", "daily_budget_usd"),
)


_FIELDS: Final = {
    "[[agents]]": _AGENT_FIELDS,
    "[models.NAME]": _MODEL_FIELDS,
    "the file before the first table": _FILE_FIELDS,
}


def _agents(reader: Reader, values: object, models: set[str], folder: Path) -> tuple[AgentEntry, ...]:
    if not isinstance(values, list):
        reader.report("agents", "bad_type", "has to be a list of tables: [[agents]]")
        return ()
    if len(values) > MOST_AGENTS:
        reader.report("agents", "out_of_range", f"one host plays {MOST_AGENTS} agents at most")
        return ()
    found = [_agent(reader, f"agents[{number}]", entry, models, folder) for number, entry in enumerate(values, start=1)]
    _refuse_twins(reader, found)
    return tuple(found)


def _agent(reader: Reader, place: str, values: object, models: set[str], folder: Path) -> AgentEntry:
    fields = reader.table(place, values, _AGENT_FIELDS, _FIELDS)
    model = fields.optional("model", _MODEL, HOUSE)
    if model not in models:
        fields.report(
            "model", "bad_value", f"there is no [models] entry of that name; there are {', '.join(sorted(models))}"
        )
    return AgentEntry(
        name=fields.required("name", _name, ""),
        table=fields.required("table", toml.text(1, 100), ""),
        buy_in_chips=fields.required("buy_in", toml.whole(1, MAX_CHIPS), 1),
        owner=_owner(fields),
        token_env=fields.optional("token_env", toml.optional(_VARIABLE), None),
        seat=fields.optional("seat", toml.optional(toml.whole(0, 9)), None),
        rebuys=fields.optional("rebuys", toml.flag, True),
        model=model,
        strategy=_strategy(fields, folder),
        skills=fields.optional("skills", toml.list_of(toml.text(0, 40_000), 32), ()),
        temperature=fields.optional("temperature", toml.optional(toml.number(0, 2)), None),
        seed=fields.optional("seed", toml.optional(toml.whole(-MAX_SAFE_WHOLE, MAX_SAFE_WHOLE)), None),
        max_tokens=fields.optional("max_tokens", toml.optional(toml.whole(1, 1_000_000)), None),
        daily_budget_usd=fields.optional("daily_budget_usd", toml.optional(toml.dollars), None),
    )


def _name(value: object) -> str:
    try:
        return name_policy.check_display_name(name=toml.text(1, 200)(value))
    except PolicyRefusal as refused:
        raise Bad(refused.code.value, refused.why) from None


def _owner(fields: Fields) -> str | None:
    has_token = "token_env" in fields.values
    if has_token and "owner" in fields.values:
        fields.report("owner", "bad_value", "a token says whose agent it is: have owner or token_env")
    if has_token:
        return None
    return fields.required("owner", _PERSON, "nobody")


def _strategy(fields: Fields, folder: Path) -> str:
    """Here, or in a file beside this one."""
    if "strategy_file" not in fields.values:
        return fields.optional("strategy", toml.text(), "")
    if "strategy" in fields.values:
        fields.report("strategy_file", "bad_value", "have strategy or strategy_file")
    name = fields.optional("strategy_file", toml.text(1, 1_000), "")
    try:
        return toml.text()((folder / name).read_text("utf-8")) if name else ""
    except OSError as failed:
        fields.report("strategy_file", "unreadable", failed.strerror or "cannot be read")
    except UnicodeDecodeError:
        fields.report("strategy_file", "bad_text", "has to be UTF-8")
    except Bad as bad:
        fields.report("strategy_file", bad.code, bad.why)
    return ""


def _refuse_twins(reader: Reader, agents: list[AgentEntry]) -> None:
    """An agent is its owner's by its name, or its token's; it sits at a table once."""
    seen: set[tuple[str | None, ...]] = set()
    for number, agent in enumerate(agents, start=1):
        who = (agent.owner, agent.name) if agent.token_env is None else (None, agent.token_env)
        if (*who, agent.table) in seen:
            reader.report(f"agents[{number}].table", "already_seated", "this agent has a seat at this table already")
        seen.add((*who, agent.table))
