"""The ledger as tables: games, ratings with costs, and who scored what against whom.

In a notebook:

    with Ledger("out/games.sqlite", read_only=True) as ledger:
        games = games_frame(ledger)
    ratings = ratings_frame(games)

Ratings come from `ratings.py`. All that is known about an entrant is the text of its
specification and what the ledger says it did: reports import no engine.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.budgets import BUDGET_NAMES
from dlgo.errors import DlgoError, LedgerError
from dlgo.files import write_file
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.specs import quote_value, split_spec, split_version
from dlgo.text import one_line
from reports.connections import listing
from reports.rating_table import RatingTable
from reports.ratings import fit_ratings, repeated_games

if TYPE_CHECKING:
    import pandas as pd

# The file or module, the class, and the settings of an engine from outside.
_OUTSIDE = re.compile(r"(?s)[^:]*:(?P<name>\w+)(?P<rest>(?::.*)?)")

_SIDES = ("first", "second")
_COSTS = ("cpu_ms", "wall_ms", "nodes", "simulations", "evaluations")

GAME_COLUMNS = (
    "slot", "game", "first", "second", "pair", "opening", "seed", "result", "reason", "failed",
    "counted", "plies",
    *(f"{side}_{name}" for side in _SIDES for name in ("moves", *_COSTS)),
    *(f"{side}_training_cpu_hours" for side in _SIDES), *(f"{side}_runtime" for side in _SIDES),
    "moves", "started", "finished", "machine", "version",
)
RATING_COLUMNS = (
    "game", "entrant", "family", "budget", "rating", "low95", "high95", "bootstrap_low95",
    "bootstrap_high95", "model_rating", "games", "wins", "draws", "losses", "score", "mean_cpu_ms",
    "mean_wall_ms", "mean_nodes", "mean_simulations", "mean_evaluations", "mean_work",
    "training_cpu_hours", "note",
)


# What comes from outside and is printed. A slot stays as it is: the ledger finds games by it.
_TEXTS = (
    "game", "first", "second", "opening", "reason", "first_runtime", "second_runtime", "moves",
    "machine", "version",
)


def family_and_budget(entrant: str) -> tuple[str, str]:
    """Split an entrant's specification into the line of a plot and the point on it.

    `mcts:sims=800,c_uct=1.4` is the family `mcts:c_uct=1.4` with the budget `sims=800`. A name that
    is not a specification, of an entrant from elsewhere, is a family by itself.
    """
    try:
        name, settings = split_spec(entrant, "engine")
    except DlgoError:
        return entrant, ""
    kept = [
        f"{key}={quote_value(value)}" for key, value in settings.items() if key not in BUDGET_NAMES
    ]
    budget = [f"{key}={value}" for key, value in settings.items() if key in BUDGET_NAMES]
    return f"{name}:{','.join(kept)}" if kept else name, ",".join(budget)


def lines_of_entrants(
    entrants: Iterable[str], specifications: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """`family_and_budget` of each entrant, also of those that have display names.

    A name is a family by itself, unless another entrant belongs to the same one: then they make a
    line that is called as the specification is.

    `specifications` says what names stand for, as far as there are names.
    """
    meant = {name: family_and_budget(_plain(specifications.get(name, name))) for name in entrants}
    members = Counter(family for family, _ in meant.values())
    return {
        name: (family_and_budget(name)[0] if members[family] == 1 else family, budget)
        for name, (family, budget) in meant.items()
    }


def _plain(entrant: str) -> str:
    """An entrant with its class and version as one word: `greedy@3f9a:depth=3`."""
    text, version = split_version(entrant)
    match = _OUTSIDE.fullmatch(text) if version else None
    return f"{match['name'].lower()}@{version[:4]}{match['rest']}" if match else entrant


def games_frame(ledger: Ledger, required: bool = False) -> pd.DataFrame:
    """One row a game, in the order of the ledger.

    Besides the ledger's columns: `failed` (an engine broke down), `counted` (False for the
    repetition of an earlier game, which no rating counts), `plies`, and for each side the
    number of moves its engine chose (`first_moves`) and their mean cost (`first_cpu_ms`,
    `first_wall_ms`, `first_nodes`, `first_simulations`, `first_evaluations`; NaN if it chose
    none), the CPU hours that training its network took (`first_training_cpu_hours`; NaN if it has
    none), and what ran the network (`first_runtime`; "" if nothing did). Texts are printable
    (`dlgo.text.one_line`), all but the slots. The attribute `specifications` (in `attrs`) says what
    names of entrants stand for.

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
    row["plies"] = len(record.moves.split())
    for player, side in enumerate(_SIDES):
        spent = record.spent(player)
        totals = (1000 * spent.cpu, 1000 * spent.wall, spent.nodes, spent.simulations,
                  spent.evaluations)
        row[f"{side}_moves"] = spent.moves
        for name, total in zip(_COSTS, totals, strict=True):
            row[f"{side}_{name}"] = total / spent.moves if spent.moves else float("nan")
        network = _network(record.networks, side)
        row[f"{side}_training_cpu_hours"] = _training_hours(network)
        row[f"{side}_runtime"] = str(network.get("runtime") or "")
    return row


def _network(networks: str | None, side: str) -> dict[str, object]:
    """What the ledger says of the network of one side; empty if nothing."""
    try:
        return dict(json.loads(networks or "{}")[side])
    except (KeyError, TypeError, ValueError):
        return {}


def _training_hours(network: Mapping[str, object]) -> float:
    """What a network's training took; NaN if that is unknown."""
    try:
        return float(network["training_cpu_seconds"]) / 3600
    except (KeyError, TypeError, ValueError):
        return float("nan")


def by_entrant(games: pd.DataFrame) -> pd.DataFrame:
    """Two rows a game, one for each side, as that side sees it.

    Columns: game, entrant, opponent, counted, score (1, 0.5, 0), failed (this side broke
    down), moves, the mean costs of its moves, and training_cpu_hours.
    """
    import pandas as pd

    views = []
    for side, other in (_SIDES, _SIDES[::-1]):
        score = games["result"] if side == "first" else 1 - games["result"]
        view = pd.DataFrame({
            "game": games["game"], "entrant": games[side], "opponent": games[other],
            "counted": games["counted"], "score": score,
            # A breakdown loses the game, so the loser is the one that broke down.
            "failed": games["failed"] & (score == 0),
            "moves": games[f"{side}_moves"],
            "training_cpu_hours": games[f"{side}_training_cpu_hours"],
        })
        for name in _COSTS:
            view[name] = games[f"{side}_{name}"]
        views.append(view)
    return pd.concat(views, ignore_index=True)


def rate_games(
    games: pd.DataFrame, anchor: tuple[str, float] | None = None
) -> dict[str, RatingTable]:
    """The ratings of each game in `games`, repetitions counted once.

    Args:
        anchor: an entrant and its rating. Games that it did not play keep the mean as zero.

    Raises:
        DlgoError: if the anchor played none of the games.
    """
    counted = games[games["counted"]]
    tables = {
        str(game): fit_ratings(list(part["first"]), list(part["second"]), list(part["result"]))
        for game, part in counted.groupby("game", sort=True)
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
    games: pd.DataFrame, tables: Mapping[str, RatingTable] | None = None
) -> pd.DataFrame:
    """One row for each entrant of each game, best first.

    Games, wins, draws, losses and score (points per game) leave out repetitions; the mean
    costs per move are over all moves the entrant chose. `rating` is on the scale of the
    expected score, `model_rating` on the model's own (`ratings.py`). `mean_work` is network
    evaluations a move, for an engine without a network simulations, NaN for one that does
    neither. The intervals by resampling are left NaN: `bootstrap.add_intervals` fills them in.
    """
    import pandas as pd

    tables = rate_games(games) if tables is None else tables
    sides = by_entrant(games)
    for name in _COSTS:
        sides[name] = (sides[name] * sides["moves"]).fillna(0.0)  # totals
    totals = sides.groupby(["game", "entrant"])[["moves", *_COSTS]].sum()
    counted = sides[sides["counted"]]
    # A network that was exchanged for another one between two games: the dearer one counts.
    training = sides.groupby(["game", "entrant"])["training_cpu_hours"].max()
    results = pd.crosstab([counted["game"], counted["entrant"]], counted["score"])
    entrants = {rating.entrant for table in tables.values() for rating in table.ratings}
    lines = lines_of_entrants(entrants, games.attrs.get("specifications", {}))
    rows = []
    for game, table in tables.items():
        for rating in table.ratings:
            who = (game, rating.entrant)
            total = totals.loc[who]
            wins, draws, losses = (int(results.get(score, {}).get(who, 0)) for score in (1, 0.5, 0))
            played = wins + draws + losses
            mean = total / total["moves"] if total["moves"] else total * float("nan")
            family, budget = lines[rating.entrant]
            rows.append({
                "game": game, "entrant": rating.entrant, "family": family, "budget": budget,
                "rating": rating.value, "low95": rating.low95, "high95": rating.high95,
                "bootstrap_low95": float("nan"), "bootstrap_high95": float("nan"),
                "model_rating": rating.model,
                "games": played, "wins": wins, "draws": draws, "losses": losses,
                "score": (wins + draws / 2) / played,
                "mean_cpu_ms": mean["cpu_ms"], "mean_wall_ms": mean["wall_ms"],
                "mean_nodes": mean["nodes"], "mean_simulations": mean["simulations"],
                "mean_evaluations": mean["evaluations"],
                "mean_work": mean["evaluations"] or mean["simulations"] or float("nan"),
                "training_cpu_hours": training.loc[who],
                "note": rating.note,
            })
    return pd.DataFrame(rows, columns=list(RATING_COLUMNS))


def crosstable(games: pd.DataFrame, game: str, entrants: Sequence[str]) -> pd.DataFrame:
    """Points of the row's entrant against the column's, as `points/games`.

    Returns:
        a frame of text, rows and columns in the order of `entrants`; empty text where two did not
        meet.
    """
    import pandas as pd

    sides = by_entrant(games[(games["game"] == game) & games["counted"]])
    scores = sides.groupby(["entrant", "opponent"])["score"].agg(["sum", "size"])
    table = pd.DataFrame("", index=pd.Index(entrants, name="entrant"), columns=list(entrants))
    for (entrant, opponent), (points, count) in scores.iterrows():
        if entrant != opponent:  # against oneself the points say nothing
            table.loc[entrant, opponent] = f"{points:g}/{count:g}"
    return table


def write_csv(frame: pd.DataFrame, path: Path, index: bool = False) -> Path:
    """Write a frame as CSV, numbers with six significant digits, in one step."""
    text = frame.to_csv(index=index, float_format="%.6g", lineterminator="\n")
    return write_file(path, text)
