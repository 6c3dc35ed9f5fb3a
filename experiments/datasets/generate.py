"""`dlgo generate`: games of an engine against itself as training data, in several processes.

Game number k depends on the seed and k only, and shard number s holds the games from
`s * shard_games` on. So the same command makes the same games with any number of workers, and
continues where it was stopped: a complete shard is not made again.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.files import make_folder
from dlgo.games import get_game
from dlgo.specs import check_settings
from dlgo.system.locks import held
from dlgo.text import duration
from engines.base import Engine
from engines.isolation.describe import MOVE_TIMEOUT, read_spec
from engines.jobs import Amount, Executor, Processes, Task
from engines.learning.data.shards import Shard, existing_shard, shard_bytes, shard_path
from engines.learning.selfplay.engine_games import play_game
from experiments.datasets.options import RECIPE_OPTIONS
from experiments.datasets.shard_making import MadeShard, Stopwatch, make_shards
from experiments.progress import LineProgress, Tally, default_progress

# Board cells in the games of a shard, which makes some 5,000 positions: at most a minute of work
# is lost, and the files are not too many.
_SHARD_CELLS = 5184
_FEWEST_SHARD_GAMES = 16


@dataclass(frozen=True)
class Recipe:
    """What the games of a folder come from; everything but how many there are."""

    game: str  # canonical, as the other specifications
    engine: str
    against: str  # "" for self-play
    seed: int  # of openings and engines
    opening_plies: int  # this and the next two: see `engine_games.play_game`
    sample_plies: int
    temperature: float
    shard_games: int  # games in a shard

    def build(self, move_timeout: float) -> tuple[GameSpec, list[Engine]]:
        """The game and the engines; external engines have `move_timeout` wall seconds per move."""
        game = get_game(self.game)
        specs = [self.engine, self.against] if self.against else [self.engine]
        return game, [read_spec(spec, move_timeout).build(game) for spec in specs]


def make_recipe(game: str, engine: str, **settings: Any) -> Recipe:
    """A recipe with the usual values where a setting (`RECIPE_OPTIONS`) is None or not given.
    Raises SpecError for an unknown game, engine or setting, or a value out of range."""
    spec = get_game(game)
    values = {name: value for name, value in settings.items() if value is not None}
    chosen = check_settings("generate", RECIPE_OPTIONS, values)
    cells = spec.board_rows * spec.board_cols
    usual = {
        "opening_plies": spec.opening_plies,
        "sample_plies": (spec.board_rows + spec.board_cols) // 2,
        "shard_games": max(_FEWEST_SHARD_GAMES, _SHARD_CELLS // cells),
    }
    chosen |= {name: value for name, value in usual.items() if chosen[name] is None}
    against = str(read_spec(chosen.pop("against"))) if chosen["against"] else ""
    return Recipe(spec.versioned, str(read_spec(engine)), **{**chosen, "against": against})


def default_folder(recipe: Recipe) -> Path:
    """`out/data/go-size9-mcts-sims500`: the game and the engine as a folder name."""
    text = "-".join(filter(None, (get_game(recipe.game).slug, recipe.engine, recipe.against)))
    return Path("out/data") / "".join(c if c.isalnum() or c in "-._" else "-" for c in text)


def generate(
    recipe: Recipe, games: int, folder: Path | None = None, workers: int | None = None,
    progress: LineProgress | None = None, move_timeout: float = MOVE_TIMEOUT,
    jobs: Executor | None = None,
) -> Path:
    """Make all missing shards; return the folder.

    Args:
        games: number of games that the folder should have.
        folder: by default named after the recipe.
        move_timeout: wall seconds per move of an external engine.
        jobs: where the games are played, instead of local processes; closed at the end.

    Raises SpecError if the engine cannot be built for the game; DataError if the folder holds other
    games, cannot be written, or another process works in it.
    """
    folder = make_folder(folder or default_folder(recipe), error=DataError)
    here = jobs is None
    with (
        held(folder / ".lock", f"data {folder}", "generation", "folder", DataError),
        jobs or Processes(workers) as jobs,
    ):
        progress = progress or default_progress()
        return _generate(recipe, games, folder, jobs, progress, move_timeout, here)


def _generate(
    recipe: Recipe, games: int, folder: Path, jobs: Executor, progress: LineProgress,
    move_timeout: float, here: bool,
) -> Path:
    tally = Tally(planned=games)
    missing = {}
    for number in range(-(-games // recipe.shard_games)):
        length = min(recipe.shard_games, games - number * recipe.shard_games)
        shard = existing_shard(folder, number, progress.log)
        if shard is not None:
            _check_recipe(shard, shard_path(folder, number), recipe)
        if shard is not None and len(shard.games) >= length:
            tally.found += length
        else:
            arguments = (recipe, number, length, move_timeout)
            missing[number] = Task(f"shard {number}", make_shard, arguments)
    if tally.found:
        progress.log(f"{folder}: {tally.found} of {games} games exist already")
    for scrap in folder.glob(".games-*.tmp"):  # of runs that were killed
        scrap.unlink(missing_ok=True)
    if missing:
        if here:
            _warm_up(recipe, progress.log, move_timeout)
        make_shards(missing, jobs, folder, tally, progress)
        progress.log(tally.summary(tally.made))
    return folder


def make_shard(
    recipe: Recipe, number: int, games: int, move_timeout: float = MOVE_TIMEOUT
) -> Generator[Amount, None, MadeShard]:
    """Play the games of a shard."""
    game, engines = recipe.build(move_timeout)
    for engine in engines:
        engine.warm_up()
    variety = recipe.opening_plies, recipe.sample_plies, recipe.temperature
    watch, plies = Stopwatch(), []
    try:
        for i in range(games):
            index = number * recipe.shard_games + i
            plies.append(play_game(game, engines, recipe.seed, index, *variety))
            yield Amount(1, plies[-1].n_positions)
    finally:
        for engine in engines:
            engine.close()
    provenance = watch.provenance("dlgo generate", asdict(recipe), number)
    provenance["networks"] = [engine.network_id for engine in engines if engine.network_id]
    return MadeShard(*shard_bytes(game, plies, provenance))


def _check_recipe(shard: Shard, path: Path, recipe: Recipe) -> None:
    theirs, ours = shard.provenance.get("recipe"), asdict(recipe)
    if not isinstance(theirs, dict):
        raise DataError(f"{path}: `dlgo generate` did not write it; choose another --out folder")
    for key, value in ours.items():
        if theirs.get(key) != value:
            raise DataError(
                f"{path.parent} holds games with {key}={theirs.get(key)!r}, not {value!r}: "
                "use the old value, or choose another --out folder"
            )


def _warm_up(recipe: Recipe, log: Any, move_timeout: float) -> None:
    """Compile once, before several workers would do it all at the same time."""
    start = time.perf_counter()
    _, engines = recipe.build(move_timeout)
    for engine in engines:
        engine.warm_up()
        engine.close()
    if time.perf_counter() - start > 2:
        log(f"compiled and warmed up in {duration(time.perf_counter() - start)}")
