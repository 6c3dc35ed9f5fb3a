"""Positions as text, `print(state)`, and as SVG, which notebooks show.

Everything is read off `kernels.piece` and the labels of the `GameSpec`, so every game has a
picture.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dlgo import kernels

if TYPE_CHECKING:
    from dlgo.api import GameState

_CELL = 32
_MARGIN = 24
_LETTER = 6.5  # the mean width of a letter of 12 pixels
_STONES = (("#222", "#000"), ("#fdfdfd", "#444"))  # fill and edge of black's and white's
_PAPER, _INK = "#faf6ec", "#222"  # the same on a notebook's dark page
_BOARD, _DARK, _LINE, _MARK = "#e8c98b", "#b58b57", "#6b4f2a", "#d02020"


def board_text(state: GameState) -> str:
    """The board as text; the last play, or the stones that won, in brackets."""
    game = state.game
    marked = set(game.winning_cells(state)) or {game.last_cell(state)}
    lines = []
    for row in range(game.board_rows, 0, -1):
        line = f"{game.row_label(row):>2} "
        for col in range(1, game.board_cols + 1):
            piece = int(kernels.piece(state.kernel_state, (row - 1) * game.board_cols + col - 1))
            symbol = "." if piece == kernels.NOBODY else game.piece_symbol(piece)
            line += f"[{symbol}]" if (row, col) in marked else f" {symbol} "
        lines.append(line)
    labels = (game.col_label(col) for col in range(1, game.board_cols + 1))
    lines.append("   " + "".join(f"{label:^3}" for label in labels))
    return "\n".join(line.rstrip() for line in lines)


def board_svg(state: GameState) -> str:
    """The board as an SVG image: pieces, labels, the last play or the winning stones marked."""
    game = state.game
    rows, cols = game.board_rows, game.board_cols
    turn = game.result_text(state) if state.is_over() else f"{state.next_player.name} to move"
    caption = f"{game}: {turn}"
    width = max(cols * _CELL + 2 * _MARGIN, _LETTER * len(caption) + _MARGIN)
    height = rows * _CELL + 2 * _MARGIN + 16
    left = (width - cols * _CELL) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height}" '
        f'viewBox="0 0 {width:g} {height}" font-family="sans-serif" font-size="12" '
        f'text-anchor="middle" fill="{_INK}">',
        f'<rect width="100%" height="100%" rx="6" fill="{_PAPER}"/>',
    ]
    board, numbered = _board(state, left)
    parts += board
    if not numbered:
        parts += [
            _text(left - _MARGIN / 2, _MARGIN + (rows - row + 0.5) * _CELL + 4, game.row_label(row))
            for row in range(1, rows + 1)
        ] + [
            _text(left + (col - 0.5) * _CELL, _MARGIN + rows * _CELL + 16, game.col_label(col))
            for col in range(1, cols + 1)
        ]
    return "".join([*parts, _text(width / 2, height - 8, caption), "</svg>"])


def board_inside(state: GameState, x: float, y: float, width: float, height: float) -> str:
    """The board alone, without labels around it, in a box of another SVG image."""
    cols, rows = state.game.board_cols * _CELL, state.game.board_rows * _CELL
    return "".join([
        f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 {_MARGIN} {cols} {rows}" text-anchor="middle">',
        *_board(state, 0)[0], "</svg>",
    ])


def _board(state: GameState, left: float) -> tuple[list[str], bool]:
    """Cells or lines, pieces and marks, and whether the cells have numbers of their own."""
    game = state.game
    rows, cols = game.board_rows, game.board_cols
    parts = [
        f'<rect x="{left:g}" y="{_MARGIN}" width="{cols * _CELL}" height="{rows * _CELL}" '
        f'fill="{_BOARD}"/>',
    ]
    marked = set(game.winning_cells(state)) or {game.last_cell(state)}
    numbered = False
    for row in range(1, rows + 1):
        for col in range(1, cols + 1):
            x, y = left + (col - 0.5) * _CELL, _MARGIN + (rows - row + 0.5) * _CELL
            label = game.cell_label(row, col)
            numbered |= bool(label)
            piece = int(kernels.piece(state.kernel_state, (row - 1) * cols + col - 1))
            empty = piece == kernels.NOBODY
            parts.append(_lines(row, col, rows, cols, x, y) if game.pieces_on_points
                         else _cell(label, empty, x, y))
            if not empty:
                parts.append(_piece(piece, game.piece_mark(piece), label, x, y))
            if (row, col) in marked:
                parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="none" stroke="{_MARK}" '
                             'stroke-width="2"/>')
    return parts, numbered


def _text(x: float, y: float, text: str, size: int = 12, colour: str = _INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}">{escape(text)}</text>'


def _cell(label: str, empty: bool, x: float, y: float) -> str:
    """A cell; one with a number is dark, as on a board for draughts."""
    half = _CELL / 2
    return (
        f'<rect x="{x - half:g}" y="{y - half:g}" width="{_CELL}" height="{_CELL}" '
        f'fill="{_DARK if label else "none"}" stroke="{_LINE}" stroke-width="0.5"/>'
        + (_text(x - half + 7, y - half + 9, label, 8) if empty and label else "")
    )


def _lines(row: int, col: int, rows: int, cols: int, x: float, y: float) -> str:
    """The lines through a point, which end at the edges of the board."""
    half = _CELL / 2
    left, right = x - half * (col > 1), x + half * (col < cols)
    top, bottom = y - half * (row < rows), y + half * (row > 1)
    return f'<path d="M{left:g} {y:g}H{right:g}M{x:g} {top:g}V{bottom:g}" stroke="{_LINE}"/>'


def _piece(piece: int, mark: str, label: str, x: float, y: float) -> str:
    """A stone with its mark; on one without stands what its cell is called."""
    fill, edge = _STONES[piece % 2]
    stone = f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * _CELL}" fill="{fill}" stroke="{edge}"/>'
    if not mark:
        return stone + (_text(x, y + 3, label, 9, "#999") if label else "")
    return stone + _text(x, y + 6, mark, 17, _STONES[1 - piece % 2][0])
