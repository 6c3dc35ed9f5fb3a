"""Networks written as ONNX, or compiled, answer as they do in Keras, whatever they are made of."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("keras")

import onnxruntime

from dlgo import get_game
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.learning.networks import catalog
from engines.learning.networks.architectures import build_network, keras
from engines.learning.networks.card import Card, head_of
from engines.learning.networks.onnx_export import to_onnx
from engines.learning.networks.runtimes import CompiledRuntime
from engines.learning.networks.store import ONNX_FILE
from tests.conftest import one_line_error

NETWORKS = [
    *catalog.NETWORKS, "cnn:pool=average", "cnn:pool=none,activation=sigmoid", "mlp:dropout=0.5",
    "cnn:dropout=0.5", "resnet:l2=0.1,blocks=2",
]


@pytest.mark.parametrize("name", NETWORKS)
def test_onnx_answers_as_keras(name: str) -> None:
    encoder = get_encoder("planes", get_game("connect4"))
    heads = catalog.NETWORKS[name.partition(":")[0]].heads
    every = [head for head in catalog.HEADS if head in ("policy", "value", "q_pair", "ownership",
                                                        "score")]
    keras.utils.set_random_seed(1)
    model = build_network(name, encoder, [*dict.fromkeys([*heads, *every])])
    random = np.random.default_rng(1)
    for layer in model.layers:  # as trained: no bias or mean is 0, no scale is 1
        layer.set_weights([
            0.5 + random.random(w.shape) if isinstance(layer, keras.layers.BatchNormalization)
            else w + 0.1 * random.standard_normal(w.shape) * (w.ndim == 1)
            for w in layer.get_weights()
        ])
    content = to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(content)
    planes = (random.random((5, *encoder.shape)) < 0.3).astype(np.float32)
    answers = session.run(list(model.output), {"planes": planes})
    expected = {head: np.asarray(answer) for head, answer in model(planes, training=False).items()}
    for (head, wanted), answer in zip(expected.items(), answers, strict=True):
        assert answer.shape == wanted.shape, head
        np.testing.assert_allclose(answer, wanted, rtol=1e-4, atol=1e-4, err_msg=head)
    assert not np.allclose(answers[0][0], answers[0][1:])  # they depend on the planes
    shapes = {head: head_of(head, wanted.shape[1:]) for head, wanted in expected.items()}
    card = Card("m", "connect4", "planes", name, encoder.shape, 7, shapes)
    with one_line_error(ModelError, "model m has a layer Unsqueeze that has no compiled form"):
        CompiledRuntime(card, content, ONNX_FILE)
    del shapes["q_pair"]
    for head, answer in CompiledRuntime(card, content, ONNX_FILE).evaluate(planes).items():
        np.testing.assert_allclose(answer, expected[head], rtol=1e-4, atol=1e-4, err_msg=head)
