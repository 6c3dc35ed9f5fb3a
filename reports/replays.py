"""Games to click through: which ones to show, and every position of them as rows of symbols.

A position is read off the text board that each game prints
(`GameSpec.render`), so a new game can be shown without a line here: cells three characters
wide, the symbol in the middle, brackets around what is marked. A board printed in another way
is shown as the text it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlgo import kernels
from dlgo.api import GameState
from dlgo.errors import DlgoError
from dlgo.records.ledger import GameRecord
from dlgo.text import one_line
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

# How a game's board is drawn in the page; any other is a grid with its symbols as letters.
_LOOKS = {"go": "go", "connect4": "discs", "draughts": "checkers"}


@dataclass(frozen=True)
class Grid:
    """Where the cells of a text board are.

    Attributes:
        indent: characters before the first cell of a line.
        rows, cols: size of the board.
    """

    indent: int
    rows: int
    cols: int

    def read(self, text: str) -> tuple[list[str], list[list[int]]] | None:
        """Symbols, a text for each row from the top, and marked cells; None if they misfit."""
        width = self.indent + 3 * self.cols
        rows, marks = [], []
        lines = text.split("\n")
        if len(lines) < self.rows:
            return None
        for number, line in enumerate(lines[: self.rows]):
            if len(line) > width:
                return None
            cells = line.ljust(width)[self.indent :]
            for start in range(0, len(cells), 3):
                frame = cells[start] + cells[start + 2]
                if frame not in ("  ", "[]"):
                    return None
                if frame == "[]":
                    marks.append([number, start // 3])
            rows.append(cells[1::3])
        return rows, marks

    def labels(self, text: str) -> tuple[list[str], list[str]]:
        """What stands to the left of the rows, and below the columns if anything does."""
        lines = text.split("\n")
        left = [line[: self.indent].strip() for line in lines[: self.rows]]
        below = lines[self.rows].split() if len(lines) > self.rows else []
        return left, below if len(below) == self.cols else []


def find_grid(state: GameState) -> Grid | None:
    """The grid of a game's text board, checked against who occupies which cell.

    Args:
        state: a position, best the last one of a game: the more stones, the surer.
    """
    game, text = state.game, state.game.render(state)
    for indent in range(12):
        grid = Grid(indent, game.board_rows, game.board_cols)
        cells = grid.read(text)
        if cells and all(
            _fits(state, row, col, symbol)
            for row, line in enumerate(cells[0]) for col, symbol in enumerate(line)
        ):
            return grid
    return None


def _fits(state: GameState, row: int, col: int, symbol: str) -> bool:
    game = state.game
    try:
        piece = int(kernels.piece(
            state.kernel_state, (game.board_rows - 1 - row) * game.board_cols + col
        ))
    except (DlgoError, IndexError, KeyError, ValueError):
        return False
    return symbol in ". " if piece == kernels.NOBODY else symbol == game.piece_symbol(piece)


def replay(record: GameRecord, why: str) -> dict[str, Any] | None:
    """Everything the page needs to show one game, as plain data for JSON.

    Args:
        record: the game, with costs if they are to be shown.
        why: the reason for showing it.

    Returns:
        a dictionary, or None if the moves cannot be replayed with today's rules.
    """
    try:
        states = list(record.positions())
    except DlgoError:
        return None
    spec = states[0].game
    grid = find_grid(states[-1])
    boards = [grid.read(spec.render(state)) if grid else None for state in states]
    costs = {cost.ply: cost for cost in record.costs}
    opening = len(record.opening.split())
    frames = []
    for ply, (state, cells) in enumerate(zip(states, boards, strict=True)):
        frame: dict[str, Any] = {}
        if cells is None:
            frame["text"] = spec.render(state)
        else:
            frame["rows"], frame["marks"] = "/".join(cells[0]), cells[1]
        if ply:
            frame["by"] = states[ply - 1].next_player.index
            frame["move"] = record.moves.split()[ply - 1]
            if ply <= opening:
                frame["opening"] = True
        if (cost := costs.get(ply - 1)) is not None:
            frame["cpu"] = round(1000 * cost.cpu, 3)
            if cost.value is not None:
                frame["value"] = round(cost.value, 3)
        frames.append(frame)
    left, below = grid.labels(spec.render(states[0])) if grid else ([], [])
    look = _LOOKS.get(spec.name, "letters")
    if spec.name == "connectn" and spec.settings.get("gravity"):
        look = "discs"
    return {
        "why": why, "result": f"{record.result:g} : {1 - record.result:g}",
        **{name: one_line(getattr(record, name)) for name in ("first", "second", "slot", "reason")},
        "look": look, "symbols": [spec.piece_symbol(0), spec.piece_symbol(1)],
        "left": left, "below": below,
        "plies": len(states) - 1, "frames": frames,
    }


def choose_games(games: pd.DataFrame, table: RatingTable) -> list[tuple[str, str]]:
    """Slots of a few games of one kind worth looking at, each with the reason.

    Both games of the first pair of the two best, the greatest upset, the longest and the
    shortest game, the first draw between the best, and a failure.

    Args:
        games: the rows of one game from `games_frame`.
        table: its ratings.
    """
    order = {rating.entrant: place for place, rating in enumerate(table.ratings)}
    values = {rating.entrant: rating.value for rating in table.ratings}
    games = games[games["counted"]]
    sound = games[~games["failed"]]
    places = sound["first"].map(order) + sound["second"].map(order)
    chosen: list[tuple[str, str]] = []

    def take(rows: pd.DataFrame, why: str) -> None:
        for slot in rows["slot"]:
            if slot not in (earlier for earlier, _ in chosen):
                chosen.append((slot, why))

    if not sound.empty:
        closest = sound[places == places.min()]
        take(closest[closest["pair"] == closest["pair"].min()], "the best two, one opening")
        lead = sound["first"].map(values) - sound["second"].map(values)
        upset = (-lead).where(sound["result"] == 1, lead.where(sound["result"] == 0, 0))
        if upset.max() > 0:
            take(sound.loc[[upset.idxmax()]], f"the greatest upset, against {upset.max():.0f} Elo")
        draws = sound[sound["result"] == 0.5]
        if len(draws):
            take(draws.loc[[places[draws.index].idxmin()]], "a draw of the strongest")
        take(sound.loc[[sound["plies"].idxmax()]], "the longest game")
        take(sound.loc[[sound["plies"].idxmin()]], "the shortest game")
    take(games[games["failed"]].head(1), "a failure")
    return chosen
