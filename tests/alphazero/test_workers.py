"""A worker's portion of an iteration: what it plays, and what it asks the network."""

from __future__ import annotations

from pathlib import Path

from engines.alphazero.config import make_config
from engines.alphazero.workers import Job, PlayedJob, play_job
from engines.learning.networks.store import find_model


def played(tmp_path: Path, **settings: object) -> PlayedJob:
    """The portion of the first of two workers, with the network that comes with the package."""
    config = make_config("tictactoe", games=12, sims=12, runtime="onnx", seed=5, **settings)
    network = find_model("tictactoe-alphazero")
    work = play_job(Job(config, 1, 0, network, 0, tmp_path), network)
    try:
        while True:
            next(work)
    except StopIteration as end:
        return end.value


def test_answers_that_are_kept_change_no_game(tmp_path: Path) -> None:
    """Equal games, and a quarter of the questions or more have been asked before."""
    for sides in (False, True):
        plain = played(tmp_path, cache=0, random_symmetry=sides)
        saving = played(tmp_path, cache=10_000, random_symmetry=sides)
        assert saving.digest == plain.digest
        assert plain.stats.remembered == 0
        assert saving.stats.evaluations == plain.stats.evaluations
        assert saving.stats.remembered > 0.25 * saving.stats.evaluations
        few = played(tmp_path, cache=4, random_symmetry=sides)
        assert few.digest == plain.digest
        assert 0 < few.stats.remembered < saving.stats.remembered
