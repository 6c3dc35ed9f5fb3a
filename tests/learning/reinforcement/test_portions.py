"""An iteration's games in portions: the same games and networks, whoever plays them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game
from dlgo.errors import ModelError
from engines.jobs import Executor, Inline, Processes
from engines.learning.data.experience import Experience
from engines.learning.networks.store import load_card
from engines.learning.reinforcement.portions import play_in_portions, play_task
from engines.learning.selfplay.policy_games import Side
from engines.learning.selfplay.schedule import Schedule
from engines.ppo.trainer import PPOConfig, PPOLearner
from tests.conftest import one_line_error

GAME = get_game("tictactoe")
MODEL, _ = load_card("tictactoe-ppo")
OTHER, _ = load_card("tictactoe-supervised")
SCHEDULE = Schedule.practice(30, 1, 2).followed_by(Schedule.practice(11, 2, opponent=True))
TINY = {"iterations": 2, "games": 30, "network": "mlp:hidden=8,layers=1", "precision": "float32",
        "test_games": 2, "pool_share": 0.3, "save_every": 2, "games_at_once": 8,
        "decay": 1.0}


def played(jobs: Executor, count: int = 3) -> Experience:
    said: list[tuple[int, int]] = []
    experience, seconds = play_in_portions(
        jobs, GAME, [Side(learns=True, symmetries=True), Side()], [MODEL, OTHER], SCHEDULE, 8,
        count, lambda done, of: said.append((done, of)),
    )
    assert said[-1] == (41, 41) and seconds > 0
    return experience


def games_of(experience: Experience) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in experience.arrays.items()}


@pytest.mark.train
def test_processes_play_the_games_of_this_process() -> None:
    here = played(Inline())
    with Processes(2) as processes:
        assert games_of(played(processes)) == games_of(here)
    np.testing.assert_array_equal(played(Inline(), 1).actions, here.actions)
    assert here.n_games == 41 and here.encoder == "planes"
    decided = np.split(here.flags & 1, np.cumsum(here.plies)[:-1])
    # Two random plies, then the learner decides for both; against another one, every other ply.
    assert all(flags[2:].all() and not flags[:2].any() for flags in decided[:30])
    assert all(flags.sum() in (len(flags) // 2, -(-len(flags) // 2)) for flags in decided[30:])


class Counting(Inline):
    """Keeps the names of the portions."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def run(self, portions, tell=lambda amount: None):
        portions = list(portions)
        assert all(portion.work is play_task for portion in portions)
        self.keys += [portion.key for portion in portions]
        return super().run(portions, tell)


@pytest.mark.train
def test_a_run_goes_on_with_the_portions_that_it_began_with(
    tmp_path: Path
) -> None:
    pytest.importorskip("keras")
    from engines.learning.reinforcement.learner import train

    def run(folder: str, jobs: Executor | None = None, **settings: int) -> str:
        config = PPOConfig.make("tictactoe", **{**TINY, "curves": False, **settings})
        return train(PPOLearner, config, tmp_path / folder, jobs=jobs).network_id

    counting = Counting()
    whole = run("whole", counting)
    assert len(counting.keys) == 2 * 16, "16 portions an iteration, where others play"
    run("parts", portions=16, iterations=1)
    assert run("parts") == whole

    with one_line_error(ModelError, "without --workers"):
        run("alone", Counting(), portions=1)
