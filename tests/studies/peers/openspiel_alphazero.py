"""OpenSpiel's AlphaZero in Python (open-spiel 2.0.2 with JAX, Flax, Optax and Orbax), trained on
Connect Four for a budget of CPU time, and its network as a player.

    python tests/studies/peers/openspiel_alphazero.py FOLDER 60   # CPU minutes; their flags
    python -m experiments.measures.connect4 --engine \\
        "tests/studies/peers/openspiel_alphazero.py:Player:folder=FOLDER,sims=64"

The command is the one in its documentation, `--game connect_four --nn_model mlp`, with two actors
for two cores, and no evaluators, whose games would cost CPU time and teach nothing. All other
settings are the defaults of its script.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

FLAGS = {"game": "connect_four", "nn_model": "mlp", "actors": 2, "evaluators": 0, "max_steps": 0}


def train(folder: str, minutes: float, *flags: str) -> None:
    """Run their script until its processes have used the CPU minutes."""
    command = [sys.executable, "-m", "open_spiel.python.examples.alpha_zero", f"--path={folder}",
               *(f"--{name}={value}" for name, value in FLAGS.items()), *flags]
    print(" ".join(command), flush=True)
    process = subprocess.Popen(command)
    watched, spent = psutil.Process(process.pid), 0.0
    while process.poll() is None and spent < 60 * minutes:
        time.sleep(1)
        spent = sum(cpu_seconds(one) for one in (watched, *watched.children(recursive=True)))
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
    """The last network of a run with OpenSpiel's search, set up as in its own evaluations."""

    def __init__(self, folder: str, sims: int = 64) -> None:
        import pyspiel
        from open_spiel.python.algorithms.alpha_zero import alpha_zero
        from open_spiel.python.algorithms.alpha_zero.evaluator import AlphaZeroEvaluator

        values = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        config = alpha_zero.Config(**values | {"path": folder, "max_simulations": sims})
        model = alpha_zero._init_model_from_config(config)
        model.load_checkpoint(-1 if (Path(folder) / "checkpoint--1").exists() else 0)
        self._game = pyspiel.load_game(config.game)
        evaluator = AlphaZeroEvaluator(self._game, model)
        self._bot = alpha_zero._init_bot(config, self._game, evaluator, evaluation=True)

    def select_move(self, state) -> str:
        position = self._game.new_initial_state()
        for move in state.moves():
            position.apply_action(move.place - 1)
        return str(self._bot.step(position) + 1)


if __name__ == "__main__":
    train(sys.argv[1], float(sys.argv[2]), *sys.argv[3:])
