from __future__ import annotations

import ast
from pathlib import Path

import pytest

from policy.redaction_policy import Drop, Hash, Truncate
from railbird.config import SETTINGS, ConfigError, load_settings
from tests.conftest import ROOT

SECRET = "postgresql://railbird:hunter2-hunter2@db/railbird"


def problems(environ: dict[str, str], file: Path | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as raised:
        load_settings(environ, file=file)
    return raised.value.problems


def test_the_defaults_need_nothing() -> None:
    """One folder in the working folder, loopback, no Redis, no key."""
    settings = load_settings({})
    assert (settings.server.host, settings.server.port, settings.server.on_loopback) == ("127.0.0.1", 8000, True)
    assert settings.store.home == Path(".railbird")
    assert settings.store.database_url == "sqlite:///.railbird/railbird.sqlite"
    assert settings.store.keys_folder == Path(".railbird/keys")
    assert (settings.store.starting_chips, settings.play.min_turn_ms) == (10_000, 800)
    assert dict(settings.play.platform_models) == {"house": ""}
    assert (settings.capture.ttl_s, settings.capture.buffer_bytes) == (86_400, 2 * 2**30)
    assert (settings.capture.redact, settings.capture.redact_key) == ((), None)
    assert settings.capture.redis_url is settings.bus.redis_url is settings.identity.service_key is None


def test_the_environment_is_above_the_file_and_the_file_above_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "railbird.toml"
    file.write_text(
        '[server]\nport = 9000\nhost = "0.0.0.0"\n[play.platform_models]\nhouse = ""\nsmall = "http://m/v1"\n'
    )
    settings = load_settings({"RAILBIRD_PORT": "9001", "RAILBIRD_CONFIG": str(file)})
    assert (settings.server.port, settings.server.host, settings.server.on_loopback) == (9001, "0.0.0.0", False)
    assert dict(settings.play.platform_models) == {"house": "", "small": "http://m/v1"}
    assert settings.play.min_turn_ms == 800
    assert load_settings({}, file=file).server.port == 9000


def test_lists_and_models_in_variables() -> None:
    settings = load_settings(
        {
            "RAILBIRD_OPERATORS": "ann, ben ,",
            "RAILBIRD_ORIGINS": "https://play.example/,http://localhost:3000",
            "RAILBIRD_PLATFORM_MODELS": "house,small=http://127.0.0.1:9/v1",
        }
    )
    assert settings.identity.operators == {"ann", "ben"}
    assert settings.server.origins == ("https://play.example", "http://localhost:3000")
    assert dict(settings.play.platform_models) == {"house": "", "small": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAILBIRD_PORT", "eighty"),
        ("RAILBIRD_PORT", "-1"),
        ("RAILBIRD_PORT", "65536"),
        ("RAILBIRD_PORT", "8 000"),
        ("MIN_TURN_MS", "1.5"),
        ("RAILBIRD_SERVICE_KEY", "short"),
        ("RAILBIRD_DATABASE_URL", "mysql://u:secret-word@h/d"),
        ("RAILBIRD_DATABASE_URL", "sqlite+aiosqlite:///railbird.sqlite"),
        ("RAILBIRD_REDIS_URL", "http://h"),
        ("RAILBIRD_JWKS_URL", "ftp://h"),
        ("RAILBIRD_PLATFORM_MODELS", "big"),
        ("RAILBIRD_PLATFORM_MODELS", "a=x,a=y"),
        ("RAILBIRD_PLATFORM_MODELS", "no spaces=x"),
        ("RAILBIRD_ORIGINS", "else.where"),
        ("RAILBIRD_ORIGINS", "https://play.example/path"),
        ("CAPTURE_TTL_SECONDS", "7"),
    ],
)
def test_a_bad_value_is_told_by_its_name_and_not_repeated(variable: str, value: str) -> None:
    (problem,) = problems({variable: value})
    assert problem.startswith(f"{variable} ")
    assert value not in problem


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[server]\nport = true", "server.port"),
        ('[server]\nport = "x"', "server.port"),
        ("[server]\nport = 1.0", "server.port"),
        ("[identity]\noperators = 3", "identity.operators"),
        ("[play]\nplatform_models = 3", "play.platform_models"),
    ],
)
def test_a_bad_value_of_the_file_is_told_by_its_place(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    (problem,) = problems({}, file)
    assert problem.startswith(f"{place} has to be ")


def test_an_unknown_name_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    """In the environment and in the file; variables of bots and tests are none of ours."""
    file = tmp_path / "c.toml"
    file.write_text("[server]\nprot = 1\n[nothing]\nx = 1\n")
    found = problems({"RAILBIRD_DATABSE_URL": "x", "RAILBIRD_AGENT_TOKEN": "x", "RAILBIRD_URL": "x"}, file)
    assert found[0] == "There is no setting RAILBIRD_DATABSE_URL. Did you mean RAILBIRD_DATABASE_URL?"
    assert any("server.prot. Did you mean server.port?" in problem for problem in found)
    assert len(found) == 3


def test_all_problems_are_told_at_once() -> None:
    assert len(problems({"RAILBIRD_PORT": "x", "MIN_TURN_MS": "x", "RAILBIRD_NONE": "x"})) == 3


def test_a_file_that_is_absent_or_broken_is_told(tmp_path: Path) -> None:
    assert "cannot be read" in problems({}, tmp_path / "none.toml")[0]
    broken = tmp_path / "broken.toml"
    broken.write_text("= =")
    assert problems({}, broken) == (f"The configuration file {broken} is no TOML.",)
    broken.write_bytes(b"\xff")
    assert problems({}, broken) == (f"The configuration file {broken} is no TOML.",)


def test_secrets_do_not_print() -> None:
    settings = load_settings(
        {
            "RAILBIRD_DATABASE_URL": SECRET,
            "RAILBIRD_SERVICE_KEY": "hunter2-hunter2-hunter2",
            "AGENT_CAPTURE_REDIS_URL": "redis://:hunter2-hunter2@h",
            "RAILBIRD_REDIS_URL": "redis://:hunter2-hunter2@h",
            "CAPTURE_REDACT_KEY": "hunter2-hunter2-hunter2",
        }
    )
    assert settings.store.database_url == SECRET
    assert "hunter2" not in repr(settings)


def test_rules_of_redaction_are_read() -> None:
    """In the environment and in a file; what is none is told without repeating it."""
    rules = "drop:knowledge.notes, hash:decision.*.to,truncate:200:knowledge.chat"
    assert load_settings({"CAPTURE_REDACT": rules}).capture.redact == (
        Drop("knowledge.notes"),
        Hash("decision.*.to"),
        Truncate("knowledge.chat", keep=200),
    )
    for wrong in ("forget:marker", "drop:", "drop:marker..b", "truncate:x:marker", "truncate:-1:marker", "hash"):
        (told,) = problems({"CAPTURE_REDACT": wrong})
        assert "drop:PATH" in told and "marker" not in told


def test_each_setting_has_one_name_and_one_place() -> None:
    assert (
        len({setting.variable for setting in SETTINGS}) == len({setting.place for setting in SETTINGS}) == len(SETTINGS)
    )


def test_nobody_else_reads_the_environment() -> None:
    """`railbird.config` is the only reader; the embedded server hands three variables of the system on to its program."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for package in ("policy", "gameserver", "capture", "railbird")
        for path in (ROOT / package).rglob("*.py")
        if any(
            (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb"))
            or (isinstance(node, ast.alias) and node.name in ("environ", "getenv"))
            for node in ast.walk(ast.parse(path.read_text()))
        )
    }
    assert readers == {"railbird/config.py", "railbird/embedded/valkey.py"}
