"""The loop of a learner from its own games: play, learn, test, save.

Besides the files of every run (`engines/learning/runs`), the folder of a run holds

    nets/0010/                the network after iteration 10, and others; the last one
    experience/000010.npz     the decisions of the last iterations
    player/                   with portions: the network that plays the games of an iteration

An iteration depends only on the seed, its number and the network. So a run that was killed and
resumed ends with the weights of an uninterrupted one.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dlgo.api import GameSpec
from dlgo.conformance import RuleBroken, draw_sample
from dlgo.encoders import get_encoder
from dlgo.errors import DataError, ModelError, SpecError
from dlgo.extras import require_extra
from dlgo.files import make_folder
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.jobs import Executor, Inline
from engines.learning.data import experience as xp
from engines.learning.data.experience import Decisions, Experience
from engines.learning.data.records import NO_RESULT
from engines.learning.networks.card import Card, read_card
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import TRAINING_MODULES, network_folder
from engines.learning.reinforcement.config import OwnGamesConfig, ReinforcementConfig
from engines.learning.reinforcement.portions import PORTIONS, play_in_portions
from engines.learning.runs import Curve, Learner, Progress, Run, open_run
from engines.learning.runs.checkpoint import REMEDY
from engines.learning.runs.run import about_training
from engines.learning.selfplay.policy_games import RANDOM, Scorer, Side, network_scorer, play
from engines.learning.selfplay.schedule import Schedule, points
from engines.learning.settings import AUTO

if TYPE_CHECKING:
    from engines.learning.networks.trainable import HeadLoss, KerasNetwork, TrainableNetwork


def train(
    learner: type[ReinforcementLearner], config: Any, folder: Path,
    progress: Progress | None = None, jobs: Executor | None = None,
) -> Card:
    """Train in a folder, or resume there.

    `jobs` play the games of a run that has portions; by default this process plays them. They are
    closed at the end.

    Raises:
        SpecError: for a setting that is out of range; for `jobs` that the learner cannot use.
        ModelError: as `open_run` and `Run.train`; and if there are `jobs`, but the run in the
            folder began without portions.
        DataError: if experience that is still needed cannot be read.
        KeyboardInterrupt: with a message that says what is saved.
    """
    config = config.canonical()
    if config.in_keras:
        require_extra("train", "training", *TRAINING_MODULES)
    elif jobs is not None:
        raise SpecError(f"{config.owner} plays its games in the process that learns; leave out "
                        "workers and cluster")
    _try_out(get_game(config.game))
    with open_run(folder, config, progress=progress) as run:
        last = network_folder(folder, len(run.history))
        if run.history and run.config.finished(run.history) and not last.exists():
            raise ModelError(f"{folder} has {len(run.history)} iterations, and no network of the "
                             "last one: raise iterations or cpu_minutes to continue")
        if not (run.finished and run.history):
            if config.in_keras:
                run.use_config(_settled(run, jobs is not None))
            run.train(learner(run.config, folder, jobs))
        return read_card(network_folder(folder, len(run.history)))


def _try_out(game: GameSpec) -> None:
    """Play random games of a user's game: compiled code would learn from any result, and crash at
    some. Raises DlgoError if they cannot be played or end in no result."""
    if game.version:
        try:
            for state in draw_sample(game).states(100, finished=True):
                state.result()
        except RuleBroken as error:
            raise SpecError(
                f"{game} breaks a rule, {error}; `dlgo check` examines a game") from None


def _settled(run: Run, shared: bool) -> ReinforcementConfig:
    """The run's settings with those chosen that were left open; the run keeps to them."""
    config = run.config
    if config.precision == AUTO:
        from engines.learning.networks.backend import training_precision

        config = dataclasses.replace(config, precision=training_precision())
    if config.portions == 1 and shared:
        raise ModelError(
            f"{run.folder} holds a run that began without workers (portions=1); continue it "
            "without --workers, or choose another folder"
        )
    portions = config.portions or (PORTIONS if shared else 1)
    return dataclasses.replace(config, portions=portions)


class ReinforcementLearner(Learner):
    """A network that learns from games of its own policy; subclasses define a step.

    Some of the games are played against networks that the run has saved. A policy that only plays
    itself can go round in circles: it learns to beat its present habits and forgets how to beat
    earlier ones.

    Args:
        config: of the run, with a number of portions. folder: of the run.
        jobs: play portions; by default this process.

    Attributes:
        config: the class of its settings.
        gpu: what it learns on; None: the CPU.
    """

    config: ClassVar[type[OwnGamesConfig]]
    gpu: str | None = None
    curves: tuple[Curve, ...] = (
        Curve("score against random play", {"": "score_random"}),
        Curve("entropy of the policy (nats)", {"": "entropy"}),
        Curve("moved in an iteration (nats)", {"": "kl"}),
        Curve("squared error of the value", {"": "value_loss"}),
    )

    def __init__(self, config: Any, folder: Path, jobs: Executor | None = None) -> None:
        self._config, self._folder = config, folder
        self._jobs = jobs or Inline()
        # CPU time of other processes in this iteration, less that of waiting for them here.
        self._cpu_elsewhere = 0.0
        self._game = get_game(config.game)
        # The training cost of `first_network`.
        self._earlier_cost = {"cpu_seconds": 0.0}
        self._begin()

    def _begin(self) -> None:
        """Make the network that the run begins with."""
        self._network = self._new_network()
        self.gpu = self._network.gpu
        self._scorer = network_scorer(self._network)
        self._opponent: KerasNetwork | None = None
        self._earlier_weights: dict[int, list[np.ndarray]] = {}
        self.state = self._network.state

    def close(self) -> None:
        """End the workers."""
        self._jobs.close()

    def _new_network(self) -> TrainableNetwork:
        """The network that the run begins with, and how it learns."""
        from engines.learning.networks.optimizers import make_optimizer
        from engines.learning.networks.trainable import TrainableNetwork

        config = self._config
        network = TrainableNetwork(
            get_encoder(config.encoder, self._game), config.network, config.heads,
            config.precision, config.seed,
        )
        if config.first_network:
            first = network.take_over(config.first_network, optional=config.heads[1:])
            self._earlier_cost = {"cpu_seconds": first.total_cpu_seconds or 0.0,
                                  "gpu_seconds": first.training.get("gpu_seconds", 0.0)}
        optimizer = make_optimizer(config.optimizer, "constant", 1, 1)
        optimizer.global_clipnorm = config.clip_norm
        network.compile(optimizer, self._losses())
        return network

    def _losses(self) -> dict[str, HeadLoss]:
        """The loss of each head."""
        raise NotImplementedError

    def _targets(self, decisions: Decisions, weights: np.ndarray) -> dict[str, np.ndarray]:
        """The target of each head for these decisions; rows of weight 0 are padding."""
        raise NotImplementedError

    def _side(self, run: Run) -> Side:
        """How the learner plays the games of the next iteration."""
        return Side(self._scorer, self._network.encoder, learns=True,
                    symmetries=self._config.symmetries)

    def start(self, run: Run) -> None:
        """Keep the network that the run begins with."""
        self._save(network_folder(self._folder, 0), "0000", {
            "iterations": 0, **self._earlier_cost})

    def _save(
        self, folder: Path, suffix: str, training: dict[str, Any],
        accuracy: dict[str, Any] | None = None,
    ) -> None:
        training = {"method": self._config.method, **training}
        name = f"{self._folder.resolve().name}-{suffix}"
        self._network.save(folder, name, training, accuracy)

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """Play, learn, and in some iterations test and save the network."""
        config = self._config
        row = self._play_and_learn(run, iteration)
        # As the last row of the history has them: a network is saved if the run ends with it.
        seconds, accuracy = self._cpu_seconds(run), {}
        last = config.finished([*run.history, {"cpu_seconds": seconds}])
        if iteration % config.test_every == 0 or last:
            row["score_random"] = self._test(run, iteration)
            accuracy["random"] = {"score": row["score_random"], "games": config.test_games}
        if config.saved(iteration) or last:
            self._save(network_folder(self._folder, iteration), f"{iteration:04d}", about_training(
                config.method, config, [*run.history, row], self.gpu,
                (seconds, run.seconds), self._earlier_cost,
            ), accuracy)
        return row | {"wall_seconds": run.seconds, "cpu_seconds": seconds}

    def _play_and_learn(self, run: Run, iteration: int) -> dict[str, float]:
        """The games of an iteration, and learning from them; its part of the history."""
        experience = self._play(run, iteration)
        make_folder(self._folder / "experience", error=ModelError, remedy=REMEDY)
        xp.write_experience(self._experience_path(iteration), experience)
        self._experience_path(iteration - self._config.window_iterations).unlink(missing_ok=True)
        row = self._of_games(experience) | {"play_seconds": run.seconds}
        row |= self._learn(run, iteration, experience)
        return row | {"train_wall_seconds": run.seconds - row["play_seconds"]}

    def _of_games(self, experience: Experience) -> dict[str, float]:
        """An iteration's games as columns of the history."""
        games = max(experience.n_games, 1)
        return {
            "games": experience.n_games, "plies": int(experience.plies.sum()),
            "decisions": len(experience.decisions), **shares_of_results(experience.results, games),
        }

    def _cpu_seconds(self, run: Run) -> float:
        """CPU time of this iteration so far, wherever its games were played."""
        return run.cpu_seconds + self._cpu_elsewhere

    def _play(self, run: Run, iteration: int) -> Experience:
        """The games of an iteration, with returns."""
        config = self._config
        rng = np.random.default_rng(derive_seed(config.seed, "openings", iteration))
        random = rng.random(config.games) < config.random_share
        openings = np.where(random, rng.integers(1, config.random_plies + 1, config.games), 0)
        pool_games = round(config.pool_share * config.games)
        self_games = config.games - pool_games
        seed = derive_seed(config.seed, "practice", iteration)
        schedule = Schedule.practice(self_games, seed, openings[:self_games])
        earlier = None
        if pool_games:
            earlier = int(rng.choice(config.pool(iteration)))
            schedule = schedule.followed_by(
                Schedule.practice(
                    pool_games, derive_seed(seed, "pool"), openings[self_games:], opponent=True)
            )
        if config.portions == 1:
            sides = [self._side(run)]
            if earlier is not None:
                sides.append(Side(self._earlier_self(earlier), self._network.encoder))
            experience = play(
                self._game, sides, schedule, config.games_at_once, telling(run, "games"))
        else:
            experience = self._play_in_portions(run, iteration, earlier, schedule)
        return dataclasses.replace(
            experience.with_returns(config.discount, config.gae_lambda),
            provenance=self._provenance(iteration),
        )

    def _provenance(self, iteration: int) -> dict[str, Any]:
        """The origin of an iteration's experience."""
        return {"method": self._config.method, "iteration": iteration, "seed": self._config.seed,
                "folder": self._folder.name}

    def _play_in_portions(
        self, run: Run, iteration: int, earlier: int | None, schedule: Schedule
    ) -> Experience:
        """Games by the workers, with the stored networks; `earlier` is the iteration of the self
        that side 1 is."""
        sides = [dataclasses.replace(self._side(run), scorer=None, encoder=None), Side()]
        networks = [self._player(iteration)]
        if earlier is not None:
            networks.append(network_folder(self._folder, earlier))
        start = time.process_time()
        experience, seconds = play_in_portions(
            self._jobs, self._game, sides[: len(networks)], networks, schedule,
            self._config.games_at_once, self._config.portions, telling(run, "games"),
        )
        self._cpu_elsewhere = seconds - (time.process_time() - start)
        return experience

    def _player(self, iteration: int) -> Path:
        """The folder of the network that plays the games of an iteration."""
        if self._config.saved(iteration - 1):
            return network_folder(self._folder, iteration - 1)
        return self._save_player(iteration - 1)

    def _save_player(self, iteration: int) -> Path:
        """Save the network after an iteration until the next one is saved; returns its folder."""
        player = self._folder / "player"
        self._save(player, "player", {"iterations": iteration})
        return player

    def _earlier_self(self, iteration: int) -> Scorer:
        """The network that was kept after an iteration, until the next call."""
        if iteration not in self._earlier_weights:
            try:
                network: Any = load_runtime(str(network_folder(self._folder, iteration)), "keras")
            except ModelError as error:
                raise ModelError(
                    f"the pool of {self._folder} needs its network of iteration {iteration}: "
                    f"{error}; restore the files, or train in another folder"
                ) from None
            self._earlier_weights[iteration] = network.model.get_weights()
        if self._opponent is None:
            self._opponent = self._network.copy()
        self._opponent.model.set_weights(self._earlier_weights[iteration])
        return network_scorer(self._opponent)

    def _experience_path(self, iteration: int) -> Path:
        return self._folder / "experience" / f"{iteration:06d}.npz"

    def _recent(self, iteration: int, experience: Experience) -> Experience:
        """The experience to learn from: of this iteration and of those before it."""
        first = max(1, iteration - self._config.window_iterations + 1)
        try:
            earlier = [
                xp.read_experience(self._experience_path(past), self._game, self._config.encoder)
                for past in range(first, iteration)
            ]
        except DataError as error:
            raise DataError(f"{error}; the run needs this file: restore it, or train in another "
                            "folder") from None
        return xp.merged([*earlier, experience])

    def _learn(self, run: Run, iteration: int, experience: Experience) -> dict[str, float]:
        """Steps of training; means of what Keras says of them."""
        config, network = self._config, self._network
        network.rate = rate = config.learning_rate(run.history, network.first_rate)
        rng = np.random.default_rng(derive_seed(config.seed, "order", iteration))
        learned = self._prepared(iteration, experience)
        steps = config.epochs * -(-len(learned.decisions) // config.batch_size)
        sums: dict[str, float] = {}
        done, total = 0, 0.0
        for _ in range(config.epochs):
            for decisions in xp.shuffled_batches(learned, network.encoder, config.batch_size, rng):
                n = len(decisions)
                # Keras compiles a step anew for another size: filled up with rows of weight 0.
                rows = np.arange(config.batch_size)
                decisions, weights = decisions.at(rows % n), (rows < n).astype(np.float32)
                targets = self._targets(decisions, weights)
                measured = network.learn(decisions.planes, targets, {
                    # Targets of `packed` contain the weights.
                    head: weights if rows.shape[-1] == 1 else np.ones_like(weights)
                    for head, rows in targets.items()
                })
                done += 1
                # A batch that is filled up has the weight of its real rows.
                total += n / config.batch_size
                run.check("loss", measured["loss"], done)
                run.progress("learning", done, steps, "steps")
                for name, value in measured.items():
                    sums[name] = sums.get(name, 0.0) + value
        means = {name.removeprefix("policy_").removeprefix("q_") if name != "policy_loss" else name:
                 value / max(total, 1e-9) for name, value in sums.items()}
        return {**means, "steps": done, "learning_rate": rate}

    def _prepared(self, iteration: int, experience: Experience) -> Experience:
        """The training data of an iteration, after its games."""
        return experience

    def _test(self, run: Run, iteration: int) -> float:
        """The share of points against random play."""
        config = self._config
        schedule = Schedule.match(config.test_games, derive_seed(config.seed, "test", iteration))
        best = Side(self._scorer, self._network.encoder, temperature=0.0)
        experience = play(self._game, [best, RANDOM], schedule, config.games_at_once,
                      telling(run, "test"))
        return float(points(experience, schedule).mean())

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        """Lines about the games, learning and the test."""
        score = (f"; {row['score_random']:.1%} against random play"
                 if "score_random" in row else "")
        return [
            f"{row['games']:.0f} games of {row['plies'] / row['games']:.0f} plies, the first "
            f"player won {row['first_won']:.0%}; {self._learned(row)}{score}"
        ]

    def _learned(self, row: Mapping[str, float]) -> str:
        """The result of learning, in a few words."""
        return f"{row['decisions']:,.0f} positions, squared error {row['loss']:.4f}"


def telling(run: Run, phase: str) -> Callable[[int, int], None]:
    return lambda done, of: run.progress(phase, done, of, "games")


def shares_of_results(results: np.ndarray, games: int) -> dict[str, float]:
    """The shares of `games` games with these results of player 0, as columns of the history."""
    return {
        "first_won": float((results == 1).sum() / games),
        "drawn": float(((results == 0) | (results == NO_RESULT)).sum() / games),
        "first_lost": float((results == -1).sum() / games),
    }
