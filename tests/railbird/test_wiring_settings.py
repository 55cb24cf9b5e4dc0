"""From the configuration to a server: what is missing or half said stops it, in plain words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyRing, KeyUse, new_key, public_pem
from railbird.config import load_settings
from railbird.serve import verifying_keys
from railbird.wiring.settings import CannotStart, own_origins, setup_of
from railbird.wiring.setup import Setup


def made(folder: Path, **environ: str) -> Setup:
    settings = load_settings({"RAILBIRD_HOME": str(folder), **environ})
    return setup_of(settings, KeyRing(()))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with keys."""
    init_keys(tmp_path / "keys", now_s=int(time.time()))
    return tmp_path


def users_keys(setup: Setup) -> list[tuple[str, str | None]]:
    assert setup.key_source is not None
    found = [(key.issuer, key.audience) for key in setup.key_source.ring() if key.use is KeyUse.USER]
    return sorted(found, key=str)


def test_an_issuers_key_is_taken_for_its_issuer_and_audience(home: Path) -> None:
    """Beside our own, whose audience stays ours."""
    (home / "theirs.pem").write_bytes(public_pem(new_key(KeyUse.USER)))
    setup = made(
        home,
        RAILBIRD_JWT_ISSUER="https://login.example",
        RAILBIRD_JWT_AUDIENCE="poker",
        RAILBIRD_JWT_PUBLIC_KEY=str(home / "theirs.pem"),
    )
    assert users_keys(setup) == [("https://login.example", "poker"), ("railbird", None)]


def test_a_key_of_another_kind_needs_its_name(home: Path) -> None:
    """An RSA key is named by whoever signs with it."""
    public = rsa.generate_private_key(public_exponent=65_537, key_size=2_048).public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (home / "rsa.pem").write_bytes(pem)
    issuer = {
        "RAILBIRD_JWT_ISSUER": "i",
        "RAILBIRD_JWT_AUDIENCE": "a",
        "RAILBIRD_JWT_PUBLIC_KEY": str(home / "rsa.pem"),
    }
    with pytest.raises(CannotStart, match="kid"):
        made(home, **issuer)
    assert len(users_keys(made(home, **issuer, RAILBIRD_JWT_KEY_ID="k1"))) == 2


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"RAILBIRD_JWKS_URL": "https://login.example/jwks"}, "RAILBIRD_JWT_ISSUER and RAILBIRD_JWT_AUDIENCE"),
        ({"RAILBIRD_JWKS_URL": "https://x.example/j", "RAILBIRD_JWT_ISSUER": "i"}, "RAILBIRD_JWT_AUDIENCE"),
        (
            {"RAILBIRD_JWT_PUBLIC_KEY": "/nothing.pem", "RAILBIRD_JWT_ISSUER": "i", "RAILBIRD_JWT_AUDIENCE": "a"},
            "/nothing.pem",
        ),
        ({"RAILBIRD_HOSTING_KEY": "/nothing.pem"}, "/nothing.pem"),
    ],
)
def test_what_is_half_configured_does_not_start(home: Path, environ: dict[str, str], words: str) -> None:
    """And says what to set, or which file it is about."""
    with pytest.raises(CannotStart) as refused:
        made(home, **environ)
    assert words in str(refused.value)


def test_a_server_that_others_reach_needs_keys(tmp_path: Path) -> None:
    """On loopback they are made; elsewhere it says how to make them, and makes none."""
    settings = load_settings({"RAILBIRD_HOME": str(tmp_path), "RAILBIRD_HOST": "0.0.0.0"})
    with pytest.raises(CannotStart, match="railbird keys init"):
        verifying_keys(settings)
    assert not (tmp_path / "keys").exists()
    local = load_settings({"RAILBIRD_HOME": str(tmp_path)})
    assert len(list(verifying_keys(local))) == 3
    assert len(list(verifying_keys(settings))) == 3


def test_a_service_key_opens_the_internal_routes_and_does_not_print(home: Path) -> None:
    """Without one they are closed."""
    assert made(home).service_key is None
    setup = made(home, RAILBIRD_SERVICE_KEY="MARKER-MARKER-MARKER")
    assert setup.service_key is not None and setup.service_key.matches(["MARKER-MARKER-MARKER"])
    assert "MARKER" not in repr(setup)


def test_our_own_pages_are_where_the_server_is() -> None:
    """All names of this machine on loopback; else the one that it listens at."""
    assert own_origins("127.0.0.1", 80) == ("http://127.0.0.1:80", "http://localhost:80", "http://[::1]:80")
    assert own_origins("10.0.0.7", 8000) == ("http://10.0.0.7:8000",)
    assert own_origins("fd00::7", 8000) == ("http://[fd00::7]:8000",)
