"""The report of a tournament: a page, tables as CSV, and plots.

The same ledger gives the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.errors import DlgoError, UnnamedGameError
from dlgo.files import make_folder, write_file
from dlgo.games import recorded_game
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger, is_ledger
from dlgo.text import file_slug, number_of, one_line
from reports import tables
from reports.bootstrap import check_ratings, check_replicates
from reports.csv_import import game_records, is_list, load_games
from reports.figures import save
from reports.forfeits import ANSWERS, KINDS, answer_frame, failure_frame, kinds_text
from reports.frontier import frontier_frame
from reports.head_to_head import named_anchor
from reports.one_number import MOST_PAIRS, one_number
from reports.page import build_page, cross_rows, rating_rows
from reports.pairs import Residual
from reports.plots import AXES, draw_strength, game_title, main_axis
from reports.rating_table import RatingTable
from reports.replays import choose_games, replay
from reports.text import elo_text, nu_text

if TYPE_CHECKING:
    import pandas as pd

# Of the bootstrap, where nobody asks for another number.
DEFAULT_REPLICATES = 400
_MOST_FAILURES = 30  # listed one by one: a report is not a log
_WHERE_ANY = ("failures", "answers")  # tables that are not written empty


def write_report(
    ledger_path: str | Path, out_dir: str | Path, anchor: tuple[str, float] | None = None,
    replicates: int = 0, progress: Callable[[str], None] = lambda text: None,
    planned: int | None = None, latest: bool = False, canonical: Callable[[str], str] = str,
    first_move: bool = True,
) -> list[Path]:
    """Rate, tabulate and draw all games of a ledger, or of a list (`csv_import.py`).

    Writes `report.html`, `games.csv`, `ratings.csv`, `overview.csv`, `cost_table.csv`,
    `frontier.csv`, `strength.png/.svg` (all games), where there are any `failures.csv` and
    `answers.csv`, and for each game `crosstable_<game>.csv`, `superiority_<game>.csv`,
    `residuals_<game>.csv` and `strength_<game>.png/.svg` with its sisters for other costs (`_wall`,
    `_work`, `_training`); returns the files, `report.html` first.

    Args:
        out_dir: a folder; made if absent, files of the same names are replaced.
        anchor: an entrant and the rating it is given; None: 0 is the mean of the field.
        replicates: of the bootstrap that checks the intervals; 0 for none.
        progress: called with each step, in words.
        planned: how many games the ledger will hold at the end. As long as it holds fewer, the page
            says so and reloads itself.
        latest: leave out all but the last version of each external engine.
        canonical: as for `head_to_heads`, of the anchor's name.
        first_move: whether the ratings have a term for the first move.

    Raises:
        LedgerError: if the ledger cannot be read or holds no games.
        DlgoError: if a file cannot be written, or the anchor played no game.
    """
    check_replicates(replicates)
    path = Path(ledger_path)
    with nullcontext() if is_list(path) else Ledger(path, read_only=True) as ledger:
        if ledger is None:
            games = load_games(path)
            plan, totals = None, tables.cost_totals(games)
            records_of: Callable[[], Iterator[GameRecord]] = partial(game_records, games)
        else:
            ledger.show_names(latest)
            games = tables.games_frame(ledger, required=True)
            plan, totals, records_of = ledger.get_meta("plan"), ledger.cost_totals(), ledger.games
        anchor = named_anchor(games, anchor, canonical)
        rated = tables.rate_games(games, anchor, first_move)
        reasons = {
            slot: reason for game, table in rated.items()
            for slot, reason in choose_games(games[games["game"] == game], table).items()
        }
        records = {record.slot: record for record in records_of() if record.slot in reasons}
        answers = answer_frame(records_of())
    games["slot"] = games["slot"].map(one_line)
    if replicates:
        progress(f"checking the intervals: {replicates} replicates of each game's pairs")
    checks = check_ratings(games, rated, replicates)
    progress("tables and plots")
    ratings = tables.ratings_frame(games, rated, checks)
    frames = {
        "games": games, "ratings": ratings, "overview": tables.overview_frame(games, rated),
        "cost_table": tables.cost_table(games, totals),
        "frontier": frontier_frame(ratings, rated),
        "failures": failure_frame(games, ratings, anchor, first_move), "answers": answers,
    }
    out = make_folder(Path(out_dir))
    paths = []
    for name, frame in frames.items():
        if len(frame) or name not in _WHERE_ANY:
            paths.append(tables.write_csv(frame, out / f"{name}.csv"))
        else:  # of an earlier report in this folder
            (out / f"{name}.csv").unlink(missing_ok=True)
    views = []
    for game, table in rated.items():
        view, files = _game(game, table, frames, out)
        views.append(view)
        paths += files
    axis = main_axis(ratings)
    figure = draw_strength(ratings, games_text(games), "", axis, frames["frontier"])
    overall = save(figure, out / "strength") if figure else []
    facts = _facts(str(ledger_path), games)
    if planned is not None and len(games) < planned:
        facts.insert(2, ("Still to come", number_of(planned - len(games), "game")))
    failed = games[games["failed"]]
    page = build_page({
        "games": views, "facts": facts, "played": len(games), "planned": planned,
        "figures": _figures({f"All games: Elo against {axis.title}": overall}),
        "failures": [  # who broke down is the loser
            (row.slot, row.second if row.result == 1 else row.first, row.reason)
            for row in failed.head(_MOST_FAILURES).itertuples()
        ],
        "failure_total": len(failed),
        "settings": _settings(plan, rated, anchor, replicates, first_move),
        "replays": _replays(rated, reasons, records, progress),
    })
    return [write_file(out / "report.html", page), *paths, *overall]


def _replays(
    rated: Mapping[str, RatingTable], reasons: Mapping[str, str], records: Mapping[str, Any],
    progress: Callable[[str], None],
) -> list[dict[str, Any]]:
    """The games to click through, by kind."""
    views = []
    for game in rated:
        try:
            recorded_game(game)
        except UnnamedGameError as error:
            progress(f"without replays: {error}")
        except DlgoError:
            pass  # of another version: the moves say nothing here
        frames = [replay(records[slot], reason) for slot, reason in reasons.items()
                  if one_line(records[slot].game) == game]
        if any(frames):
            views.append({"game": game_title(game), "games": [*filter(None, frames)]})
    return views


def _game(
    game: str, table: RatingTable, frames: Mapping[str, pd.DataFrame], out: Path
) -> tuple[dict[str, Any], list[Path]]:
    """The content of the page for one game, and the files written for it."""
    import pandas as pd

    parts = {name: frame[frame["game"] == game] for name, frame in frames.items()}
    games, slug, names = parts["games"], file_slug(game), list(table.index)
    cross = tables.crosstable(games, game, names)
    chances = table.superiority()
    superiority = pd.DataFrame(chances, index=pd.Index(names, name="entrant"), columns=names)
    paths = [
        tables.write_csv(cross, out / f"crosstable_{slug}.csv", index=True),
        tables.write_csv(superiority, out / f"superiority_{slug}.csv", index=True),
    ]
    subtitle = "; ".join(filter(None, (
        f"{_count(games)}, {number_of(len(names), 'entrant')}", _machines(games))))
    plots = {}
    for axis in AXES:
        figure = draw_strength(frames["ratings"], subtitle, game, axis, frames["frontier"])
        plots[axis.title] = save(figure, out / f"strength_{slug}{axis.stem}") if figure else []
        paths += plots[axis.title]
    judged = one_number(table)
    residuals = judged.pairs.residuals() if judged.pairs else []
    paths.append(tables.write_csv(
        pd.DataFrame(residuals, columns=Residual._fields), out / f"residuals_{slug}.csv"))
    [overview] = parts["overview"].itertuples()
    view = {
        "title": game_title(game), "slug": slug, "table": table, "ratings": parts["ratings"],
        "overview": overview, "figures": _figures(plots),
        "facts": [*_game_facts(table, games), judged.sentences[0]],
        **rating_rows(table, parts["ratings"]), "cross": cross_rows(cross),
        "notes": [rating for rating in table.ratings if rating.note],
        "superiority": list(zip(names, chances.tolist(), strict=True)),
        "costs": list(parts["cost_table"].itertuples()),
        "frontier": list(parts["frontier"].itertuples()),
        "beyond": judged.sentences[1:], "residuals": residuals[:MOST_PAIRS],
        "standings": judged.standings() if judged.enough is False else [],
        "failures": [(row, kinds_text(row, KINDS)) for row in parts["failures"].itertuples()],
        "answers": [(row, kinds_text(row, ANSWERS)) for row in parts["answers"].itertuples()],
    }
    return view, paths


def _figures(plots: Mapping[str, list[Path]]) -> list[dict[str, Any]]:
    return [
        {"title": title, "svg": path}
        for title, paths in plots.items() for path in paths if path.suffix == ".svg"
    ]


def _facts(path: str, games: pd.DataFrame) -> list[tuple[str, str]]:
    began, ended = (moment[:16].replace("T", " ")  # `2026-11-21T12:11:41.587+00:00`, to the minute
                    for moment in (min(games["started"]), max(games["finished"])))
    facts = [
        ("Ledger" if is_ledger(Path(path)) else "File", one_line(path)),
        ("Games", _count(games)),
        ("Played", f"{began} to {ended} UTC" if began else ""),
        ("Machine", _machines(games)),
        ("Version", ", ".join(sorted(set(games["version"])))),
    ]
    return [(name, value) for name, value in facts if value]


def _game_facts(table: RatingTable, games: pd.DataFrame) -> list[str]:
    """Sentences on one game."""
    counted = games[games["counted"]]
    repeated = len(games) - len(counted)
    facts = [
        f"{number_of(len(games), 'game')}, {repeated:,} of them repeated, {len(counted):,} rated.",
        f"The first mover scored {counted['result'].mean():.1%}; "
        f"{(counted['result'] == 0.5).mean():.1%} were draws.",
        f"First-move advantage: {elo_text(table.first_move)}.",
        f"Draw parameter nu: {nu_text(table.draw)}.",
        f"Log-likelihood: {table.log_likelihood:.1f}.",
        *table.remarks,
    ]
    # A machine is called by its processor and its cores: `AMD EPYC, 2 cores`.
    kinds = sorted({machine.rpartition(", ")[0] or machine for machine in games["machine"]})
    timed = [
        entrant for entrant in table.index
        if any(part.startswith(("cpu=", "wall="))
               for part in tables.family_and_budget(entrant)[1].split(","))
    ]
    if len(kinds) > 1 and timed:
        facts.append(
            f"Played on {len(kinds)} kinds of processors ({', '.join(kinds)}): a second of CPU or "
            f"wall time is worth different amounts of work there, and the ratings of "
            f"{', '.join(timed)} depend on who played where. Play them on one kind, or give them "
            "counted budgets."
        )
    if 2 * repeated > len(games):
        facts.append("Most games are repetitions: more openings would say more.")
    return facts


def _settings(
    plan: Any, rated: Mapping[str, RatingTable], anchor: tuple[str, float] | None, replicates: int,
    first_move: bool,
) -> list[tuple[str, str]]:
    """Every number that the results depend on, as name and value."""
    rows = [
        ("Model", f"Bradley-Terry with Davidson's draws{' and a first-move term' * first_move}"),
        ("Scale", "of the expected score: 2 / (2 + nu) * 400 log10(strength)"),
        ("Anchor", f"{anchor[0]} = {anchor[1]:g}" if anchor else "none"),
        ("Prior", "1 virtual game where the likelihood is unbounded, none elsewhere"),
        ("Intervals", "95%, from the observed information"),
        ("Bootstrap", f"{replicates} replicates of the opening pairs, middle 95%; seed 1"
         if replicates else "none"),
        ("Repeated games", "counted once"),
        *((f"Zero, {game}", table.zero_text()) for game, table in rated.items()),
    ]
    for key, value in plan.items() if isinstance(plan, dict) else ():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if value is None:
            text = "each game's own number" if key == "opening_plies" else "not set"
        if key != "names":  # the report shows them everywhere
            rows.append((one_line(f"Plan: {key.replace('_', ' ')}"), one_line(text)))
    return rows


def games_text(games: pd.DataFrame) -> str:
    """How many games, and where they were played: the line below a plot's title."""
    return "; ".join(filter(None, (_count(games), _machines(games))))


def _count(games: pd.DataFrame) -> str:
    """How many games, and how many count."""
    repeated = int((~games["counted"]).sum())
    text = number_of(len(games), "game")
    return f"{text} ({number_of(repeated, 'repetition')} not rated)" if repeated else text


def _machines(games: pd.DataFrame) -> str:
    return " / ".join(sorted(set(games["machine"])))
