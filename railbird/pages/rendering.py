"""A template as an answer, with the headers that keep a page to itself."""

from __future__ import annotations

from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

_POLICY: Final = (
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
CONTENT_SECURITY_POLICY: Final = "; ".join(_POLICY)
"""No script and no style but from this package, and no text that becomes either
(test_a_page_runs_no_script_of_its_text)."""

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_PAGES: Final = Environment(
    loader=PackageLoader("railbird.pages", "templates"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_PAGES.filters["chips"] = lambda amount: f"{amount:,}"


def page(request: Request, name: str, *, status: int = 200, **content: Any) -> Response:
    """The template of this name, for this asker, now."""
    prefix = str(request.scope.get("root_path", "")).rstrip("/")
    html = _PAGES.get_template(name).render(prefix=prefix, **content)
    return HTMLResponse(html, status, headers={**HEADERS, "Cache-Control": "no-store"})
