"""OpenSpiel's AlphaZero in Python (open-spiel 2.0.2 with JAX, Flax, Optax and Orbax), trained on
Connect Four for a budget of CPU time, and its network as a player.

    python tests/studies/peers/openspiel_alphazero.py FOLDER 12 30 60 120 [their flags]
    python -m experiments.measures.connect4 --engine \\
        "tests/studies/peers/openspiel_alphazero.py:Player:folder=FOLDER/60,sims=40"

The command is the one in its documentation, `--game connect_four --nn_model mlp`, with two actors
for two cores, and no evaluators, whose games would cost CPU time and teach nothing. All other
settings are the defaults of its script. Their network answers one position at a time without
`jax.jit`, which takes 17 ms of CPU; with it and one thread, as here, 0.1 ms. It cannot
continue a killed run.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import numpy as np
import psutil
import pyspiel
from absl import app
from open_spiel.python.algorithms.alpha_zero import alpha_zero, model_linen
from open_spiel.python.algorithms.alpha_zero.evaluator import AlphaZeroEvaluator
from open_spiel.python.examples.alpha_zero import main as their_main
from open_spiel.python.utils import spawn

FLAGS = {"game": "connect_four", "nn_model": "mlp", "actors": 2, "evaluators": 0, "max_steps": 0}


@partial(jax.jit, static_argnums=0)
def answer(apply: Any, weights: Any, board: jax.Array, legal: jax.Array) -> Any:
    """The value and the policy of a network."""
    logits, value = apply(weights, board, training=False, mutable=False)
    return value, jax.nn.softmax(jnp.where(legal, logits, jnp.finfo(logits.dtype).min))


def inference(model: Any, board: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Their method, compiled."""
    state = model._state
    weights = {"params": state.params, "batch_stats": state.batch_stats}
    return jax.device_get(
        answer(state.apply_fn, weights, np.asarray(board, np.float32), np.asarray(legal, bool)))


model_linen.Model.inference = inference


def train(folder: Path, budgets: list[float], flags: list[str]) -> None:
    """Run their script; keep its newest network at each number of CPU minutes."""
    command = [sys.executable, __file__, f"--path={folder}",
               *(f"--{name}={value}" for name, value in FLAGS.items()), *flags]
    print(" ".join(command), flush=True)
    process = subprocess.Popen(command)
    watched, spent = psutil.Process(process.pid), 0.0
    while process.poll() is None and budgets:
        time.sleep(1)
        spent = sum(cpu_seconds(one) for one in (watched, *watched.children(recursive=True)))
        if spent >= 60 * budgets[0]:
            watched.suspend()  # so that no network is half written
            newest = max(folder.glob("checkpoint-*[0-9]"), key=lambda path: path.stat().st_mtime)
            kept = folder / f"{budgets.pop(0):g}"
            shutil.copytree(newest, kept / "checkpoint--1", dirs_exist_ok=True)
            shutil.copy(folder / "config.json", kept)
            watched.resume()
            print(f"{newest.name} after {spent:.0f} CPU seconds", flush=True)
    started = watched.children(recursive=True) if process.poll() is None else []
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        for one in (*started, process):
            one.kill()
    print(f"{spent:.0f} CPU seconds; see {folder}/log-learner.txt")


def cpu_seconds(process: psutil.Process) -> float:
    """What a process has used; 0 if it has just ended."""
    try:
        return sum(process.cpu_times()[:2])
    except psutil.Error:
        return 0.0


class Player:
    """A kept network of a run with OpenSpiel's search, set up as in its own evaluations."""

    def __init__(self, folder: str, sims: int = 40) -> None:
        values = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        path = str(Path(folder).resolve())
        config = alpha_zero.Config(**values | {"path": path, "max_simulations": sims})
        model = alpha_zero._init_model_from_config(config)
        model.load_checkpoint(-1)
        self._game = pyspiel.load_game(config.game)
        evaluator = AlphaZeroEvaluator(self._game, model)
        self._bot = alpha_zero._init_bot(config, self._game, evaluator, evaluation=True)
        self._bot.step(self._game.new_initial_state())  # compiles

    def new_game(self, seed: int) -> None:
        np.random.seed(seed % 2**32)

    def select_move(self, state) -> str:
        position = self._game.new_initial_state()
        for move in state.moves():
            position.apply_action(move.place - 1)
        return str(self._bot.step(position) + 1)


if __name__ == "__main__":
    if sys.argv[1].startswith("-"):
        with spawn.main_handler():
            app.run(their_main)
    train(Path(sys.argv[1]).resolve(), [float(text) for text in sys.argv[2:] if text[0] != "-"],
          [text for text in sys.argv[2:] if text[0] == "-"])
