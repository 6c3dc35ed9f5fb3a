"""Games from anywhere, as the table that all of `reports/` works on.

A file whose name ends in .csv is a list of games; any other file is a ledger of the arena. The
list needs the columns

    first, second, result      who moved first, who second, and 1, 0.5 or 0 as `first` sees it

and may have `game` (each is rated by itself), `pair` (a number or a name that the two games
from one opening share), and `moves` (equal games are then counted once). Other columns are
ignored, so the `games.csv` of a report can be read too. Any dialect of CSV will do, with decimal
commas as well (see `dlgo.tables`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import DlgoError
from dlgo.records.ledger import Ledger
from dlgo.tables import read_table
from dlgo.text import LONGEST_NAME, one_line
from reports.connections import listing
from reports.ratings import repeated_games
from reports.tables import GAME_COLUMNS, games_frame

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("first", "second", "result")
_KNOWN = (*NEEDED, "game", "pair", "moves")
# The game of a list that names none.
UNNAMED = "games"


def load_games(path: str | Path) -> pd.DataFrame:
    """The games of a ledger or a CSV file, as `tables.games_frame` gives them.

    Raises:
        DlgoError: if the file cannot be used or holds no games.
    """
    if Path(path).suffix.lower() == ".csv":
        games = read_games(Path(path))
    else:
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names()
            games = games_frame(ledger)
    if games.empty:
        raise DlgoError(f"{path} holds no games; play or list some first")
    return games


def read_games(path: Path) -> pd.DataFrame:
    """A CSV file of games. What it does not say is empty or NaN in the table.

    Raises:
        DlgoError: if it cannot be read, lacks a column, or has bad lines (named by number).
    """
    import pandas as pd

    table = read_table(path)
    header = [name.strip().lower() for name in table.header]
    twice = [name for name in _KNOWN if header.count(name) > 1]
    if twice:
        raise DlgoError(f"{path} has two columns {twice[0]}; its first line must name each once")
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise DlgoError(
            f"{path} has no column {' and no column '.join(missing)}; its first line must name "
            f"{', '.join(NEEDED)}"
        )
    rows, bad = [], []
    for line, cells in table.rows:
        row = {name: cell.strip() for name, cell in zip(header, cells, strict=False)}
        fault = _fault(row) if len(cells) <= len(header) else (
            "it has more fields than the first line has names"
        )
        if fault:
            bad.append((line, fault))
        else:
            rows.append(_row(row, line))
    if bad:
        line, fault = bad[0]
        others = listing([str(number) for number, _ in bad[1:]], most=8)
        more = f" (also bad: line {others})" if others else ""
        raise DlgoError(f"{path} line {line}: {fault}{more}")
    frame = pd.DataFrame(rows, columns=list(GAME_COLUMNS))
    if not frame.empty:
        frame["pair"] = pd.factorize(frame["pair"])[0]
        frame["counted"] = ~repeated_games(frame)
    return frame


def _result(text: str) -> float:
    """A result, with a decimal point or a comma. Raises ValueError."""
    return float(text.replace(",", "."))


def _fault(row: dict[str, str]) -> str:
    """What is wrong with a line; empty if nothing is."""
    for name in ("first", "second"):
        if not row.get(name):
            return f"{name} is empty"
        if len(row[name]) > LONGEST_NAME:
            return f"{name} is a name of more than {LONGEST_NAME} characters"
    text = row.get("result", "")
    try:
        good = _result(text) in (0.0, 0.5, 1.0)
    except ValueError:
        good = False
    return "" if good else f"result {text!r} is not 1, 0.5 or 0"


def _row(row: dict[str, str], line: int) -> dict[str, object]:
    """A good line as a row of the table."""
    texts = {name: one_line(value) for name, value in row.items()}
    values: dict[str, object] = dict.fromkeys(GAME_COLUMNS, "")
    values.update({
        name: 0 if name.endswith("_moves") else float("nan")
        for name in GAME_COLUMNS
        if name.startswith(("first_", "second_")) and not name.endswith("_runtime")
    })
    moves = texts.get("moves", "")
    values.update({
        "slot": f"line {line}", "game": texts.get("game") or UNNAMED, "first": texts["first"],
        "second": texts["second"], "result": _result(texts["result"]), "moves": moves,
        "pair": texts.get("pair") or f"line {line}", "failed": False, "plies": len(moves.split()),
    })
    return values
