"""Displays for notebooks: pictures side by side, the source of a function, a policy on its
board."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo import GameState, Move
from experiments.figures import BLUE, INK
from experiments.play.board_drawing import draw_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[2]


class Row:
    """Boards and trees side by side under titles; each has a `_repr_svg_`, or is an SVG's text."""

    def __init__(self, *pictures: Any, titles: tuple[str, ...] = ()) -> None:
        self.pictures = [
            one if isinstance(one, str) else one._repr_svg_() for one in pictures
        ]
        self.titles = titles or ("",) * len(pictures)

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<figure style="margin:0 12px 12px 0;max-width:100%;overflow:auto">'
            f"<figcaption>{title}</figcaption>{picture}</figure>"
            for title, picture in zip(self.titles, self.pictures, strict=True)
        )
        return f'<div style="display:flex;flex-wrap:wrap">{cells}</div>'


class Source:
    """The source of functions, methods or classes of one module, under a link to its file."""

    def __init__(self, *things: Any) -> None:
        self.things = things

    def _repr_markdown_(self) -> str:
        parts = [textwrap.dedent(inspect.getsource(thing)) for thing in self.things]
        path = Path(inspect.getfile(self.things[0])).relative_to(ROOT).as_posix()
        return f"[{path}](../{path}):\n\n```python\n" + "\n".join(parts).rstrip() + "\n```"

    def __repr__(self) -> str:
        return self._repr_markdown_()


def draw_policy(
    axes: Axes, state: GameState, shares: Mapping[Move, float], title: str = ""
) -> None:
    """Draw a position; a disc for each move (not passes), its area the move's share, 0 to 1."""
    draw_board(axes, state)
    side = axes.get_window_extent().width / (state.game.board_cols + 1.2)
    for move, share in shares.items():
        cell = state.game.last_cell(state.apply_move(move))
        if cell is None or share < 0.005:
            continue
        axes.scatter(cell.col, cell.row, s=share * side**2 * 0.9, color=BLUE, alpha=0.8, zorder=5)
        if share >= 0.1:
            axes.annotate(f"{share:.0%}", (cell.col, cell.row), ha="center", va="center",
                          fontsize=10, color=INK, zorder=6,
                          bbox={"facecolor": "white", "alpha": 0.7, "pad": 1, "edgecolor": "none"})
    axes.set_title(title)
