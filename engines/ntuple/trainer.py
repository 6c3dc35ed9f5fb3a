"""TD(lambda) of n-tuple networks, on the shared training loop of engines/learning/reinforcement.

    dlgo train ntuple --game connect4

The games and the learning are one compiled loop (`learning.py`), without Keras.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from dlgo.digests import hex_digest
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.rng import derive_seed, make_rng
from engines.learning.networks import catalog, store
from engines.learning.networks.card import Card, head_of
from engines.learning.reinforcement.config import OwnGamesConfig
from engines.learning.reinforcement.learner import ReinforcementLearner
from engines.learning.runs import Run
from engines.learning.settings import setting
from engines.ntuple.learning import DRAWN, LEARNED, LOST, PLIES, SQUARES, WON, new_games, play_games
from engines.ntuple.network import FILE, NETWORKS, make_tuples, new_tuples, packed

_THILL = "Thill et al. 2014"
# The encoder that shows what the network reads: the pieces on the board.
_ENCODER = "planes"
_AT_ONCE = 50  # games between two reports of progress; Ctrl-C waits as long


@dataclass(frozen=True)
class NTupleConfig(OwnGamesConfig):
    """All that decides what an n-tuple network learns."""

    owner = "train ntuple"
    method = "ntuple"
    heads = ("value",)
    in_keras = False
    presets = {
        "tictactoe": {"network": "walks:count=10,length=6", "games": 500, "iterations": 20},
        "othello": {"network": "walks:count=20,length=6"},
    }

    network: str = setting("walks:count=70,length=8", "n-tuple network")
    games: int = setting(5000, "games per iteration", low=1, high=50_000)
    learning_rate: float = setting(
        2.0, "share of an error that is corrected at once where all weights are new", low=1e-6,
        high=100)
    td_lambda: float = setting(0.8, "lambda of TD(lambda)", low=0, high=1, source=_THILL)
    epsilon: float = setting(
        0.1, "chance of a random move in self-play", low=0, high=1, source=_THILL)

    def canonical(self) -> Self:
        game = get_game(self.game)
        self.check()
        network = catalog.canonical("network", NETWORKS, self.network)
        make_tuples(game, network)
        return dataclasses.replace(self, game=str(game), network=network)


class NTupleLearner(ReinforcementLearner):
    """An n-tuple network that learns from its own games."""

    config = NTupleConfig

    def _begin(self) -> None:
        self._cells = make_tuples(self._game, self._config.network)
        self._games = games = new_games(self._game, new_tuples(self._game, self._cells))
        self.state = [games.tuples.weights, games.sums, games.sizes]

    def _save(
        self, folder: Path, suffix: str, training: dict[str, Any],
        accuracy: dict[str, Any] | None = None,
    ) -> None:
        content = packed(self._games.tuples, self._cells)
        make_folder(folder, error=ModelError)
        write_file(folder / FILE, content, error=ModelError, remedy=store.REMEDY)
        encoder = get_encoder(_ENCODER, self._game)
        store.write_card(folder, Card(
            name=f"{self._folder.resolve().name}-{suffix}", game=str(self._game), encoder=_ENCODER,
            network=self._config.network, shape=encoder.shape, num_actions=encoder.num_actions,
            heads={"value": head_of("value", (1,))}, accuracy=accuracy or {},
            training={"method": self._config.method, **training},
        ), f"sha256:{hex_digest(content)}", {FILE: hex_digest(content, 64)})

    def _play_games(
        self, run: Run, n: int, epsilons: tuple[float, float], rate: float, *seed: object
    ) -> Any:
        """The counts of `n` games."""
        self._games.counts[:] = 0
        rng = make_rng(derive_seed(self._config.seed, *seed))
        for first in range(0, n, _AT_ONCE):
            end = min(first + _AT_ONCE, n)
            play_games(self._games, end - first, np.array(epsilons), rate, self._config.td_lambda,
                       rng)
            run.progress("learning" if rate else "test", end, n, "games")
        return self._games.counts.copy()

    def _play_and_learn(self, run: Run, iteration: int) -> dict[str, float]:
        games, epsilon = self._config.games, self._config.epsilon
        counts = self._play_games(
            run, games, (epsilon, epsilon), self._config.learning_rate, "games", iteration)
        win_share, draw_share, loss_share = counts[:PLIES] / games
        loss = run.check("loss", counts[SQUARES] / max(counts[LEARNED], 1), games)
        return {"games": games, "plies": counts[PLIES], "decisions": counts[LEARNED],
                "first_won": win_share, "drawn": draw_share, "first_lost": loss_share, "loss": loss,
                "value_loss": loss}

    def _test(self, run: Run, iteration: int) -> float:
        n = self._config.test_games
        first = self._play_games(run, n // 2, (0.0, 1.0), 0.0, "test", iteration, 0)
        second = self._play_games(run, n // 2, (1.0, 0.0), 0.0, "test", iteration, 1)
        return float(first[WON] + second[LOST] + (first[DRAWN] + second[DRAWN]) / 2) / n
