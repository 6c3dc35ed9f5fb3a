"""Searches to try in the pages of the course: `cells.toml`, and the tab that runs them.

A page has `<!-- try: NAME -->` where the cell stands; elsewhere, such as in Jupyter, nothing is
seen of it. In the page it becomes a frame with a view of the tab, `#/try/...` or `#/compare/...`.
"""

from __future__ import annotations

import html
import itertools
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from dlgo.errors import DlgoError
from dlgo.readers import read_toml
from experiments.tab.site import Tab, make_tab

_MARKER = re.compile(r"^<!-- try: (\S+) -->$", re.M)


class Cell(NamedTuple):
    """A search to try, a game to play, or a match."""

    caption: str  # what to try
    game: str
    moves: str = ""
    engines: tuple[str, ...] = ()  # specifications; two search side by side
    options: tuple[str, ...] = ()  # "sims:10..10000", a slider, or "cuts:yes|no"
    play: str = ""  # the opponent of a game, in place of engines
    pairs: int = 0  # of games between the engines, in place of a search

    @property
    def address(self) -> str:
        """The view of a tab, after its `index.html`."""
        pairs = [("game", self.game), ("moves", self.moves), ("play", self.play),
                 *(("engine", spec) for spec in self.engines),
                 *(("option", option) for option in self.options), ("pairs", self.pairs)]
        texts = [(key, text) for key, text in pairs if text]
        view = "compare" if self.pairs else "try"
        return f"#/{view}/{urlencode(texts, safe=':,=', quote_via=quote)}"

    @property
    def variants(self) -> list[str]:
        """The specifications of engines that readers can choose."""
        choices = [[(name, value) for value in values.split("|")]
                   for name, _, values in (option.partition(":") for option in self.options)
                   if ".." not in values]
        return [self.play] if self.play else [
            with_options(spec, dict(chosen))
            for spec in self.engines for chosen in itertools.product(*choices)]


def _read(entry: dict[str, Any]) -> Cell:
    return Cell(**entry | {key: tuple(entry.get(key, ())) for key in ("engines", "options")})


CELLS = {name: _read(entry)
         for name, entry in read_toml(Path(__file__).with_suffix(".toml")).items()}


def with_options(spec: str, options: dict[str, str]) -> str:
    """A specification of a cell with some of its options replaced."""
    name, _, text = spec.partition(":")
    settings = dict(part.split("=") for part in text.split(",") if part) | options
    return f"{name}:{','.join(map('='.join, settings.items()))}" if settings else name


def insert_cells(markdown: str, tab: str) -> str:
    """A page with its cells. `tab`: the path from the page to the tab's folder."""
    def frame(match: re.Match[str]) -> str:
        if match[1] not in CELLS:
            raise DlgoError(f"{match[0]}: cells.toml has no cell {match[1]}; add it there")
        cell = CELLS[match[1]]
        console = f" In the console: `dlgo play {cell.game} --second {cell.play}`"
        return (f'<figure class="cell" markdown="span">\n'
                f'<iframe src="{tab}/index.html?cell{html.escape(cell.address)}" loading="lazy" '
                f'title="{html.escape(re.sub(r"[*`]", "", cell.caption))}"></iframe>\n'
                f'<figcaption markdown="span">**Try it here.** {cell.caption}'
                f'{console if cell.play else ""}</figcaption>\n</figure>')

    return _MARKER.sub(frame, markdown)


def cells_tab() -> Tab:
    """The tab with the games and engines of all cells."""
    engines: dict[str, list[str]] = {}
    for cell in CELLS.values():
        engines.setdefault(cell.game, []).extend(cell.variants)
    return make_tab([*engines], engines, log=lambda _: None)
