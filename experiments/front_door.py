"""The front door: the functions of `import dlgo` that play, rate and train.

They call the same code as the commands of these names. `dlgo/__init__.py` loads this module on
demand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.api import GameSpec
from dlgo.digests import hex_digest
from dlgo.files import make_folder
from dlgo.games import get_game
from engines import bots
from engines.jobs import Inline
from engines.registry import engine_names, spec_text
from experiments import train
from experiments.arena.series import play_series
from experiments.calls import called, engine, jobs_for, log, made_here, one_process_text
from experiments.check import check
from experiments.ladder.baselines import anchor
from reports.results import Results
from reports.results import Results as results  # noqa: N813 (called like a function)

if TYPE_CHECKING:
    from engines.learning.data import Dataset

__all__ = [
    "anchor", "check", "engine", "engine_names", "generate", "match", "results", "tournament",
    "train",
]

match = called(play_series, "match")


@called
def tournament(
    game: str | GameSpec | Iterable[str | GameSpec], engines: Iterable[Any], *,
    ledger: str | Path | None = None, workers: int | None = None, cluster: str | None = None,
    retry: bool = False, **keys: Any,
) -> Results:
    """Play engines against each other; the same call continues where it was interrupted.

    A class defined in a notebook or in the script itself plays in this process, one game after
    the other. Put it into a file and name that, `"my_bot.py:MyBot"`, to use all cores.

    Args:
        game: a game, or several.
        engines: specifications, such as "mcts:sims=200" or "my_bot.py:MyBot", and classes.
        ledger: the SQLite file of the games; by default one in out/tournaments, named after the
            game.
        workers: processes; by default one for each core.
        cluster: the address of a Ray cluster that plays instead; see docs/cluster.md.
        retry: also play entrants that an earlier run stopped.
        keys: keys of plan files (docs/tournaments.md), such as pairs=20, seed=2, kind="gauntlet".

    Raises:
        SpecError: for an unknown game, engine or key, or a value that cannot be used.
        LedgerError: if the ledger is not usable, or in use by another tournament.
        KeyboardInterrupt: after Ctrl-C or "interrupt"; finished games are kept.
    """
    from experiments.arena.planfile import checked_keys, read_plan
    from experiments.arena.reporter import default_reporter
    from experiments.arena.tournament import run_tournament
    from experiments.cluster import executor_on

    games = [str(get_game(name)) for name in _listed(game)]
    entrants = list(map(spec_text, _listed(engines)))
    plan, limits = read_plan(
        None, checked_keys("tournament", {"games": games, "engines": entrants, **keys}))
    if ledger is None:
        key = json.dumps([plan.games, plan.entrants, plan.seed, plan.opening_plies])
        digest = hex_digest(key, 8)
        ledger = make_folder(Path("out/tournaments")) / f"{get_game(games[0]).slug}-{digest}.sqlite"
    progress = default_reporter()
    here = made_here(*plan.games, *plan.entrants)
    if here:
        progress.log(one_process_text(here))
    with executor_on(cluster, workers=workers) as executor:
        run_tournament(plan, ledger, Inline() if here else executor or workers, progress, limits,
                       retry=retry)
    return Results(ledger)


@called
def generate(
    game: str | GameSpec, engine: Any, games: int, *, out: str | Path | None = None,
    workers: int | None = None, cluster: str | None = None, **settings: Any,
) -> Dataset:
    """Make training data: games of an engine against itself, each position with the engine's move.

    The same call continues where it was interrupted; with more games it adds the missing ones.

    Args:
        game: the game to play.
        engine: a specification or a class.
        games: total number of games in the folder; those of an earlier call count, and are kept.
        out: the folder; by default one in out/data, named after game and engine.
        workers: processes; by default one for each core.
        cluster: the address of a Ray cluster that plays instead; see docs/cluster.md.
        settings: against="random", seed=2 and other options of `dlgo generate`; see docs/data.md.

    Returns:
        The games of the folder, for `dlgo.train.supervised`.

    Raises:
        SpecError: for an unknown game, engine or setting, or a value that cannot be used.
        DataError: if the folder holds other games, or cannot be written.
    """
    from engines.learning.data import Dataset
    from experiments.datasets.generate import generate as make
    from experiments.datasets.generate import make_recipe

    if settings.get("against") is not None:
        settings["against"] = spec_text(settings["against"])
    recipe = make_recipe(str(get_game(game)), spec_text(engine), **settings)
    specs = tuple(filter(None, (recipe.game, recipe.engine, recipe.against)))
    with jobs_for(specs, cluster, workers, log) as jobs:
        folder = make(recipe, games, Path(out) if out else None, workers, jobs=jobs)
    return Dataset.open(folder)


def _listed(value: Any) -> list[Any]:
    """One value or several (in a list, an array, a Series, a generator ...), as a list."""
    is_one = isinstance(value, str | Path) or bots.is_bot(value)
    return [value] if is_one or not isinstance(value, Iterable) else list(value)
