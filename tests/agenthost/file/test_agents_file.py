"""AGENTS.toml is read strictly: all that is wrong is told at once, with its line, its field and a code; and no value of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from gameserver.identity import ids
from railbird.agenthost.file import agents
from railbird.agenthost.file.agents import AgentsFile, read_agents_file
from railbird.agenthost.file.toml import Wrong
from railbird.agenthost.models.endpoint import Dialect, Structured
from railbird.agenthost.prices import Price
from tests.conftest import ROOT

LEAST = """\
server = "http://127.0.0.1:8000"

[[agents]]
name = "Rocky"
owner = "olga"
table = "Kitchen"
buy_in = 400
"""
WHOLE = """\
server = "https://play.example/poker/"
deployments = false
listeners = ["spans"]
metrics_port = 9101
stop_within_s = 2.5
daily_budget_usd = 1

[models.small]
base_url = "http://127.0.0.1:8080/v1"
model = "qwen"
key_env = "SMALL_KEY"
dialect = "anthropic"
provider = "home"
structured = "no"
input_usd = "0.10"
output_usd = "0.4"

[models."maker/large:70b"]
base_url = "https://api.example/v1"

[[agents]]
name = "Rocky"
owner = "olga@example.com"
table = "t-1"
seat = 5
buy_in = 400
rebuys = false
model = "small"
strategy_file = "rocky.md"
skills = ["outs", "odds"]
temperature = 1
seed = -7
max_tokens = 300
daily_budget_usd = "0.000001"

[[agents]]
name = "Otter"
token_env = "OTTER_TOKEN"
table = "t-1"
buy_in = 400
model = "maker/large:70b"
"""
SECRET = "sk-hunter2-hunter2"


def given(names: Iterable[str]) -> Mapping[str, str]:
    return {name: SECRET for name in names if name in ("SMALL_KEY", "OTTER_TOKEN", "RAILBIRD_AGENT_TOKEN")}


def read(folder: Path, text: str | bytes) -> AgentsFile:
    file = folder / "agents.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_agents_file(file, given)


def problems(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(Wrong) as wrong:
        read(folder, text)
    return str(wrong.value).splitlines()


def test_the_least_that_a_file_has(tmp_path: Path) -> None:
    """An agent of the house, and what owners deploy."""
    found = read(tmp_path, LEAST)
    (agent,) = found.agents
    assert (agent.name, agent.owner, agent.table, agent.buy_in_chips) == ("Rocky", "olga", "Kitchen", 400)
    assert (agent.model, agent.seat, agent.rebuys, agent.strategy) == ("house", None, True, "")
    assert (found.deployments, found.needs_the_database, found.metrics_port) == (True, True, None)


def test_everything_that_a_file_may_have(tmp_path: Path) -> None:
    (tmp_path / "rocky.md").write_text("Wait.\n")
    found = read(tmp_path, WHOLE)
    assert (found.server, found.deployments, found.listeners) == ("https://play.example/poker", False, ("spans",))
    assert (found.metrics_port, found.stop_within_s, found.daily_budget_usd) == (9101, 2.5, Decimal(1))
    small = found.models["small"].endpoint
    assert (small.model, small.dialect, small.structured, small.provider) == (
        "qwen",
        Dialect.ANTHROPIC,
        Structured.NO,
        "home",
    )
    assert small.price == Price(Decimal("0.10"), Decimal("0.4"))
    assert found.models["maker/large:70b"].endpoint.model == "maker/large:70b"
    rocky, otter = found.agents
    assert (rocky.strategy, rocky.skills, rocky.seat, rocky.rebuys) == ("Wait.\n", ("outs", "odds"), 5, False)
    assert (rocky.temperature, rocky.seed, rocky.max_tokens) == (1.0, -7, 300)
    assert rocky.daily_budget_usd == Decimal("0.000001")
    assert (otter.owner, otter.token_env) == (None, "OTTER_TOKEN")


def test_the_example_is_one(tmp_path: Path) -> None:
    """And every field that is commented out in it is known, too."""
    example = ROOT / "examples" / "agents.toml"
    assert len(read_agents_file(example, given).agents) == 2
    fields = {line.lstrip("# ").split(" = ")[0] for line in example.read_text().splitlines() if " = " in line}
    assert {*agents._FILE_FIELDS, *agents._AGENT_FIELDS, *agents._MODEL_FIELDS} - {"models", "agents"} == fields


def test_agents_with_tokens_need_no_database(tmp_path: Path) -> None:
    """Then deployments are looked at only where the file says so."""
    text = LEAST.replace('owner = "olga"', 'token_env = "OTTER_TOKEN"')
    assert not read(tmp_path, text).needs_the_database
    assert read(tmp_path, f"deployments = true\n{text}").needs_the_database
    assert read(tmp_path, 'server = "http://a"\n').deployments


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('server = "http://127.0.0.1:8000"', "", "agents.toml: server: missing_field"),
        ('"http://127.0.0.1:8000"', '"ftp://x"', "agents.toml:1: server: bad_value"),
        ('"http://127.0.0.1:8000"', '"http://me:pw@x"', "agents.toml:1: server: bad_value"),
        ('"http://127.0.0.1:8000"', "7", "agents.toml:1: server: bad_type"),
        ("server", "severs", "agents.toml:1: severs: unknown_field: did you mean server?"),
        ('name = "Rocky"', "", "agents.toml:3: agents[1].name: missing_field"),
        ('"Rocky"', '"dealer"', "agents.toml:4: agents[1].name: bad_value"),
        ('"Rocky"', f'"{"x" * 33}"', "agents.toml:4: agents[1].name: text_too_long"),
        ('"olga"', '"a b"', "agents.toml:5: agents[1].owner: bad_value"),
        ('owner = "olga"', "", "agents.toml:3: agents[1].owner: missing_field"),
        ('owner = "olga"', 'owner = "olga"\ntoken_env = "OTTER_TOKEN"', "agents.toml:5: agents[1].owner: bad_value"),
        ('owner = "olga"', 'token_env = "NO_SUCH"', "agents.toml:5: agents[1].token_env: missing_field"),
        ('owner = "olga"', 'token_env = "RAILBIRD_HOME"', "agents.toml:5: agents[1].token_env: bad_value"),
        ("400", "0", "agents.toml:7: agents[1].buy_in: out_of_range"),
        ("400", '"all"', "agents.toml:7: agents[1].buy_in: bad_type"),
        ("400", "true", "agents.toml:7: agents[1].buy_in: bad_type"),
        ("400", "400\nseat = -1", "agents.toml:8: agents[1].seat: out_of_range"),
        ("400", "400\ntemperature = nan", "agents.toml:8: agents[1].temperature: out_of_range"),
        ("400", "400\nskills = 7", "agents.toml:8: agents[1].skills: bad_type"),
        ("400", "400\nskills = [7]", "agents.toml:8: agents[1].skills: bad_type"),
        ("400", '400\nmodel = "small"', "agents.toml:8: agents[1].model: bad_value"),
        ("400", "400\ndaily_budget_usd = 0.1", "agents.toml:8: agents[1].daily_budget_usd: bad_value"),
        ("400", "400\ndaily_budget_usd = -1", "agents.toml:8: agents[1].daily_budget_usd: bad_value"),
        ("400", '400\nstrategy_file = "none.md"', "agents.toml:8: agents[1].strategy_file: unreadable"),
        ("400", '400\nstrategy_file = "."', "agents.toml:8: agents[1].strategy_file: unreadable"),
        ("400", '400\nstrategy = "a\\u0000b"', "agents.toml:8: agents[1].strategy: bad_text"),
        ("400", "400\nbuyin = 3", "agents.toml:8: agents[1].buyin: unknown_field: did you mean buy_in?"),
        ("400", "400\nhunter2 = 3", "agents.toml:8: agents[1].(another field): unknown_field"),
        ("400", "400\ntemprature = 1", "agents.toml:8: agents[1].temprature: unknown_field: did you mean temperature?"),
        ("server", "colour = 1\nserver", "agents.toml:1: colour: unknown_field: there are agents, "),
        (
            "[[agents]]",
            '[models.small]\nbase_url = "http://a"\ntemprature = 1\n[[agents]]',
            "agents.toml:5: models.small.temprature: unknown_field: did you mean temperature? It stands in [[agents]]",
        ),
        (
            "400",
            '400\nmodel = "small"\n[models.small]\nbase_url = "x"',
            "agents.toml:10: models.small.base_url: bad_value",
        ),
        ("[[agents]]", "[agents]", "agents.toml:3: agents: bad_type"),
        ("[[agents]]", '[models.small]\nbase_url = "x"\n[[agents]]', "agents.toml:4: models.small.base_url: bad_value"),
        ("[[agents]]", '[models.house]\nbase_url = "http://a"\n[[agents]]', "agents.toml:3: models.house: bad_value"),
        ("[[agents]]", "[models.small]\n[[agents]]", "agents.toml:3: models.small.base_url: missing_field"),
        (
            "[[agents]]",
            '[models.small]\nbase_url = "http://a"\ninput_usd = 1\n[[agents]]',
            "agents.toml:3: models.small.output_usd: missing_field",
        ),
        (
            "[[agents]]",
            '[models.small]\nbase_url = "http://a"\nkey_env = "NO_SUCH"\n[[agents]]',
            "agents.toml:5: models.small.key_env: missing_field: the environment has no NO_SUCH",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    """File, line, field, code, and a sentence."""
    assert old in LEAST
    found = problems(tmp_path, LEAST.replace(old, new, 1))
    assert [problem for problem in found if problem.startswith(told)], found
    assert len(found) == 1 or told.startswith("agents.toml:1: severs")


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """In the order of the lines."""
    text = LEAST.replace("400", "0").replace('"olga"', "7") + LEAST.partition("\n")[2].replace(
        "[[agents]]", "[[agents]]\nx = 1"
    )
    lines = [int(problem.split(":")[1]) for problem in problems(tmp_path, text)]
    assert lines == sorted(lines) and len(lines) == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"server = \xff", "agents.toml: bad_text"),
        (b"server = \nx", "agents.toml:1: bad_toml"),
        (b"a = 1\na = 2", "agents.toml:2: bad_toml"),
        (b"[" * 50_000, "agents.toml:1: bad_toml"),
    ],
)
def test_what_is_no_toml_is_told(tmp_path: Path, text: bytes, told: str) -> None:
    assert problems(tmp_path, text)[0].startswith(told)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Wrong, match=r"none.toml: unreadable: No such file"):
        read_agents_file(tmp_path / "none.toml", given)


def test_an_agent_has_one_seat_at_a_table(tmp_path: Path) -> None:
    """Two of one owner are two; so is one at two tables."""
    again = LEAST.partition("\n")[2]
    assert problems(tmp_path, LEAST + again) == [
        "agents.toml:12: agents[2].table: already_seated: this agent has a seat at this table already"
    ]
    assert len(read(tmp_path, LEAST + again.replace("Kitchen", "Parlour")).agents) == 2
    assert len(read(tmp_path, LEAST + again.replace("Rocky", "Otter")).agents) == 2


def test_a_file_with_nothing_to_play_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path, 'server = "http://a"\ndeployments = false\n')[0].startswith(
        "agents.toml: agents: missing_field"
    )


def test_no_problem_repeats_a_value(tmp_path: Path) -> None:
    """Whatever field a key was written into."""
    fields = [*agents._AGENT_FIELDS]
    for field in fields:
        kept = "\n".join(line for line in LEAST.splitlines() if not line.startswith(f"{field} "))
        for value in (f'"{SECRET}\\u0000"', f'["{SECRET}"]', f'{{ a = "{SECRET}" }}'):
            assert SECRET not in told_of(tmp_path, f"{kept}\n{field} = {value}\n")
    assert SECRET not in told_of(tmp_path, f'{LEAST}"{SECRET}" = 1\n')


def told_of(folder: Path, text: str) -> str:
    """What is wrong with a file, if anything is."""
    try:
        read(folder, text)
    except Wrong as wrong:
        return str(wrong)
    return ""


def test_ids_are_written_as_the_server_writes_them() -> None:
    """The two rooms write it each for itself."""
    for parse, form in ((agents._MODEL, ids.MODEL), (agents._PERSON, ids.PERSON)):
        assert parse.__closure__ is not None
        assert form in {getattr(cell.cell_contents, "pattern", None) for cell in parse.__closure__}
