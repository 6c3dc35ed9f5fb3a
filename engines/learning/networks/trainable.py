"""A network in training: built, taught batch by batch, asked, written as a model. Keras.

A learner brings its losses and its data:

    network = TrainableNetwork(encoder, "resnet:blocks=2", ("policy", "value"), seed=1)
    network.compile(optimizer, {head: HeadLoss(head_loss(head)) for head in network.heads})
    for batch in batches(...):
        measured = network.learn(batch.planes, targets, weights)
    network.save(folder, "my-network", training={...})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.encoders.base import Encoder
from dlgo.errors import ModelError
from engines.learning.networks import backend, catalog
from engines.learning.networks.architectures import build_network, deepen, with_heads
from engines.learning.networks.backend import keras
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KerasRuntime, load_runtime
from engines.learning.networks.saving import save_model

# Whether this version's `train_on_batch` forgets the batches before; to forget them twice takes a
# quarter of a step of a small network.
_COUNTS_ANEW = "reset_metrics" in keras.Model.train_on_batch.__code__.co_names


@dataclass(frozen=True)
class HeadLoss:
    """What a head of a network is taught.

    Attributes:
        loss: as Keras takes it. weight: of this loss in the sum of all heads' losses.
        metrics: what else is measured in each step, by the weights of the positions.
    """

    loss: Any
    weight: float = 1.0
    metrics: Sequence[Any] = ()


class KerasNetwork:
    """A network of this process that can be asked about positions.

    Attributes:
        model: of Keras. heads: what it answers.
    """

    def __init__(self, model: Any, heads: Sequence[str]) -> None:
        self.model, self.heads = model, tuple(heads)
        self._call = backend.compiled_call(model)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        """The answer of each head: float32[n, ...], to float32[n, rows, cols, planes]."""
        answers = self._call(planes)
        return {head: np.asarray(answers[head]) for head in self.heads}


class TrainableNetwork(KerasNetwork):
    """A network with an optimiser and losses, once `compile` has given it these.

    Args:
        encoder: what the network sees.
        network: its architecture, as `build_network` reads it.
        heads: what it answers.
        precision: "float32", "mixed" (bfloat16 with float32 weights), or "auto": mixed on a GPU.
        seed: of its first weights.
        kept: heads of the models that are written; by default all. The others are for training
            alone.

    Attributes:
        precision: the Keras policy that it computes with. gpu: what it computes on; None: the
            processor.
        first_rate: the learning rate that it was compiled with.
    """

    def __init__(
        self, encoder: Encoder, network: str, heads: Sequence[str], precision: str = "float32",
        seed: int = 1, kept: Sequence[str] | None = None,
    ) -> None:
        keras.utils.clear_session()
        backend.make_repeatable(seed)
        self.encoder, self._network, self._precision = encoder, network, precision
        self.gpu = backend.gpu_name()
        self.precision, model = self._build(heads)
        super().__init__(model, heads)
        self._kept_heads = tuple(heads if kept is None else kept)
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
        """Begin with the weights of a model; heads that only training has stay as they are.

        Args:
            name: of a shipped model, or a folder; a `resnet` may have fewer blocks than this one.
            optional: heads that the model need not have.

        Raises:
            ModelError: for an unknown or damaged model, or one that is built otherwise.
        """
        model = load_runtime(name, "keras")
        assert isinstance(model, KerasRuntime)
        card, encoder = model.card, self.encoder
        needed = [head for head in self._kept_heads if head not in optional]
        heads = [head for head in (*needed, *optional) if head in card.heads]
        deeper = _is_deeper(self._network, card.network)
        for what, wanted, given in (
            ("network", self._network, self._network if deeper else card.network),
            ("encoder", encoder.name, card.encoder),
            ("shape", tuple(encoder.shape), tuple(card.shape)),
            ("actions", encoder.num_actions, card.num_actions),
            ("heads", needed, heads[:len(needed)]),
        ):
            if wanted != given:
                raise ModelError(f"first_network={name} cannot begin this run: its {what} is "
                                 f"{given}, the run's {wanted}; choose another model or {what}")
        lower, network = with_heads(model.model, heads), with_heads(self.model, heads)
        if deeper:
            deepen(network, lower)
        else:
            network.set_weights(lower.get_weights())
        return card

    def compile(self, optimizer: Any, losses: Mapping[str, HeadLoss]) -> None:
        """Choose how it learns.

        Args:
            optimizer: of Keras, new. losses: of each head.
        """
        optimizer.build(self.model.trainable_variables)
        self.first_rate = float(optimizer.learning_rate)
        self.model.compile(
            optimizer, loss={head: losses[head].loss for head in self.heads},
            loss_weights={head: losses[head].weight for head in self.heads},
            weighted_metrics={head: list(losses[head].metrics) for head in self.heads},
            # XLA compiles again for the last, smaller batch; on a CPU that is never won back.
            jit_compile="auto" if self.gpu else False,
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
        """Take a step of training; what Keras measures in this batch.

        Before the first step the losses and metrics make their variables. TensorFlow would find
        them made while it traces the step, and trace it once more: seconds for a network of some
        blocks.

        Args:
            planes: float32[n, ...]; another n is compiled anew.
            targets, weights: n rows for each head.
        """
        model = self.model
        if model.train_function is None and keras.backend.backend() == "tensorflow":
            first = {name: {head: rows[:1] for head, rows in given.items()}
                     for name, given in (("y", targets), ("sample_weight", weights))}
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
        """What `learn` would measure, without learning. Args: see there."""
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
        """Write the network as a model folder, in float32, with the heads that are kept.

        Args:
            name, training, accuracy: of its card.
            weights: an earlier value of `weights`; by default as it is now.
        """
        self._kept.set_weights(self.weights if weights is None else weights)
        return save_model(folder, self._kept, Card(
            name=name, game=str(self.encoder.game), encoder=self.encoder.name,
            network=self._network, shape=tuple(self.encoder.shape),
            num_actions=self.encoder.num_actions, training=training, accuracy=accuracy or {},
        ))


def _is_deeper(network: str, lower: str) -> bool:
    """Whether an architecture is another one with residual blocks put on top of it."""
    kinds, settings = zip(
        *(catalog.parse("network", catalog.NETWORKS, text) for text in (network, lower)),
        strict=True,
    )
    blocks = [options.pop("blocks", 0) for options in settings]
    return kinds == ("resnet", "resnet") and settings[0] == settings[1] and blocks[0] > blocks[1]
