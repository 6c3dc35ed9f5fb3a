"""The report as one HTML page that needs nothing else: styles, plots, boards are inside.

The page is a Jinja template with automatic escaping: whatever a ledger says (the name of an
engine, the reason of a loss) shows as text. `templates/` holds the template, its style sheet and
the script that replays games.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.browser import scripts, source
from reports.one_number import span
from reports.rating_table import RatingTable
from reports.text import elo_text, lead_text, los_text, nu_text, percent_text, short

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")

# Characters of a name that a person has made up.
_LONGEST_NAME = 40
# The colours of the plots, and their replacements in the page, light or dark.
_INKS = {
    "#ffffff": "var(--paper)", "#000000": "var(--ink)", "#555555": "var(--soft)",
    "#e2e2e2": "var(--line)", "#0072b2": "var(--blue)", "#d55e00": "var(--orange)",
    "#009e73": "var(--green)",
}


def build_page(view: Mapping[str, Any]) -> bytes:
    """The page in UTF-8, from what `templates/report.html` names."""
    return environment().get_template("report.html").render(**view).encode()


def environment(*folders: Path) -> Environment:
    """Templates of pages, here and in `folders`; all text is escaped. Each has `style`, the style
    sheet, and the filter `viewer`, which replays games."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    pages = Environment(
        loader=FileSystemLoader([_TEMPLATES, *folders]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )
    pages.filters.update(
        elo=elo_text, nu=nu_text, short=short, los=los_text, inline=_inline_svg, signed=_signed,
        span=span, percent=percent_text, budget=_budget, spec=_breakable, name=_short_name,
        viewer=lambda replays: Markup(scripts("replay.js", "replays", replays, _TEMPLATES)),
    )
    pages.globals["style"] = Markup(source("boards.css") + source("report.css", _TEMPLATES))
    return pages


def rating_rows(table: RatingTable, ratings: pd.DataFrame) -> dict[str, Any]:
    """What `ratings.html` needs: `rows`, and where `zero` is in the column of intervals, or None.
    `ratings` are the rows of `tables.ratings_frame` for this table, best first."""
    low, high = ratings["low95"].min(), ratings["high95"].max()
    scale = 100 / ((high - low) or 1.0)
    rows = [
        {
            "row": row, "lead": lead_text(table, rank), "at": (row.rating - low) * scale,
            "left": (row.low95 - low) * scale, "width": (row.high95 - row.low95) * scale,
        }
        for rank, row in enumerate(ratings.itertuples())
    ]
    zero = -low * scale
    return {"rows": rows, "zero": zero if 0 <= zero <= 100 else None}


def cross_rows(cross: pd.DataFrame) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of `tables.crosstable`: each cell's text, and how far its score `leans` from one
    half, -1 to 1."""
    rows = []
    for entrant, texts in zip(cross.index, cross.to_numpy(), strict=True):
        cells = []
        for text in texts:
            points, _, games = text.partition("/")
            lean = 2 * float(points) / float(games) - 1 if text else 0.0
            cells.append({"text": text, "lean": lean})
        rows.append((entrant, cells))
    return rows


def _inline_svg(svg: Path) -> Any:
    """A plot as part of the page: no names that collide, inks of the page, no comments."""
    from markupsafe import Markup

    text = svg.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    # Its natural size: 72 units to the inch, and an inch of paper is 110 pixels wide here.
    size = re.search(r'viewBox="0 0 ([\d.]+) ', text)
    width = 110 / 72 * float(size[1]) if size else 600
    kind = "wide" if width > 600 else "single"
    text = text.replace("<svg", f'<svg class="{kind}" style="--natural:{width:.0f}px"', 1)
    name = re.sub(r"[^A-Za-z0-9]", "-", svg.stem)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    for ink, variable in _INKS.items():
        text = re.sub(ink, variable, text, flags=re.IGNORECASE)
    return Markup(text.strip())


def _breakable(text: str) -> Any:
    """A name that may be broken after colon, comma and slash, if too long for its place."""
    from markupsafe import Markup, escape

    parts = re.split(r"(?<=[:,/])", str(text))
    return Markup("<wbr>").join(escape(part) for part in parts)


def _short_name(name: str) -> Any:
    """A name that anybody may have made up; of a long one the beginning, and the whole as title."""
    from markupsafe import Markup

    if len(name) <= _LONGEST_NAME:
        return name
    text = f"{name[: _LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"
    return Markup('<span title="{}">{}</span>').format(name, text)


def _signed(value: float) -> str:
    return "" if math.isnan(value) else f"{value:+.0f}".replace("-", "\N{MINUS SIGN}")


def _budget(over: float) -> str:
    """By how much the dearest move exceeded the budget."""
    if math.isnan(over):
        return ""
    return "kept" if over <= 0 else f"+{over:.1%}"
