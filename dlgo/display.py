"""Positions as text, `print(state)`, and as SVG, which notebooks show.

Everything is read off `kernels.piece` and the labels of the `GameSpec`, so every game has a
picture. Games whose pieces stand on points (Go) are drawn with lines, others with cells.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dlgo import kernels

if TYPE_CHECKING:
    from dlgo.api import GameState

_CELL = 32
_MARGIN = 24
_STONES = (("#222", "#000"), ("#fdfdfd", "#444"))  # fill and edge of black's and white's
_BOARD, _DARK, _LINE, _MARK = "#e8c98b", "#b58b57", "#6b4f2a", "#d02020"


def board_text(state: GameState) -> str:
    """The board as text; the last play, or the stones that won, in brackets."""
    game = state.game
    marked = set(game.winning_cells(state)) or {game.last_cell(state)}
    lines = []
    for row in range(game.board_rows, 0, -1):
        line = f"{game.row_label(row):>2} "
        for col in range(1, game.board_cols + 1):
            player = game.cell(state, row, col)
            symbol = "." if player is None else game.symbols[player.index]
            line += f"[{symbol}]" if (row, col) in marked else f" {symbol} "
        lines.append(line)
    labels = (game.col_label(col) for col in range(1, game.board_cols + 1))
    lines.append("   " + "".join(f"{label:^3}" for label in labels))
    return "\n".join(line.rstrip() for line in lines)


def board_svg(state: GameState) -> str:
    """The board as an SVG image: pieces, labels, the last play or the winning stones marked."""
    game = state.game
    rows, cols = game.board_rows, game.board_cols
    on_points = game.name == "go"
    width, height = cols * _CELL + 2 * _MARGIN, rows * _CELL + 2 * _MARGIN + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" '
        'text-anchor="middle">',
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{cols * _CELL}" height="{rows * _CELL}" '
        f'fill="{_BOARD}"/>',
    ]
    marked = set(game.winning_cells(state)) or {game.last_cell(state)}
    for row in range(1, rows + 1):
        for col in range(1, cols + 1):
            x, y = _MARGIN + (col - 0.5) * _CELL, _MARGIN + (rows - row + 0.5) * _CELL
            parts.append(
                _lines(row, col, rows, cols, x, y) if on_points else _cell(game, row, col, x, y)
            )
            piece = int(kernels.piece(state.kernel_state, (row - 1) * cols + col - 1))
            if piece != kernels.NOBODY:
                parts.append(_piece(piece, x, y))
            if (row, col) in marked:
                parts.append(
                    f'<circle cx="{x}" cy="{y}" r="5" fill="none" stroke="{_MARK}" '
                    'stroke-width="2"/>'
                )
    for row in range(1, rows + 1):
        y = _MARGIN + (rows - row + 0.5) * _CELL + 4
        parts.append(f'<text x="{_MARGIN / 2}" y="{y}">{escape(str(game.row_label(row)))}</text>')
    for col in range(1, cols + 1):
        x = _MARGIN + (col - 0.5) * _CELL
        label = escape(str(game.col_label(col)))
        parts.append(f'<text x="{x}" y="{_MARGIN + rows * _CELL + 16}">{label}</text>')
    turn = game.result_text(state) if state.is_over() else f"{state.next_player.name} to move"
    parts.append(f'<text x="{width / 2}" y="{height - 6}">{escape(f"{game}: {turn}")}</text>')
    return "".join([*parts, "</svg>"])


def _cell(game: object, row: int, col: int, x: float, y: float) -> str:
    dark = getattr(game, "name", "") == "draughts" and (row + col) % 2 == 0
    half = _CELL / 2
    return (
        f'<rect x="{x - half}" y="{y - half}" width="{_CELL}" height="{_CELL}" '
        f'fill="{_DARK if dark else "none"}" stroke="{_LINE}" stroke-width="0.5"/>'
    )


def _lines(row: int, col: int, rows: int, cols: int, x: float, y: float) -> str:
    """The lines through a point, which end at the edges of the board."""
    half = _CELL / 2
    left, right = x - half * (col > 1), x + half * (col < cols)
    top, bottom = y - half * (row < rows), y + half * (row > 1)
    return (
        f'<path d="M{left} {y}H{right}M{x} {top}V{bottom}" stroke="{_LINE}" stroke-width="1"/>'
    )


def _piece(piece: int, x: float, y: float) -> str:
    fill, edge = _STONES[piece % 2]
    stone = f'<circle cx="{x}" cy="{y}" r="{0.42 * _CELL}" fill="{fill}" stroke="{edge}"/>'
    if piece < 2:
        return stone
    # Kinds after the first: a king's crown, and a number for any more.
    text = "♚" if piece < 4 else str(piece // 2)
    colour = _STONES[1 - piece % 2][0]
    return stone + f'<text x="{x}" y="{y + 6}" font-size="17" fill="{colour}">{text}</text>'
