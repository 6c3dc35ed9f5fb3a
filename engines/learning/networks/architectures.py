"""The architectures of `catalog.py` in Keras 3: `build_network(name, encoder)`.

Every network reads float32[rows, cols, planes], channels last, and gives a dictionary:
"policy", the LOGITS of all the game's actions, and, with a value head, "value", float32[1] from
-1 (lost) to 1 (won) as the player to move sees it. Softmax and sigmoid belong to the loss and to
the player; so one network can be trained with the losses of chapters 6 and 7 alike.

For training alone a network can have more heads, on the same features (Wu, "Accelerating
self-play learning in Go", 2019): "ownership", float32[rows, cols] from -1 (the opponent's cell
at the end of the game) to 1 (the player's to move), and "score", float32[1], the final margin in
points, divided by the cells of the board. `playing_part` is the network without them.

Only `keras.layers` is used, so TensorFlow, JAX and Torch all run them. Called by `training.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from engines.learning.networks import catalog
from engines.learning.networks.backend import keras

layers = keras.layers

# Lines of the board for which chapter 7 chose its kernels.
_BOOK_LINES = 19
# kernel sizes and filters of the networks of chapter 7 (its code for medium and large).
_CHAPTER_7 = {
    "small": ((7, 48), (5, 32), (5, 32), (5, 32)),
    "medium": ((5, 64), (5, 64), (3, 64), (3, 64), (3, 64)),
    "large": ((7, 64), (5, 64), (5, 64), (5, 48), (5, 48), (5, 32), (5, 32)),
}

# Units between the mean features and the score.
_SCORE_HIDDEN = 32


def build_network(
    name: str, encoder: Any, value_head: bool | None = None, final_heads: Collection[str] = (),
    **options: Any,
) -> keras.Model:
    """A new network with random weights (of `keras.utils.set_random_seed`).

    Args:
        name: a specification, `cnn:filters=64`; `options` may be given apart from it.
        encoder: gives the shapes, by `shape` (rows, cols, planes) and `num_actions`.
        value_head: with a value head or without; by default as the architecture has it.
        final_heads: of "ownership" and "score", those to add. The other weights begin as they
            do without.

    Raises:
        SpecError: for an unknown network or option.
    """
    if options:
        more = ",".join(f"{key}={value}" for key, value in options.items())
        name += ("," if ":" in name else ":") + more
    kind, settings = catalog.parse("network", catalog.NETWORKS, name)
    if value_head is None:
        value_head = catalog.NETWORKS[kind].value_head
    planes = keras.Input(tuple(encoder.shape), name="planes")
    body = {
        "mlp": _mlp, "cnn": _cnn, "cnn_plain": _cnn, "alphago": _alphago, "resnet": _resnet,
    }.get(kind, _chapter_7)
    if body is _chapter_7:
        settings["convolutions"] = _CHAPTER_7[kind]
    # Features: what the body has made of the planes, before its heads.
    features, policy, value = body(planes, encoder.num_actions, value_head, **settings)
    outputs = {"policy": policy} | ({"value": value} if value_head else {})
    # Last of all, so that they leave the other layers' random numbers alone.
    for head in sorted(final_heads):
        outputs[head] = _FINAL_HEADS[head](features, *encoder.shape[:2])
    return keras.Model(planes, outputs, name=kind)


def playing_part(network: keras.Model) -> keras.Model:
    """The network without heads that only training needs, sharing its weights."""
    outputs = {name: network.output[name] for name in ("policy", "value") if name in network.output}
    return keras.Model(network.input, outputs, name=network.name)


def _logits(features: Any, num_actions: int, **more: Any) -> Any:
    # Outputs stay float32 under mixed precision: a bfloat16 logit has two digits.
    return layers.Dense(num_actions, name="policy", dtype="float32", **more)(features)


def _value(features: Any, **more: Any) -> Any:
    return layers.Dense(1, activation="tanh", name="value", dtype="float32", **more)(features)


def _ownership(features: Any, rows: int, cols: int) -> Any:
    """From each cell's features its owner; from all, where the body has left the board."""
    if tuple(features.shape[1:3]) == (rows, cols):
        cells = layers.Conv2D(1, 1, activation="tanh", name="owners", dtype="float32")(features)
    else:
        flat = layers.Flatten()(features)
        cells = layers.Dense(rows * cols, activation="tanh", name="owners", dtype="float32")(flat)
    return layers.Reshape((rows, cols), name="ownership", dtype="float32")(cells)


def _score(features: Any, rows: int, cols: int) -> Any:
    """From the mean of the features over the board, since points are counted all over it."""
    if len(features.shape) == 4:
        features = layers.GlobalAveragePooling2D()(features)
    hidden = layers.Dense(_SCORE_HIDDEN, activation="relu")(features)
    return layers.Dense(1, name="score", dtype="float32")(hidden)


_FINAL_HEADS = {"ownership": _ownership, "score": _score}


def _mlp(
    planes: Any, num_actions: int, value_head: bool, *, hidden: int, layers: int,
    activation: str, dropout: float,
) -> tuple[Any, Any, Any]:
    """Chapter 6.3.4, listing 6.14: 1000 and 500 sigmoid units, 623,081 weights on 9x9."""
    x = keras.layers.Flatten()(planes)
    for i in range(layers):
        x = keras.layers.Dense(max(1, hidden >> i), activation=activation)(x)
        x = _dropped(x, dropout)
    return x, _logits(x, num_actions), _value(x) if value_head else None


def _cnn(
    planes: Any, num_actions: int, value_head: bool, *, filters: int, layers: int, hidden: int,
    activation: str, pool: str, dropout: float,
) -> tuple[Any, Any, Any]:
    """Chapter 6, listings 6.17 (sigmoid, no pooling) and 6.25 (456,545 weights on 9x9)."""
    x = planes
    for i in range(layers):
        x = keras.layers.Conv2D(filters, 3, padding="same", activation=activation)(x)
        # As in the book, the last convolution is pooled first, then dropped.
        if i < layers - 1:
            x = _dropped(x, dropout)
    if pool != "none" and min(x.shape[1:3]) >= 2:
        kind = {"max": keras.layers.MaxPooling2D, "average": keras.layers.AveragePooling2D}[pool]
        x = kind(2)(x)
    x = keras.layers.Flatten()(_dropped(x, dropout))
    x = _dropped(keras.layers.Dense(hidden, activation=activation)(x), dropout)
    return x, _logits(x, num_actions), _value(x) if value_head else None


def _chapter_7(
    planes: Any, num_actions: int, value_head: bool, *, convolutions: tuple, hidden: int,
    scale: bool, dropout: float,
) -> tuple[Any, Any, Any]:
    """Listing 7.18 (small) and its two larger sisters; zero padding keeps the board's size."""
    lines = min(planes.shape[1:3])
    x = planes
    for kernel, filters in convolutions:
        size = _scaled(kernel, lines) if scale else kernel
        x = layers.Conv2D(filters, size, padding="same", activation="relu")(x)
    x = layers.Flatten()(_dropped(x, dropout))
    x = _dropped(layers.Dense(hidden, activation="relu")(x), dropout)
    return x, _logits(x, num_actions), _value(x) if value_head else None


def _scaled(kernel: int, lines: int) -> int:
    """A kernel for so many lines: the same share of the board as on 19, odd, at least 3."""
    share = kernel * lines / _BOOK_LINES
    return min(kernel, max(3, 2 * round((share - 1) / 2) + 1))


def _alphago(
    planes: Any, num_actions: int, value_head: bool, *, layers: int, filters: int
) -> tuple[Any, Any, Any]:
    """AlphaGo's policy and value networks (listings 13.1 to 13.3) on one body.

    A dense layer stands between the last filter and the policy, since actions of other games
    are no points of a board, and passing is none in Go either.
    """
    conv = keras.layers.Conv2D
    x = conv(filters, 5, padding="same", activation="relu")(planes)
    for _ in range(layers - 1):
        x = conv(filters, 3, padding="same", activation="relu")(x)
    policy = _logits(keras.layers.Flatten()(conv(1, 1)(x)), num_actions)
    if not value_head:
        return x, policy, None
    y = conv(filters, 3, padding="same", activation="relu")(x)
    y = keras.layers.Flatten()(conv(1, 1, activation="relu")(y))
    return x, policy, _value(keras.layers.Dense(256, activation="relu")(y))


def _resnet(
    planes: Any, num_actions: int, value_head: bool, *, blocks: int, filters: int,
    value_hidden: int, l2: float,
) -> tuple[Any, Any, Any]:
    """AlphaGo Zero's residual network, batch-normalised (Silver et al. 2017, Methods)."""
    penalty = {"kernel_regularizer": keras.regularizers.L2(l2)} if l2 else {}

    def conv(x: Any, width: int, size: int, shortcut: Any = None) -> Any:
        # No bias: the normalisation that follows would take it away again.
        x = layers.Conv2D(width, size, padding="same", use_bias=False, **penalty)(x)
        x = layers.BatchNormalization()(x)
        if shortcut is not None:
            x = layers.Add()([x, shortcut])
        return layers.ReLU()(x)

    x = conv(planes, filters, 3)
    for _ in range(blocks):
        x = conv(conv(x, filters, 3), filters, 3, shortcut=x)
    policy = _logits(layers.Flatten()(conv(x, 2, 1)), num_actions, **penalty)
    if not value_head:
        return x, policy, None
    y = layers.Dense(value_hidden, activation="relu", **penalty)(layers.Flatten()(conv(x, 1, 1)))
    return x, policy, _value(y, **penalty)


def _dropped(x: Any, rate: float) -> Any:
    return layers.Dropout(rate)(x) if rate else x


def flops(model: keras.Model) -> int:
    """Floating-point operations of one evaluation: two for each product of a matrix or kernel.

    Convolutions and dense layers only; the rest is below one percent of them.
    """
    total = 0
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D):
            _, rows, cols, _ = layer.output.shape
            total += 2 * rows * cols * _size(layer.kernel)
        elif isinstance(layer, layers.Dense):
            total += 2 * _size(layer.kernel)
    return total


def _size(variable: Any) -> int:
    size = 1
    for side in variable.shape:
        size *= int(side)
    return size
