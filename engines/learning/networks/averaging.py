"""The mean of several networks of one run (Izmailov et al. 2018, stochastic weight averaging).

The last steps of training still go to and fro, at any learning rate above 0. The mean of the
weights along the way lies where they go round. For networks without batch normalisation: the means
that such layers measure belong to the weights they were measured with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dlgo.errors import ModelError
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KerasRuntime, load_runtime

_ALIKE = ("game", "encoder", "network", "shape", "num_actions")


def average_models(names: Sequence[str], folder: Path) -> Card:
    """Write the network whose weights are the means of those of others.

    Args:
        names: models, by name or folder, in the order of their training; the last one's card
            tells what the mean has cost.
        folder: of the new model.

    Raises:
        ModelError: if there are fewer than two, if they are not alike, if they have batch
            normalisation, or if a file cannot be read or written.
    """
    from engines.learning.networks.saving import save_model

    if len(names) < 2:
        raise ModelError("a mean needs two models at least; name more of them")
    runtimes = [load_runtime(name, "keras") for name in names]
    last = runtimes[-1]
    assert isinstance(last, KerasRuntime)
    for name, runtime in zip(names, runtimes, strict=True):
        for what in _ALIKE:
            if getattr(runtime.card, what) != getattr(last.card, what):
                raise ModelError(
                    f"{name} has the {what} {getattr(runtime.card, what)}, {names[-1]} has "
                    f"{getattr(last.card, what)}; average networks of one run")
    if any("normalization" in weight.path for weight in last.model.non_trainable_weights):
        raise ModelError(f"{names[-1]} has batch normalisation, whose measured means do not fit "
                         "the mean of the weights; take one of the networks as it is")
    weights = zip(*(runtime.model.get_weights() for runtime in runtimes), strict=True)
    last.model.set_weights([np.mean(same, axis=0) for same in weights])
    training = {**last.card.training, "averaged": [runtime.network_id for runtime in runtimes]}
    return save_model(folder, last.model, dataclasses.replace(
        last.card, name=folder.resolve().name, training=training, accuracy={}))
