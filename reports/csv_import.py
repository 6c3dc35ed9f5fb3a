"""Games from anywhere, as the table that all of `reports/` works on.

A file is a ledger of the arena, an SQLite database, or else a list of games, whatever its name. The
list needs the columns

    first, second, result      who moved first, who second, and 1, 0.5 or 0 as `first` sees it

and may have `game` (each is rated by itself), `pair` (a number or a name that the two games
from one opening share), `moves` (equal games are then counted once), and `failed` (true if an
engine broke down). Of the other columns those are read that the `games.csv` of a report has:
`first_moves` and `first_wall_ms`, say, the number of moves that the first engine chose and their
mean cost. Any dialect of CSV will do, with decimal commas as well (see `dlgo.tables`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.errors import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger, is_ledger
from dlgo.tables import read_table
from dlgo.text import LONGEST_NAME, listing, one_line
from reports.ratings import repeated_games
from reports.tables import GAME_COLUMNS, games_frame

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("first", "second", "result")
# The game of a list without one.
UNNAMED = "games"
_NUMBERS = tuple(name for name in GAME_COLUMNS
                 if name.startswith(("first_", "second_")) and not name.endswith("_runtime"))
# The missing value of each column.
_UNKNOWN: dict[str, Any] = dict.fromkeys(GAME_COLUMNS, "") | dict.fromkeys(_NUMBERS, math.nan) | {
    "first_moves": 0, "second_moves": 0, "failed": False}
# The columns of a record's texts.
_RECORD = ("slot", "game", "first", "second", "pair", "opening", "seed", "result", "reason",
           "moves", "started", "finished", "machine", "version")


def load_games(path: str | Path) -> pd.DataFrame:
    """The games of a ledger or a CSV file, as `tables.games_frame` gives them. Raises DlgoError if
    the file cannot be used or holds no games."""
    path = Path(path)
    if not is_list(path):
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names()
            games = games_frame(ledger)
    else:
        games = read_games(path)
    if games.empty:
        raise DlgoError(f"{path} holds no games; add some first")
    return games


def is_list(path: Path) -> bool:
    """Whether a file is a list of games, not a ledger."""
    return not is_ledger(path) and (path.is_file() or path.suffix.lower() == ".csv")


def game_records(games: pd.DataFrame) -> Iterator[GameRecord]:
    """The games of a list, to replay them; without costs of their moves."""
    for row in games[[*_RECORD]].itertuples(index=False):
        yield GameRecord(**row._asdict())


def read_games(path: Path) -> pd.DataFrame:
    """A CSV file of games. Missing values are empty or NaN in the table; its attribute `has_pairs`
    says whether there is a column `pair`. Raises DlgoError if it cannot be read, lacks a column, or
    has bad lines (named by number)."""
    import pandas as pd

    table = read_table(path)
    header = [name.strip().lower() for name in table.header]
    for name in (*NEEDED, "game", "pair", "moves"):
        if header.count(name) > 1:
            raise DlgoError(f"{path} has two columns {name}; its first line must name each once")
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise DlgoError(
            f"{path} has no column {' and no column '.join(missing)}; its first line must name "
            f"{', '.join(NEEDED)}"
        )
    rows, bad = [], {}
    for line, cells in table.rows:
        try:
            if len(cells) > len(header):
                raise ValueError("it has more cells than the first line has names")
            rows.append(_row(line, dict(zip(header, map(str.strip, cells), strict=False))))
        except ValueError as error:
            bad[line] = error
    if bad:
        line, *more_lines = bad
        more = f" (also bad: line {listing([*map(str, more_lines)], most=8)})" if more_lines else ""
        raise DlgoError(f"{path} line {line}: {bad[line]}{more}")
    frame = pd.DataFrame(rows, columns=list(GAME_COLUMNS))
    if not frame.empty:
        numbered = frame["pair"].str.fullmatch(r"[0-9]{1,15}").all()
        frame["pair"] = frame["pair"].astype(int) if numbered else pd.factorize(frame["pair"])[0]
        frame["counted"] = ~repeated_games(frame)
    frame.attrs["has_pairs"] = "pair" in header
    return frame


def _row(line: int, cells: dict[str, str]) -> dict[str, object]:
    """A line as a row of the table. Raises ValueError, which says what is wrong with it."""
    for name in ("first", "second"):
        if not cells.get(name):
            raise ValueError(f"{name} is empty")
        if len(cells[name]) > LONGEST_NAME:
            raise ValueError(f"{name} is a name of more than {LONGEST_NAME} characters")
    if one_line(cells["first"]) == one_line(cells["second"]):
        raise ValueError(f"{one_line(cells['first'])!r} plays against itself, which says nothing "
                         "about strength; remove this line")
    text = cells.get("result", "")
    try:
        result = float(text.replace(",", "."))
    except ValueError:
        result = -1.0
    if result not in (0.0, 0.5, 1.0):
        raise ValueError(f"result {text!r} is not 1, 0.5 or 0")
    texts = {name: one_line(value) for name, value in cells.items()}
    moves = texts.get("moves", "")
    known = {name: text for name, text in texts.items() if text and name in _UNKNOWN}
    numbers = {name: _number(name, known[name]) for name in _NUMBERS if name in known}
    return _UNKNOWN | known | numbers | {
        "slot": f"line {line}", "game": texts.get("game") or UNNAMED, "first": texts["first"],
        "second": texts["second"], "result": result, "moves": moves,
        "pair": texts.get("pair") or f"line {line}", "plies": len(moves.split()),
        "failed": known.get("failed", "").lower() in ("true", "1"),
    }


def _number(name: str, text: str) -> float:
    """A count or a mean cost."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} {text!r} is not a number from 0 up")
    return number
