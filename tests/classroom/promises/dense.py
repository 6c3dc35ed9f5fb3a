"""Promises of a dense layer."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _layer(call: Call) -> tuple[int, int, int]:
    """The batch, inputs and outputs."""
    x, w = call.arguments[:2]
    return len(x), *w.shape


def _sizes(condition) -> list[Promise]:
    """That layers of such sizes are asked, forwards and backwards."""
    return [Promise(text, lambda call, name=name: call.name == name and condition(*_layer(call)))
            for name, text in (("forward", "returns y = x @ w + b"),
                               ("backward", "in the shapes of x, w and b"))]


PROMISES = [
    *_sizes(lambda batch, inputs, outputs: batch == 1 < inputs),
    *_sizes(lambda batch, inputs, outputs: batch == inputs == outputs == 1),
    *_sizes(lambda batch, inputs, outputs: batch == inputs == outputs > 1),
    *_sizes(lambda batch, inputs, outputs: inputs == outputs not in (1, batch)),
    *_sizes(lambda batch, inputs, outputs: batch == outputs not in (1, inputs)),
    *_sizes(lambda batch, inputs, outputs: batch == inputs not in (1, outputs)),
    *_sizes(lambda batch, inputs, outputs: inputs < outputs),
    *_sizes(lambda batch, inputs, outputs: batch > 30),
    Promise("returns y = x @ w + b",
            lambda call: call.name == "forward" and abs(call.arguments[0]).max() > 1000),
    Promise("The loss is a sum over the batch", lambda call: call.name == "backward"
            and len(call.arguments[0]) > 1, least=4),
    # A cache of shapes would be wrong.
    Promise("gets a batch x", lambda call: call.name == "forward" and _layer(call) == (4, 3, 2), 2),
    Promise("from 0 to 1", lambda call: call.name == "sigmoid_backward" and 0 in call.arguments[0]),
    Promise("from 0 to 1", lambda call: call.name == "sigmoid_backward" and 1 in call.arguments[0]),
    Promise("with respect to y, [batch, outputs]", lambda call: call.name == "sigmoid_backward"
            and len(call.arguments[0]) > 1, least=4),
    Promise("with respect to y, [batch, outputs]", lambda call: call.name == "sigmoid_backward"
            and len(call.arguments[0]) == 1, least=2),
    Promise("with respect to y, [batch, outputs]", lambda call: call.name == "sigmoid_backward"
            and len(call.arguments[0]) == call.arguments[0].shape[1] > 1),
    Promise("The gradient with respect to the inputs x of a sigmoid", lambda call:
            call.name == "sigmoid_backward" and call.result.min() < 0 < call.result.max(), least=4),
]


def valid(call: Call) -> None:
    """The shapes."""
    if call.name == "sigmoid_backward":
        y, gradient = call.arguments
        assert y.ndim == 2 and y.shape == gradient.shape
        assert y.min() >= 0 and y.max() <= 1
        return
    x, w, last = call.arguments
    assert x.ndim == w.ndim == 2 and x.shape[1] == len(w)
    assert last.shape == (w.shape[1:] if call.name == "forward" else (len(x), w.shape[1]))
