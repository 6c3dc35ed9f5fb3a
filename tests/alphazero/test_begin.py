"""What a run begins with: a network, games of others, or neither."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.networks.card import read_card
from engines.learning.networks.leaf_evaluator import softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.runs import run as run_module
from experiments.datasets.generate import generate, make_recipe
from tests.alphazero.short_run import SETTINGS, Listener, dying, train
from tests.learning.breaking import Killed

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def others(tmp_path_factory) -> Path:
    """Games of another engine."""
    folder = tmp_path_factory.mktemp("others")
    return generate(make_recipe("tictactoe", "mcts:sims=50"), 60, folder, workers=1)


@pytest.fixture(scope="module")
def begun(whole: Path, others: Path, tmp_path_factory) -> tuple[AlphaZeroConfig, Path, list[str]]:
    """A run of one iteration that began with a network and with games of others; what it said."""
    folder, told = tmp_path_factory.mktemp("begun"), []
    model = shutil.copytree(whole / "nets/0001", folder / "model")
    plan = make_config("tictactoe", **SETTINGS | {
        "iterations": 1, "workers": 1, "first_network": str(model), "first_games": str(others),
        "batch_size": 8, "optimizer": "adam:lr=0.01",
    })
    train(plan, folder / "run", Listener(told))
    return plan, folder / "run", told


def test_a_run_may_begin_with_a_network_and_with_games_of_others(
    begun: tuple[AlphaZeroConfig, Path, list[str]], whole: Path, others: Path
) -> None:
    """It predicts those games better than before; what it began with is counted."""
    _, folder, told = begun
    assert told[0].startswith("starting from the weights of run-0001")
    assert told[1].startswith("60 given games, ") and len(told) == 3
    before, taught, card = (read_card(net) for net in (
        whole / "nets/0001", folder / "nets/0000", folder / "nets/0001"
    ))
    data = Dataset.open(others)
    assert taught.training["data"] == card.training["data"]
    assert card.training["data"]["positions"] == data.n_positions
    assert len({before.network_id, taught.network_id, card.network_id}) == 3
    assert card.training["first_network"]["network_id"] == before.network_id
    assert card.training["games"] == before.training["games"] + SETTINGS["games"]
    cpu = [one.training["cpu_seconds"] for one in (before, taught, card)]
    assert 0 < cpu[0] < cpu[1] <= cpu[2]  # in tenths of a second, and these runs are short
    (batch,) = batches(data, get_encoder("planes", data.game), BatchOptions(10_000))
    losses = []
    for net in (folder / "nets/0000", whole / "nets/0001"):
        answers = load_runtime(str(net)).evaluate(batch.planes)
        losses.append(-(batch.policies * np.log(softmax(answers["policy"]))).sum(axis=1).mean())
    assert losses[0] < 0.95 * losses[1]


@pytest.mark.long
def test_what_a_run_begins_with_is_learned_once_whenever_it_is_killed(
    begun: tuple[AlphaZeroConfig, Path, list[str]], tmp_path: Path, monkeypatch
) -> None:
    """Killed after its first network was written, then before its first iteration is kept.

    From then on nobody needs the network that it began with.
    """
    plan, unbroken, _ = begun
    model, folder = Path(plan.first_network), tmp_path / "killed"
    told: list[str] = []
    for call in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(run_module, "write_checkpoint", dying(run_module.write_checkpoint, call))
            with pytest.raises(Killed):
                train(plan, folder, Listener(told if call == 2 else []))
    shutil.move(model, tmp_path / "away")
    try:
        card = train(plan, folder, Listener(told))
        with pytest.raises(ModelError, match="unknown model"):
            train(plan, tmp_path / "none")
    finally:
        shutil.move(tmp_path / "away", model)
    assert card.network_id == read_card(unbroken / "nets/0001").network_id
    for start in ("starting from the weights of", "60 given games"):
        assert sum(line.startswith(start) for line in told) == 1
    # While a run goes on, the doctor reports only what is wrong.
    assert not any(line.lstrip().startswith(("fine ", "watch ")) for line in told)


@pytest.mark.parametrize(("model", "settings", "message"), [
    ("tictactoe-alphazero", {"network": "resnet:blocks=1,filters=32"}, "its network is resnet:blo"),
    ("tictactoe-alphazero", {"network": "resnet:blocks=3,filters=16"}, "its network is resnet:blo"),
    ("connect4-alphazero", {}, "its network is resnet:blocks=5,filters=64, that of the run resnet"),
    ("tictactoe-alphazero", {"encoder": "threeplane"},
     "its encoder is planes, that of the run three"),
])
def test_a_network_that_does_not_fit_is_refused(
    model: str, settings: dict, message: str, tmp_path: Path
) -> None:
    plan = make_config("tictactoe", **settings, first_network=model)
    with pytest.raises(ModelError, match=message):
        train(plan, tmp_path)
