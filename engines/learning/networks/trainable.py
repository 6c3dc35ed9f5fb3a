"""A network in training: build it, train it batch by batch, evaluate it, save it. Keras.

A learner supplies losses and data:

    network = TrainableNetwork(encoder, "resnet:blocks=2", ("policy", "value"), seed=1)
    network.compile(optimizer, {head: HeadLoss(head_loss(head)) for head in network.heads})
    for batch in batches(...):
        measured = network.learn(batch.planes, targets, weights)
    network.save(folder, "my-network", training={...})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dlgo.encoders.base import Encoder
from dlgo.errors import ModelError
from engines.learning.networks import backend
from engines.learning.networks.architectures import build_network, with_heads
from engines.learning.networks.backend import keras
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KerasRuntime, load_runtime
from engines.learning.networks.saving import save_model

# Whether this version's `train_on_batch` forgets the batches before; to forget them twice takes a
# quarter of a step of a small network.
_COUNTS_ANEW = "reset_metrics" in keras.Model.train_on_batch.__code__.co_names


class HeadLoss(NamedTuple):
    """The training loss of a head."""

    loss: Any  # as Keras takes it
    weight: float = 1.0  # in the sum of all heads' losses
    metrics: Sequence[Any] = ()  # also measured in each step, by the weights of the positions


class KerasNetwork:
    """A Keras network that can be evaluated."""

    def __init__(self, model: Any, heads: Sequence[str]) -> None:
        self.model, self.heads = model, tuple(heads)
        self._call = backend.compiled_call(model)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        """The answer of each head: float32[n, ...], to float32[n, rows, cols, planes]."""
        answers = self._call(planes)
        return {head: np.asarray(answers[head]) for head in self.heads}


class TrainableNetwork(KerasNetwork):
    """A network with an optimiser and losses (after `compile`).

    Args:
        network, heads: as `build_network` reads them.
        precision: "float32", "mixed" (bfloat16 with float32 weights), or "auto": mixed on a GPU.
        seed: seed of its first weights.
        kept: heads of the saved models; by default all. The other heads are used in training only.

    Attributes:
        precision: the Keras policy. gpu: what it computes on; None: the processor.
        first_rate: the learning rate that it was compiled with.
    """

    def __init__(
        self, encoder: Encoder, network: str, heads: Sequence[str], precision: str = "float32",
        seed: int = 1, kept_heads: Sequence[str] | None = None,
    ) -> None:
        keras.utils.clear_session()
        backend.make_repeatable(seed)
        self.encoder, self._network, self._precision = encoder, network, precision
        self.gpu = backend.gpu_name()
        self.precision, model = self._build(heads)
        super().__init__(model, heads)
        self._kept_heads = tuple(heads if kept_heads is None else kept_heads)
        self._playing = with_heads(model, self._kept_heads)
        self._kept = build_network(network, encoder, self._kept_heads)  # what is written: float32
        self.first_rate = 0.0

    def _build(self, heads: Sequence[str]) -> tuple[str, Any]:
        """A Keras policy and a new model that computes with it."""
        policy = backend.use_precision(self._precision)
        model = build_network(self._network, self.encoder, heads)
        backend.use_precision("float32")
        return policy, model

    def take_over(self, name: str, optional: Sequence[str] = ()) -> Card:
        """Begin with the weights of a shipped model or a folder; it need not have the `optional`
        heads. Heads that only training has do not change."""
        model = load_runtime(name, "keras")
        assert isinstance(model, KerasRuntime)
        card, encoder = model.card, self.encoder
        needed = [head for head in self._kept_heads if head not in optional]
        heads = [head for head in (*needed, *optional) if head in card.heads]
        for field, own, model_value in (
            ("network", self._network, card.network),
            ("encoder", encoder.name, card.encoder),
            ("shape", tuple(encoder.shape), tuple(card.shape)),
            ("actions", encoder.num_actions, card.num_actions),
            ("heads", needed, heads[:len(needed)]),
        ):
            if own != model_value:
                raise ModelError(f"the run cannot start from first_network={name}: its {field} is "
                                 f"{model_value}, that of the run {own}; choose another model or "
                                 f"{field}")
        weights = with_heads(model.model, heads).get_weights()
        with_heads(self.model, heads).set_weights(weights)
        return card

    def compile(self, optimizer: Any, losses: Mapping[str, HeadLoss]) -> None:
        """Set a new Keras optimizer and the losses of all heads."""
        optimizer.build(self.model.trainable_variables)
        self.first_rate = float(optimizer.learning_rate)
        self.model.compile(
            optimizer, loss={head: losses[head].loss for head in self.heads},
            loss_weights={head: losses[head].weight for head in self.heads},
            weighted_metrics={head: list(losses[head].metrics) for head in self.heads},
            # XLA compiles again for the last, smaller batch; on a CPU TensorFlow, which has another
            # compiler, never wins that back.
            jit_compile="auto" if self.gpu or not backend.is_tensorflow() else False,
        )

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return float(self.model.optimizer.learning_rate)

    @rate.setter
    def rate(self, rate: float) -> None:
        self.model.optimizer.learning_rate.assign(rate)

    @property
    def state(self) -> list[Any]:
        """All variables that further training depends on; generators of dropout are among them."""
        return [*self.model.variables, *self.model.optimizer.variables]

    def learn(
        self, planes: np.ndarray, targets: Mapping[str, np.ndarray],
        weights: Mapping[str, np.ndarray],
    ) -> dict[str, float]:
        """Take a step of training on float32[n, ...] (another n is compiled anew), with n rows of
        targets and weights for each head; what Keras measures in this batch."""
        model = self.model
        # Before the first step the losses and metrics make their variables. TensorFlow would find
        # them made while it traces the step, and trace it once more: seconds for some blocks.
        if model.train_function is None and backend.is_tensorflow():
            first = {name: {head: rows[:1] for head, rows in arrays.items()}
                     for name, arrays in (("y", targets), ("sample_weight", weights))}
            answers = {head: keras.ops.zeros((1, *output.shape[1:]))
                       for head, output in model.output.items()}
            model.compute_loss(y_pred=answers, **first)
            model.compute_metrics(planes[:1], y_pred=answers, **first)
        if not _COUNTS_ANEW:
            model.reset_metrics()
        measured = model.train_on_batch(planes, dict(targets), dict(weights), return_dict=True)
        return {name: float(value) for name, value in measured.items()}

    def test(
        self, planes: np.ndarray, targets: Mapping[str, np.ndarray],
        weights: Mapping[str, np.ndarray],
    ) -> dict[str, float]:
        """The measures of `learn`, without learning. Args: as of `learn`."""
        self.model.reset_metrics()  # some versions of Keras go on counting, some do not
        measured = self.model.test_on_batch(planes, dict(targets), dict(weights), return_dict=True)
        return {name: float(value) for name, value in measured.items()}

    def copy(self) -> KerasNetwork:
        """Another network of the same build, with the weights that this one has now."""
        _, model = self._build(self.heads)
        model.set_weights(self.model.get_weights())
        return KerasNetwork(model, self.heads)

    @property
    def weights(self) -> list[np.ndarray]:
        """The weights of the model that `save` writes."""
        return self._playing.get_weights()

    def save(
        self, folder: Path, name: str, training: dict[str, Any],
        accuracy: dict[str, Any] | None = None, weights: Sequence[np.ndarray] | None = None,
    ) -> Card:
        """Write the network as a model folder, in float32, with the heads that are kept; `weights`
        is an earlier value of the attribute, what else is given is for the card."""
        self._kept.set_weights(self.weights if weights is None else weights)
        return save_model(folder, self._kept, Card(
            name=name, game=str(self.encoder.game), encoder=self.encoder.name,
            network=self._network, shape=self.encoder.shape,
            num_actions=self.encoder.num_actions, training=training, accuracy=accuracy or {},
        ))
