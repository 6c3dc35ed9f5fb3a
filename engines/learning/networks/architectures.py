"""The architectures of `catalog.py` in Keras 3: `build_network(name, encoder, heads)`.

Every network reads float32[rows, cols, planes], channels last, and returns a dictionary of the
heads it was built with (`catalog.HEADS`). Policies are logits: softmax and sigmoid belong to the
loss and to the player, so a network can be trained with the losses of chapters 6 and 7 alike.

An architecture is a body, which computes features of the planes, and the layers between the
features and a head of each form. Only `keras.layers` is used, so TensorFlow, JAX and Torch can run
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

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

# Units between the mean features and a total; and between a position with an action and its value.
_TOTAL_HIDDEN = 32
_PAIR_HIDDEN = 64


class Body(NamedTuple):
    """The part of a network below the heads.

    Attributes:
        features: the output of the body.
        to_actions, to_number: the layers below a head of that form; they are made anew for each.
        penalty: options of the heads' last layers.
    """

    features: Any
    to_actions: Callable[[], Any]
    to_number: Callable[[], Any]
    penalty: dict[str, Any] = {}


def build_network(name: str, encoder: Any, heads: Collection[str] | None = None) -> keras.Model:
    """A new network with random weights (of `keras.utils.set_random_seed`).

    Args:
        name: a specification, `cnn:filters=64`.
        encoder: gives the shapes, by `shape` (rows, cols, planes) and `num_actions`.
        heads: of `catalog.HEADS`; by default the usual heads of the architecture. Those that come
            earlier in the catalog begin with the same weights whatever follows them.

    Raises:
        SpecError: for an unknown network, option or head.
    """
    kind, settings = catalog.parse("network", catalog.NETWORKS, name)
    heads = catalog.check_heads(catalog.NETWORKS[kind].heads if heads is None else heads)
    planes = keras.Input(tuple(encoder.shape), name="planes")
    build_body: Any = {
        "mlp": _mlp, "wide": _wide, "cnn": _cnn, "cnn_plain": _cnn, "alphago": _alphago,
        "resnet": _resnet,
    }.get(kind, _chapter_7)
    if build_body is _chapter_7:
        settings["convolutions"] = _CHAPTER_7[kind]
    body = build_body(planes, **settings)
    outputs = {head: _head(head, body, encoder) for head in heads}
    return keras.Model(planes, outputs, name=kind)


def with_heads(network: keras.Model, heads: Collection[str]) -> keras.Model:
    """The network with these of its heads only, sharing its weights."""
    outputs = {head: network.output[head] for head in heads}
    return keras.Model(network.input, outputs, name=network.name)


def _head(name: str, body: Body, encoder: Any) -> Any:
    """A head on a body. It stays float32 under mixed precision: bfloat16 has two digits."""
    rows, cols = encoder.shape[:2]
    kind = catalog.HEADS[name]
    features = body.features
    options = {"activation": kind.activation, "dtype": "float32"}
    if kind.form == "actions":
        below = body.to_actions()
        return layers.Dense(encoder.num_actions, name=name, **options, **body.penalty)(below)
    if kind.form == "pairs":
        return _pairs(name, body.to_actions(), encoder.num_actions, options)
    if kind.form == "number":
        below = body.to_number()
        return layers.Dense(1, name=name, **options, **body.penalty)(below)
    if kind.form == "total":
        # From the mean of the features, since points are counted all over the board.
        if len(features.shape) == 4:
            features = layers.GlobalAveragePooling2D()(features)
        hidden = layers.Dense(_TOTAL_HIDDEN, activation="relu")(features)
        return layers.Dense(1, name=name, **options)(hidden)
    # From each cell's features; from all of them, where the body has left the board.
    if tuple(features.shape[1:3]) == (rows, cols):
        cells = layers.Conv2D(1, 1, name=f"{name}_cells", **options)(features)
    else:
        flat = layers.Flatten()(features)
        cells = layers.Dense(rows * cols, name=f"{name}_cells", **options)(flat)
    return layers.Reshape((rows, cols), name=name, dtype="float32")(cells)


def _pairs(name: str, board: Any, actions: int, options: dict[str, Any]) -> Any:
    """A number for each pair of the position and an action (listing 11.4).

    A dense layer on the position beside a one-hot action is the same dense layer on the position
    alone with a bias of its own for each action: the column of weights that the action selects. So
    all actions are shown at once.
    """
    boards = layers.RepeatVector(actions)(board)
    hidden = layers.EinsumDense(
        "nab,bh->nah", output_shape=(actions, _PAIR_HIDDEN), bias_axes="ah", activation="relu",
        bias_initializer="glorot_uniform",
    )(boards)
    return layers.Reshape((actions,), name=name, dtype="float32")(
        layers.Dense(1, **options)(hidden))


def _flat(x: Any, **options: Any) -> Body:
    """A body whose heads all use the same vector."""
    return Body(x, lambda: x, lambda: x, options)


def _mlp(planes: Any, *, hidden: int, layers: int, activation: str, dropout: float) -> Body:
    """Chapter 6.3.4, listing 6.14: 1000 and 500 sigmoid units, 623,081 weights on 9x9."""
    x = keras.layers.Flatten()(planes)
    for i in range(layers):
        x = keras.layers.Dense(max(1, hidden >> i), activation=activation)(x)
        x = _dropped(x, dropout)
    return _flat(x)


def _wide(planes: Any, *, hidden: int, value_hidden: int) -> Body:
    """A layer that costs little where most planes are empty, and little above it: the shape of
    NNUE's value networks (Nasu 2018), with a policy."""
    x = layers.Dense(hidden, activation="relu")(layers.Flatten()(planes))
    return Body(x, lambda: x, lambda: layers.Dense(value_hidden, activation="relu")(x))


def _cnn(
    planes: Any, *, filters: int, layers: int, hidden: int,
    activation: str, pool: str, dropout: float,
) -> Body:
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
    return _flat(x)


def _chapter_7(
    planes: Any, *, convolutions: tuple, hidden: int, scale: bool, dropout: float
) -> Body:
    """Listing 7.18 (small) and its two larger sisters; zero padding keeps the board's size."""
    lines = min(planes.shape[1:3])
    x = planes
    for kernel, filters in convolutions:
        size = _scaled(kernel, lines) if scale else kernel
        x = layers.Conv2D(filters, size, padding="same", activation="relu")(x)
    x = layers.Flatten()(_dropped(x, dropout))
    x = _dropped(layers.Dense(hidden, activation="relu")(x), dropout)
    return _flat(x)


def _scaled(kernel: int, lines: int) -> int:
    """The size of a kernel on a smaller board: the same share of its lines, odd, at least 3."""
    share = kernel * lines / _BOOK_LINES
    return min(kernel, max(3, 2 * round((share - 1) / 2) + 1))


def _alphago(planes: Any, *, layers: int, filters: int) -> Body:
    """AlphaGo's policy and value networks (listings 13.1 to 13.3) on one body.

    A dense layer stands between the last filter and the policy, since actions of other games
    are not points of a board, and neither is passing in Go.
    """
    conv = keras.layers.Conv2D
    x = conv(filters, 5, padding="same", activation="relu")(planes)
    for _ in range(layers - 1):
        x = conv(filters, 3, padding="same", activation="relu")(x)

    def to_number() -> Any:
        y = conv(filters, 3, padding="same", activation="relu")(x)
        y = keras.layers.Flatten()(conv(1, 1, activation="relu")(y))
        return keras.layers.Dense(256, activation="relu")(y)

    return Body(x, lambda: keras.layers.Flatten()(conv(1, 1)(x)), to_number)


def _resnet(
    planes: Any, *, blocks: int, filters: int,
    policy_filters: int, value_filters: int, value_hidden: int, l2: float,
) -> Body:
    """AlphaGo Zero's residual network, batch-normalised (Silver et al. 2017, Methods).

    Its policy sees two numbers of each cell and its value one, as in the paper: little on a small
    board with many actions.
    """
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

    def to_number() -> Any:
        hidden = layers.Dense(value_hidden, activation="relu", **penalty)
        return hidden(layers.Flatten()(conv(x, value_filters, 1)))

    return Body(x, lambda: layers.Flatten()(conv(x, policy_filters, 1)), to_number, penalty)


def _dropped(x: Any, rate: float) -> Any:
    return layers.Dropout(rate)(x) if rate else x


def flops(model: keras.Model) -> int:
    """Floating-point operations of one evaluation: two for each product of a matrix or kernel.
    Convolutions and dense layers only; the rest is below one percent of them."""
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
