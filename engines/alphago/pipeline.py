"""`dlgo train alphago`: the stages of AlphaGo's training (chapter 13; Silver et al. 2016).

    games         games of an engine, or given ones
    supervised    a policy network learns to predict their moves
    fast          a linear policy on small patterns learns the same, in seconds
    reinforced    the policy network improves in games against earlier versions of itself
    value games   games of both policies, one position of each
    value         a value network learns to predict their results

Each stage is a run in its own folder, so the same command continues a stopped run; `plan.json` has
the settings. At the end the folder `model` holds the networks of the engine `alphago` and the cost
of each stage.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo.extras import require_extra
from dlgo.games import get_game
from engines.alphago.bundle import FAST, RUN_MODEL, Bundle, write_bundle
from engines.alphago.config import AlphaGoConfig
from engines.alphago.value_games import make_value_games
from engines.fast_policy.policy import FastPolicy
from engines.fast_policy.training import train as train_fast_policy
from engines.jobs import Executor, Inline
from engines.learning.data import Dataset
from engines.learning.networks.store import TRAINING_MODULES, network_folder
from engines.learning.reinforcement.learner import train as reinforce
from engines.learning.run_status import stage_progress
from engines.learning.runs import Progress, open_run
from engines.policy_gradient.trainer import PolicyGradientConfig, PolicyGradientLearner
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train as supervise

STAGES = ("games", "supervised", "fast", "reinforced", "value games", "value")
# Share of the games held out for tests.
_TEST = 0.1


class ReinforcedConfig(PolicyGradientConfig):
    """Settings of the stage of reinforcement."""

    def changeable(self) -> set[str]:
        """The supervised network, too: it stays the same where the whole run is moved."""
        return super().changeable() | {"first_network"}


def train(
    config: AlphaGoConfig, folder: Path, make_games: Callable[[Path], Path],
    progress: Progress | None = None, jobs: Callable[[], Executor] = Inline,
) -> Bundle:
    """Run the stages that are missing in a folder; returns the bundle for the engine.

    Args:
        config: canonical settings.
        make_games: makes or finds the recorded games: takes the folder for new ones, returns the
            folder of the shards.
        jobs: makes the workers of a stage, which are closed at its end: for the value games, and
            for reinforcement if `reinforce_portions` is above 1.

    Raises:
        ModelError: if the folder holds a run of other settings.
        ModelError, DataError: if a stage fails.
        KeyboardInterrupt: with a message that says what is kept.
    """
    require_extra("train", "training", *TRAINING_MODULES)
    progress = progress or Progress()
    with open_run(folder, config, progress=progress):
        return _train(config, folder, make_games, progress, jobs)


def _train(
    config: AlphaGoConfig, folder: Path, make_games: Callable[[Path], Path], progress: Progress,
    jobs: Callable[[], Executor],
) -> Bundle:
    game = get_game(config.game)
    costs: dict[str, float] = {}

    def begin(stage: str) -> None:
        progress.line(f"stage {STAGES.index(stage) + 1} of {len(STAGES)}: {stage}")

    begin("games")
    games = Dataset.open(make_games(folder / "games"))
    costs["games"] = games.cpu_seconds

    begin("supervised")
    common: dict[str, Any] = {
        "encoder": config.encoder, "network": config.network, "schedule": "cosine",
        "batch_size": config.batch_size, "symmetries": True, "seed": config.seed, "test": _TEST,
    }
    supervised = supervise(
        SupervisedConfig(name="supervised", value_head=False, optimizer=config.optimizer,
                         epochs=config.epochs, **common),
        games, folder / "supervised", progress, source={"folder": games.folder.name})
    costs["supervised"] = supervised.training_cost["cpu_seconds"]

    begin("fast")
    fast = folder / FAST
    if not fast.exists():
        training, held_out = games.split(test=_TEST, seed=config.seed)
        train_fast_policy(
            training, held_out, config.fast_epochs, seed=config.seed, report=progress.line
        ).save(fast)
    costs["fast"] = float(FastPolicy.load(fast, games.game).training["cpu_seconds"])

    begin("reinforced")
    settings = ReinforcedConfig.make(
        config.game, first_network=str(folder / "supervised"),
        iterations=config.reinforce_iterations, games=config.reinforce_games,
        batch_size=config.reinforce_batch, optimizer=config.reinforce_optimizer,
        save_every=config.save_every,
        # As in the paper: always against a self of the pool, draws of the result alone.
        pool_share=1.0, pool_size=config.reinforce_iterations, random_share=0.0, discount=1.0,
        entropy=0.0, seed=config.seed, portions=config.reinforce_portions,
    )
    reinforced = reinforce(
        PolicyGradientLearner, settings, folder / "reinforced", progress,
        jobs() if config.reinforce_portions > 1 else None,
    )
    # Without the cost of the network that it began with.
    costs["reinforced"] = (
        reinforced.training_cost["cpu_seconds"] - (supervised.total_cpu_seconds or 0.0))
    last = network_folder(folder / "reinforced", config.reinforce_iterations)

    begin("value games")
    value_games = Dataset.open(make_value_games(
        folder / "value_games", game, (str(folder / "supervised"), str(last)),
        config.value_games, config.seed, jobs=jobs(),
        progress=stage_progress(
            progress, "value games", 1 + STAGES.index("value games"), len(STAGES)),
        log=progress.line,
    ))
    costs["value games"] = value_games.cpu_seconds

    begin("value")
    value = supervise(
        SupervisedConfig(name="value", policy_head=False, value_head=True,
                         optimizer=config.value_optimizer, epochs=config.value_epochs, **common),
        value_games, folder / "value", progress, source={"folder": value_games.folder.name})
    costs["value"] = value.training_cost["cpu_seconds"]

    return write_bundle(folder / RUN_MODEL, config.game, {
        "supervised": folder / "supervised", "reinforced": last, "value": folder / "value",
    }, fast, {stage: round(cost, 1) for stage, cost in costs.items()})
