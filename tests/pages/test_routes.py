from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from railbird.pages import NoOwner, PlayerSummary, page_routes
from railbird.pages.rendering import CONTENT_SECURITY_POLICY
from tests.client.frames import TABLE
from tests.pages.scripted import Lobby, summary

HOSTILE = "<script>alert(1)</script>\"'&"
PAGES = ["/", "/login", f"/tables/{TABLE}", "/tables/none", f"/tables/{TABLE}/owner", "/tables/none/owner"]


class Inline(HTMLParser):
    """Collects what a strict policy would refuse, and what leads to another host."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside_script = tag == "script"
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.found.append(f"{tag} {name}")
            if name in ("src", "href", "action") and re.match(r"(?i)\s*(\w+:|//)", value or ""):
                self.found.append(f"{tag} {name}={value}")
        if tag == "style":
            self.found.append("style element")

    def handle_data(self, data: str) -> None:
        if self.inside_script and data.strip():
            self.found.append(f"script text {data!r}")


def client(*tables: str, owned: NoOwner | None = NoOwner.NOBODY) -> TestClient:
    lobby = Lobby(
        [summary(name, TABLE if not at else f"tbl_{at}") for at, name in enumerate(tables or ("Heron",))], owned
    )
    return TestClient(Starlette(routes=page_routes(lobby)))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_no_script_of_its_text(path: str) -> None:
    """The policy allows this package's own files only, and the text needs nothing else, even with a hostile name."""
    answer = client(HOSTILE, owned=None).get(path)
    policy = dict(part.split(" ", 1) for part in CONTENT_SECURITY_POLICY.split("; "))
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert "unsafe" not in CONTENT_SECURITY_POLICY and "http" not in CONTENT_SECURITY_POLICY
    inline = Inline()
    inline.feed(answer.text)
    assert inline.found == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_tells_no_other_site_and_stays_in_no_cache(path: str) -> None:
    headers = client().get(path).headers
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_the_lobby_lists_the_tables() -> None:
    """Name, blinds, status, hands and players of each, with a link."""
    text = client("Heron", "Kestrel").get("/").text
    for expected in (
        "Heron",
        "Kestrel",
        "10/20",
        "117 hands played",
        "6/6",
        "Ada Rock",
        "1,480",
        f'href="/tables/{TABLE}"',
    ):
        assert expected in text


def test_an_owner_gets_from_the_lobby_to_their_own_view() -> None:
    """The card of a table where an agent of theirs sits says so and leads there; under a prefix too."""
    text = client(owned=None).get("/").text
    assert f'href="/tables/{TABLE}/owner"' in text and "your agent plays here" in text
    assert "your agent plays here" not in client(owned=NoOwner.NOT_YOURS).get("/").text
    app = Starlette(routes=[Mount("/poker", routes=page_routes(Lobby([summary()], None)))])
    with TestClient(app) as browser:
        assert (
            f'data-events="/poker/games/poker/{TABLE}/owner-stream"' in browser.get(f"/poker/tables/{TABLE}/owner").text
        )


def test_an_empty_lobby_says_how_a_table_is_opened() -> None:
    answer = TestClient(Starlette(routes=page_routes(Lobby([])))).get("/")
    assert answer.status_code == 200 and "railbird demo" in answer.text


def test_no_such_table_and_not_yours_are_one_answer() -> None:
    """The port answers None for both."""
    answer = client().get("/tables/none")
    assert answer.status_code == 404 and "not yours to see" in answer.text


def test_names_are_text() -> None:
    """Escaped, and in an element of their own, so that their writing direction stays inside."""
    lobby = Lobby([summary("\u202eevil", players=(PlayerSummary(HOSTILE, "agent", 5),))])
    text = TestClient(Starlette(routes=page_routes(lobby))).get("/").text
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text
    assert re.search("<bdi[^>]*>\u202eevil</bdi>", text)


def test_under_a_prefix_all_addresses_have_it() -> None:
    app = Starlette(routes=[Mount("/poker", routes=page_routes(Lobby([summary()])))])
    with TestClient(app) as browser:
        lobby, table = browser.get("/poker/").text, browser.get(f"/poker/tables/{TABLE}").text
        assert f'href="/poker/tables/{TABLE}"' in lobby
        assert f'data-socket="/poker/games/poker/{TABLE}/ws"' in table
        for address in re.findall(r'(?:src|href)="(/[^"]*static[^"]*)"', table):
            assert address.startswith("/poker/static/") and browser.get(address).status_code == 200


def test_files_are_asked_for_again_when_they_change() -> None:
    answer = client().get("/static/js/table.js")
    assert answer.headers["cache-control"] == "no-cache" and answer.headers["etag"]
    assert "javascript" in answer.headers["content-type"]
    assert client().get("/static/../routes.py").status_code == 404


def test_scripts_set_text_and_never_markup() -> None:
    """No way from a string to HTML or code in any of the page's scripts."""
    scripts = {name: client().get(f"/static/js/{name}.js").text for name in (
        "table", "stream", "model", "view", "seat", "cards", "log", "lobby", "owner", "events", "reasoning", "sign_in",
        "agents",
    )}  # fmt: skip
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc"
    )
    assert {name: forbidden.findall(text) for name, text in scripts.items()} == {name: [] for name in scripts}
