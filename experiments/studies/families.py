"""Which families of players are worth their training, at equal CPU time of training and of play?

    python -m experiments.studies.families --quick
    python -m experiments.studies.families connect4 --budget 120 --save     # continues, too
    python -m experiments.studies.families --fits                           # from the kept results

A plan (`families.toml`) has a part for each game, and claims, written down before the runs. A
family learns anew for each budget, so that its schedules end with it; then all families play at
equal CPU time a move. What has not been run is an empty cell of `strengths.csv`.

What to look for: lines that cross. One family may be best after ten minutes and another after an
hour, one with little time a move and another with much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
import pandas as pd

from dlgo.errors import SpecError
from dlgo.files import make_folder
from dlgo.specs import setting_text
from engines.isolation.describe import read_spec
from engines.learners import config_class
from engines.learning.data import Dataset
from engines.learning.settings import Settings, setting
from engines.supervised.config import SupervisedConfig
from experiments import train as learn
from experiments.command import run
from experiments.datasets.generate import generate, make_recipe
from experiments.figures import COLOURS, INK, drawing, plain_numbers
from experiments.studies import measured, plans
from experiments.studies.measured import Rated, completed, count_mistakes, play, positions_of
from experiments.studies.plans import Claim, Study, StudyOptions, keep, study_options
from reports import tables
from reports.intervals import quantile_interval
from reports.plots import game_title

RESULTS = plans.RESULTS / "families"
# The zero of ratings, and the family that the others are compared with.
ZERO, REFERENCE = "mcts", "alphazero"
# Games of a teacher in a file: few, so that the budget of its games is kept to.
_GAMES = 16


class Player(NamedTuple):
    """A family after a training; seconds and seed are 0 for one that does not learn."""

    family: str
    seconds: int  # CPU time of the training
    seed: int
    ms: int = 0  # CPU time of a move; 0: the training alone is meant


@dataclass(frozen=True)
class Part(Settings):
    """The families in one game."""

    name: str
    game: str = setting(None, "game to learn")
    budgets: Sequence[int] = setting(None, "CPU seconds of training", kind=range)
    moves: Sequence[int] = setting(None, "CPU milliseconds a move", kind=range)
    seeds: int = setting(1, "trainings of each family for each budget", low=1)
    pairs: int = setting(10, "openings of a match, each played with both colours", low=0)
    positions: int = setting(
        0, "solved positions of each class in which mistakes are counted; 0: none", low=0)
    teacher: str = setting("mcts:sims=1000", "engine whose games supervised learning has")
    share: float = setting(0.6, "part of the budget that these games cost", low=0.01, high=0.99)
    players: Mapping[str, str] = setting(
        None, "engine of each family, with {} for the network", kind=dict)
    learners: Mapping[str, Mapping[str, Any]] = setting(
        None, "settings of `dlgo train` of each family that learns", kind=dict)

    @property
    def tables(self) -> dict[str, int]:
        """What claims may be about: the players with equal time a move."""
        return {f"{self.name}/{ms}": ms for ms in self.moves}

    def trainings(self) -> list[Player]:
        """All trainings, the short ones first, after the families that do not learn."""
        return [Player(name, 0, 0) for name in self.players if name not in self.learners] + [
            Player(name, seconds, seed) for seed in range(1, self.seeds + 1)
            for seconds in self.budgets for name in self.learners]

    def entrant(self, folder: Path, player: Player) -> str:
        """The specification of a player."""
        text = self.players[player.family].replace("{}", str(place(folder, player)))
        return read_spec(f"{text}{',' if ':' in text else ':'}cpu={player.ms / 1000:g}").text

    def check(self) -> None:
        """Raise DlgoError for a wrong game, player or setting."""
        make_recipe(self.game, self.teacher)
        for name in self.players:
            self.entrant(Path(), Player(name, 1, 1, 1))
        for name, settings in self.learners.items():
            kind = SupervisedConfig if name == "supervised" else config_class(name)
            kind.parse(f"{key}={setting_text(value)}" for key, value in settings.items())


def place(folder: Path, player: Player) -> Path:
    """The folder of a training."""
    return folder / f"{player.family}-{player.seconds}-{player.seed}"


def train(part: Part, player: Player, folder: Path) -> float:
    """Do a training, or the rest of it; the CPU seconds that it has cost, with its games."""
    if not player.seconds:
        return 0.0
    out, seconds = place(folder, player), float(player.seconds)
    settings = {**part.learners[player.family], "seed": player.seed}
    if player.family == "supervised":
        recipe = make_recipe(part.game, part.teacher, seed=player.seed, shard_games=_GAMES)
        target, files, cpu_seconds = seconds * part.share, 1, 0.0
        while cpu_seconds < target:
            files = math.ceil(files * target / cpu_seconds) if cpu_seconds else 1
            data = Dataset.open(generate(recipe, files * _GAMES, folder / f"{out.name}-games", 1))
            cpu_seconds = data.cpu_seconds
        run = learn.supervised(data, out, cpu_minutes=(seconds - cpu_seconds) / 60, **settings)
    else:
        run = getattr(learn, player.family)(part.game, out, cpu_minutes=seconds / 60, **settings)
    return run.card.total_cpu_seconds or 0.0


def run_part(part: Part, out: Path, budgets: Sequence[int], workers: int | None) -> None:
    """Do the trainings of these budgets, the games of all finished ones, and count mistakes;
    leaves tables in a folder within `out`."""
    folder, keys = make_folder(out / part.name), [*Player._fields]
    trainings = completed(
        folder / "trainings.csv",
        [player[:3] for player in part.trainings() if player.seconds in (0, *budgets)],
        [*keys[:3], "cpu_seconds"], lambda key: [[train(part, Player(*key), folder)]])
    trained = [*trainings[keys[:3]].itertuples(index=False, name=None)]
    seeds = [training[2] for training in trained]
    # Trainings with different seeds do not play each other; seed 0 plays all.
    pairings = [(i, k) for k, seed in enumerate(seeds) for i, earlier in enumerate(seeds[:k])
                if seed == earlier or 0 in (seed, earlier)]
    games = []
    for ms in part.moves:
        entrants = [part.entrant(folder, Player._make([*training, ms])) for training in trained]
        games.append(play(part.game, entrants, pairings, part.pairs, folder, workers).assign(ms=ms))
    players = {player: part.entrant(folder, player)
               for ms in part.moves
               for player in (Player._make([*training, ms]) for training in trained)}
    sets = positions_of(part.game, part.positions, workers)
    counts = count_mistakes(
        folder / "mistakes.csv", players if sets else {}, [*keys, "class"], lambda player: sets,
        workers)
    table = pd.DataFrame([*players]).merge(trainings, on=keys[:3]).join(counts, on=keys)
    tables.write_csv(table, folder / "players.csv")
    tables.write_csv(pd.concat(games, ignore_index=True), folder / "games.csv")


def rated(part: Part, folder: Path) -> dict[str, Rated]:
    """For each time a move the families after each training, and what other games and seeds might
    have given: means of the seeds, sums of positions and mistakes. Ratings are above `ZERO`'s."""
    players, games = (tables.read_csv(folder / f"{name}.csv") for name in ("players", "games"))
    results: dict[str, Rated] = {}
    for name, ms in part.tables.items():
        entrants = players[players["ms"] == ms].reset_index(drop=True).assign(sims=ms, level=1)
        entrants, covariance = measured.rate(entrants, games[games["ms"] == ms])
        samples = measured.replicates(entrants, covariance, by="family")
        results[name] = [of_families(table) for table in (entrants, *samples)]
    return results


def of_families(players: pd.DataFrame) -> pd.DataFrame:
    """A row for each family and training."""
    groups = players.groupby(["family", "seconds"])
    table = groups[["cpu_seconds", "rating", "sims", "level"]].mean().assign(seeds=groups.size())
    table["rating"] -= table["rating"][ZERO, 0]
    return table.join(groups[["positions", "mistakes"]].sum(min_count=1))


def strengths(part: Part, results: Mapping[str, Rated]) -> pd.DataFrame:
    """A row for each family, training and time a move of the plan, empty where nothing was run."""
    keys, columns = ["family", "seconds"], ["cpu_seconds", "rating", "low95", "high95"]
    plan = pd.MultiIndex.from_tuples(
        dict.fromkeys(training[:2] for training in part.trainings()), names=keys)
    rows = []
    for name, ms in part.tables.items():
        table = pd.DataFrame(columns=[*columns, "positions", "mistakes"], index=plan, dtype=float)
        if name in results:
            first, *samples = results[name]
            low, high = quantile_interval([sample["rating"] for sample in samples], axis=0)
            table = first.assign(low95=low, high95=high)[table.columns].reindex(plan)
        rows.append(table.reset_index().assign(part=part.name, ms=ms))
    return pd.concat(rows, ignore_index=True)


def published(results: Path = RESULTS) -> pd.DataFrame:
    """The stored `strengths` as texts for the docs: a row for each training, a column of Elo for
    each time a move; mistakes in the order of these columns."""
    rows = []
    table = tables.read_csv(results / "strengths.csv").dropna(subset="rating")
    for (part, family, seconds), group in table.groupby(["part", "family", "seconds"], sort=False):
        mistakes = ", ".join(f"{count:.0f}" for count in group["mistakes"].dropna())
        rows.append({
            "part": part, "family": family, "CPU s": f"{seconds:,}" if seconds else "",
            **{f"{row.ms} ms": "0" if family == ZERO else
               f"{row.rating:+.0f} ({row.low95:.0f} to {row.high95:.0f})"
               for row in group.itertuples()},
            "mistakes": f"{mistakes} of {group['positions'].max():.0f}" if mistakes else ""})
    return pd.DataFrame(rows)


def draw(part: Part, table: pd.DataFrame, ratios: pd.DataFrame, path: Path) -> None:
    """Elo by training for each time a move; families that do not learn are level lines. The last
    panel has the ratios of costs."""
    colours = dict(zip(part.players, (*COLOURS, INK, "brown"), strict=False))
    title = game_title(part.game)
    with drawing(path, len(part.moves) + 1, 1, (6, 5.5), title=title) as (*axes, last):
        for axis, ms in zip(axes, part.moves, strict=True):
            families = table[table["ms"] == ms].groupby("family", sort=False)
            for shift, (name, rows) in enumerate(families):
                if name in part.learners:  # side by side
                    axis.errorbar(rows["seconds"] * 1.05 ** (shift - len(families) / 2),
                                  rows["rating"], _margins(rows, "rating"), fmt="o-",
                                  color=colours[name], capsize=4, label=name)
                else:
                    axis.axhline(rows["rating"].iloc[0], ls="--", color=colours[name], label=name)
            axis.set(title=f"{ms} ms a move", ylabel=f"Elo above {ZERO}", xscale="log",
                     xticks=part.budgets, xlabel="CPU seconds of training",
                     xlim=(part.budgets[0] / 1.4, part.budgets[-1] * 1.4))
        for row, (_, group) in enumerate(ratios.groupby(["part", "family"], sort=False)):
            last.errorbar(group["value"], [row], xerr=_margins(group, "value"), fmt="o", capsize=4,
                          color=colours[group["family"].iloc[0]])
        last.axvline(1, ls="--", color=INK, lw=1)
        last.set_yticks(range(len(ratios)), [
            f"{row.family}, {part.tables[row.part]} ms" for row in ratios.itertuples()])
        last.set(title=f"times less training than {REFERENCE}", xlabel="for equal strength",
                 xscale="log", xticks=[0.1, 0.3, 1, 3, 10, 30],
                 ylim=(max(len(ratios), 1) - 0.5, -0.5))
        for axis in (*axes, last):
            plain_numbers(axis)
            axis.tick_params(which="minor", labelbottom=False)  # what counts is labelled
        last.figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center",
                           ncols=len(colours))


def _margins(table: pd.DataFrame, value: str) -> list[pd.Series]:
    return [table[value] - table["low95"], table["high95"] - table[value]]


@click.command()
@study_options("families", "Families learn Othello 6x6 for some seconds")
@click.option("--budget", "budgets", type=int, multiple=True, help="CPU seconds of the trainings "
              "to be done; may be repeated. Default: all of the plan.")
def main(budgets: tuple[int, ...], workers: int | None, **run_options: Any) -> None:
    """Train, play and rate the families of a plan, and judge the claims."""
    study = Study("families", Part, RESULTS, "--budget" if budgets else "",
                  StudyOptions(**run_options))
    plan_budgets = {seconds for name in study.asked for seconds in study.parts[name].budgets}
    if unknown := {*budgets} - plan_budgets:
        raise SpecError(f"families: no training has --budget {min(unknown)}; use one of "
                        f"{', '.join(map(str, sorted(plan_budgets)))}")
    results: dict[str, Rated] = {}
    for part, folder in study.results(
            lambda part: run_part(part, study.out, budgets or part.budgets, workers)):
        results |= rated(part, folder)
    ratios = study.judge(results, [
        Claim(f"Not planned: {name} ms, {family} beside {REFERENCE}, {seconds} s", "less_training",
              name, family=family, other=REFERENCE, seconds=seconds)
        for name, (table, *_) in results.items()
        for seconds in [max(budget for _, budget in table.index)]
        for family, budget in table.index if budget == seconds and family != REFERENCE])
    cells = {name: strengths(part, results) for name, part in study.parts.items()}
    tables.write_csv(pd.concat(cells.values()), study.out / "strengths.csv")
    for name in {name.partition("/")[0] for name in results} & {*study.asked}:
        part = study.parts[name]
        part_ratios = ratios[ratios["part"].isin(part.tables)].dropna(subset="low95")
        draw(part, cells[name], part_ratios, study.out / f"{name}.png")
    if study.save:
        keep(study.out, RESULTS)


if __name__ == "__main__":
    run(main)
