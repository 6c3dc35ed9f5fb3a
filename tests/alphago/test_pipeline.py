"""`dlgo train alphago`: stage after stage, stopped anywhere and continued, and then it plays.

TensorFlow takes seconds to trace each network, so one broken-off run does by default; with
`--run-all` an unbroken one is made beside it, and must end with the same parts.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo import GameState, get_game
from dlgo.errors import ModelError
from engines.alphago.bundle import FAST, NETWORKS, Bundle, read_bundle, write_bundle
from engines.alphago.config import AlphaGoConfig
from engines.alphago.pipeline import STAGES, train
from engines.learning.networks.card import read_card
from engines.learning.networks.runtimes import load_runtime
from engines.learning.runs import Progress
from engines.registry import build_engine
from experiments.cli.main import cli
from experiments.datasets.generate import generate, make_recipe
from tests.conftest import one_line_error
from tests.learning.networks.models import write_dense_model

pytestmark = pytest.mark.train

pytest.importorskip("keras")
GAME = get_game("tictactoe")
CONFIG = AlphaGoConfig.make(
    "tictactoe", engine="mcts:sims=20", games=60, network="mlp:hidden=16,layers=1", epochs=2,
    fast_epochs=1, reinforce_iterations=2, reinforce_games=32, save_every=1, value_games=200,
    value_epochs=1,
)


class Stopped(BaseException):
    """Stands for the end of the process."""


class StoppingAt(Progress):
    """Collects lines, and stops where one begins with a text."""

    def __init__(self, text: str = "never") -> None:
        self._text = text
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(text)
        if text.startswith(self._text):
            raise Stopped


def make_games(folder: Path) -> Path:
    return generate(make_recipe("tictactoe", CONFIG.engine, seed=1), CONFIG.games, folder, 1)


@pytest.fixture(scope="module")
def broken_off(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Bundle, list[str]]:
    """A run that was stopped twice, and moved each time; its bundle; what it said at last."""
    folder = tmp_path_factory.mktemp("run")
    for n, text in enumerate(("iteration 1 of 2", "stage 6")):
        with pytest.raises(Stopped):
            train(CONFIG, folder, make_games, StoppingAt(text))
        with one_line_error(ModelError, "has no alphago.json"):
            read_bundle(folder)
        folder = folder.rename(folder.with_name(f"moved{n}"))
    last = StoppingAt()
    return folder, train(CONFIG, folder, make_games, last), last.lines


def test_a_run_that_was_stopped_ends_with_all_parts_and_costs(
    broken_off: tuple[Path, Bundle, list[str]],
) -> None:
    folder, bundle, said = broken_off
    assert [line for line in said if line.startswith("stage")] == [
        f"stage {n} of 6: {stage}" for n, stage in enumerate(STAGES, 1)]
    assert not any(line.startswith("iteration") for line in said), "that was done before"
    assert read_bundle(folder / "model") == bundle
    assert set(bundle.costs) == set(STAGES) and all(cost >= 0 for cost in bundle.costs.values())
    assert list(read_card(Path(bundle.network("value"))).heads) == ["value"]
    reinforced = read_card(Path(bundle.network("reinforced")))
    supervised = read_card(Path(bundle.network("supervised")))
    assert reinforced.network_id != supervised.network_id
    # What the reinforced policy has cost includes what it began with.
    assert reinforced.total_cpu_seconds > supervised.total_cpu_seconds


def test_reinforcement_begins_with_the_supervised_policy(
    broken_off: tuple[Path, Bundle, list[str]],
) -> None:
    folder, bundle, _ = broken_off
    first = read_card(folder / "reinforced/nets/0000")
    assert first.network_id == read_card(Path(bundle.network("supervised"))).network_id


def test_what_was_trained_plays(broken_off: tuple[Path, Bundle, list[str]]) -> None:
    folder, _, _ = broken_off
    for spec in ("alphago", "textbook-alphago", "alphago:prior=reinforced,lambda=1"):
        joint = "," if ":" in spec else ":"
        engine = build_engine(f"{spec}{joint}model={folder},sims=10", GAME)
        state = GameState.new_game(GAME)
        while not state.is_over():
            state = state.apply_move(engine.select_move(state).move)


@pytest.mark.long
def test_a_run_that_was_stopped_equals_an_unbroken_one(
    broken_off: tuple[Path, Bundle, list[str]], tmp_path: Path
) -> None:
    _, bundle, _ = broken_off
    unbroken = train(CONFIG, tmp_path, make_games)
    for part in NETWORKS:
        cards = [read_card(Path(each.network(part))) for each in (bundle, unbroken)]
        assert cards[0].network_id == cards[1].network_id, part
    weights = []
    for each in (bundle, unbroken):
        with np.load(each.folder / FAST) as arrays:
            weights.append(arrays["weights"])
    np.testing.assert_array_equal(*weights)


def test_a_bundle_has_all_files_of_its_networks(tmp_path: Path) -> None:
    networks = {part: write_dense_model(tmp_path / part, "tictactoe", "planes")
                for part in NETWORKS}
    fast = tmp_path / "fast.npz"
    fast.write_bytes(b"weights")
    bundle = write_bundle(tmp_path / "bundle", "tictactoe", networks, fast, {})
    for part in NETWORKS:
        assert load_runtime(bundle.network(part), "compiled").card == read_card(networks[part])


def test_other_settings_do_not_continue_a_run(tmp_path: Path) -> None:
    """The stages would use the files that are there, which other settings made."""
    with pytest.raises(Stopped):
        train(CONFIG, tmp_path, make_games, StoppingAt("stage 1"))
    other = dataclasses.replace(CONFIG, value_games=300, fast_epochs=2)
    with one_line_error(ModelError, "holds a run with fast_epochs=1, value_games=200;"):
        train(other, tmp_path, make_games)


def test_another_game_or_setting_is_refused_in_one_line(
    broken_off: tuple[Path, Bundle, list[str]],
) -> None:
    folder, _, _ = broken_off
    said = CliRunner().invoke(cli, ["train", "alphago", "--game", "tictactoe", "--out",
                                    str(folder), "--set", "games=60"])
    assert said.exit_code != 0 and "engine=mcts:sims=20" in str(said.exception)
    said = CliRunner().invoke(cli, ["train", "alphago", "--game", "tictactoe", "--set", "gmes=60"])
    assert said.exit_code != 0 and "games" in str(said.output + str(said.exception))
    listed = CliRunner().invoke(cli, ["train", "alphago", "--list"]).output
    assert all(name in listed for name in AlphaGoConfig.options())
