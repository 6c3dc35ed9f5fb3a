"""Networks of dense layers, compiled into the search (`runtime=compiled`).

A small network needs a few microseconds, less than a call of any library. There are two reasons.
Most planes of a board are empty and most units are switched off by ReLU, so the product of a layer
is a sum of the few rows of its weights whose inputs are not zero. And a search needs the policy of
the legal moves only, seldom more than ten of draughts' 256.

The weights come from `network-dense.npz`, which `saving.py` writes for networks of these
architectures (`mlp`, `wide`).
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.dispatch import by_class
from dlgo.encoders import Encoder, encode
from dlgo.errors import ModelError
from dlgo.jit import inline_kernel, kernel, sum_kernel
from engines.learning.networks.card import Card
from engines.learning.networks.store import DENSE_FILE
from engines.search.evaluators import value_of

# Activations of layers, as numbers for the kernels.
ACTIVATIONS = ("linear", "relu", "sigmoid", "tanh")
_RELU, _SIGMOID, _TANH = 1, 2, 3
# Columns of `Layers.table`; SOURCE is the layer whose outputs are the inputs, -1 the planes.
_INPUTS, _OUTPUTS, _WEIGHTS, _BIAS, _TURNED, _ACTIVATION, _SOURCE = range(7)
PLANES = "planes"
# Errors that reading a damaged archive of arrays may raise.
_DAMAGE = (OSError, EOFError, zipfile.BadZipFile, zlib.error)


class Layers(NamedTuple):
    """Dense layers, those of the body before the heads; the input of each is an earlier layer."""

    table: np.ndarray  # int64[layers, 7], of each layer the columns above; begins are in `weights`
    # float32; of each layer [inputs, outputs] and [outputs]; of a head that computes few of its
    # outputs, [outputs] and [outputs, inputs].
    weights: np.ndarray
    units: np.ndarray  # float32[body, widest], scratch: the outputs of the body's layers
    active: np.ndarray  # int64[body + 1, widest], scratch: which are not zero; the planes first
    n_active: np.ndarray  # int64[body + 1], scratch: how many


class DenseEvaluator(NamedTuple):
    """A network of dense layers as a compiled evaluator of a search."""

    encoder: Any  # an `Encoder.kernel`
    planes: np.ndarray  # float32[rows, cols, planes], scratch
    actions: np.ndarray  # int64[2, num_actions], where the policy has them, by the player to move
    layers: Layers  # its heads are policy and value, in this order, or value for no priors


class DenseLayer(NamedTuple):
    """A stored layer."""

    name: str  # a head's is the head's
    source: str  # its input layer, or `PLANES`
    activation: str  # linear, relu, sigmoid or tanh
    kernel: np.ndarray  # float32[inputs, outputs]
    bias: np.ndarray  # float32[outputs]


def pack_layers(layers: Sequence[DenseLayer]) -> bytes:
    """The content of `network-dense.npz`; each layer after its input layer."""
    content = io.BytesIO()
    np.savez_compressed(
        content, names=np.array([layer.name for layer in layers]),
        sources=np.array([layer.source for layer in layers]),
        activations=np.array([layer.activation for layer in layers]),
        **{f"{layer.name}.{part}": getattr(layer, part)
           for layer in layers for part in ("kernel", "bias")},
    )
    return content.getvalue()


def read_network(
    card: Card, content: bytes, heads: Sequence[str], in_search: bool = False,
) -> Layers:
    """The layers in a `network-dense.npz`, of these heads only. Raises ModelError for damage.

    In a search a head computes few of its outputs, else all: it has the weights for one of these.
    """
    try:
        layers = _unpack(content)
        body = [name for name in layers if name not in card.heads]
        return _arrange(card, [layers[name] for name in (*body, *heads)], len(body), in_search)
    except (*_DAMAGE, ValueError, KeyError, TypeError) as error:
        text = f"{DENSE_FILE} cannot be read: {error}; copy the folder again"
        raise ModelError(f"model {card.name}: {text}") from None


def _unpack(content: bytes) -> dict[str, DenseLayer]:
    """The layers of a file, by name."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = [arrays[name].tolist() for name in ("names", "sources", "activations")]
        return {
            name: DenseLayer(name, source, activation, *(
                np.asarray(arrays[f"{name}.{part}"], np.float32) for part in ("kernel", "bias")
            )) for name, source, activation in zip(*about, strict=True)
        }


def _arrange(card: Card, layers: Sequence[DenseLayer], body: int, in_search: bool) -> Layers:
    """Layers for the kernels, of which the first `body` belong to the body."""
    sizes, places = {PLANES: math.prod(card.shape)}, {PLANES: -1}
    table, flat, start = [], [], 0
    for i, layer in enumerate(layers):
        inputs = sizes[layer.source]
        outputs = len(layer.bias) if i < body else math.prod(card.heads[layer.name].shape)
        if i >= body and layer.source == PLANES:
            raise ValueError(f"layer {layer.name} has nothing below it")
        if layer.kernel.shape != (inputs, outputs) or layer.bias.shape != (outputs,):
            raise ValueError(f"layer {layer.name} has the shape {layer.kernel.shape}, not "
                             f"{(inputs, outputs)}")
        kernel, turned = layer.kernel.ravel(), layer.kernel.T.ravel()
        few = i >= body and in_search
        parts = [kernel[:0] if few else kernel, layer.bias, turned if few else turned[:0]]
        starts = [start + sum(map(len, parts[:k])) for k in range(4)]
        table.append((inputs, outputs, *starts[:3], ACTIVATIONS.index(layer.activation),
                      places[layer.source]))
        flat += parts
        start = starts[3]
        sizes[layer.name], places[layer.name] = outputs, i
    widest = max(sizes.values())
    return Layers(
        np.array(table, np.int64), np.concatenate(flat), np.zeros((body, widest), np.float32),
        np.zeros((body + 1, widest), np.int64), np.zeros(body + 1, np.int64),
    )


def evaluator_of(
    card: Card, content: bytes, heads: Sequence[str], encoder: Encoder
) -> DenseEvaluator:
    """A network as an evaluator with these heads, for an encoder without history."""
    return DenseEvaluator(
        encoder.kernel, np.zeros(encoder.shape, np.float32), actions_by_player(encoder),
        read_network(card, content, heads, in_search=True))


def actions_by_player(encoder: Encoder) -> np.ndarray:
    """Where a policy has the actions: int64[2, num_actions], by the player to move."""
    actions = np.tile(np.arange(encoder.num_actions), (2, 1))
    if encoder.turns is not None:
        actions[1] = encoder.turns.actions[1]
    return actions


@kernel
def answer_many(layers, planes, answers):
    """The answers of all heads in turn about float32[n, inputs], into float32[n, outputs of all
    heads]."""
    for i in range(len(planes)):
        _body(layers, planes[i])
        begin = 0
        for k in range(layers.units.shape[0], len(layers.table)):
            end = begin + layers.table[k, _OUTPUTS]
            source = layers.table[k, _SOURCE]
            _layer(layers, k, layers.units[source], answers[i, begin:end])
            begin = end


@inline_kernel
def _body(layers, planes):
    """Compute the layers of the body, and note which of their outputs are not zero."""
    _note_active(layers, 0, planes, len(planes))
    for k in range(layers.units.shape[0]):
        source = layers.table[k, _SOURCE]
        _layer(layers, k, planes if source < 0 else layers.units[source], layers.units[k])
        _note_active(layers, k + 1, layers.units[k], layers.table[k, _OUTPUTS])


@inline_kernel
def _note_active(layers, row, values, n):
    active = layers.active[row]
    n_active = 0
    for i in range(n):
        active[n_active] = i
        n_active += values[i] != 0.0
    layers.n_active[row] = n_active


@kernel
def _layer(layers, k, inputs, out):
    """The outputs of layer `k`: its bias and the rows of those inputs that are not zero."""
    outputs, source = layers.table[k, _OUTPUTS], layers.table[k, _SOURCE]
    begin, bias = layers.table[k, _WEIGHTS], layers.table[k, _BIAS]
    weights, active, n = layers.weights, layers.active[source + 1], layers.n_active[source + 1]
    first = weights[bias : bias + outputs]
    for j in range(outputs):
        out[j] = first[j]
    i = 0
    # Four rows at a time, so that the sums are loaded and stored a quarter as often.
    while i + 4 <= n:
        a, b, c, d = active[i], active[i + 1], active[i + 2], active[i + 3]
        x, y, z, w = inputs[a], inputs[b], inputs[c], inputs[d]
        row_a = weights[begin + a * outputs : begin + (a + 1) * outputs]
        row_b = weights[begin + b * outputs : begin + (b + 1) * outputs]
        row_c = weights[begin + c * outputs : begin + (c + 1) * outputs]
        row_d = weights[begin + d * outputs : begin + (d + 1) * outputs]
        _add_four(out, outputs, (x, y, z, w), (row_a, row_b, row_c, row_d))
        i += 4
    while i < n:
        a = active[i]
        x = inputs[a]
        row_a = weights[begin + a * outputs : begin + (a + 1) * outputs]
        for j in range(outputs):
            out[j] += x * row_a[j]
        i += 1
    _activate(out, outputs, layers.table[k, _ACTIVATION])


@sum_kernel
def _add_four(out, n, inputs, rows):
    x, y, z, w = inputs
    row_a, row_b, row_c, row_d = rows
    for j in range(n):
        out[j] += x * row_a[j] + y * row_b[j] + z * row_c[j] + w * row_d[j]


@inline_kernel
def _activate(out, n, activation):
    if activation == _RELU:
        for j in range(n):
            out[j] = max(out[j], np.float32(0.0))
    elif activation == _SIGMOID:
        for j in range(n):
            out[j] = 1.0 / (1.0 + math.exp(-out[j]))
    elif activation == _TANH:
        for j in range(n):
            out[j] = math.tanh(out[j])


@inline_kernel
def _one_output(layers, k, j):
    """The output `j` of a head on the body, before its activation."""
    inputs = layers.table[k, _INPUTS]
    begin = layers.table[k, _TURNED] + j * inputs
    weights = layers.weights[begin : begin + inputs]
    return layers.weights[layers.table[k, _BIAS] + j] + _product(
        layers.units[layers.table[k, _SOURCE]], weights, inputs)


@sum_kernel
def _product(a, b, n):
    """The inner product of two vectors."""
    total = np.float32(0.0)
    for i in range(n):
        total += a[i] * b[i]
    return total


@by_class
def scores_of(evaluator, state, n, actions, scores):
    """Write the scores of the first `n` actions, before a softmax, by the network's first head.

    Returns the value for the player to move; it means nothing if the network has no value head.
    """


@kernel
def _scores(evaluator, state, n, actions, scores):
    encode(evaluator.encoder, kernels.alone(state), 1, evaluator.planes)
    layers = evaluator.layers
    _body(layers, evaluator.planes.reshape(evaluator.planes.size))
    policy = layers.units.shape[0]
    turned = evaluator.actions[kernels.to_move(state)]
    for i in range(n):
        scores[i] = _one_output(layers, policy, turned[actions[i]])
    return math.tanh(_one_output(layers, len(layers.table) - 1, 0))


@kernel
def value_and_priors(evaluator, state, n, scratch, rng):
    """`value_of` for evaluators with `scores_of`."""
    priors = scratch.priors
    value = scores_of(evaluator, state, n, scratch.actions, priors)
    largest = -np.inf
    for i in range(n):
        largest = max(largest, priors[i])
    total = 0.0
    for i in range(n):
        priors[i] = math.exp(priors[i] - largest)
        total += priors[i]
    for i in range(n):
        priors[i] /= total
    return (1 - 2 * kernels.to_move(state)) * value


scores_of.register(DenseEvaluator, _scores)
value_of.register(DenseEvaluator, value_and_priors)
