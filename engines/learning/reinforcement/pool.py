"""The pool: earlier selves of a learner, who come back as opponents.

A policy that only ever meets its latest self can go round in circles: it learns to beat today's
habits and forgets how to beat yesterday's. So some of the games are played against networks that
the run has kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import ModelError
from engines.learning.networks.runtimes import KerasRuntime, load_runtime
from engines.learning.networks.store import network_folder
from engines.learning.selfplay.policy_games import RuntimeScorer

if TYPE_CHECKING:
    from engines.learning.networks.trainable import KerasNetwork, TrainableNetwork


class Pool:
    """The kept networks of a run.

    Args:
        folder: of the run. network: the one in training, of the same build.
    """

    def __init__(self, folder: Path, network: TrainableNetwork) -> None:
        self._folder, self._network = folder, network
        self._opponent: KerasNetwork | None = None
        self._weights: dict[int, list[np.ndarray]] = {}

    def opponent(self, iteration: int) -> RuntimeScorer:
        """The network that was kept after an iteration, until the next call.

        Raises:
            ModelError: if its files have gone or are damaged.
        """
        if iteration not in self._weights:
            path = network_folder(self._folder, iteration)
            try:
                runtime = load_runtime(str(path), "keras")
            except ModelError as error:
                raise ModelError(
                    f"the pool of {self._folder} needs its network of iteration {iteration}: "
                    f"{error}; put the files back, or train in another folder"
                ) from None
            assert isinstance(runtime, KerasRuntime)
            self._weights[iteration] = runtime.model.get_weights()
        if self._opponent is None:
            self._opponent = self._network.copy()
        self._opponent.model.set_weights(self._weights[iteration])
        return RuntimeScorer(self._opponent)
