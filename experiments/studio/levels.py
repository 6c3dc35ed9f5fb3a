"""Levels of the built-in games: engines of measured strength, from weak to strong.

    dlgo tournament experiments/plans/levels_go.toml --ledger out/levels/go.sqlite
    python -m experiments.studio.levels out/levels/*.sqlite

The second command rates the games of the ledgers as `dlgo report` does, and replaces the levels of
their boards in `levels.csv`, which the studio reads. Random play has 0 Elo. An engine is a level if
it is stronger than the level below: the 95% interval of the difference is above 0.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import click

from dlgo.files import output_path

FILE = Path(__file__).with_name("levels.csv")
_ZERO = "random"


@dataclass(frozen=True)
class Level:
    """A level of a game."""

    game: str
    level: int  # from 1
    engine: str
    elo: int  # above random play, with its 95% interval
    low: int
    high: int
    step_low: int  # how much stronger it is than the level below, at least
    games: int
    date: str  # of the last game


@functools.cache
def levels() -> dict[str, tuple[Level, ...]]:
    """The levels by the game's specification, the weakest first."""
    levels: dict[str, list[Level]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            levels.setdefault(row["game"], []).append(Level(
                row["game"], int(row["level"]), row["engine"], int(row["elo"]),
                int(row["low"]), int(row["high"]), int(row["step_low"]), int(row["games"]),
                row["date"]))
    return {game: tuple(rows) for game, rows in levels.items()}


def measured(ledger: Path) -> Iterator[Level]:
    """The levels that the games of a ledger support."""
    from dlgo.records.ledger import Ledger
    from reports.tables import games_frame, rate_games, ratings_frame

    with Ledger(ledger, read_only=True) as opened:
        games = games_frame(opened, required=True)
    day = max(games["finished"])[:10]
    tables = rate_games(games)
    games_of = ratings_frame(games, tables).set_index(["game", "entrant"])["games"]
    for game, table in tables.items():
        table, below, number = table.anchored(_ZERO), "", 0
        for rating in reversed(table.ratings):
            step = table.difference(rating.entrant, below).low95 if below else 0.0
            if below and step <= 0:
                continue
            below, number = rating.entrant, number + 1
            yield Level(
                game, number, below, round(rating.value), round(rating.low95),
                round(rating.high95), round(step), int(games_of[game, below]), day)


@click.command()
@click.argument("ledgers", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(ledgers: Sequence[Path]) -> None:
    """Rate the games of LEDGERS and write the levels of the studio."""
    from dlgo.records.ledger import Ledger

    rows: list[Level] = []
    machines: set[str] = set()
    for path in ledgers:
        rows += measured(path)
        with Ledger(path, read_only=True) as ledger:
            machines |= {record.machine for record in ledger.games()}
    boards = levels() | {row.game: () for row in rows}
    every = [row for board in sorted(boards) for row in (*boards[board], *rows)
             if row.game == board]
    with output_path(FILE) as path, path.open("w", encoding="utf-8", newline="") as file:
        file.write("# dlgo tournament experiments/plans/levels_GAME.toml; python -m "
                   f"experiments.studio.levels; {' / '.join(sorted(machines))}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([[field.name for field in fields(Level)], *map(astuple, every)])
    for row in rows:
        print(f"{row.game:12} {row.level:2} {row.engine:36} {row.elo:5.0f} "
              f"[{row.low:.0f}, {row.high:.0f}], at least {row.step_low:.0f} above the level below")


if __name__ == "__main__":
    main()
