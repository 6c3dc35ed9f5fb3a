"""A review as one HTML file that needs nothing else: no server, no other file, no host.

The page is drawn by the studio's own modules, and a content security policy forbids all requests.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from dlgo.browser import scripts, source
from experiments.studio.review_view import Reviewed, ReviewView

_STATIC = Path(__file__).with_name("static")
_STYLES = ("boards.css", "style.css", "review.css")
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
    styles = "\n".join(source(name, _STATIC) for name in _STYLES)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{styles}</style>
</head>
<body>
<main id="main"></main>
<noscript><p>This page shows a game move by move, for which it needs JavaScript.</p></noscript>
{scripts("review_export.js", "review", data, _STATIC)}
</body>
</html>
""".encode("utf-8", "replace")
