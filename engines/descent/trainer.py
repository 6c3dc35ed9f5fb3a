"""Descent (Cohen-Solal 2020), on the shared training loop of engines/learning/reinforcement.

    dlgo train descent --game connect4

In an iteration, games are played (`self_play.py`), and the network learns the minimax value of all
positions in their search trees, not of the played ones alone. So a game gives thousands of examples
instead of dozens. The search, the targets and the play are deterministic in the network, the seed
and the number of the game.

At first all moves are drawn alike, at the end of the run the best is played: `exploitation` grows
evenly with the iterations.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dlgo.games import get_game
from dlgo.rng import derive_seed
from dlgo.symmetry import symmetries
from engines.descent.config import DescentConfig
from engines.descent.search import Lines
from engines.descent.self_play import DescentGames, GamesAgainstRandom
from engines.jobs import Amount, Task
from engines.learning.data.experience import Decisions, Experience
from engines.learning.data.records import LABELLED, SYMMETRY_SHIFT
from engines.learning.networks.leaf_evaluator import ValueEvaluator, encoder_of
from engines.learning.networks.runtimes import USUAL, load_runtime
from engines.learning.reinforcement.learner import ReinforcementLearner, shares_of_results, telling
from engines.learning.reinforcement.portions import PlayedTask, cut, play_tasks
from engines.learning.runs import Curve, Run

if TYPE_CHECKING:
    from engines.learning.networks.trainable import HeadLoss

class DescentLearner(ReinforcementLearner):
    """A network that learns the values of search trees."""

    config = DescentConfig
    curves = (
        Curve("score against random play", {"": "score_random"}),
        Curve("squared error of the value", {"": "loss"}),
    )

    def _losses(self) -> dict[str, HeadLoss]:
        from engines.learning.networks.trainable import HeadLoss

        return {"value": HeadLoss("mean_squared_error")}

    def _play(self, run: Run, iteration: int) -> Experience:
        config, player = self._config, self._player(iteration)
        change = config.last_exploitation - config.exploitation
        exploitation = config.exploitation + config.done(run.history) * change
        tasks = [Task(f"games {first}-{end - 1}", play_task,
                      (config, exploitation, iteration, first, end), (player,))
                 for first, end in cut(config.games, config.portions)]
        start = time.process_time()
        experience, seconds = play_tasks(
            self._jobs, self._game, tasks, config.games, telling(run, "games"))
        self._cpu_elsewhere = seconds - (time.process_time() - start)
        return dataclasses.replace(experience, provenance=self._provenance(iteration))

    def _of_games(self, experience: Experience) -> dict[str, float]:
        # Lines of trees end with a position to learn from; the others are the games.
        games = self._config.games
        ended = experience.flags[experience.firsts[1:] - 1] & LABELLED == 0
        return {
            "games": games, "plies": int(experience.plies[ended].sum()),
            "decisions": len(experience.decisions),
            **shares_of_results(experience.results[ended], games),
        }

    def _prepared(self, iteration: int, experience: Experience) -> Experience:
        recent, board = self._recent(iteration, experience), symmetries(self._game)
        if self._config.symmetries and len(board) > 1:
            rng = np.random.default_rng(derive_seed(self._config.seed, "symmetries", iteration))
            numbers = rng.integers(len(board), size=len(recent.flags)) << SYMMETRY_SHIFT
            flags = recent.flags | np.where(recent.flags & LABELLED, numbers, 0).astype(np.uint8)
            recent = dataclasses.replace(recent, flags=flags)
        return recent

    def _targets(self, decisions: Decisions, weights: np.ndarray) -> dict[str, np.ndarray]:
        return {"value": decisions.returns[:, None]}

    def _test(self, run: Run, iteration: int) -> float:
        config = self._config
        games = GamesAgainstRandom(
            self._game, min(config.games_at_once, config.test_games),
            _evaluator(config, self._save_player(iteration)),
            dataclasses.replace(config, random_share=0.0), 1.0,
            derive_seed(config.seed, "test", iteration))
        return float(np.mean([points for _, points in games.play(range(config.test_games))]))


def _evaluator(config: DescentConfig, network: Path) -> ValueEvaluator:
    runtime = load_runtime(str(network), USUAL)
    return ValueEvaluator(runtime, encoder_of(runtime.card, get_game(config.game)))


def play_task(
    config: DescentConfig, exploitation: float, iteration: int, first: int, end: int, network: Path
) -> Generator[Amount, None, PlayedTask]:
    """Play the games from `first` to before `end` with the model in the folder `network`."""
    start, game = time.process_time(), get_game(config.game)
    games = DescentGames(
        game, min(config.games_at_once, end - first), _evaluator(config, network), config,
        exploitation, derive_seed(config.seed, "games", iteration))
    lines_of_games: dict[int, list[Lines]] = {}
    for number, lines in games.play(range(first, end)):
        lines_of_games[number] = lines
        yield Amount(1)
    in_order = [line for number in range(first, end) for line in lines_of_games[number]]
    plies, results, actions, flags, returns = map(np.concatenate, zip(*in_order, strict=True))
    n = len(actions)
    return PlayedTask.of(Experience(
        game, plies, results, actions, flags, config.encoder, np.ones(n, np.float32),
        np.zeros(n, np.float32), returns,
    ), start)
