"""The ledger as tables: games, ratings with costs, budgets, who scored what against whom.

In a notebook:

    with Ledger("out/games.sqlite", read_only=True) as ledger:
        games = games_frame(ledger)
    ratings = ratings_frame(games)

The only sources about an entrant are its specification and the ledger: reports import no engine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.budgets import BUDGET_NAMES
from dlgo.errors import DlgoError, LedgerError
from dlgo.files import write_file
from dlgo.readers import MALFORMED, read_json, reading
from dlgo.records.costs import CostTotals
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.specs import quote_value, split_spec, split_version
from dlgo.text import listing, one_line
from reports.differences import counts_of_games
from reports.first_move import with_doubts
from reports.intervals import proportion_interval
from reports.rating_table import Estimate, RatingTable
from reports.ratings import fit_ratings, repeated_games

if TYPE_CHECKING:
    import pandas as pd

    from reports.bootstrap import Bootstrap

# The file or module, the class, and the settings of an external engine.
_OUTSIDE = re.compile(r"(?s)[^:]*:(?P<name>\w+)(?P<rest>(?::.*)?)")

_SIDES = ("first", "second")
# Column -> field of `CostTotals`, the budget that limits it, factor from the ledger's unit.
_COSTS = {
    "cpu_ms": ("cpu", "cpu", 1000.0), "wall_ms": ("wall", "wall", 1000.0),
    "nodes": ("nodes", "nodes", 1.0), "simulations": ("simulations", "sims", 1.0),
    "evaluations": ("evaluations", "evals", 1.0),
}
GAME_COLUMNS = (
    "slot", "game", "first", "second", "pair", "opening", "seed", "result", "reason", "failed",
    "failure", "counted", "plies",
    *(f"{side}_{name}" for side in _SIDES for name in ("moves", *_COSTS)),
    *(f"{side}_training_cpu_hours" for side in _SIDES), *(f"{side}_runtime" for side in _SIDES),
    "moves", "started", "finished", "machine", "version",
)
# Printed columns with external text. Slots are not changed: the ledger finds games by them.
_TEXTS = ("game", "first", "second", "opening", "reason", "first_runtime", "second_runtime",
          "moves", "machine", "version")
_NAN = float("nan")


def family_and_budget(entrant: str) -> tuple[str, str]:
    """Split an entrant's specification into the line of a plot and the point on it.

    `mcts:sims=800,c_uct=1.4` is the family `mcts:c_uct=1.4` with the budget `sims=800`. A name that
    is not a specification, for example of another program, is a family by itself.
    """
    try:
        name, settings = split_spec(entrant, "engine")
    except DlgoError:
        return entrant, ""
    options = [
        f"{key}={quote_value(value)}" for key, value in settings.items() if key not in BUDGET_NAMES
    ]
    budget = [f"{key}={value}" for key, value in settings.items() if key in BUDGET_NAMES]
    return f"{name}:{','.join(options)}" if options else name, ",".join(budget)


def lines_of_entrants(
    entrants: Iterable[str], specifications: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """`family_and_budget` of each entrant, also of those that have names for `specifications`.

    A name is a family by itself, unless another entrant belongs to the same one: then they make a
    line that is called as the specification is.
    """
    parts = {}
    for name in entrants:
        # An external engine, with class and version as one word: `greedy@3f9a:depth=3`.
        specification = specifications.get(name, name)
        text, version = split_version(specification)
        match = _OUTSIDE.fullmatch(text) if version else None
        if match:
            specification = f"{match['name'].lower()}@{version[:4]}{match['rest']}"
        parts[name] = family_and_budget(specification)
    members = Counter(family for family, _ in parts.values())
    return {
        name: (family_and_budget(name)[0] if members[family] == 1 else family, budget)
        for name, (family, budget) in parts.items()
    }


def games_frame(ledger: Ledger, required: bool = False) -> pd.DataFrame:
    """One row a game, in the order of the ledger.

    Besides the ledger's columns: `failed` (an engine broke down; `failure` says how), `counted`
    (False for the repetition of an earlier game, which no rating counts), `plies`, and for each
    side the number of moves its engine chose (`first_moves`), their mean cost (`first_cpu_ms`,
    `first_wall_ms`, `first_nodes`, `first_simulations`, `first_evaluations`; NaN if it chose
    none), the CPU hours that training its network took (`first_training_cpu_hours`; NaN if it has
    none), and what ran the network (`first_runtime`; "" if nothing did). Texts are printable
    (`dlgo.text.one_line`), all but the slots. The attribute `specifications` (in `attrs`) has the
    specifications of named entrants.

    Raises:
        LedgerError: if there must be games (`required`) and there are none.
    """
    import pandas as pd

    frame = pd.DataFrame([_game_row(record) for record in ledger.games()])
    if frame.empty and required:
        raise LedgerError(
            f"ledger {ledger.path} holds no games; play some with `dlgo tournament` first"
        )
    if frame.empty:
        return pd.DataFrame(columns=list(GAME_COLUMNS))
    frame["counted"] = ~repeated_games(frame)
    for name in _TEXTS:
        frame[name] = frame[name].map(one_line)
    frame = frame[list(GAME_COLUMNS)]
    frame.attrs["specifications"] = {
        one_line(name): entrant for name, entrant in ledger.specifications.items()
    }
    return frame


def _game_row(record: GameRecord) -> dict[str, object]:
    row: dict[str, object] = {
        name: getattr(record, name) for name in GAME_COLUMNS if hasattr(record, name)
    }
    row["failure"] = str(record.failure or "")
    row["plies"] = len(record.moves.split())
    for player, side in enumerate(_SIDES):
        spent = record.spent(player)
        row[f"{side}_moves"] = spent.moves
        for name, (field, _, factor) in _COSTS.items():
            mean = factor * getattr(spent, field) / spent.moves if spent.moves else _NAN
            row[f"{side}_{name}"] = mean
        network = _network(record.networks, side)
        row[f"{side}_runtime"] = str(network.get("runtime") or "")
        try:
            hours = float(network["training_cpu_seconds"]) / 3600
        except (KeyError, TypeError, ValueError):
            hours = _NAN
        row[f"{side}_training_cpu_hours"] = hours
    return row


def _network(networks: str | None, side: str) -> dict[str, Any]:
    """The ledger's data about the network of one player; empty if there is none."""
    try:
        return dict(read_json(networks or "{}")[side])
    except MALFORMED:
        return {}


def by_entrant(games: pd.DataFrame) -> pd.DataFrame:
    """Two rows a game, one for each side, as that side sees it.

    Columns: game, entrant, opponent, counted, score (1, 0.5, 0), failed (this side broke
    down), failure (of either side), moves, the mean costs of its moves, and training_cpu_hours.
    """
    import pandas as pd

    views = []
    for side, opponent in (_SIDES, _SIDES[::-1]):
        score = games["result"] if side == "first" else 1 - games["result"]
        views.append(pd.DataFrame({
            "game": games["game"], "entrant": games[side], "opponent": games[opponent],
            "counted": games["counted"], "score": score,
            # A breakdown loses the game, so the loser is the one that broke down.
            "failed": games["failed"] & (score == 0), "failure": games["failure"],
            **{name: games[f"{side}_{name}"] for name in ("moves", "training_cpu_hours", *_COSTS)},
        }))
    return pd.concat(views, ignore_index=True)


def rate_games(
    games: pd.DataFrame, anchor: tuple[str, float] | None = None, first_move: bool = True
) -> dict[str, RatingTable]:
    """The ratings of each game in `games`, repetitions counted once. Games that the anchor, an
    entrant and its rating, did not play keep the mean as zero; DlgoError if it played none.
    `first_move` as for `fit_ratings`; doubts about that term are remarks of the table."""
    tables = {
        str(game): with_doubts(fit_ratings(
            list(part["first"]), list(part["second"]), list(part["result"]), first_move=first_move))
        for game, part in games[games["counted"]].groupby("game", sort=True)
    }
    if anchor is None:
        return tables
    if not any(anchor[0] in table for table in tables.values()):
        names = listing(sorted(set(games["first"]) | set(games["second"])), most=8)
        raise DlgoError(f"anchor {anchor[0]} is not among the entrants; there are {names}")
    return {
        game: table.anchored(*anchor) if anchor[0] in table else table
        for game, table in tables.items()
    }


def ratings_frame(
    games: pd.DataFrame, tables: Mapping[str, RatingTable] | None = None,
    checks: Mapping[str, Bootstrap] | None = None,
) -> pd.DataFrame:
    """One row for each entrant of each game, best first.

    Games, wins, draws, losses and score (points per game) do not count repetitions, or games of an
    entrant against itself; without other games the score is NaN. The mean costs per move are over
    all moves that the entrant chose. `rating` is on the scale of the expected score, `model_rating`
    on the model's own (`ratings.py`). `mean_work` is network evaluations per move, for an engine
    without a network simulations per move, and NaN for an engine with neither. The intervals by
    resampling are NaN without `checks` (of `bootstrap.check_ratings`).
    """
    import pandas as pd

    tables = rate_games(games) if tables is None else tables
    sides = by_entrant(games)
    for name in _COSTS:
        sides[name] *= sides["moves"]  # totals
    groups = sides.groupby(["game", "entrant"])
    means = groups[["moves", *_COSTS]].sum(min_count=1)
    means = means[list(_COSTS)].div(means["moves"].where(means["moves"] > 0), axis=0)
    # A network that was exchanged for another one between two games: the dearer one counts.
    training = groups["training_cpu_hours"].max()
    counted = sides[sides["counted"] & (sides["entrant"] != sides["opponent"])]
    results = pd.crosstab([counted["game"], counted["entrant"]], counted["score"])
    results = results.reindex(index=means.index, columns=[1.0, 0.5, 0.0], fill_value=0)
    entrants = {rating.entrant for table in tables.values() for rating in table.ratings}
    lines = lines_of_entrants(entrants, games.attrs.get("specifications", {}))
    rows = []
    for game, table in tables.items():
        check = (checks or {}).get(game)
        resampled = check.ratings if check else [Estimate(_NAN, _NAN, _NAN)] * len(table.ratings)
        for rating, second in zip(table.ratings, resampled, strict=True):
            key = (game, rating.entrant)
            wins, draws, losses = map(int, results.loc[key])
            n_games = wins + draws + losses
            mean = means.loc[key]
            family, budget = lines[rating.entrant]
            rows.append({
                "game": game, "entrant": rating.entrant, "family": family, "budget": budget,
                "rating": rating.value, "low95": rating.low95, "high95": rating.high95,
                "bootstrap_low95": second.low95, "bootstrap_high95": second.high95,
                "model_rating": rating.model,
                "games": n_games, "wins": wins, "draws": draws, "losses": losses,
                "score": (wins + draws / 2) / n_games if n_games else _NAN,
                **{f"mean_{name}": mean[name] for name in _COSTS},
                # Of evaluations that are not known, max leaves 0.
                "mean_work": max(0.0, mean["evaluations"]) or mean["simulations"] or _NAN,
                "training_cpu_hours": training.loc[key], "note": rating.note,
            })
    return pd.DataFrame(rows)


def crosstable(games: pd.DataFrame, game: str, entrants: Sequence[str]) -> pd.DataFrame:
    """Points of the row's entrant against the column's, as text `points/games`, in the order of
    `entrants`; empty where two did not meet."""
    import pandas as pd

    sides = by_entrant(games[(games["game"] == game) & games["counted"]])
    scores = sides.groupby(["entrant", "opponent"])["score"].agg(["sum", "size"])
    table = pd.DataFrame("", index=pd.Index(entrants, name="entrant"), columns=list(entrants))
    for (entrant, opponent), (points, count) in scores.iterrows():
        if entrant != opponent:  # points against itself mean nothing
            table.loc[entrant, opponent] = f"{points:g}/{count:g}"
    return table


def overview_frame(games: pd.DataFrame, tables: Mapping[str, RatingTable]) -> pd.DataFrame:
    """One row a game: number of games, the leader, the value of the first move.

    `first_score` is the share of points that first movers made in rated games, with the
    interval of `differences.Counts`; `first_move_elo` the advantage that the model of the
    ratings finds (NaN where it has no such term); `draws` a share with Wilson's interval.
    Lengths leave out games that ended by a breakdown.
    """
    import pandas as pd

    rows = []
    for game, table in tables.items():
        part = games[games["game"] == game]
        rated = part[part["counted"]]
        score = counts_of_games(list(rated["result"])).score_interval()
        draws = int((rated["result"] == 0.5).sum())
        draws_low, draws_high = proportion_interval(draws, len(rated))
        plies = rated.loc[~rated["failed"], "plies"]
        move = table.first_move
        rows.append({
            "game": game, "games": len(part), "rated": len(rated), "entrants": len(table.ratings),
            "best": table.ratings[0].entrant, "first_score": score.value,
            "first_score_low95": score.low95, "first_score_high95": score.high95,
            "first_move_elo": move.value if move else _NAN,
            "first_move_low95": move.low95 if move else _NAN,
            "first_move_high95": move.high95 if move else _NAN,
            "draws": draws / len(rated), "draws_low95": draws_low, "draws_high95": draws_high,
            "min_plies": plies.min(), "median_plies": plies.median(), "max_plies": plies.max(),
            "failures": int(part["failed"].sum()),
        })
    return pd.DataFrame(rows)


def cost_totals(games: pd.DataFrame) -> dict[tuple[str, str], CostTotals]:
    """The total costs in a list of games, as `Ledger.cost_totals` gives them. The largest costs of
    a move are not known, NaN."""
    sides = by_entrant(games)
    fields = [field for field, _, _ in _COSTS.values()]
    for name, (field, _, factor) in _COSTS.items():
        sides[field] = sides[name] * sides["moves"] / factor
    sums = sides.groupby(["game", "entrant"])[["moves", *fields]].sum(min_count=1)
    return {key: CostTotals(int(moves), *costs, *[_NAN] * len(fields))
            for key, moves, *costs in sums.itertuples()}


def cost_table(
    games: pd.DataFrame, totals: Mapping[tuple[str, str], CostTotals]
) -> pd.DataFrame:
    """What engines were allowed to spend on a move and what they did spend (`Ledger.cost_totals`),
    a row for each entrant of each game, also for those that never chose a move.

    Columns: what was asked (`sims=100`), moves chosen, mean and largest cost of a move, and `over`:
    by how much the dearest move exceeded the budget, as a share of it (0.05 is 5% more; negative:
    it stayed below; NaN: the ledger does not record this kind of budget, a depth for instance).
    """
    import pandas as pd

    spent = {(one_line(game), one_line(name)): total for (game, name), total in totals.items()}
    entrants = {(row.game, name) for row in games.itertuples() for name in (row.first, row.second)}
    lines = lines_of_entrants({name for _, name in entrants}, games.attrs.get("specifications", {}))
    rows = []
    for game, entrant in sorted(entrants):
        total, limits_text = spent.get((game, entrant)), lines[entrant][1]
        row = {"game": game, "entrant": entrant, "asked": limits_text,
               "moves": total.moves if total else 0}
        excess = []
        for name, (field, budget, factor) in _COSTS.items():
            most = getattr(total, f"max_{field}") if total else _NAN
            mean = getattr(total, field) / total.moves if total and total.moves else _NAN
            row[f"mean_{name}"] = factor * mean
            row[f"max_{name}"] = factor * most
            limit = _limit(limits_text, budget)
            if limit > 0:
                excess.append(most / limit - 1)
        rows.append({**row, "over": max(excess, default=_NAN)})
    return pd.DataFrame(rows)


def _limit(limits_text: str, budget: str) -> float:
    """One part of a budget, `cpu=0.1,sims=100`; NaN if it is not there."""
    limits = dict(part.split("=", 1) for part in limits_text.split(",") if part)
    try:
        return float(limits.get(budget, _NAN))
    except ValueError:  # an engine from elsewhere that writes its budget in words
        return _NAN


def read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """The frame in a CSV file; `options` of pandas. Raises DlgoError or FileError if it cannot be
    read."""
    import pandas as pd

    with reading(path, "table"), path.open(encoding="utf-8") as file:
        return pd.read_csv(file, **options)


def write_csv(frame: pd.DataFrame, path: Path, index: bool = False) -> Path:
    """Write a frame as CSV, numbers with six significant digits, in one step."""
    text = frame.to_csv(index=index, float_format="%.6g", lineterminator="\n")
    return write_file(path, text)
