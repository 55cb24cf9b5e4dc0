"""Who would rather have a page."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from gameserver.http.accept import prefers_html

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "html"),
    [
        ([BROWSER], True),
        (["text/html"], True),
        (["TEXT/HTML ; Q=0.5"], True),
        (["application/xhtml+xml"], True),
        (["text/html, application/json;q=0.9"], True),
        (["application/json;q=0.5", "text/html;q=0.6"], True),
        (["text/html;q=0.8, */*"], False),
        (["text/html, application/json"], False),
        (["application/json, text/html;q=0.9"], False),
        (["text/html;q=0"], False),
        (["text/html;q=nan"], False),
        (["text/html;q=often"], False),
        (["*/*"], False),
        (["text/*"], False),
        (["application/json"], False),
        ([""], False),
        ([], False),
        ([",;,;q=,=" * 500], False),
    ],
)
def test_a_page_is_for_whom_names_html_first(accept: list[str], html: bool) -> None:
    """A browser does; a program that names nothing gets JSON."""
    headers = [(b"accept", each.encode()) for each in accept]
    assert prefers_html(HTTPConnection({"type": "http", "headers": headers})) is html
