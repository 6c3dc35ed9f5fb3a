"""A learner on one page: REINFORCE with a linear policy on tic-tac-toe (Williams 1992).

What a learner brings to a run is its `state` and its `iterate`. What it gets: a folder with lock,
configuration and history, curves, the time left, and going on after kill -9.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.learning.networks.leaf_evaluator import softmax
from engines.learning.runs import Curve, Learner, Run, RunConfig, open_run
from engines.learning.settings import setting
from experiments.progress import RunProgress

GAME = get_game("tictactoe")


@dataclass(frozen=True)
class ReinforceConfig(RunConfig):
    """How a linear policy learns."""

    owner = "reinforce"

    iterations: int = setting(60, "steps along the gradient", low=1)
    games: int = setting(50, "games played for each step", low=1)
    learning_rate: float = setting(10.0, "length of a step", low=0)
    seed: int = setting(1, "number that everything random comes from")


class Reinforce(Learner):
    """Moves of won games become likelier, those of lost games less likely."""

    curves = (Curve("score against random play", {"": "score"}),)

    def __init__(self, config: ReinforceConfig) -> None:
        self._config = config
        self._encoder = get_encoder("planes", GAME)
        self.weights = np.zeros((int(np.prod(self._encoder.shape)), GAME.num_actions))
        self._rng = np.random.default_rng(config.seed)
        self.state = [self.weights, self._rng]

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        gradient, games = np.zeros_like(self.weights), self._config.games
        points = 0.0
        for number in range(games):
            slope, result = self._play(learner=number % 2)
            gradient += result * slope / games
            points += 0.5 + 0.5 * result
            run.progress("games against random play", number + 1, games, "games")
        self.weights += self._config.learning_rate * gradient
        return {"score": points / games}

    def _play(self, learner: int) -> tuple[np.ndarray, int]:
        """A game: the gradient of the log-probability of the learner's moves, and its result."""
        state, slope = GameState.new_game(GAME), np.zeros_like(self.weights)
        while not state.is_over():
            actions = state.legal_actions()
            policy = np.ones(len(actions)) / len(actions)
            planes = self._encoder.encode(state).ravel().astype(float)
            if state.next_player.index == learner:
                policy = softmax(planes @ self.weights[:, actions])
            drawn = self._rng.choice(len(actions), p=policy)
            if state.next_player.index == learner:
                slope[:, actions] += np.outer(planes, np.eye(len(actions))[drawn] - policy)
            state = state.apply_move(GAME.move_of(int(actions[drawn])))
        return slope, state.result() * (1 - 2 * learner)


def train(folder: Path, kind: type[Reinforce] = Reinforce, **settings: float) -> Reinforce:
    with open_run(folder, ReinforceConfig(**settings), progress=RunProgress()) as run:
        learner = kind(run.config)
        run.train(learner)
        return learner


@pytest.mark.train
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_it_learns_and_a_killed_run_ends_with_the_weights_of_an_unbroken_one(
    tmp_path: Path,
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", __name__, str(tmp_path / "broken")],
        cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True,
    )
    told, _ = child.communicate()
    assert child.returncode == -signal.SIGKILL and "iteration 7 of 12: " in told
    broken, whole = (train(tmp_path / name, iterations=12) for name in ("broken", "whole"))
    np.testing.assert_array_equal(broken.weights, whole.weights)
    train(tmp_path / "broken")
    with (tmp_path / "broken/history.csv").open() as file:
        scores = [float(row["score"]) for row in csv.DictReader(file)]
    assert len(scores) == 60 and np.mean(scores[-20:]) > 0.72 > 0.66 > np.mean(scores[:3])
    assert (tmp_path / "broken/curves.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ModelError, match="holds a run with seed=1; use the same settings"):
        train(tmp_path / "broken", seed=2)


class Killed(Reinforce):
    """The same, killed in its eighth iteration."""

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        row = super().iterate(run, iteration)
        if iteration == 8:
            os.kill(os.getpid(), signal.SIGKILL)
        return row


if __name__ == "__main__":
    train(Path(sys.argv[1]), Killed, iterations=12)
