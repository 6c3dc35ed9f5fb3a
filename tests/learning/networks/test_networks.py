"""Architectures, optimisers and losses: the book's numbers of weights, formulas by hand."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dlgo import SpecError
from dlgo.errors import ModelError
from engines.learning.networks import catalog
from engines.learning.networks.card import Card, read_card
from engines.learning.networks.store import DENSE_FILE

pytest.importorskip("keras")

from engines.learning.networks.architectures import build_network, flops  # noqa: E402
from engines.learning.networks.backend import keras  # noqa: E402
from engines.learning.networks.optimizers import head_loss, make_optimizer  # noqa: E402
from engines.learning.networks.runtimes import load_runtime  # noqa: E402
from engines.learning.networks.saving import save_model  # noqa: E402


def shapes(rows: int, cols: int, planes: int, num_actions: int) -> SimpleNamespace:
    """As much of an encoder as a network needs."""
    return SimpleNamespace(shape=(rows, cols, planes), num_actions=num_actions)


BOOK = shapes(9, 9, 1, 81)  # one plane, no pass


@pytest.mark.parametrize(
    ("name", "encoder", "weights"),
    [
        # Printed in the book: section 6.3.4, section 6.7.
        ("mlp", BOOK, 623_081),
        ("cnn", BOOK, 456_545),
        # Listing 6.17: 480 + 20784 + (81 * 48 + 1) * 512 + 513 * 81.
        ("cnn_plain", BOOK, 480 + 20_784 + 3889 * 512 + 513 * 81),
        # Listing 7.18 with the last layer of 7.21.
        ("small", shapes(19, 19, 1, 361),
         (49 + 1) * 48 + (25 * 48 + 1) * 32 + 2 * (25 * 32 + 1) * 32
         + (361 * 32 + 1) * 512 + 513 * 361),
        # Chapter 13: 12 layers of 192 filters, the first 5x5; its 48 planes; then 1x1.
        ("alphago", shapes(19, 19, 48, 361),
         (25 * 48 + 1) * 192 + 11 * (9 * 192 + 1) * 192 + 193 + 362 * 361),
    ],
)
def test_networks_have_as_many_weights_as_in_the_book(name, encoder, weights) -> None:
    assert build_network(name, encoder).count_params() == weights


@pytest.mark.parametrize(("options", "policy", "value"), [
    ("", 2, 1),  # AlphaGo Zero's
    (",policy_filters=5,value_filters=3", 5, 3),
])
def test_heads_of_a_resnet_are_as_wide_as_asked(options: str, policy: int, value: int) -> None:
    """1x1 convolutions of 8 filters, normalised (4 numbers a filter), and dense layers."""
    body = 9 * 2 * 8 + 32 + 2 * (9 * 8 * 8 + 32)
    wanted = body + (8 + 4) * policy + (42 * policy + 1) * 7
    wanted += (8 + 4) * value + (42 * value + 1) * 64 + 65
    network = build_network(f"resnet:blocks=1,filters=8{options}", shapes(6, 7, 2, 7))
    assert network.count_params() == wanted


@pytest.mark.parametrize("name", list(catalog.NETWORKS))
@pytest.mark.parametrize("encoder", [shapes(3, 3, 3, 9), shapes(6, 7, 2, 7)], ids=str)
def test_every_network_gives_logits_and_a_value(name: str, encoder) -> None:
    small = {"alphago": "alphago:layers=2,filters=4", "resnet": "resnet:blocks=1,filters=4"}
    planes = np.random.default_rng(1).standard_normal((2, *encoder.shape)).astype(np.float32)
    for heads in (("policy", "value"), ("policy",), ("value",)):
        answers = build_network(small.get(name, name), encoder, heads)(30 * planes)
        assert tuple(answers) == heads
        if "policy" in heads:
            assert answers["policy"].shape == (2, encoder.num_actions)
        if "value" in heads:
            assert answers["value"].shape == (2, 1)
            assert np.abs(np.asarray(answers["value"])).max() <= 1
    assert build_network(small.get(name, name), encoder).count_params() == build_network(
        small.get(name, name), encoder, catalog.NETWORKS[name].heads
    ).count_params()


@pytest.mark.parametrize(("name", "heads", "compiled"), [
    ("mlp:hidden=24,layers=3,activation=relu", ["policy", "value"], True),
    ("mlp:hidden=24,activation=sigmoid,dropout=0.3", ["policy", "q", "score"], True),
    ("wide:hidden=24", ["policy", "value"], True),
    ("wide:hidden=24", ["policy", "ownership"], False),  # it is laid out on the board
    ("mlp:hidden=24", ["q_pair"], False),
    ("cnn", ["policy"], False),
])
def test_networks_of_dense_layers_alone_are_saved_for_the_compiled_search(
    tmp_path: Path, name: str, heads: list[str], compiled: bool
) -> None:
    network = build_network(name, shapes(3, 3, 3, 9), heads)
    card = save_model(tmp_path / "m", network, CARD)
    assert (DENSE_FILE in card.files) == (tmp_path / "m" / DENSE_FILE).exists() == compiled
    if not compiled:
        return
    planes = np.random.default_rng(2).integers(0, 2, (6, 3, 3, 3)).astype(np.float32)
    answers = load_runtime(str(tmp_path / "m"), "compiled").evaluate(planes)
    assert answers.keys() == set(heads)
    for head in heads:
        np.testing.assert_allclose(answers[head], network(planes)[head], atol=1e-5)
        assert answers[head].std() > 0


def test_actions_side_by_side_are_the_books_network_with_two_inputs() -> None:
    """Listing 11.4: the position's features beside a one-hot action, a dense layer, one value."""
    encoder = shapes(6, 7, 2, 7)
    network = build_network("mlp:hidden=8,layers=1,activation=relu", encoder, ["q_pair"])
    planes = np.random.default_rng(3).standard_normal((5, 6, 7, 2)).astype(np.float32)
    flat, board, _, pair, value, _ = network.layers[1:]
    features = np.asarray(board(flat(planes)))
    kernel, bias = (np.asarray(part) for part in pair.weights)
    dense = np.concatenate([bias, kernel])  # the weights below [one-hot action, features]
    for action in range(7):
        shown = np.concatenate([np.tile(np.eye(7)[action], (5, 1)), features], axis=1)
        wanted = np.asarray(value(np.maximum(shown @ dense, 0)))[:, 0]
        np.testing.assert_allclose(network(planes)["q_pair"][:, action], wanted, atol=1e-5)
    answers = np.asarray(network(planes)["q_pair"])
    assert answers.std(axis=1).min() > 1e-3, "actions differ from the start"


def test_losses_of_the_end_as_by_hand() -> None:
    """Two of six cells are wrong, one by 2, one by 1; scores are off by 0.05, 0.6 and -1.1."""
    cells = np.array([[[1, -1, 0], [1, 1, -1]]], np.float32)
    found = np.array([[[-1, -1, 0], [1, 0, -1]]], np.float32)
    assert np.asarray(head_loss("ownership")(cells, found)) == pytest.approx([5 / 6])
    target = np.array([[0.0], [0.5], [-0.1]], np.float32)
    said = np.array([[0.05], [1.1], [-1.2]], np.float32)
    # 0.5 e^2 / 0.1 up to 0.1, then |e| - 0.05.
    assert np.asarray(head_loss("score")(target, said)) == pytest.approx([0.0125, 0.55, 1.05])


def test_operations_are_counted_as_by_hand() -> None:
    """mlp: two for each weight of its matrices; a 3x3 convolution: also for each cell."""
    encoder = shapes(3, 3, 2, 9)
    assert flops(build_network("mlp:hidden=8,layers=1", encoder)) == 2 * (18 * 8 + 8 * 9)
    plain = build_network("cnn_plain:filters=5,layers=1,hidden=4", encoder)
    assert flops(plain) == 2 * (9 * 9 * 2 * 5 + 45 * 4 + 4 * 9)


@pytest.mark.parametrize(
    ("text", "part"),
    [("resnett", "did you mean resnet"), ("cnn:filters=0", "out of range"),
     ("cnn:pool=min", "not one of"), ("mlp:blocks=3", "no option 'blocks'")],
)
def test_a_bad_network_is_refused(text: str, part: str) -> None:
    with pytest.raises(SpecError, match=part) as error:
        build_network(text, BOOK)
    assert "\n" not in str(error.value)


def step(optimizer, variable, gradient: float) -> float:
    optimizer.apply([np.array([gradient], np.float32)], [variable])
    return float(np.asarray(variable)[0])


def test_optimizers_step_as_their_formulas_say() -> None:
    """From weight 1 with the gradients 0.5 and 0.25."""
    def two_steps(text: str, schedule: str = "constant") -> list[float]:
        variable = keras.Variable(np.ones(1, np.float32))
        optimizer = make_optimizer(text, schedule, epochs=2, steps_per_epoch=2)
        return [step(optimizer, variable, 0.5), step(optimizer, variable, 0.25)]

    assert two_steps("sgd:lr=0.1") == pytest.approx([0.95, 0.925])
    # Keeps 0.9 of the last step, -0.05.
    assert two_steps("momentum:lr=0.1") == pytest.approx([0.95, 0.95 - 0.045 - 0.025])
    # The book's decay: rate / (1 + decay * steps).
    assert two_steps("sgd:lr=0.1", "decay:decay=1") == pytest.approx([0.95, 0.95 - 0.25 * 0.05])
    # Half a cosine over the four steps of the run: (1 + cos(pi / 4)) / 2 at the second.
    assert two_steps("sgd:lr=0.1", "cosine")[1] == pytest.approx(0.95 - 0.025 * 0.8535534)
    # Adam's first step is the rate, whatever the gradient; Adadelta's is tiny.
    assert two_steps("adam:lr=0.01")[0] == pytest.approx(0.99, abs=1e-5)
    assert 0 < 1 - two_steps("adadelta")[0] < 0.01
    # Adagrad: rate * g / sqrt(sum of g^2), Keras beginning the sum with 0.1.
    assert two_steps("adagrad:lr=0.1")[0] == pytest.approx(1 - 0.05 / (0.1 + 0.25) ** 0.5, abs=1e-5)
    # Steps: the rate falls to a tenth after each epoch of two steps.
    optimizer = make_optimizer("sgd:lr=0.1", "steps:every=1", epochs=3, steps_per_epoch=2)
    variable = keras.Variable(np.ones(1, np.float32))
    weights = [1.0] + [step(optimizer, variable, 1.0) for _ in range(5)]
    assert -np.diff(weights) == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001], rel=1e-3)


def test_losses_are_those_of_chapter_6() -> None:
    target = np.array([[1.0, 0.0, 0.0]], np.float32)
    # -log 0.6 = 0.51 however the rest is divided (section 6.5.2).
    for rest in ([0.4, 1e-9], [0.2, 0.2]):
        logits = np.log(np.array([[0.6, *rest]], np.float32))
        found = head_loss("policy")(target, logits)
        assert float(found) == pytest.approx(0.51, abs=0.002)
    # Squared errors of the sigmoid: (0.4^2 + 0.4^2) / 3 here.
    odds = np.array([[0.6 / 0.4, 0.4 / 0.6, 1e-30]], np.float32)
    found = np.asarray(head_loss("policy", "mse")(target, np.log(odds)))
    assert found == pytest.approx([0.32 / 3], abs=1e-6)


CARD = Card("m", "tictactoe", "planes", "resnet:blocks=1,filters=4", (3, 3, 3), 9)


def save(folder: Path) -> tuple[Path, object]:
    keras.utils.set_random_seed(3)
    network = build_network("resnet:blocks=1,filters=4", shapes(3, 3, 3, 9))
    save_model(folder, network, CARD)
    return folder, network


def test_a_saved_model_answers_alike_everywhere(tmp_path: Path) -> None:
    folder, network = save(tmp_path / "m")
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.json", "network.keras", "network.onnx"
    ]
    card = read_card(folder)
    assert card == dataclasses.replace(
        CARD, heads=card.heads, network_id=card.network_id, files=card.files,
        versions=card.versions, created=card.created,
    )
    planes = np.random.default_rng(2).integers(0, 2, (6, 3, 3, 3)).astype(np.float32)
    wanted = network(planes)
    for kind in ("onnx", "keras"):
        answers = load_runtime(str(folder), kind).evaluate(planes)
        assert set(answers) == {"policy", "value"}
        for head, answer in answers.items():
            np.testing.assert_allclose(answer, wanted[head], atol=1e-4)
    again, _ = save(tmp_path / "again")
    assert read_card(again).network_id == card.network_id


def test_an_export_that_differs_is_not_written(tmp_path: Path, monkeypatch) -> None:
    import onnxruntime as ort

    exact = ort.InferenceSession.run

    def off(self, names, inputs):
        policy, *rest = exact(self, names, inputs)
        return [policy + 3e-4, *rest]

    monkeypatch.setattr(ort.InferenceSession, "run", off)
    with pytest.raises(ModelError, match="policy by 0.0003"):
        save(tmp_path / "m")
    assert list((tmp_path / "m").iterdir()) == []


def test_code_in_a_keras_file_is_not_run(tmp_path: Path) -> None:
    """A Lambda layer carries Python code; its checksum is right, as an attacker's would be."""
    folder, _ = save(tmp_path / "m")
    mark = str(tmp_path / "ran")
    inputs = keras.Input((3, 3, 3))
    code = keras.layers.Lambda(lambda x: (open(mark, "w").close(), x)[1])  # noqa: PTH123, SIM115
    outputs = keras.layers.Dense(9, name="policy")(keras.layers.Flatten()(code(inputs)))
    keras.Model(inputs, {"policy": outputs}).save(folder / "network.keras")
    Path(mark).unlink()  # the layer ran while the model was made
    digest = hashlib.sha256((folder / "network.keras").read_bytes()).hexdigest()
    card = read_card(folder)
    evil = dataclasses.replace(card, files={**card.files, "network.keras": digest})
    (folder / "card.json").write_text(evil.to_json())
    with pytest.raises(ModelError, match="Keras cannot read it") as error:
        load_runtime(str(folder), "keras")
    assert "\n" not in str(error.value)
    assert not Path(mark).exists()
