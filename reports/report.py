"""The report of a tournament: tables as CSV, plots, and a text that explains them.

Called by `dlgo report`; `write_report` is all there is to call. It reads the ledger, has
`tables.py` rate and tabulate, `plots.py` draw, and writes `report.md`, Markdown that also
reads well as it is. The same ledger gives the same files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.errors import LedgerError
from experiments.arena.ledger import Ledger
from reports import tables
from reports.files import file_slug, make_folder, write_bytes
from reports.plots import family_styles, game_title, plot_game, plot_overview
from reports.rating_table import RatingTable
from reports.text import elo_text, lead_text, markdown_table, nu_text, short

if TYPE_CHECKING:
    import pandas as pd

METHOD = """\
**Ratings.** Each game's results are fitted by maximum likelihood with the model of Bradley and
Terry, with draws (Davidson 1970) and an advantage of the first move (Davidson and Beaver 1977).
400 points are odds of ten wins to one loss between entrants who move first equally often; 0 is
the mean of the field, without those whose distance to it only the prior bounds (see Notes).
Ratings of different games cannot be compared.

**Intervals** are made to hold the true distance to that mean in 95 of 100 tournaments, as far
as games are independent. Two entrants whose intervals overlap may still differ clearly: `lead`
is the distance to the next entrant with a 95% margin of its own.

**Notes.** Who won or lost every game has no finite maximum-likelihood rating. There, and only
there, one virtual game between neighbouring parts of the field, half won and half lost, makes
the rating finite, and a note says so.

**Repetitions.** A game with the same players, the same first mover and the same moves as an
earlier one is counted once: deterministic engines that repeat a game add no information.

**Cost** is measured, not budgeted: the mean CPU time (all threads), nodes and simulations of
all moves the entrant chose, in won and lost games alike."""

_MOST_FAILURES = 30  # listed one by one; a report is no log


def write_report(
    ledger_path: str | Path, out_dir: str | Path, anchor: tuple[str, float] | None = None
) -> list[Path]:
    """Rate, tabulate and draw all games of a ledger.

    Writes `games.csv`, `ratings.csv`, `report.md` and `strength.png/.svg` (all games), and for
    each game `crosstable_<game>.csv` and `strength_<game>.png/.svg`.

    Args:
        ledger_path: the SQLite file that `dlgo tournament` wrote.
        out_dir: a folder; made if absent, files of the same names are replaced.

    Returns:
        the files, `report.md` first.

    Raises:
        LedgerError: if the ledger cannot be read or holds no games.
        DlgoError: if a file cannot be written.
    """
    with Ledger(ledger_path, read_only=True) as ledger:
        games = tables.games_frame(ledger)
        plan = ledger.get_meta("plan")
    if games.empty:
        raise LedgerError(
            f"ledger {ledger_path} holds no games; play some with `dlgo tournament` first"
        )
    out = Path(out_dir)
    make_folder(out)
    rated = tables.rate_games(games, anchor)
    ratings = tables.ratings_frame(games, rated)

    paths = [
        tables.write_csv(games, out / "games.csv"),
        tables.write_csv(ratings, out / "ratings.csv"),
    ]
    styles = family_styles(ratings["family"])
    sections = [_heading(str(ledger_path), games, plan), f"## Method\n\n{METHOD}"]
    for game, table in rated.items():
        part = games[games["game"] == game]
        cross = tables.crosstable(games, game, [rating.entrant for rating in table.ratings])
        slug = file_slug(game)
        paths.append(tables.write_csv(cross, out / f"crosstable_{slug}.csv", index=True))
        subtitle = f"{_count(part)}, {len(table.ratings)} entrants; {_machines(part)}"
        paths += plot_game(ratings, game, subtitle, out / f"strength_{slug}", styles)
        sections.append(_game_section(game, table, ratings, cross, part))
    subtitle = f"{_count(games)}; {_machines(games)}"
    paths += plot_overview(ratings, subtitle, out / "strength", styles)
    sections.append(_failure_section(games))
    text = "\n\n".join(sections) + "\n"
    return [write_bytes(out / "report.md", text.encode()), *paths]


def _heading(ledger: str, games: pd.DataFrame, plan: Any) -> str:
    facts = [
        ("Ledger", ledger),
        ("Games", _count(games)),
        ("Played", f"{min(games['started'])} to {max(games['finished'])} (UTC)"),
        ("Machine", _machines(games)),
        ("Version", ", ".join(sorted(set(games["version"])))),
    ]
    if isinstance(plan, dict):
        facts += [
            (f"Plan: {key}", ", ".join(map(str, value)) if isinstance(value, list) else value)
            for key, value in plan.items()
            if value is not None
        ]
    lines = "\n".join(f"- {name}: {value}" for name, value in facts)
    return f"# Strength per compute\n\n{lines}\n\n![All games](strength.png)"


def _game_section(
    game: str, table: RatingTable, ratings: pd.DataFrame, cross: pd.DataFrame,
    games: pd.DataFrame,
) -> str:
    counted = games[games["counted"]]
    repeated = len(games) - len(counted)
    facts = [
        f"{len(games):,} games, {repeated:,} of them repetitions, {len(counted):,} rated.",
        f"The first mover scored {counted['result'].mean():.1%}; "
        f"{(counted['result'] == 0.5).mean():.1%} were draws.",
        f"First-move advantage: {elo_text(table.first_move)}.",
        f"Draw parameter nu: {nu_text(table.draw)}.",
        f"Log-likelihood: {table.log_likelihood:.1f}.",
        *table.remarks,
    ]
    if 2 * repeated > len(games):
        facts.append("Most games are repetitions: more openings would say more.")
    rows = ratings[ratings["game"] == game]
    header = (
        "#", "entrant", "Elo", "95% interval", "lead", "games", "won", "drawn", "lost", "score",
        "CPU ms", "nodes", "sims",
    )
    body = [
        (
            str(rank), row.entrant + ("*" if row.note else ""), f"{row.rating:.0f}",
            f"{row.low95:.0f} to {row.high95:.0f}", lead_text(table, rank - 1), str(row.games),
            str(row.wins), str(row.draws), str(row.losses), f"{row.score:.1%}",
            short(row.mean_cpu_ms), short(row.mean_nodes), short(row.mean_simulations),
        )
        for rank, row in enumerate(rows.itertuples(), 1)
    ]
    notes = [f"- \\* {row.entrant}: {row.note}" for row in rows.itertuples() if row.note]
    ranks = [str(rank) for rank in range(1, len(cross) + 1)]
    grid = [
        (rank, str(entrant), *cells)
        for rank, entrant, cells in zip(ranks, cross.index, cross.to_numpy(), strict=True)
    ]
    blocks = [
        f"## {game_title(game)}",
        "\n".join(f"- {fact}" for fact in facts),
        markdown_table(header, body, left=(1,)),
        "\n".join(notes),
        "Points of the row against the column, of how many games:",
        markdown_table(("#", "entrant", *ranks), grid, left=(1,)),
        f"![{game_title(game)}](strength_{file_slug(game)}.png)",
    ]
    return "\n\n".join(block for block in blocks if block)


def _failure_section(games: pd.DataFrame) -> str:
    failed = games[games["failed"]]
    if failed.empty:
        return "## Failures\n\nNo engine crashed, hung or played an illegal move."
    sides = tables.by_entrant(games)
    counts = sides[sides["failed"]].groupby(["game", "entrant"]).size()
    body = [(game, entrant, str(count)) for (game, entrant), count in counts.items()]
    listed = [f"- {row.slot}: {row.reason}" for row in failed.head(_MOST_FAILURES).itertuples()]
    if len(failed) > _MOST_FAILURES:
        listed.append(f"- and {len(failed) - _MOST_FAILURES} more (see games.csv, column failed)")
    return "\n\n".join([
        "## Failures",
        f"An engine broke down in {len(failed):,} of {len(games):,} games; "
        "they count as its losses.",
        markdown_table(("game", "entrant", "failures"), body, left=(0, 1)),
        "\n".join(listed),
    ])


def _count(games: pd.DataFrame) -> str:
    """How many games, and how many count."""
    repeated = int((~games["counted"]).sum())
    return f"{len(games):,} games" + (f" ({repeated:,} repetitions not rated)" if repeated else "")


def _machines(games: pd.DataFrame) -> str:
    return " / ".join(sorted(set(games["machine"])))
