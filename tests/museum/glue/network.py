"""The batches of the network from scratch, shown to the auditor."""

import numpy as np

from engines.learning.from_scratch.network import Network


def epoch_loss(losses, size):
    network = Network([])
    network.step = lambda inputs, labels, rate: inputs.mean()
    column = np.array(losses)[:, None]
    return next(network.train(column, column, epochs=1, batch=size, rate=0.1,
                              rng=np.random.default_rng(1)))


def batches(examples, size):
    seen = []
    network = Network([])
    network.step = lambda inputs, labels, rate: seen.append(inputs) or 0.0
    columns = np.array(examples)[:, None]
    list(network.train(columns, columns, epochs=1, batch=size, rate=0.1,
                       rng=np.random.default_rng(1)))
    return seen
