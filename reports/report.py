"""The report of a tournament: a page, tables as CSV, and plots.

`write_report` reads the ledger, has `tables.py` rate and tabulate, `plots.py` draw, `replays.py`
set up games, and writes the result as `report.html` (`page.py`).
The same ledger gives the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.errors import DlgoError, UnnamedGameError
from dlgo.files import make_folder, write_file
from dlgo.games import recorded_game
from dlgo.records.ledger import Ledger
from dlgo.records.speeds import kind_of
from dlgo.text import file_slug, one_line
from reports import method, tables
from reports.bootstrap import add_intervals, check_ratings
from reports.cost_table import cost_table
from reports.cpu_scale import scale_cpu
from reports.figures import save
from reports.frontier import cost_ratios, frontier_frame
from reports.lengths import plot_lengths
from reports.overview import overview_frame
from reports.page import build_page, cross_rows, rating_rows
from reports.perfect import perfect_results
from reports.plots import AXES, FamilyStyle, draw_game, draw_overview, family_styles, game_title
from reports.rating_table import RatingTable
from reports.replays import choose_games, replay
from reports.text import elo_text, nu_text

if TYPE_CHECKING:
    import pandas as pd

# Of the bootstrap, where nobody asks for another number.
DEFAULT_REPLICATES = 400
_MOST_FAILURES = 30  # listed one by one: a report is not a log


@dataclass(frozen=True)
class _Found:
    """What a ledger says: its games, and the tables that follow from them."""

    plan: Any
    games: pd.DataFrame
    rated: dict[str, RatingTable]
    ratings: pd.DataFrame
    overview: pd.DataFrame
    costs: pd.DataFrame
    frontier: pd.DataFrame
    ratios: pd.DataFrame
    replays: dict[str, list[dict[str, Any]]]


def write_report(
    ledger_path: str | Path, out_dir: str | Path, anchor: tuple[str, float] | None = None,
    replicates: int = 0, progress: Callable[[str], None] = lambda text: None,
    planned: int | None = None, latest: bool = False, cpu_of: str | None = None,
) -> list[Path]:
    """Rate, tabulate and draw all games of a ledger.

    Writes `report.html`, `games.csv`, `ratings.csv`, `overview.csv`,
    `cost_table.csv`, `frontier.csv`, `cost_ratios.csv`, `strength.png/.svg` (all games),
    `lengths.png/.svg`, and for each game `crosstable_<game>.csv`, `superiority_<game>.csv` and
    `strength_<game>.png/.svg` with its sisters for other costs (`_wall`, `_work`, `_training`).

    Args:
        ledger_path: the SQLite file that `dlgo tournament` wrote.
        out_dir: a folder; made if absent, files of the same names are replaced.
        anchor: an entrant and the rating it is given; None: 0 is the mean of the field.
        replicates: of the bootstrap that checks the intervals; 0 for none.
        progress: called with each step, in words.
        planned: how many games the ledger will hold at the end. As long as it holds fewer, the
            page says so and reloads itself.
        latest: leave out all but the last version of each engine from outside.
        cpu_of: a kind of processor, to whose seconds CPU times are scaled (`cpu_scale.py`).

    Returns:
        the files, `report.html` first.

    Raises:
        LedgerError: if the ledger cannot be read or holds no games, or CPU times cannot be scaled.
        DlgoError: if a file cannot be written, or the anchor played no game.
    """
    found = _read(ledger_path, anchor, replicates, progress, latest, cpu_of)
    out = make_folder(Path(out_dir))
    paths = [
        tables.write_csv(getattr(found, field), out / f"{name}.csv")
        for name, field in (("games", "games"), ("ratings", "ratings"), ("overview", "overview"),
                            ("cost_table", "costs"), ("frontier", "frontier"),
                            ("cost_ratios", "ratios"))
    ]
    styles = family_styles(found.ratings["family"])
    views = []
    for row in found.overview.itertuples():
        view, files = _game(found, row, styles, out)
        views.append(view)
        paths += files
    games, subtitle = found.games, games_text(found.games)
    overall = save(draw_overview(found.ratings, subtitle, styles, found.frontier), out / "strength")
    lengths = plot_lengths(games, out / "lengths")
    facts = _facts(str(ledger_path), games)
    if planned is not None and len(games) < planned:
        facts.insert(2, ("Still to come", f"{planned - len(games):,} games"))
    failed = games[games["failed"]]
    page = build_page({
        "games": views, "facts": facts, "played": len(games), "planned": planned,
        "figures": _figures([("All games: Elo against CPU time per move", overall),
                             ("Lengths of the rated games", lengths)]),
        "failures": [  # who broke down is the loser
            (row.slot, row.second if row.result == 1 else row.first, row.reason)
            for row in failed.head(_MOST_FAILURES).itertuples()
        ],
        "failure_total": len(failed), "method": method.paragraphs(),
        "settings": method.settings(found.plan, found.rated, anchor, replicates),
        "replays": [
            {"game": view["title"], "games": found.replays[view["game"]]}
            for view in views if found.replays[view["game"]]
        ],
    })
    return [write_file(out / "report.html", page), *paths, *overall, *lengths]


def _read(
    path: str | Path, anchor: tuple[str, float] | None, replicates: int,
    progress: Callable[[str], None], latest: bool, cpu_of: str | None,
) -> _Found:
    """The games of a ledger, rated and tabulated."""
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names(latest)
        measured = None if cpu_of is None else ledger.cost_totals()
        scale = None if cpu_of is None else scale_cpu(ledger, cpu_of)
        games = tables.games_frame(ledger, required=True)
        plan, costs = ledger.get_meta("plan"), cost_table(games, ledger.cost_totals(), measured)
        rated = tables.rate_games(games, anchor)
        chosen = {
            slot: why for game, table in rated.items()
            for slot, why in choose_games(games[games["game"] == game], table)
        }
        shown = {record.slot: record for record in ledger.games() if record.slot in chosen}
    games["slot"] = games["slot"].map(one_line)
    if scale:
        games.attrs["cpu_scale"] = scale
    if replicates:
        progress(f"checking the intervals: {replicates} replicates of each game's pairs")
    checks = check_ratings(games, rated, replicates)
    progress("tables and plots")
    ratings = add_intervals(tables.ratings_frame(games, rated), checks)
    replays: dict[str, list[dict[str, Any]]] = {game: [] for game in rated}
    for slot, why in chosen.items():
        if (frames := replay(shown[slot], why)) is not None:
            replays[one_line(shown[slot].game)].append(frames)
    for game in rated:
        try:
            recorded_game(game)
        except UnnamedGameError as error:
            progress(f"without replays: {error}")
        except DlgoError:
            pass  # of another version: the moves say nothing here
    return _Found(
        plan, games, rated, ratings, overview_frame(games, rated), costs,
        frontier_frame(ratings, rated), cost_ratios(ratings, rated), replays,
    )


def _game(
    found: _Found, overview: Any, styles: Mapping[str, FamilyStyle], out: Path
) -> tuple[dict[str, Any], list[Path]]:
    """What the page shows of one game, and the files written for it."""
    import pandas as pd

    def part(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["game"] == game]

    game, slug = overview.game, file_slug(overview.game)
    table, games, ratings = found.rated[game], part(found.games), part(found.ratings)
    names = [rating.entrant for rating in table.ratings]
    cross = tables.crosstable(games, game, names)
    superiority = pd.DataFrame(
        table.superiority(), index=pd.Index(names, name="entrant"), columns=names
    )
    paths = [
        tables.write_csv(cross, out / f"crosstable_{slug}.csv", index=True),
        tables.write_csv(superiority, out / f"superiority_{slug}.csv", index=True),
    ]
    subtitle = f"{_count(games)}, {len(names)} entrants; {_machines(games)}{_scaled(games)}"
    drawn = []
    for axis in AXES:
        figure = draw_game(found.ratings, game, subtitle, styles, axis, found.frontier)
        files = save(figure, out / f"strength_{slug}{axis.stem}") if figure else []
        drawn.append((axis.title, files))
        paths += files
    view = {
        "game": game, "title": game_title(game), "slug": slug, "table": table, "ratings": ratings,
        "overview": overview, "facts": _game_facts(table, games), "figures": _figures(drawn),
        **rating_rows(table, ratings), "perfect": perfect_results(games),
        "notes": [rating for rating in table.ratings if rating.note],
        "cross": cross_rows(cross),
        "superiority": list(zip(names, table.superiority().tolist(), strict=True)),
        "costs": list(part(found.costs).itertuples()),
        "frontier": list(part(found.frontier).itertuples()),
        "ratios": list(part(found.ratios).itertuples()),
    }
    return view, paths


def _figures(drawn: list[tuple[str, list[Path]]]) -> list[dict[str, Any]]:
    return [
        {"title": title, "svg": path}
        for title, paths in drawn for path in paths if path.suffix == ".svg"
    ]


def _facts(ledger: str, games: pd.DataFrame) -> list[tuple[str, str]]:
    return [
        ("Ledger", one_line(ledger)),
        ("Games", _count(games)),
        ("Played", f"{_minute(min(games['started']))} to {_minute(max(games['finished']))} UTC"),
        ("Machine", _machines(games)),
        *_cpu_times(games),
        ("Version", ", ".join(sorted(set(games["version"])))),
    ]


def _cpu_times(games: pd.DataFrame) -> list[tuple[str, str]]:
    """What CPU times mean, where that is not plain."""
    scale, kinds = games.attrs.get("cpu_scale"), set(map(kind_of, games["machine"]))
    if scale:
        return [("CPU times", f"in {scale}")]
    if len(kinds) < 2:
        return []
    return [("CPU times", f"as {len(kinds)} kinds of processors measured them; --scale-cpu KIND "
             "rescales them to one")]


def _scaled(games: pd.DataFrame) -> str:
    """For plots: in whose seconds CPU times are."""
    scale = games.attrs.get("cpu_scale")
    return f"; CPU times in seconds of {scale.kind}" if scale else ""


def _minute(moment: str) -> str:
    """`2026-11-21T12:11:41.587+00:00` to the minute."""
    return moment[:16].replace("T", " ")


def _game_facts(table: RatingTable, games: pd.DataFrame) -> list[str]:
    """Sentences on one game."""
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
    facts += _mixed_processors(games)
    if 2 * repeated > len(games):
        facts.append("Most games are repetitions: more openings would say more.")
    return facts


def _mixed_processors(games: pd.DataFrame) -> list[str]:
    """A warning where entrants had budgets in seconds on processors of several kinds."""
    kinds = sorted(set(map(kind_of, games["machine"])))
    timed = sorted({
        entrant for side in ("first", "second") for entrant in games[side].unique()
        if any(part.startswith(("cpu=", "wall="))
               for part in tables.family_and_budget(entrant)[1].split(","))
    })
    if len(kinds) < 2 or not timed:
        return []
    return [
        f"Played on {len(kinds)} kinds of processors ({', '.join(kinds)}): a second of CPU or "
        f"wall time is worth different amounts of work there, and the ratings of "
        f"{', '.join(timed)} depend on who played where. Play them on one kind, or give them "
        "counted budgets; to rescale CPU times does not change what was played."
    ]


def games_text(games: pd.DataFrame) -> str:
    """How many games, and where they were played: the line below a plot's title."""
    return f"{_count(games)}; {_machines(games)}{_scaled(games)}"


def _count(games: pd.DataFrame) -> str:
    """How many games, and how many count."""
    repeated = int((~games["counted"]).sum())
    return f"{len(games):,} games" + (f" ({repeated:,} repetitions not rated)" if repeated else "")


def _machines(games: pd.DataFrame) -> str:
    return " / ".join(sorted(set(games["machine"])))
