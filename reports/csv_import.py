"""Games from anywhere, as the table that all of `reports/` works on.

A file whose name ends in .csv is a list of games; any other file is a ledger of the arena. The
list needs the columns

    first, second, result      who moved first, who second, and 1, 0.5 or 0 as `first` sees it

and may have `game` (each is rated by itself), `pair` (a number or a name that the two games
from one opening share), and `moves` (equal games are then counted once). Other columns are
ignored, so the `games.csv` of a report can be read too.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import DlgoError
from dlgo.records.ledger import Ledger
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

    rows, bad, read = [], [], [0]
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(_counting(file, read), skipinitialspace=True, strict=True)
            header = [str(name).strip().lower() for name in reader.fieldnames or ()]
            twice = [name for name in _KNOWN if header.count(name) > 1]
            if twice:
                raise DlgoError(
                    f"{path} has two columns {twice[0]}; its first line must name each once"
                )
            missing = [name for name in NEEDED if name not in header]
            if missing:
                raise DlgoError(
                    f"{path} has no column {' and no column '.join(missing)}; its first line "
                    f"must name {', '.join(NEEDED)}"
                )
            reader.fieldnames = header
            for row in reader:
                fault = _fault(row)
                if fault:
                    bad.append((reader.line_num, fault))
                else:
                    rows.append(_row(row, reader.line_num))
    except OSError as error:
        raise DlgoError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DlgoError(f"{path} is not text in UTF-8: {error.reason}") from error
    except csv.Error as error:
        raise DlgoError(f"{path} line {read[0]}: {error}") from error
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


def _counting(lines: Iterable[str], read: list[int]) -> Iterator[str]:
    """The lines, with their number in `read[0]`: the reader's own lags behind on an error."""
    for line in lines:
        read[0] += 1
        yield line


def _fault(row: dict[str | None, str | list[str] | None]) -> str:
    """What is wrong with a line; empty if nothing is."""
    if None in row:
        return "it has more fields than the first line has names"
    for name in ("first", "second"):
        if not str(row[name] or "").strip():
            return f"{name} is empty"
        if len(str(row[name])) > LONGEST_NAME:
            return f"{name} is a name of more than {LONGEST_NAME} characters"
    text = str(row["result"] or "").strip()
    try:
        good = float(text) in (0.0, 0.5, 1.0)
    except ValueError:
        good = False
    return "" if good else f"result {text!r} is not 1, 0.5 or 0"


def _row(row: dict[str, str | None], line: int) -> dict[str, object]:
    """A good line as a row of the table."""
    texts = {
        name: one_line(str(value).strip()) for name, value in row.items() if value is not None
    }
    values: dict[str, object] = dict.fromkeys(GAME_COLUMNS, "")
    values.update({
        name: 0 if name.endswith("_moves") else float("nan")
        for name in GAME_COLUMNS
        if name.startswith(("first_", "second_")) and not name.endswith("_runtime")
    })
    moves = texts.get("moves", "")
    values.update({
        "slot": f"line {line}", "game": texts.get("game") or UNNAMED, "first": texts["first"],
        "second": texts["second"], "result": float(texts["result"]), "moves": moves,
        "pair": texts.get("pair") or f"line {line}", "failed": False, "plies": len(moves.split()),
    })
    return values
