"""`runtime=auto`: never slower than ONNX Runtime, never far from its answers, measured once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.errors import ModelError
from engines.learning.networks import fastest, measured
from engines.learning.networks.fastest import (
    AUTO,
    MOST_POLICY,
    MOST_VALUE,
    PLAYING_KINDS,
    USUAL,
    Trial,
    best_rates,
    choose,
    fastest_kind,
    load_chosen,
    trials_of,
)
from engines.learning.networks.quantization import quantise_model
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import ONNX_FILE
from engines.registry import build_engine
from tests.command import dlgo_here
from tests.conftest import one_line_error
from tests.learning.networks.models import write_dense_model, write_model


class Clock:
    """Time passes only while a network works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Timed:
    """A network that takes so many seconds a batch, in each round another number."""

    def __init__(self, clock: Clock, *seconds: float) -> None:
        self._clock, self._seconds, self.calls = clock, seconds, 0

    def evaluate(self, planes: np.ndarray) -> None:
        assert len(planes) == 8
        self._clock.now += self._seconds[self.calls % len(self._seconds)]
        self.calls += 1


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is remembered."""
    monkeypatch.setattr(measured, "base_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "runtimes"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Says what is to be measured; a list of the sizes of batches that have been since."""
    def set_trials(**trials: Trial) -> list[int]:
        sizes: list[int] = []

        def measure(name: str, batch: int) -> dict[str, Trial]:
            sizes.append(batch)
            return trials

        monkeypatch.setattr(fastest, "_try_all", measure)
        return sizes

    return set_trials


def test_the_best_round_of_each_counts() -> None:
    clock = Clock()
    networks = {"onnx": Timed(clock, 0.01), "openvino": Timed(clock, 0.02, 0.004, 0.5)}
    rates = best_rates(networks, np.zeros((8, 2, 2, 1), np.float32), 0.003, 3, clock)
    assert rates == {"onnx": pytest.approx(800), "openvino": pytest.approx(2000)}


def test_another_kind_must_be_a_tenth_faster() -> None:
    assert choose({"onnx": Trial(100), "openvino": Trial(109)}) == "onnx"
    assert choose({"onnx": Trial(100), "openvino": Trial(111)}) == "openvino"
    assert choose({"onnx": Trial(100), "openvino": Trial(150), "int8": Trial(151)}) == "int8"
    assert choose({"onnx": Trial(100)}) == "onnx"


def test_nothing_slower_and_nothing_too_far_is_ever_chosen() -> None:
    rng = np.random.default_rng(3)
    for _ in range(500):
        trials = {
            kind: Trial(float(rate), *rng.choice([0, 0.019, 0.021, np.nan], 2).tolist())
            for kind, rate in zip(PLAYING_KINDS, rng.integers(1, 30, 6), strict=True)
            if kind == "onnx" or rng.random() < 0.7
        }
        kind = choose(trials)
        if kind != "onnx":
            assert trials[kind].rate > trials["onnx"].rate
            assert trials[kind].policy <= MOST_POLICY and trials[kind].value <= MOST_VALUE
            assert all(trial.rate <= trials[kind].rate for trial in trials.values()
                       if trial.is_close)


def test_self_play_takes_the_fastest_but_no_eight_bits(tmp_path, monkeypatch) -> None:
    clock, model = Clock(), str(write_model(tmp_path / "m", "tictactoe"))
    monkeypatch.setattr(
        fastest, "best_rates",
        lambda runtimes, planes: best_rates(runtimes, planes, 0.003, 1, clock))

    def of(gpu: bool = False, **seconds: float) -> str:
        def load(name: str, kind: str) -> Timed:
            if kind not in seconds:
                raise ModelError("not installed")
            return Timed(clock, seconds[kind])

        monkeypatch.setattr(fastest, "load_runtime", load)
        return fastest_kind(model, 8, gpu)

    assert of(onnx=0.010, openvino=0.002) == "openvino"
    assert of(onnx=0.002, openvino=0.010) == "onnx"
    assert of(onnx=0.010, int8=0.001) == "onnx"
    assert of(onnx=0.010, keras=0.001) == "onnx"
    assert of(gpu=True, onnx=0.010, keras=0.001) == "keras"
    with pytest.raises(ModelError):  # the model itself is at fault
        of(openvino=0.001)


def test_a_network_of_dense_layers_is_compiled_unless_another_is_named(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(fastest, "best_rates", None)  # nothing is measured
    dense = str(write_dense_model(tmp_path / "dense", "connect4", "planes"))
    other = str(write_model(tmp_path / "other", "connect4"))
    assert fastest_kind(dense, 8) == "compiled"
    assert [load_chosen(model).kind for model in (dense, other)] == ["compiled", "onnx"]
    assert load_chosen(dense, "onnx").kind == "onnx"
    engine = build_engine(f"alphazero:model={dense}", get_game("connect4"))
    assert engine.runtime == "compiled"


def test_a_network_of_dense_layers_needs_no_onnx_file(tmp_path: Path, cache: Path) -> None:
    folder = write_dense_model(tmp_path / "dense", "connect4", "planes")
    (folder / ONNX_FILE).unlink()
    assert fastest_kind(str(folder), 8) == "compiled"
    assert [load_chosen(str(folder), kind).kind for kind in (USUAL, AUTO, AUTO)] == ["compiled"] * 3
    with one_line_error(ModelError, "has no network.onnx; copy the whole folder"):
        load_chosen(str(folder), "onnx")


def test_a_model_is_measured_once_for_each_size_of_batch(tmp_path, cache, tried) -> None:
    model = str(write_model(tmp_path / "m", "tictactoe"))
    sizes = tried(onnx=Trial(10), openvino=Trial(30))
    assert [choose(trials_of(model, n)) for n in (1, 8, 1, 8, 8)] == ["openvino"] * 5
    assert sizes == [1, 8]
    tried(onnx=Trial(40), openvino=Trial(30))
    assert choose(trials_of(model, 1)) == "openvino"
    assert choose(trials_of(model, 1, again=True)) == "onnx"
    assert choose(trials_of(model, 1)) == "onnx"
    other = str(write_model(tmp_path / "other", "tictactoe", scale=2.0))
    assert choose(trials_of(other, 8)) == "onnx"


def test_another_machine_another_package_and_another_network_are_measured_anew(
    tmp_path, cache, tried, monkeypatch
) -> None:
    folder = write_model(tmp_path / "m", "connect4", filters=4)
    sizes = tried(onnx=Trial(10))
    trials_of(str(folder), 1)
    with monkeypatch.context() as patch:
        patch.setattr(measured, "processor", lambda: ("another processor", "fpu avx"))
        trials_of(str(folder), 1)
        trials_of(str(folder), 1)
    assert len(sizes) == 2
    with monkeypatch.context() as patch:
        patch.setattr(measured, "_installed", lambda package: "99.0")
        trials_of(str(folder), 1)
    assert len(sizes) == 3
    quantise_model(str(folder), held_out=64)
    trials_of(str(folder), 1)
    assert len(sizes) == 4
    trials_of(str(folder), 1)
    assert len(sizes) == 4 == len(list(cache.iterdir()))


BROKEN = [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"key": "a"}', b'{"checksum": 1}',
    "checksum", "key", "measured",
]


@pytest.mark.parametrize("what", BROKEN, ids=lambda what: str(what)[:20])
def test_a_broken_memory_is_measured_anew_and_replaced(tmp_path, cache, tried, what) -> None:
    model = str(write_model(tmp_path / "m", "tictactoe"))
    sizes = tried(onnx=Trial(10), openvino=Trial(30))
    trials_of(model, 1)
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    if isinstance(what, str):
        path.write_text(json.dumps(json.loads(whole) | {what: "else"}))
    else:
        path.write_bytes(what)
    assert choose(trials_of(model, 1)) == "openvino"
    assert len(sizes) == 2 and path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path, cache, tried) -> None:
    model = str(write_model(tmp_path / "m", "tictactoe"))
    sizes = tried(onnx=Trial(10))
    cache.parent.write_text("a file where the folder should be")
    for _ in range(2):
        assert choose(trials_of(model, 1)) == "onnx"
    assert len(sizes) == 2


def test_auto_measures_what_is_there_and_plays(tmp_path: Path, cache: Path, capsys) -> None:
    folder = write_model(tmp_path / "m", "connect4", filters=4)
    quantise_model(str(folder), held_out=64)
    chosen = load_chosen(str(folder), AUTO, batch=8)
    trials = trials_of(str(folder), 8)
    assert {"onnx", "int8"} <= trials.keys() <= set(PLAYING_KINDS)
    assert trials["onnx"].policy == trials["onnx"].value == 0
    assert 0 < trials["int8"].policy < 0.1
    planes = np.zeros((1, 6, 7, 3), np.float32)
    wanted = load_runtime(str(folder), choose(trials)).evaluate(planes)
    assert np.array_equal(chosen.evaluate(planes)["policy"], wanted["policy"])
    game = get_game("connect4")
    engine = build_engine(f"alphazero:model={folder},runtime=auto,batch=8,sims=20", game)
    engine.new_game(1)
    engine.select_move(GameState.new_game(game))
    engine.close()
    assert len(list(cache.iterdir())) == 1
    done = dlgo_here(capsys, "models", "--speeds", "--batch", "8", folder)
    assert done.returncode == 0, done.stderr
    assert f"*{trials[choose(trials)].rate:,.0f}" in done.stdout
