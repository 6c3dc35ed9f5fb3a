"""The functions `engine`, `match`, `tournament` and `generate` of `import dlgo`.

They call the same code as the commands of these names. `dlgo.train` is `experiments/train.py`.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.api import GameSpec
from dlgo.digests import hex_digest
from dlgo.errors import SpecError
from dlgo.files import make_folder
from dlgo.games import GAMES, get_game
from dlgo.specs import check_number, split_version, suggest
from engines.base import Engine
from engines.jobs import Executor, Inline
from engines.registry import ENGINES, EngineSpec, build_engine
from experiments.arena.series import play_series
from experiments.datasets.options import MOST_GAMES
from reports.results import Results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engines.learning.data import Dataset


def called(function: Callable, name: str = "") -> Callable:
    """Turn a call with wrong arguments into one clear sentence. `name` is the name of the function
    in `dlgo`; by default its own name."""
    signature, name = inspect.signature(function), name or function.__name__
    plain = [parameter.replace(annotation=inspect.Parameter.empty)
             for parameter in signature.parameters.values()]

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            unknown = next((key for key in named if key not in signature.parameters), "")
            raise SpecError(
                f"{name}: {error}{suggest(unknown, signature.parameters)}; it takes "
                f"{', '.join(map(str, plain))}"
            ) from None
        for key, (low, high) in _WHOLE_NUMBERS.items():
            if (value := bound.arguments.get(key)) is not None:
                bound.arguments[key] = check_number(value, f"{name}: {key}", int, low, high)
        return function(*bound.args, **bound.kwargs)

    return checked


# Arguments that are whole numbers in all functions, with their bounds.
_WHOLE_NUMBERS = {
    "games": (1, MOST_GAMES), "seed": (-math.inf, math.inf), "workers": (1, 1000),
    "pairs": (1, math.inf),
}

match = called(play_series, "match")


@called
def engine(spec: Any, game: str | GameSpec, seed: int = 0) -> Engine:
    """An engine that is ready to play: everything that it needs is compiled and loaded.

    Args:
        spec: a specification, such as "mcts:sims=200" or "my_bot.py:MyBot"; or a class or an
            object with a method `select_move(state)`.
        game: the game that it plays.
        seed: the same seed gives the same moves if budgets are counts, not times.

    Raises:
        SpecError: for an unknown engine or option, or one that cannot play the game.
    """
    built = build_engine(spec, game, seed)
    built.warm_up()
    built.new_game(seed)
    return built


@called
def tournament(
    game: str | GameSpec | Sequence[str | GameSpec], engines: Sequence[Any], *,
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
    from experiments.arena.progress import default_reporter
    from experiments.arena.tournament import run_tournament
    from experiments.cluster.chosen import games_on

    games = [str(get_game(one)) for one in _listed(game)]
    entrants = [who if isinstance(who, str) else EngineSpec.of(who).full_text
                for who in _listed(engines)]
    plan, limits = read_plan(
        None, checked_keys("tournament", {"games": games, "engines": entrants, **keys}))
    if ledger is None:
        what = json.dumps([plan.games, plan.entrants, plan.seed, plan.opening_plies])
        digest = hex_digest(what, 8)
        ledger = make_folder(Path("out/tournaments")) / f"{get_game(games[0]).slug}-{digest}.sqlite"
    progress = default_reporter()
    here = made_here(*plan.games, *plan.entrants)
    if here:
        progress.log(_one_process(here))
    with games_on(cluster, workers) as backend:
        run_tournament(plan, ledger, workers, progress, limits, retry=retry,
                       backend=Inline() if here else backend)
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

    players = {"engine": engine, "against": settings.pop("against", None)}
    players = {name: who if who is None or isinstance(who, str) else EngineSpec.of(who).text
               for name, who in players.items()}
    recipe = make_recipe(str(get_game(game)), **players, **settings)
    specs = tuple(filter(None, (recipe.game, recipe.engine, recipe.against)))
    with jobs_for(specs, cluster, workers, log) as jobs:
        folder = make(recipe, games, out and Path(out), workers, jobs=jobs)
    return Dataset.open(folder)


@contextmanager
def jobs_for(
    specs: Sequence[str], cluster: str | None, workers: int | None, log: Callable[[str], None],
    **options: Any,
) -> Iterator[Executor | None]:
    """The executor: a cluster; this process, if a game or an engine was made in Python; else None,
    for processes of this machine. `options` are those of `jobs_on`."""
    from experiments.cluster.chosen import jobs_on

    here = made_here(*specs)
    if here:
        log(_one_process(here))
        yield Inline()
    else:
        with jobs_on(cluster, log, specs, workers, **options) as jobs:
            yield jobs


def made_here(*specs: str) -> list[str]:
    """The games and engines that were made in Python, and that no other process can find."""
    return [split_version(spec)[0] for spec in dict.fromkeys(specs) for group in (GAMES, ENGINES)
            if group.is_given(group.split(spec)[0])]


def log(text: str) -> None:
    """Print a line for people on standard error."""
    print(text, file=sys.stderr, flush=True)


def _one_process(names: list[str]) -> str:
    return (f"{', '.join(names)} was defined in the notebook or script, so this process plays all "
            "games, one by one; to use all cores, put the class in a file and name FILE.py:NAME")


def _listed(value: Any) -> list[Any]:
    """One value or several, as a list."""
    return list(value) if isinstance(value, list | tuple | set) else [value]
