"""A review as one HTML file that needs nothing else: no server, no other file, no host.

The page is drawn by the studio's own modules. They stand in the file as `data:` addresses, and
an import map gives them their names. A content security policy forbids all requests.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from html import escape
from importlib import resources
from typing import Any

from experiments.studio.review_view import Reviewed, ReviewView

_ENTRY = "review_export.js"
_STYLES = ("style.css", "review.css")
_IMPORT = re.compile(r'(\bfrom\s+|\bimport\s+)"(\.[^"]+)"')
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)


def review_html(reviewed: Reviewed) -> bytes:
    """What has been found out so far, as a page."""
    view = ReviewView(reviewed)
    data = {
        **view.summary(), "final": True, "board": view.board(),
        "places": [view.place(place) for place in range(len(reviewed.review.states))],
    }
    names = " - ".join(filter(None, data["names"]))
    title = f"Review: {data['board']['title']}{f', {names}' if names else ''}"
    styles = "\n".join(_file(name) for name in _STYLES)
    return "\n".join([
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">', f"<title>{escape(title)}</title>",
        f"<style>{styles}</style>",
        f'<script type="importmap">{_inert({"imports": _modules()})}</script>', "</head>",
        "<body>", '<main id="main"></main>',
        "<noscript><p>This page shows a game move by move, for which it needs JavaScript.</p>"
        "</noscript>",
        f'<script type="application/json" id="review">{_inert(data)}</script>',
        f'<script type="module">import "studio/{_ENTRY}";</script>', "</body>", "</html>", "",
    ]).encode("utf-8", "replace")


def _inert(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _modules() -> dict[str, str]:
    """The page's modules as `data:` addresses, by the names under which they are imported."""
    addresses: dict[str, str] = {}
    waiting = [_ENTRY]
    while waiting:
        path = waiting.pop()
        name = f"studio/{path}"
        if name in addresses:
            continue
        folder = posixpath.dirname(path)

        def named(match: re.Match[str], folder: str = folder) -> str:
            target = posixpath.normpath(posixpath.join(folder, match[2]))
            waiting.append(target)
            return f"{match[1]}{json.dumps(f'studio/{target}')}"

        source = _IMPORT.sub(named, _file(path))
        code = base64.b64encode(source.encode()).decode()
        addresses[name] = f"data:text/javascript;base64,{code}"
    return addresses


def _file(path: str) -> str:
    return (resources.files("experiments.studio") / "static" / path).read_text(encoding="utf-8")
