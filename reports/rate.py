"""`dlgo rate`: the rating table of any list of games, as text and as CSV.

`csv_import.py` reads the games, `tables.py` rates them, `bootstrap.py` checks the intervals. The
report of a whole tournament, with plots, is `report.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import DlgoError
from dlgo.text import one_line
from reports.bootstrap import Bootstrap, add_intervals, check_ratings
from reports.compare import los_text
from reports.csv_import import UNNAMED, load_games
from reports.rating_table import Estimate, RatingTable
from reports.tables import rate_games, ratings_frame, write_csv
from reports.text import elo_text, markdown_table, nu_text

if TYPE_CHECKING:
    import pandas as pd

_CSV_COLUMNS = (
    "game", "entrant", "rating", "low95", "high95", "bootstrap_low95", "bootstrap_high95",
    "model_rating", "games", "wins", "draws", "losses", "score", "note",
)


@dataclass(frozen=True)
class Rated:
    """The ratings of one game of a file."""

    game: str
    table: RatingTable
    rows: pd.DataFrame
    bootstrap: Bootstrap | None
    repeated: int


def parse_anchor(text: str) -> tuple[str, float]:
    """`NAME=RATING` as a name, which may hold `=` itself, and a number.

    Raises:
        DlgoError: if the text is of another form.
    """
    name, equals, number = text.rpartition("=")
    try:
        rating = float(number)
        valid = bool(name.strip() and equals) and abs(rating) < 1e6
    except ValueError:
        valid = False
    if not valid:
        raise DlgoError(
            f"anchor {text!r} is not NAME=RATING; write for instance random=0 or mcts:sims=100=1500"
        )
    return one_line(name.strip()), rating


def rate_file(
    path: str | Path, anchor: tuple[str, float] | None = None, replicates: int = 0, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Rated]:
    """Rate each game of a ledger or CSV file.

    Args:
        anchor: an entrant and its rating; games it did not play keep their own zero.
        replicates, seed, progress: of the bootstrap; 0 replicates for none.

    Raises:
        DlgoError: if the file cannot be used or the anchor played nothing in it.
    """
    games = load_games(path)
    tables = rate_games(games, anchor)
    checks = check_ratings(games, tables, replicates, seed, progress)
    frame = add_intervals(ratings_frame(games, tables), checks)
    rated = []
    for game, table in tables.items():
        part = games[games["game"] == game]
        rows = frame[frame["game"] == game]
        rated.append(Rated(game, table, rows, checks.get(game), int((~part["counted"]).sum())))
    return rated


def write_ratings(rated: list[Rated], path: str | Path) -> Path:
    """All tables as one CSV file."""
    import pandas as pd

    rows = pd.concat([game.rows for game in rated], ignore_index=True)
    return write_csv(rows[list(_CSV_COLUMNS)], Path(path))


def lines(rated: list[Rated], superiority: bool = False) -> Iterator[str]:
    """The tables as text, what to keep in mind, and the likelihoods of superiority if wanted."""
    for number, game in enumerate(rated):
        if number:
            yield ""
        yield from _lines(game)
        if superiority:
            yield "Likelihood that the row is stronger than the column:"
            yield _superiority(game.table)


def _lines(rated: Rated) -> Iterator[str]:
    table, check = rated.table, rated.bootstrap
    title = "" if rated.game == UNNAMED else f"{rated.game}: "
    repeated = f", {rated.repeated} repetitions left out" if rated.repeated else ""
    yield (f"{title}{table.games} games, {len(table.ratings)} entrants{repeated}. "
           f"Elo, {table.zero_text()}.")
    header = ["#", "entrant", "Elo", "95% interval"]
    header += ["bootstrap 95%"] if check else []
    header += ["games", "won", "drawn", "lost", "score", "LOS"]
    chances = table.superiority()
    body = []
    for i, row in enumerate(rated.rows.itertuples()):
        cells = [str(i + 1), row.entrant + ("*" if row.note else ""), f"{row.rating:.0f}",
                 _span(Estimate(row.rating, row.low95, row.high95))]
        cells += [_span(check.ratings[i])] if check else []
        ahead = chances[i, i + 1] if i + 1 < len(table.ratings) else float("nan")
        cells += [str(row.games), str(row.wins), str(row.draws), str(row.losses),
                  f"{row.score:.1%}", los_text(ahead) if ahead == ahead else ""]
        body.append(cells)
    yield markdown_table(header, body, left=(1,))
    yield f"First-move advantage: {elo_text(table.first_move)}."
    if check and check.first_move:
        yield f"First-move advantage, bootstrap 95%: {_span(check.first_move)} Elo."
    yield f"Draws: nu = {nu_text(table.draw)}."
    yield "LOS: likelihood that the entrant is stronger than the next one."
    if check:
        yield (f"Bootstrap: {check.replicates} replicates of {check.pairs} opening pairs"
               + (f"; {check.incomplete} of them left somebody out." if check.incomplete else "."))
    yield from table.remarks
    for rating in table.ratings:
        if rating.note:
            yield f"* {rating.entrant}: {rating.note}"


def _superiority(table: RatingTable) -> str:
    ranks = [str(rank) for rank in range(1, len(table.ratings) + 1)]
    body = [
        [rank, rating.entrant, *("" if chance != chance else los_text(chance) for chance in row)]
        for rank, rating, row in zip(ranks, table.ratings, table.superiority(), strict=True)
    ]
    return markdown_table(["#", "entrant", *ranks], body, left=(1,))


def _span(estimate: Estimate) -> str:
    if estimate.low95 != estimate.low95:
        return "-"
    return f"{estimate.low95:.0f} to {estimate.high95:.0f}"
