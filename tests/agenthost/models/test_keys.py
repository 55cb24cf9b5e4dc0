"""A key goes into the one header that wants it, and nowhere else."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import pickle

import msgspec
import pytest

from capture.record import Call
from railbird.agenthost.models.endpoint import ApiKey, Dialect, Endpoint, EndpointError, key_from
from railbird.agenthost.models.remote import WITHHELD
from railbird.logs import QUIET
from tests.agenthost.models.asking import KEY, asking
from tests.agenthost.models.provider import Asked, Script, Wire, chunk, cuts_off, events, fails, hangs_up, says, speaks


async def _repeats_the_key(asked: Asked, wire: Wire) -> None:
    """As an error tells it whose key was wrong."""
    key = asked.headers["authorization"].removeprefix("Bearer ")
    await fails(401, message=f"Incorrect API key provided: {key} ({key.replace('/', chr(92) + '/')})")(asked, wire)


async def _says_the_key(asked: Asked, wire: Wire) -> None:
    key = asked.headers["authorization"].removeprefix("Bearer ")
    await events(chunk(f"My key is {key[:9]}"), chunk(f"{key[9:]}."), chunk(None, f"stop {key}"))(asked, wire)


@pytest.mark.parametrize(
    "script",
    [_repeats_the_key, _says_the_key, says("{}"), hangs_up, cuts_off(chunk("x")), fails(500), speaks(b"data: {\n\n")],
)
async def test_a_key_is_in_no_record_log_or_repr(script: Script, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever a provider does with it, and however talkative the log is: the libraries say no more than their warnings."""
    caplog.set_level(logging.DEBUG)
    for name in QUIET:
        caplog.set_level(logging.WARNING, logger=name)
    async with asking(script) as them:
        reply = await them.ask(within_s=1.0)
        assert them.upstream.asked[0].headers["authorization"] == f"Bearer {KEY}"
        kept = [repr(reply), repr(vars(them.model)), caplog.text, *map(_told, reply.calls)]
    assert not [text for text in kept if "marker-7c1f" in text]


def _told(call: Call) -> str:
    fields = dataclasses.asdict(call)
    return repr({name: value for name, value in fields.items() if name != "prompt"})


async def test_a_text_that_says_the_key_is_marked() -> None:
    """What stood there is not in the record, and that something stood there is."""
    async with asking(_says_the_key) as them:
        call = await them.one()
    assert call.completion == "My key is <key>."
    assert call.finish_reason == "stop <key>"
    assert call.response_body == WITHHELD


async def test_a_part_of_the_key_is_marked_too() -> None:
    """As in an answer that ends in the middle of it."""
    async with asking(events(chunk(f"My key is {KEY[:4]}"), chunk(KEY[4:-2]), done=False)) as them:
        call = await them.one()
    assert (call.completion, call.response_body) == ("My key is <key>", WITHHELD)


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ("", ""),
        ("nothing", "nothing"),
        (KEY, "<key>"),
        (f"a{KEY}b{KEY}", "a<key>b<key>"),
        (f"{KEY}{KEY}", "<key>"),
        (KEY[3:14] + "!", "<key>!"),
        (KEY[:7], KEY[:7]),
        (KEY.replace("/", "\\/") + " \\/", "<key> /"),
        ("a \\/ b", "a \\/ b"),
    ],
)
def test_a_key_is_taken_out(data: str, kept: str) -> None:
    """With a mark for each place; where it is not, no byte changes."""
    assert ApiKey(KEY).taken_from(data.encode()).decode() == kept


def test_a_short_key_is_no_secret() -> None:
    """Endpoints that want none are given a word, and answers may have that word in them."""
    assert ApiKey("none").taken_from(b"none of no one") == b"none of no one"
    assert ApiKey("12345678").taken_from(b"x12345678") == b"x<key>"


async def test_nothing_of_this_machine_or_its_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs would add what they find: accounts, headers, the kind of machine."""
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-odd: from-the-environment")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with asking(says("{}")) as them:
        await them.one()
        headers = them.upstream.asked[0].headers
    assert set(headers) == {
        "host", "accept", "accept-encoding", "authorization", "content-length", "content-type", "user-agent",
    }  # fmt: skip
    assert headers["user-agent"] == "railbird" and headers["accept-encoding"] == "identity"


async def test_without_a_key_no_credential_is_sent() -> None:
    """A model on one's own machine wants none."""
    async with asking(says("{}"), key=None) as them:
        call = await them.one()
        assert "authorization" not in them.upstream.asked[0].headers
    assert call.completion == "{}"


def test_a_key_neither_prints_nor_leaves() -> None:
    """Not by repr, format, copy, pickle or JSON, and not within an endpoint."""
    key = ApiKey(KEY)
    endpoint = Endpoint("https://api.example/v1", "m", key=key)
    assert KEY not in f"{key} {key!r} {endpoint} {endpoint!r}"
    for leave in (copy.copy, copy.deepcopy, pickle.dumps, json.dumps, msgspec.json.encode):
        with pytest.raises(TypeError) as refused:
            leave(key)
        assert KEY not in str(refused.value)


@pytest.mark.parametrize("text", ["", "two words", "a\nb", 'a"b', "a\\b", "caf\u00e9", "x" * 513])
def test_a_key_is_one_printable_word(text: str) -> None:
    """What would not go into a header, or would be escaped where somebody repeats it, is refused, and not repeated here."""
    with pytest.raises(EndpointError) as refused:
        ApiKey(text)
    assert not text or text not in str(refused.value)


def test_a_key_comes_from_the_environment() -> None:
    """By the variable's name; one that is missing or empty is named."""
    assert key_from({"MY_KEY": f" {KEY}\n"}, "MY_KEY").reveal() == KEY
    for environ in ({}, {"MY_KEY": " "}):
        with pytest.raises(EndpointError, match="MY_KEY"):
            key_from(environ, "MY_KEY")


@pytest.mark.parametrize(
    "url",
    ["", "api.example/v1", "ftp://api.example", "https://", "https://user:secret@api.example/v1", "https://a/v1?key=secret",
     "https://a/v1#secret", "https://a:port/v1", "https://[::1/v1"],
)  # fmt: skip
def test_an_address_holds_no_credential(url: str) -> None:
    """Nor anything else that is no address; the refusal does not repeat it."""
    with pytest.raises(EndpointError) as refused:
        Endpoint(url, "m")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("model", ["", "x" * 129, "a\nb"])
def test_a_model_has_a_name(model: str) -> None:
    """A printable one."""
    with pytest.raises(EndpointError):
        Endpoint("https://api.example/v1", model)


def test_a_provider_is_called_by_name_or_host() -> None:
    """Official hosts have short names."""
    assert Endpoint("https://api.openai.com/v1", "m").provider_name == "openai"
    assert Endpoint("https://api.anthropic.com", "m", Dialect.ANTHROPIC).provider_name == "anthropic"
    assert Endpoint("http://127.0.0.1:8080/v1", "m").provider_name == "127.0.0.1"
    assert Endpoint("http://127.0.0.1:8080/v1", "m", provider="local").provider_name == "local"
