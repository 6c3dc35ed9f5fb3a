"""The mean of networks: weights between theirs, a cost that stays, refusals in one line."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from dlgo.errors import ModelError
from engines.learning.networks.card import read_card
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import find_model
from tests.conftest import one_line_error

pytest.importorskip("keras")
from engines.learning.networks.averaging import average_models  # noqa: E402


def weights(name: str | Path) -> list[np.ndarray]:
    return load_runtime(str(name), "keras").model.get_weights()


def test_the_mean_of_two_networks_lies_half_way_and_plays(tmp_path: Path) -> None:
    from engines.learning.networks.saving import save_model

    source = load_runtime("tictactoe-ppo", "keras")
    doubled = source.model
    doubled.set_weights([2 * weight for weight in doubled.get_weights()])
    save_model(tmp_path / "doubled", doubled, source.card)
    card = average_models(["tictactoe-ppo", str(tmp_path / "doubled")], tmp_path / "mean")
    for one, mean in zip(weights("tictactoe-ppo"), weights(tmp_path / "mean"), strict=True):
        np.testing.assert_allclose(mean, 1.5 * one, rtol=1e-6)
    assert card.training["cpu_seconds"] == source.card.training["cpu_seconds"]
    assert card.training["averaged"] == [
        source.card.network_id, read_card(tmp_path / "doubled").network_id]
    assert card.name == "mean" and card.accuracy == {}
    planes = np.zeros((1, *card.shape), np.float32)
    assert load_runtime(str(tmp_path / "mean")).evaluate(planes)["policy"].shape == (1, 9)


def test_what_has_no_mean_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "mean"
    with one_line_error(ModelError, "two models at least"):
        average_models(["tictactoe-ppo"], out)
    with one_line_error(ModelError, "has the game tictactoe, connect4-ppo has connect4"):
        average_models(["tictactoe-ppo", "connect4-ppo"], out)
    with one_line_error(ModelError, "tictactoe-alphazero has batch normalisation"):
        average_models(["tictactoe-alphazero"] * 2, out)
    with one_line_error(ModelError, "unknown model 'nobody'"):
        average_models(["tictactoe-ppo", "nobody"], out)
    assert not out.exists()
    damaged = tmp_path / "damaged"
    shutil.copytree(find_model("tictactoe-ppo"), damaged)
    (damaged / "network.keras").write_bytes(b"")
    with one_line_error(ModelError, "is not the file its card describes"):
        average_models(["tictactoe-ppo", str(damaged)], out)
