"""`dlgo rate`: the rating table of any list of games, as text and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlgo.errors import DlgoError
from dlgo.text import number_of, one_line
from reports.bootstrap import Bootstrap, check_ratings, check_replicates
from reports.csv_import import UNNAMED, load_games
from reports.head_to_head import named_anchor
from reports.one_number import OneNumber, game_lines, one_number
from reports.one_number import lines as lines_beyond
from reports.rating_table import RatingTable
from reports.tables import rate_games, ratings_frame, write_csv
from reports.text import elo_text, los_text, markdown_table, nu_text, percent_text

if TYPE_CHECKING:
    import pandas as pd

_CSV_COLUMNS = [
    "game", "entrant", "rating", "low95", "high95", "bootstrap_low95", "bootstrap_high95",
    "model_rating", "games", "wins", "draws", "losses", "score", "note",
]


class Rated(NamedTuple):
    """The ratings of one game of a file."""

    game: str
    table: RatingTable
    rows: pd.DataFrame
    bootstrap: Bootstrap | None
    repeated: int
    judged: OneNumber


def parse_anchor(text: str) -> tuple[str, float]:
    """`NAME=RATING` as a name, which may hold `=` itself, and a number. Raises DlgoError."""
    name, _, number = text.rpartition("=")
    try:
        rating = float(number)
    except ValueError:
        rating = float("nan")
    if not (name.strip() and abs(rating) < 1e6):
        raise DlgoError(
            f"anchor {text!r} is not NAME=RATING; write, say, random=0 or mcts:sims=100=1500"
        )
    return one_line(name.strip()), rating


def rate_file(
    path: str | Path, anchor: tuple[str, float] | None = None, replicates: int = 0, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None, canonical: Callable[[str], str] = str,
    first_move: bool = True,
) -> list[Rated]:
    """Rate each game of a ledger or CSV file; a game without the anchor keeps its own zero.
    `canonical` as for `head_to_heads`, `first_move` as for `fit_ratings`. Raises DlgoError if the
    file cannot be used or the anchor played nothing in it."""
    check_replicates(replicates)
    games = load_games(path)
    anchor = named_anchor(games, anchor, canonical)
    tables = rate_games(games, anchor, first_move)
    checks = check_ratings(games, tables, replicates, seed, progress)
    frame, repeated = ratings_frame(games, tables, checks), games[~games["counted"]]
    return [
        Rated(game, table, frame[frame["game"] == game], checks.get(game),
              int((repeated["game"] == game).sum()), one_number(table))
        for game, table in tables.items()
    ]


def write_ratings(rated: list[Rated], path: str | Path) -> Path:
    """All tables as one CSV file."""
    import pandas as pd

    rows = pd.concat([game.rows for game in rated], ignore_index=True)
    return write_csv(rows[_CSV_COLUMNS], Path(path))


def lines(rated: list[Rated], beyond_elo: bool = False) -> Iterator[str]:
    """The tables as text, and what to keep in mind; with residuals and other orders if wanted."""
    for number, (game, table, rows, check, repeated, judged) in enumerate(rated):
        if number:
            yield ""
        title = "" if game == UNNAMED else f"{game}: "
        left_out = f", {number_of(repeated, 'repetition')} left out" if repeated else ""
        entrants = number_of(len(table.ratings), "entrant")
        yield (f"{title}{number_of(table.games, 'game')}, {entrants}{left_out}. "
               f"Elo, {table.zero_text()}.")
        yield _table(table, rows, check)
        yield f"First-move advantage: {elo_text(table.first_move)}."
        if check and check.first_move:
            move = check.first_move
            yield f"First-move advantage, bootstrap 95%: {_span(move.low95, move.high95)} Elo."
        yield f"Draws: nu = {nu_text(table.draw)}."
        yield "LOS: likelihood that the entrant is stronger than the next one."
        if check:
            missing = f"; {check.incomplete} of them lack an entrant" * (check.incomplete > 0)
            yield (f"Bootstrap: {check.replicates} replicates of "
                   f"{number_of(check.pairs, 'opening pair')}{missing}.")
        yield from table.remarks
        yield from (f"* {r.entrant}: {r.note}" for r in table.ratings if r.note)
        yield from judged.sentences
        if beyond_elo:
            yield from lines_beyond(judged)
        elif judged.enough is False:
            yield "Add --beyond-elo for the pairs and for orders without a single number."
    if beyond_elo:
        yield from game_lines({game.game: game.table for game in rated})


def _table(table: RatingTable, rows: pd.DataFrame, check: Bootstrap | None) -> str:
    header = ["#", "entrant", "Elo", "95% interval", *(["bootstrap 95%"] if check else []),
              "games", "won", "drawn", "lost", "score", "LOS"]
    ahead = [*table.superiority().diagonal(1), float("nan")]
    body = [
        [str(place), row.entrant + ("*" if row.note else ""), f"{row.rating:z.0f}",
         _span(row.low95, row.high95),
         *([_span(row.bootstrap_low95, row.bootstrap_high95)] if check else []),
         str(row.games), str(row.wins), str(row.draws), str(row.losses),
         percent_text(row.score), los_text(chance)]
        for place, (row, chance) in enumerate(zip(rows.itertuples(), ahead, strict=True), 1)
    ]
    return markdown_table(header, body, left=(1,))


def _span(low: float, high: float) -> str:
    return "-" if low != low else f"{low:z.0f} to {high:z.0f}"
