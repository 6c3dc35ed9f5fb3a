"""A run may begin with what another network has learned: `first_network=NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dlgo.encoders.base import Encoder
from dlgo.errors import ModelError
from engines.learning.networks import catalog
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KerasRuntime, load_runtime


def take_over(
    network: Any, name: str, architecture: str, encoder: Encoder, heads: Sequence[str],
    optional: Sequence[str] = (),
) -> Card:
    """Give a network the weights of a model.

    Args:
        network: in training.
        name: of a shipped model, or a folder; a `resnet` may have fewer blocks than the network.
        architecture: of the network in training, as `build_network` reads it.
        encoder: what the network sees.
        heads: those whose weights are taken, besides the body's.
        optional: heads that are taken where the model has them.

    Returns:
        The model's card.

    Raises:
        ModelError: for an unknown or damaged model, or one that is built otherwise.
    """
    from engines.learning.networks.architectures import put_on_top, with_heads

    model = load_runtime(name, "keras")
    assert isinstance(model, KerasRuntime)
    card = model.card
    taken = [head for head in (*heads, *optional) if head in card.heads]
    deeper = _is_deeper(architecture, card.network)
    for what, wanted, given in (
        ("network", architecture, architecture if deeper else card.network),
        ("encoder", encoder.name, card.encoder),
        ("shape", tuple(encoder.shape), tuple(card.shape)),
        ("actions", encoder.num_actions, card.num_actions),
        ("heads", list(heads), taken[:len(heads)]),
    ):
        if wanted != given:
            raise ModelError(f"first_network={name} cannot begin this run: its {what} is "
                             f"{given}, the run's {wanted}; choose another model or {what}")
    lower, network = with_heads(model.model, taken), with_heads(network, taken)
    if deeper:
        put_on_top(network, lower)
    else:
        network.set_weights(lower.get_weights())
    return card


def _is_deeper(network: str, lower: str) -> bool:
    """Whether an architecture is another one with residual blocks put on top of it."""
    kinds, settings = zip(
        *(catalog.parse("network", catalog.NETWORKS, text) for text in (network, lower)),
        strict=True,
    )
    blocks = [options.pop("blocks", 0) for options in settings]
    return kinds == ("resnet", "resnet") and settings[0] == settings[1] and blocks[0] > blocks[1]
