"""Training, from Python: `dlgo.train.supervised`, `dlgo.train.alphazero` and the other learners.

The commands of `dlgo train` call the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dlgo.api import GameSpec
from dlgo.budgets import BUDGET_NAMES
from dlgo.games import get_game
from dlgo.specs import quote_value, setting_text
from engines.base import Engine
from engines.jobs import Processes
from engines.learners import LEARNERS, examine, learner_class
from engines.learning.networks.card import Card
from engines.learning.settings import Settings
from experiments.calls import called, engine, jobs_for, made_here, one_process_text

if TYPE_CHECKING:
    import pandas as pd

    from engines.learning.data import Dataset
    from engines.learning.diagnostics.findings import Diagnosis

__all__ = ["TrainingRun", "alphazero", "supervised", *LEARNERS]


@dataclass(frozen=True, repr=False)
class TrainingRun:
    """A finished run of training."""

    folder: Path  # of the run; the same call with more iterations or epochs continues there.
    game: GameSpec  # the game that was learned
    card: Card  # the card of the best network: its cost, accuracy and settings
    network: Path  # the folder of the best network

    @property
    def history(self) -> pd.DataFrame:
        """The measurements, a row for each iteration or epoch."""
        import pandas as pd

        from engines.learning.runs.records import read_history

        within = self.folder / "training"
        return pd.DataFrame(read_history(within if within.is_dir() else self.folder, ()))

    @property
    def best(self) -> str:
        """The engine with the best network, for `dlgo.engine` and `dlgo.tournament`."""
        return f"{self.card.training['method']}:model={quote_value(str(self.network))}"

    def engine(self, seed: int = 0, **settings: Any) -> Engine:
        """An engine that plays with the best network, ready to play.

        Args:
            seed: the same seed gives the same moves.
            settings: its options. With a budget, such as sims=50, a search uses the network, even
                if it was trained to play without a search.
        """
        search = "alphazero:model" if "value" in self.card.heads else "puct:prior"
        budgeted = settings.keys() & set(BUDGET_NAMES) and "policy" in self.card.heads
        start = f"{search}={quote_value(str(self.network))}" if budgeted else self.best
        given = (f"{key}={quote_value(setting_text(value))}" for key, value in settings.items())
        return engine(",".join([start, *given]), self.game, seed)

    def doctor(self) -> Diagnosis:
        """Examine a run that plays its own games: does it learn, and if not, why? Raises ModelError
        for other runs."""
        return examine(self.folder)

    def __repr__(self) -> str:
        method, seconds = (self.card.training[name] for name in ("method", "cpu_seconds"))
        return f"<{method} run in {self.folder}: {self.game}, {seconds:,.0f} CPU s>"


@called
def supervised(
    data: Dataset | str | Path, out: str | Path | None = None, **settings: Any
) -> TrainingRun:
    """Train a network on recorded games: it learns to predict moves and results.

    After an interruption, the same call continues, and ends with the same network.

    Args:
        data: the result of `dlgo.generate`, or a folder of games.
        out: the folder of the model; by default one in out/supervised, named after the data and
            the network.
        settings: such as network="cnn", epochs=5, optimizer="adam:lr=0.001";
            `dlgo train supervised --help` has them all.

    Raises:
        SpecError: for an unknown setting, or a value that cannot be used.
        DataError: if there are no games.
        ModelError: if the folder holds another run, or TensorFlow is not installed.
    """
    from dlgo.encoders import default_encoder
    from engines.learning.data import Dataset
    from engines.supervised.config import SupervisedConfig
    from engines.supervised.trainer import train
    from experiments.progress import RunProgress

    data = data if isinstance(data, Dataset) else Dataset.open(data)
    chosen = _parsed(SupervisedConfig, settings)
    network = str(chosen.get("network", SupervisedConfig.options()["network"].default))
    slug = "".join(c if c.isalnum() or c in "._" else "-" for c in network)
    folder = Path(out or Path("out/supervised") / f"{data.folder.name}-{slug}")
    named = {"name": folder.resolve().name, "encoder": default_encoder(data.game)}
    config = SupervisedConfig(**{**named, **chosen})
    source = {"folder": data.folder.resolve().name}
    card = train(config, data, folder, RunProgress(), source=source)
    return TrainingRun(folder, data.game, card, folder)


@called
def alphazero(
    game: str | GameSpec, out: str | Path | None = None, *, cluster: str | None = None,
    **settings: Any,
) -> TrainingRun:
    """Learn a game from its rules alone, by self-play.

    After an interruption, the same call continues.

    Args:
        game: the game to learn.
        out: the folder of the run; by default one in out/alphazero, named after the game.
        cluster: the address of a Ray cluster that plays the games; see docs/cluster.md.
        settings: such as iterations=12, games=100, sims=50, workers=2;
            `dlgo train alphazero --list` has them all.

    Raises:
        SpecError: for an unknown game or setting, or a value that cannot be used.
        ModelError: if the folder holds another run, or TensorFlow is not installed.
    """
    from engines.alphazero.config import AlphaZeroConfig, make_config
    from engines.alphazero.train import train
    from engines.learning.networks.store import network_of_run
    from experiments.progress import RunProgress

    spec, progress = get_game(game), RunProgress()
    config = make_config(str(spec), **_parsed(AlphaZeroConfig, settings))
    folder = Path(out or Path("out/alphazero") / spec.slug)
    with jobs_for((config.game,), cluster, None, progress.line) as jobs:
        card = train(config, folder, progress, jobs)
    return TrainingRun(folder, spec, card, network_of_run(folder))


class Train(Protocol):
    """A function that trains a learner of `LEARNERS`."""

    def __call__(
        self, game: str | GameSpec, out: str | Path | None = None, *, workers: int | None = None,
        cluster: str | None = None, **settings: Any,
    ) -> TrainingRun: ...


def _learner(method: str, summary: str) -> Train:
    """`dlgo.train.NAME` for a learner of `LEARNERS`."""
    def learn(
        game: str | GameSpec, out: str | Path | None = None, *, workers: int | None = None,
        cluster: str | None = None, **settings: Any,
    ) -> TrainingRun:
        from engines.learning.networks.store import network_of_run
        from engines.learning.reinforcement.learner import train
        from experiments.cluster import executor_on
        from experiments.progress import RunProgress

        learner, spec, progress = learner_class(method), get_game(game), RunProgress()
        config = learner.config.make(str(spec), **_parsed(learner.config, settings))
        folder = Path(out or Path("out") / method / spec.slug)
        if (here := made_here(config.game)) and (workers or cluster):
            progress.line(one_process_text(here))
        with (
            nullcontext() if here
            else Processes(workers) if workers and not cluster
            else executor_on(cluster, progress.line, (config.game,), workers)
        ) as jobs:
            card = train(learner, config, folder, progress, jobs)
        return TrainingRun(folder, spec, card, network_of_run(folder))

    learn.__name__ = learn.__qualname__ = method
    learn.__doc__ = f"""{summary}

    After an interruption, the same call continues.

    Args:
        game: the game to learn.
        out: the folder of the run; by default one in out/{method}, named after the game.
        workers: processes that play the games; by default the learning process plays them.
        cluster: the address of a Ray cluster that plays the games; see docs/cluster.md.
        settings: such as iterations=50; `dlgo train {method} --list` has them all.

    Raises:
        SpecError: for an unknown game or setting, or a value that cannot be used.
        ModelError: if the folder holds another run, or TensorFlow is not installed.
    """
    return called(learn)


actor_critic, descent, ntuple, policy_gradient, ppo, q_learning = (
    _learner(_name, LEARNERS[_name][1])
    for _name in ("actor_critic", "descent", "ntuple", "policy_gradient", "ppo", "q_learning")
)


def _parsed(config: type[Settings], given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings checked as on the command line; None: not given."""
    texts = (f"{key}={setting_text(value)}" for key, value in given.items() if value is not None)
    return config.parse(texts)


def __dir__() -> list[str]:
    """The learners, for Tab and `help(dlgo.train)`."""
    return [*__all__, "__doc__"]
