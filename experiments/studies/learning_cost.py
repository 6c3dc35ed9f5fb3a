"""Chapters 9 to 14: strength by the cost of training, for each way of learning.

    python -m experiments.studies.learning_cost out/policy_gradient/connect4 out/ppo/connect4 \\
        out/q_learning/connect4 connect4-supervised connect4-alphazero [--points 3] [--quick]
    python -m experiments.studies.learning_cost out/alphazero/go9 --points 6 --untrained \\
        --opponent mcts:sims=1000 --gnugo 10

Each MODEL is a single network, or the folder of a run, whose saved networks are the points of a
curve. All networks and the opponents play a round robin: each network alone, with its best move,
and, if it has a value head, with --sims simulations of PUCT. The figure shows their Elo by the CPU
time of their training, including the cost of the data. In Connect Four it also shows how often the
networks alone err in solved positions (`experiments/measures/connect4.py`).

What to look for: the cheapest way to a given strength; how much a search adds, and whether it adds
more to a network that learned from searches. In a single run the first iterations bring most; a
falling curve means that the network forgets, which the doctor may explain.

Games (`games.sqlite`), `learning_cost.csv` and `learning_cost.png` stay in the folder of --out; the
same command continues there, and more points, opponents or pairs cost only the games that are new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pandas as pd

from dlgo.errors import SpecError
from dlgo.files import make_folder
from dlgo.games import recorded_game
from dlgo.records.ledger import Ledger
from engines.isolation.describe import read_spec
from engines.jobs import Processes
from engines.learners import LEARNERS
from engines.learning.networks.store import load_card
from experiments import options
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on
from experiments.command import run
from experiments.figures import drawing
from experiments.measures.connect4 import CLASSES, SHIPPED, position_sets
from experiments.measures.mistakes import measure
from experiments.opponents.gnugo import gnugo_spec
from experiments.options import Number
from reports import tables
from reports.plots import game_title

_OPPONENTS = ("random", "mcts:sims=100")


@dataclass(frozen=True)
class Entry:
    """A network as an entrant; a point of a curve.

    Attributes:
        source: the run or model it comes from. method: by which it was trained.
        sims: simulations of the search on top; 1: the network alone.
        cpu_seconds, games: that it had cost, data included.
        entrant: the engine's specification.
    """

    source: str
    method: str
    iteration: int
    sims: int
    cpu_seconds: float
    games: float
    entrant: str


def entries(
    source: str, count: int, sims: Sequence[int], untrained: bool = False
) -> tuple[str, list[Entry]]:
    """The game of a run or a model, and its networks alone and with searches of each of `sims`.

    Args:
        source: the folder of a run, or what `model=` of an engine takes.
        count: networks of a run, the last one among them.
        untrained: whether the network before any training is one more.

    Raises ModelError if there is no such network, or it is damaged.
    """
    first, *later = sorted(str(path.parent) for path in Path(source).glob("nets/*/card.json")) or [
        source]
    names = [first] if untrained or not later else []
    if later:
        chosen = {max(0, round(len(later) * (k + 1) / count) - 1) for k in range(count)}
        names += [later[k] for k in sorted(chosen)]
    found = []
    for name in names:
        _, card = load_card(name)
        method = str(card.training.get("method", "supervised"))
        plain = method in (*LEARNERS, "supervised")
        ways = [(1, f"{method}:model={name}" if plain else f"alphazero:model={name},sims=1")]
        if "value" in card.heads:
            ways += [(n, f"alphazero:model={name},sims={n}") for n in sims if n > 1]
        found += [
            Entry(source, method, int(card.training.get("iterations", 0)), n,
                  card.total_cpu_seconds or 0.0, card.training.get("games", 0.0),
                  read_spec(spec).text)
            for n, spec in ways
        ]
    return card.game, found


def table(game: str, points: Sequence[Entry], opponents: Sequence[str], path: Path) -> pd.DataFrame:
    """A row for each entry, then one for each opponent: cost, rating, scores against opponents,
    which are texts, "points/games"."""
    with Ledger(path, read_only=True) as ledger:
        games = tables.games_frame(ledger)
    games = games[games["game"] == game]
    ratings = tables.ratings_frame(games, tables.rate_games(games)).set_index("entrant")
    cross = tables.crosstable(games, game, list(ratings.index))
    frame = pd.DataFrame([*map(vars, points), *({"entrant": name} for name in opponents)])
    columns = ["rating", "low95", "high95", "mean_cpu_ms"]
    frame = frame.join(ratings[columns], on="entrant")
    return frame.join(cross[list(opponents)].add_prefix("against "), on="entrant")


def mistakes(engines: Sequence[str], workers: int | None) -> dict[str, float]:
    """The share of Connect Four's positions, of all classes alike, in which an engine errs."""
    with Processes(workers) as jobs:
        sets = position_sets(SHIPPED, CLASSES, 100, jobs)
        shares = {}
        for engine in engines:
            measured = measure(engine, sets, jobs).values()
            shares[engine] = sum(one.share for one in measured) / len(measured)
    return shares


def draw(frame: pd.DataFrame, title: str, opponents: Sequence[str], path: Path) -> None:
    """Elo, and mistakes where they are known, by CPU seconds of training."""
    erring = bool(frame["mistakes"].notna().any())
    learned = frame[frame["method"].notna()]
    # An untrained network has cost nothing, which has no logarithm.
    scale = "log" if learned["cpu_seconds"].min() > 0 else "linear"
    with drawing(path, 1 + erring, 1, (7.2, 5.4)) as axes:
        for k, (method, part) in enumerate(learned.groupby("method", sort=False)):
            for (_, sims), curve in part.groupby(["source", "sims"], sort=False):
                alone, curve = sims == 1, curve.sort_values("cpu_seconds")
                below, above = curve["rating"] - curve["low95"], curve["high95"] - curve["rating"]
                axes[0].errorbar(
                    curve["cpu_seconds"], curve["rating"], yerr=[below, above], capsize=2,
                    fmt="o-" if alone else "s--", color=f"C{k}", mfc=f"C{k}" if alone else "white",
                    label=f"{str(method).replace('_', ' ')}, "
                          + ("network alone" if alone else f"{sims:g} simulations"),
                )
                if erring and alone:
                    axes[1].plot(
                        curve["cpu_seconds"], 100 * curve["mistakes"], "o-", color=f"C{k}")
        for opponent in opponents:
            level = frame.loc[frame["entrant"] == opponent, "rating"].iloc[0]
            axes[0].axhline(level, color="0.5", ls=":", lw=1)
            axes[0].annotate(_short(opponent), (0.01, level), xycoords=("axes fraction", "data"),
                             xytext=(0, 3), textcoords="offset points", fontsize=11)
        axes[0].set(title=title, ylabel="Elo (95% intervals)")
        if erring:
            axes[1].set(title="The networks alone, in solved positions", ylim=(0, None),
                        ylabel="mistakes (% of positions)")
        for axis in axes:
            axis.set(xscale=scale, xlabel="CPU seconds of training, data included")
        handles, labels = axes[0].get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        axes[0].legend(once.values(), once.keys(), ncols=2, fontsize=11, loc="upper left",
                       bbox_to_anchor=(0, -0.14))


def _short(entrant: str) -> str:
    """GNU Go by its level, any other entrant as it is."""
    level = re.search(r"gnugo.*--level (\d+)", entrant)
    return f"GNU Go level {level[1]}" if level else entrant


@click.command()
@click.argument("models", nargs=-1, metavar="MODEL...")
@click.option("--opponent", "opponents", multiple=True, help="Opponent of the networks; may be "
              f"repeated. By default {' and '.join(_OPPONENTS)}.")
@click.option("--gnugo", "levels", multiple=True, type=Number(int, 0, 20),
              help="Add GNU Go at this level, in Go; may be repeated.")
@click.option("--sims", multiple=True, default=(100,), show_default=True, type=Number(int, 1),
              help="Simulations of a search with the network; may be repeated; 1: network alone.")
@click.option("--points", default=3, show_default=True, type=Number(int, 1),
              help="Number of networks of each run.")
@click.option("--untrained", is_flag=True, help="Add the network before any training.")
@click.option("--gauntlet", is_flag=True, help="Networks play only the opponents, not each other.")
@options.pairs_option(4)
@options.named_games()
@options.workers_option
@options.cluster_option
@options.out_option("out/learning_cost")
@options.quick_option("Two shipped networks of tic-tac-toe")
def main(
    models: tuple[str, ...], opponents: tuple[str, ...], levels: tuple[int, ...],
    sims: tuple[int, ...], points: int, untrained: bool, gauntlet: bool, pairs: int,
    workers: int | None, cluster: str | None, out: Path, quick: bool,
) -> None:
    """Rate networks of several learners, and draw their Elo by the cost of their training."""
    if quick:
        models, opponents, sims, pairs = (
            ("tictactoe-supervised", "tictactoe-alphazero"), ("random",), (8,), 2)
        out = out.with_name(f"{out.name}-quick")
    if not models:
        raise SpecError("learning_cost: no MODEL is named; name folders of runs, such as "
                        "out/ppo/connect4, or shipped models (`dlgo models`)")
    lists = [entries(model, points, sims, untrained) for model in models]
    games = {game for game, _ in lists}
    if len(games) > 1:
        raise SpecError(f"learning_cost: the models play {', '.join(sorted(games))}; name models "
                        "of one game")
    recorded_game(*games)
    all_points = [point for _, found in lists for point in found]
    engines = tuple(point.entrant for point in all_points)
    opponents = opponents or (() if levels else _OPPONENTS)
    plan = Plan((*games,), (*engines, *opponents, *map(gnugo_spec, levels)), pairs=pairs, seed=1,
                kind="gauntlet" if gauntlet else "round-robin",
                challengers=engines if gauntlet else ()).canonical()
    others = tuple(name for name in plan.entrants if name not in engines)
    make_folder(out, error=SpecError)
    with games_on(cluster, workers) as backend:
        run_tournament(plan, out / "games.sqlite", workers, backend=backend)
    frame = table(plan.games[0], all_points, others, out / "games.sqlite")
    alone = [point.entrant for point in all_points if point.sims == 1]
    shares = mistakes(alone, workers) if plan.games == ("connect4",) else {}
    frame["mistakes"] = frame["entrant"].map(shares)
    tables.write_csv(frame, out / "learning_cost.csv")
    draw(frame, game_title(plan.games[0]), others, out / "learning_cost.png")
    for row in frame.sort_values("rating", ascending=False).itertuples(index=False):
        erring = "" if pd.isna(row.mistakes) else f", {row.mistakes:.1%} mistakes"
        cost = "" if pd.isna(row.method) else f"  {row.cpu_seconds:,.0f} CPU s{erring}"
        print(f"{row.rating:7.0f}  [{row.low95:.0f}, {row.high95:.0f}]  {_short(row.entrant)}"
              f"{cost}")
    print(out / "learning_cost.png")


if __name__ == "__main__":
    run(main)
