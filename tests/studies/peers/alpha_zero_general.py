"""alpha-zero-general (github.com/suragnair/alpha-zero-general, commit f1a78e05) with PyTorch
2.13.0, trained on Connect Four for a budget of CPU time, and its network as a player.

    export ALPHA_ZERO_GENERAL=CHECKOUT
    python tests/studies/peers/alpha_zero_general.py FOLDER 12 30 60 120 [num_channels=64]
    python -m experiments.measures.connect4 --engine \\
        "tests/studies/peers/alpha_zero_general.py:Player:folder=FOLDER/60,sims=25"

The settings are those of its main.py and of its README for Connect Four: 100 games an iteration,
25 simulations, 10 epochs, a match of 40 games. The network is that of Othello in PyTorch, as
the README says, because connect4/keras has a syntax error. It runs on one thread: two cost more CPU
time. The script defines two names that NumPy has removed. A killed run continues with its last
iteration.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import time
from pathlib import Path
from typing import Any

os.environ["TQDM_DISABLE"] = "1"
sys.path.insert(0, os.environ["ALPHA_ZERO_GENERAL"])

import numpy as np
import torch
from Coach import Coach
from connect4.Connect4Game import Connect4Game
from MCTS import MCTS
from othello.pytorch import NNet
from utils import dotdict

np.int = int
Connect4Game.stringRepresentation = lambda self, board: board.tobytes()
torch.set_num_threads(1)
SETTINGS = {
    "numIters": 1000, "numEps": 100, "tempThreshold": 15, "updateThreshold": 0.6,
    "maxlenOfQueue": 200000, "numMCTSSims": 25, "arenaCompare": 40, "cpuct": 1,
    "numItersForTrainExamplesHistory": 20,
}
BEST = "best.pth.tar"


def train(folder: Path, budgets: list[float]) -> None:
    """Let their coach work; keep its best network at each number of CPU minutes."""
    clock, state = folder / "cpu_seconds", folder / "examples"
    spent = float(clock.read_text()) if clock.exists() else 0.0
    budgets = [minutes for minutes in budgets if 60 * minutes > spent]

    class Network(NNet.NNetWrapper):
        def predict(self, board: np.ndarray) -> Any:
            while 60 * budgets[0] <= spent + time.process_time():
                kept = folder / f"{budgets.pop(0):g}"
                kept.mkdir(exist_ok=True)
                shutil.copy(folder / BEST, kept)
                if not budgets:
                    sys.exit()
            return super().predict(board)

    class ResumableCoach(Coach):
        def saveTrainExamples(self, iteration: int) -> None:
            state.with_suffix(".part").write_bytes(pickle.dumps(self.trainExamplesHistory))
            state.with_suffix(".part").replace(state)
            clock.write_text(f"{spent + time.process_time()}")
            print(f"games {100 * (iteration + 1)}, {clock.read_text()} CPU seconds", flush=True)

    game = Connect4Game()
    coach = ResumableCoach(game, Network(game), dotdict(SETTINGS, checkpoint=str(folder)))
    if state.exists():
        coach.nnet.load_checkpoint(str(folder), BEST)
        coach.trainExamplesHistory = pickle.loads(state.read_bytes())
        coach.skipFirstSelfPlay = True
    else:
        coach.nnet.save_checkpoint(str(folder), BEST)
    coach.learn()


class Player:
    """The best network of a run with their search, whose tree lasts for a game, as in pit.py."""

    def __init__(self, folder: str, sims: int = 25) -> None:
        weights = torch.load(Path(folder) / BEST)["state_dict"]
        NNet.args.num_channels = len(weights["conv1.bias"])
        self._game, self._settings = Connect4Game(), dotdict(SETTINGS, numMCTSSims=sims)
        self._network = NNet.NNetWrapper(self._game)
        self._network.nnet.load_state_dict(weights)
        self.new_game(1)

    def new_game(self, seed: int) -> None:
        np.random.seed(seed % 2**32)
        self._search = MCTS(self._game, self._network, self._settings)

    def select_move(self, state) -> str:
        board, player = self._game.getInitBoard(), 1
        for move in state.moves():
            board, player = self._game.getNextState(board, player, move.place - 1)
        return str(np.argmax(self._search.getActionProb(board * player, temp=0)) + 1)


if __name__ == "__main__":
    NNet.args.update((name, int(value)) for name, _, value in (
        text.partition("=") for text in sys.argv[2:] if "=" in text))
    print(SETTINGS, dict(NNet.args), flush=True)
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    train(Path(sys.argv[1]), [float(text) for text in sys.argv[2:] if "=" not in text])
