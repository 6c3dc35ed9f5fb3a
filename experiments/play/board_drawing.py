"""A position drawn with matplotlib: stones on lines, discs in holes, pieces on squares.

`draw_board` draws any game from `GameSpec.cell` and its marks from `last_cell` and
`winning_cells`. A game that people know by a special board has a line in `_LOOKS`; any other is
a grid with stones, and needs no code here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from dlgo import GameSpec, GameState, Player, Point, kernels
from dlgo.games.draughts import board as draughts_board
from dlgo.games.draughts import notation as draughts_notation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BACKGROUND = "#f4f1ea"
_INK, _WOOD, _MARK, _WIN, _HINT = "#333333", "#dcb35c", "#d62728", "#2fbf4f", "#1f77b4"

# Where a stone lies, and of whom.
Stones = dict[Point, Player]


def draw_board(
    axes: Axes, state: GameState, selected: Point | None = None, targets: Collection[Point] = (),
) -> None:
    """Draw a position into empty or used axes; column and row numbers become x and y.

    Args:
        selected: a piece that was picked up, shown with a ring.
        targets: cells to point out, such as where that piece can go.
    """
    game = state.game
    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-0.1, game.board_cols + 1.1)
    axes.set_ylim(-0.1, game.board_rows + 0.7)
    stones = {
        Point(row, col): player
        for row in range(1, game.board_rows + 1) for col in range(1, game.board_cols + 1)
        if (player := game.cell(state, row, col)) is not None
    }
    won = game.winning_cells(state)
    _look(game)(axes, state, stones, won)
    if not won and (last := game.last_cell(state)) is not None:
        _ring(axes, last, 0.17, _MARK, filled=True)
    for cell in targets:
        _ring(axes, cell, 0.13, _HINT, filled=True)
    if selected is not None:
        _ring(axes, selected, 0.47, _HINT)


def player_text(game: GameSpec, player: Player) -> str:
    """A player's name, with the colour of the pieces where that is another."""
    colours = _COLOURS.get(_look(game))
    return f"{player.name} ({colours[player.index]})" if colours else player.name


def result_text(state: GameState) -> str:
    """The result of a finished game, its players called as in `player_text`."""
    game, text = state.game, state.game.result_text(state)
    for player in Player:
        text = text.replace(
            f"{player.name} ({game.piece_symbol(player.index)})", player_text(game, player)
        )
    return text


def extra_lines(state: GameState) -> str:
    """What the game prints below its board: a lead, a capture that must go on."""
    game = state.game
    lines = str(state).split("\n")[game.board_rows :]
    labels = [game.col_label(col) for col in range(1, game.board_cols + 1)]
    return "  ".join(line for line in lines if line.split() != labels).strip()


def _look(game: GameSpec) -> Callable[[Axes, GameState, Stones, list[Point]], None]:
    if game.name == "connectn" and game.settings["gravity"]:
        return _draw_discs
    return _LOOKS.get(game.name, _draw_grid)


def _draw_go(axes: Axes, state: GameState, stones: Stones, won: list[Point]) -> None:
    from matplotlib.patches import Rectangle

    size = state.game.board_rows
    axes.add_patch(Rectangle((0.3, 0.3), size + 0.4, size + 0.4, facecolor=_WOOD, zorder=0))
    for line in range(1, size + 1):
        width = 1.3 if line in (1, size) else 0.7
        axes.plot((1, size), (line, line), color=_INK, linewidth=width, zorder=1)
        axes.plot((line, line), (1, size), color=_INK, linewidth=width, zorder=1)
    for row, col in _star_points(size):
        _disc(axes, Point(row, col), 0.09, _INK, zorder=2)
    _labels(axes, state.game, 0.0)
    for point, player in stones.items():
        _stone(axes, point, player)


def _star_points(size: int) -> list[tuple[int, int]]:
    """The dots of a real board: on the third or fourth lines, and in the middles."""
    if size < 7:
        return []
    low = 4 if size > 11 else 3
    corners, middle = (low, size + 1 - low), (size + 1) // 2
    points = [(row, col) for row in corners for col in corners]
    if size % 2 and size > 7:
        points.append((middle, middle))
    if size % 2 and size > 13:
        points += [(middle, col) for col in corners] + [(row, middle) for row in corners]
    return points


def _draw_discs(axes: Axes, state: GameState, stones: Stones, won: list[Point]) -> None:
    from matplotlib.patches import FancyBboxPatch

    game = state.game
    axes.add_patch(FancyBboxPatch(
        (0.55, 0.55), game.board_cols - 0.1, game.board_rows - 0.1, facecolor="#1f5fbf",
        edgecolor="#153f80", linewidth=2, boxstyle="round,pad=0.1", zorder=0,
    ))
    faces = {None: BACKGROUND, Player.black: "#e23b30", Player.white: "#f7cf2d"}
    rims = {None: "#153f80", Player.black: "#a8241b", Player.white: "#c99f12"}
    for row in range(1, game.board_rows + 1):
        for col in range(1, game.board_cols + 1):
            cell = Point(row, col)
            owner = stones.get(cell)
            _disc(axes, cell, 0.42, faces[owner], rims[owner], 1.2)
            if owner is not None:
                _disc(axes, cell, 0.28, faces[owner], rims[owner], 1.2)
    for cell in won:
        _ring(axes, cell, 0.42, _WIN)
        _ring(axes, cell, 0.17, "white", filled=True)
    _labels(axes, game, 0.15, rows=False)


def _draw_draughts(axes: Axes, state: GameState, stones: Stones, won: list[Point]) -> None:
    from matplotlib.patches import Rectangle

    kings = state.kernel_state.words[draughts_board.KINGS]
    axes.add_patch(Rectangle((0.35, 0.35), 8.3, 8.3, facecolor="#5a3a22", zorder=0))
    for row in range(1, 9):
        for col in range(1, 9):
            number = draughts_notation.square_number(8 - row, col - 1)
            colour = "#f0dcb8" if number is None else "#7f9a6d"
            square = Rectangle((col - 0.5, row - 0.5), 1, 1, facecolor=colour, zorder=0.5)
            axes.add_patch(square)
            if number is None:
                continue
            axes.text(col - 0.46, row + 0.44, str(number), fontsize=7, color="#22331a",
                      va="top", ha="left", zorder=1)
            owner = stones.get(Point(row, col))
            if owner is None:
                continue
            face, rim = (("#33302e", "#0d0c0b"), ("#fbf6ea", "#8d8268"))[owner.index]
            _disc(axes, Point(row, col), 0.39, face, rim, 1.2, shadow=True)
            _disc(axes, Point(row, col), 0.29, face, ("#77706a", rim)[owner.index], 0.9)
            if kings & draughts_board.bit_of(number):
                axes.text(col, row - 0.02, "\u265b", fontsize=_points(axes, 0.55), zorder=5,
                          color="#ffd54a" if owner is Player.black else "#a8741a",
                          ha="center", va="center", fontfamily="DejaVu Sans")


def _draw_noughts(axes: Axes, state: GameState, stones: Stones, won: list[Point]) -> None:
    _cells(axes, state.game, won, "#fffdf7")
    for (row, col), player in stones.items():
        width = _points(axes, 0.11)
        if player is Player.black:
            for rise in (1, -1):
                axes.plot((col - 0.28, col + 0.28), (row - 0.28 * rise, row + 0.28 * rise),
                          color="#c0392b", linewidth=width, solid_capstyle="round", zorder=3)
        else:
            _ring(axes, Point(row, col), 0.3, "#2d5fa8", width=width)


def _draw_grid(axes: Axes, state: GameState, stones: Stones, won: list[Point]) -> None:
    game = state.game
    _cells(axes, game, won, "#e6d4ad")
    for point, player in stones.items():
        _stone(axes, point, player, 0.4)
        cell = (point.row - 1) * game.board_cols + point.col - 1
        mark = game.piece_mark(int(kernels.piece(state.kernel_state, cell)))
        axes.text(point.col, point.row, mark, fontsize=_points(axes, 0.4), zorder=5,
                  color=("white", "black")[player.index], ha="center", va="center_baseline")


def _cells(axes: Axes, game: GameSpec, won: Collection[Point], face: str) -> None:
    from matplotlib.patches import Rectangle

    for row in range(1, game.board_rows + 1):
        for col in range(1, game.board_cols + 1):
            colour = "#8fd19b" if (row, col) in won else face
            axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, facecolor=colour,
                                     edgecolor="#888888", linewidth=1, zorder=0))
    _labels(axes, game, 0.15)


def _labels(axes: Axes, game: GameSpec, place: float, rows: bool = True) -> None:
    style = {"color": _INK, "ha": "center", "va": "center",
             "fontsize": min(11.0, _points(axes, 0.4))}
    for col in range(1, game.board_cols + 1):
        axes.text(col, place, game.col_label(col), **style)
    for row in range(1, game.board_rows + 1) if rows else ():
        axes.text(place, row, game.row_label(row), **style)


def _points(axes: Axes, share: float) -> float:
    """A share of a cell's side in points, as fonts and lines are measured."""
    figure, box = axes.figure, axes.get_position()
    cells_wide, cells_high = (high - low for low, high in (axes.get_xlim(), axes.get_ylim()))
    side = min(
        box.width * figure.get_figwidth() / abs(cells_wide),
        box.height * figure.get_figheight() / abs(cells_high),
    )
    return 72 * side * share


def _stone(axes: Axes, point: Point, player: Player, radius: float = 0.47) -> None:
    face, rim, shine = (("#1c1c1c", "#000000", "#5a5a5a"), ("#f6f6f2", "#77746c", "#ffffff"))[
        player.index
    ]
    _disc(axes, point, radius, face, rim, 0.8, shadow=True)
    high = Point(point.row + 0.3 * radius, point.col - 0.3 * radius)
    _disc(axes, high, 0.35 * radius, shine, zorder=4, alpha=0.6)


def _disc(
    axes: Axes, place: tuple[float, float], radius: float, face: str, rim: str = "none",
    width: float = 0.0, zorder: float = 3, alpha: float = 1.0, shadow: bool = False,
) -> None:
    from matplotlib.patches import Circle

    row, col = place
    if shadow:
        axes.add_patch(Circle((col + 0.05, row - 0.06), radius, facecolor="black", alpha=0.25,
                              edgecolor="none", zorder=zorder - 0.5))
    axes.add_patch(Circle((col, row), radius, facecolor=face, edgecolor=rim, linewidth=width,
                          zorder=zorder, alpha=alpha))


def _ring(
    axes: Axes, place: Point, radius: float, colour: str, filled: bool = False,
    width: float = 3.0,
) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle(
        (place.col, place.row), radius, facecolor=colour if filled else "none",
        edgecolor="white" if filled else colour, linewidth=0.6 if filled else width, zorder=6,
    ))


_LOOKS: dict[str, Callable[[Axes, GameState, Stones, list[Point]], None]] = {
    "go": _draw_go,
    "connect4": _draw_discs,
    "draughts": _draw_draughts,
    "tictactoe": _draw_noughts,
}
# What the pieces look like, where that is not as their owners are called.
_COLOURS = {_draw_discs: ("red", "yellow"), _draw_noughts: ("x", "o")}
