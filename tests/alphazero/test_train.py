"""The loop: killed at any moment it goes on as if nothing had been, and Ctrl-C leaves nothing.

TensorFlow takes seconds to start, so few processes do all. `DLGO_FULL=1` kills at twelve random
moments more, in a longer run with a larger network.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo.encoders import get_encoder
from dlgo.errors import DataError, ModelError
from engines.alphazero import train as train_module
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.alphazero.doctor import examine_run
from engines.alphazero.train import learn, new_network, train
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.networks.leaf_evaluator import softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import find_model
from engines.learning.runs import Progress, open_run
from engines.learning.runs import records as records_module
from engines.learning.runs import run as run_module
from engines.learning.runs.records import read_history
from engines.registry import build_engine
from experiments.cli.main import cli
from experiments.datasets.generate import generate, make_recipe
from tests.conftest import FULL
from tests.learning.breaking import BreakOff, Killed, measured

# A variable that all processes of a run inherit.
MARK = "DLGO_TEST_RUN"
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("shared_workers")
SETTINGS = {"iterations": 4 if FULL else 3, "games": 24, "sims": 4,
            "network": f"resnet:blocks={1 if FULL else 0},filters=4", "workers": 2, "seed": 3,
            "runtime": "onnx"}
PLAN = make_config("tictactoe", **SETTINGS)
NEEDS_KILL = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc, to see what processes are left"
)


def started(folder: Path, *more: str) -> subprocess.Popen:
    """`dlgo train alphazero` in a process group of its own, as a terminal starts it."""
    options = [f"--{'net' if key == 'network' else key}={value}" for key, value in SETTINGS.items()]
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", "train", "alphazero", "--game=tictactoe",
         f"--out={folder}", *options, *more],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", MARK: str(folder)},
        # A shell makes its background jobs deaf to Ctrl-C, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def marked_processes(folder: Path) -> list[str]:
    """Living processes of a run; its workers are in groups of their own."""
    members = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"{MARK}={folder}\0".encode() in (path / "environ").read_bytes():
                members.append(path.name)
    return members


def nobody_left(folder: Path) -> bool:
    for _ in range(1200):
        if not marked_processes(folder):
            return True
        time.sleep(0.1)
    return False


def until_iteration(process: subprocess.Popen, number: int) -> None:
    for line in process.stdout:
        if line.startswith("iteration ") and int(line.split()[1]) >= number:
            return
    if process.wait():  # a run that was killed late may have little left to do, and end before
        raise AssertionError(process.stderr.read())


def content(folder: Path, iterations: int) -> list[str]:
    """Digests of the games of all shards."""
    paths = sorted((folder / "games").glob("games-*.npz"))
    assert len(paths) == iterations * PLAN.workers
    return [read_shard(path).content for path in paths]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """An unbroken run."""
    folder = tmp_path_factory.mktemp("az") / "run"
    train(PLAN, folder)
    return folder


def same(folder: Path, whole: Path, iterations: int = PLAN.iterations) -> None:
    for number in range(iterations + 1):
        cards = [read_card(one / "nets" / f"{number:04d}") for one in (folder, whole)]
        assert cards[0].network_id == cards[1].network_id, number
    assert content(folder, iterations) == content(whole, iterations)
    assert measured(folder) == measured(whole)


def unseen_run(config: AlphaZeroConfig) -> SimpleNamespace:
    """What `learn` wants of a run, without one."""
    return SimpleNamespace(
        config=config, history=[], check=lambda *_: None, progress=lambda *_: None)


@NEEDS_KILL
@pytest.mark.skipif(not FULL, reason="a quarter of a minute: DLGO_FULL=1")
def test_ctrl_c_says_how_to_go_on_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = started(folder)
    until_iteration(process, 1)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130, told
    lines = [line for line in told.strip().splitlines()
             if line and not line.startswith("iteration ")]
    assert len(lines) == 1 and "run the same command to continue" in lines[0], told
    assert nobody_left(folder)

    process = started(tmp_path / "run")
    assert process.stdout.readline().startswith("continuing after iteration ")
    process.kill()
    process.communicate()


@NEEDS_KILL
def test_a_kill_leaves_nothing_and_changes_nothing(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = started(folder)
    until_iteration(process, 1)
    time.sleep(random.Random(5).random())  # in self-play, in training, while writing
    process.kill()
    process.communicate()
    assert nobody_left(folder)
    train(PLAN, folder)
    same(folder, whole)


@NEEDS_KILL
@pytest.mark.skipif(not FULL, reason="minutes: DLGO_FULL=1")
def test_kills_at_random_moments_change_nothing(whole: Path, tmp_path: Path) -> None:
    moment = random.Random(17)
    for attempt in range(4):
        folder = tmp_path / f"run{attempt}"
        for number in (1, 2, 3):
            process = started(folder)
            until_iteration(process, number)
            time.sleep(1.5 * moment.random())
            process.kill()
            process.communicate()
            assert nobody_left(folder)
        train(PLAN, folder)
        same(folder, whole)


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


@pytest.mark.skipif(not FULL, reason="a quarter of a minute: DLGO_FULL=1")
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
    # Of the doctor's findings only those of what is ill are said while a run goes on.
    assert not any(line.lstrip().startswith(("fine ", "watch ")) for line in told)


def test_an_unlearned_run_plays_with_the_very_network_it_begins_with(tmp_path: Path) -> None:
    plan = make_config("tictactoe", **{
        key: value for key, value in SETTINGS.items() if key != "network"
    } | {"iterations": 1}, first_network="tictactoe-alphazero")
    with pytest.raises(Killed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "write_checkpoint", dying(run_module.write_checkpoint, 1))
        train(plan, tmp_path)
    network = read_card(find_model("tictactoe-alphazero")).network_id
    assert read_card(tmp_path / "nets/0000").network_id == network


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


class Listener(Progress):
    """Keeps the lines."""

    def __init__(self, lines: list[str]) -> None:
        self.line = lines.append


def dying(write, call: int):
    """A function that writes and fails at a given call, which writes nothing."""
    calls = 0

    def die(*args, **options) -> None:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Killed
        write(*args, **options)

    return die


def dies(
    folder: Path, monkeypatch, module, name: str, call: int, plan: AlphaZeroConfig = PLAN
) -> None:
    """Run until a given call of a function that writes, which writes nothing."""
    with monkeypatch.context() as patch:
        patch.setattr(module, name, dying(getattr(module, name), call))
        with pytest.raises(Killed):
            train(plan, folder)


@pytest.mark.skipif(not FULL, reason="a quarter of a minute: DLGO_FULL=1")
def test_a_death_between_two_files_changes_nothing(
    whole: Path, tmp_path: Path, monkeypatch
) -> None:
    """After the network and before the checkpoint; after the checkpoint and before the history."""
    folder = tmp_path / "run"
    dies(folder, monkeypatch, run_module, "write_checkpoint", 2)  # the first is of the start
    assert (folder / "nets/0001/card.json").exists()
    dies(folder, monkeypatch, records_module, "write_csv", 1)
    assert not (folder / "history.csv").exists()
    # And half a shard, an older one that has gone bad, and what a dead writer leaves.
    (folder / "games" / ".games-000009.npz.1.tmp").write_bytes(b"half")
    older = sorted((folder / "games").glob("games-*.npz"))[1]
    older.write_bytes(older.read_bytes()[:100])
    train(PLAN, folder)
    same(folder, whole)


def test_games_ahead_are_played_by_the_network_before_whenever_the_run_is_killed(
    tmp_path: Path, monkeypatch
) -> None:
    """Killed while it learns the second iteration, as the games of the third are played."""
    plan = dataclasses.replace(PLAN, ahead=True, iterations=3)
    train(plan, tmp_path / "whole")
    with pytest.raises(Killed):
        train(plan, tmp_path / "killed", BreakOff(2, "training"))
    train(plan, tmp_path / "killed")
    same(tmp_path / "killed", tmp_path / "whole", 3)
    shards = sorted((tmp_path / "whole/games").glob("*.npz"))
    players = [read_shard(path).provenance["engine"].split()[-1] for path in shards[::2]]
    networks = [read_card(one).network_id for one in sorted((tmp_path / "whole/nets").iterdir())]
    assert players == [networks[0], networks[0], networks[1]]
    gated = dataclasses.replace(plan, gating_threshold=0.01, gating_games=2)
    assert train(gated, tmp_path / "gated").name.startswith("gated-")


def test_what_fails_while_the_network_learns_ends_the_run(tmp_path: Path, monkeypatch) -> None:
    plan, play = dataclasses.replace(PLAN, ahead=True), train_module.play_tasks

    def fail_ahead(jobs, shares, tell=None):
        if shares[0].iteration == 2:
            raise DataError("disk 7 is full")
        return play(jobs, shares)

    monkeypatch.setattr(train_module, "play_tasks", fail_ahead)
    with pytest.raises(DataError, match="disk 7 is full"):
        train(plan, tmp_path)
    assert len(read_history(tmp_path, ())) == 1


def test_a_run_keeps_the_runtime_it_began_with(whole: Path) -> None:
    plan = make_config("tictactoe", **SETTINGS | {"runtime": "auto"})
    with open_run(whole, plan) as run:
        assert run.config.runtime == "onnx"


def test_self_play_in_eight_bits_quantises_each_network_before_it_plays(tmp_path: Path) -> None:
    plan = make_config("tictactoe", **SETTINGS | {"runtime": "int8", "iterations": 1, "games": 8})
    train(plan, tmp_path / "run")
    for number in range(2):
        load_runtime(str(tmp_path / f"run/nets/{number:04d}"), "int8")
    (row,) = csv.DictReader((tmp_path / "run/history.csv").open())
    assert 0 <= float(row["int8_policy"]) < 0.1 and float(row["quantise_cpu_seconds"]) > 0
    parts = ("selfplay_cpu_seconds", "train_cpu_seconds", "quantise_cpu_seconds")
    assert float(row["cpu_seconds"]) == pytest.approx(sum(float(row[part]) for part in parts))


def test_training_in_bfloat16_writes_a_network_of_float32(whole: Path, tmp_path: Path) -> None:
    from engines.learning.networks.backend import keras

    config = make_config("tictactoe", **SETTINGS | {"precision": "mixed"})
    network = new_network(config)
    assert network.model.layers[1].compute_dtype == "bfloat16"
    assert all(str(one.dtype) == "float32" for one in network.model.variables)
    told = learn(network, unseen_run(config), Dataset.open(whole / "games"), 1, steps=3)
    assert 0 < told["policy_loss"] < 3
    network.save(tmp_path / "net", "net", {})  # compares the file with the network
    layers = keras.models.load_model(tmp_path / "net" / "network.keras", compile=False).layers
    assert {layer.compute_dtype for layer in layers} == {"float32"}


def test_another_plan_is_refused_in_one_line(whole: Path) -> None:
    with pytest.raises(ModelError) as caught:
        train(make_config("tictactoe", **SETTINGS | {"sims": 5, "games": 30}), whole)
    told = str(caught.value)
    assert "games=24" in told and "sims=4" in told and "\n" not in told
    assert "seed" not in told


def test_the_doctor_examines_a_run(whole: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    told = runner.invoke(cli, ["doctor", str(whole), "--html", str(tmp_path / "page.html")])
    assert told.exit_code == 0, told.output
    for name in ("value sign", "policy learned", "evaluator load", "exact results"):
        assert f"{name}: " in told.output
    assert (tmp_path / "page.html").read_text().count("<svg") == 5
    with pytest.raises(ModelError, match="holds no run"):
        examine_run(tmp_path)


@pytest.mark.parametrize(("gone", "found", "checked"), [
    (("history.csv", "plan.json"), "", True), (("checkpoint.npz",), "checkpoint", True),
    (("games/*",), "games", False), (("nets/*/network.onnx",), "network", True),
    (("checkpoint.npz", "history.csv"), "history", False),
])
def test_the_doctor_finds_what_a_killed_run_has_not_written(
    gone: tuple[str, ...], found: str, checked: bool, whole: Path, tmp_path: Path
) -> None:
    """The checkpoint has what plan.json and history.csv have, and the other way round."""
    shutil.copytree(whole, tmp_path / "run")
    for path in itertools.chain(*((tmp_path / "run").glob(pattern) for pattern in gone)):
        path.write_bytes(path.read_bytes()[:50])
    told = CliRunner().invoke(cli, ["doctor", str(tmp_path / "run")])
    assert told.exit_code == 0 and told.exception is None, told.output
    assert f" {found}: " in told.output or not found, told.output
    assert ("value sign: " in told.output) is checked, told.output


def test_a_run_that_was_killed_in_its_first_iteration_has_nothing_to_examine(
    whole: Path, tmp_path: Path
) -> None:
    shutil.copy(whole / "plan.json", tmp_path)
    told = CliRunner().invoke(cli, ["doctor", str(tmp_path), "--html", str(tmp_path / "p.html")])
    assert told.exit_code == 0, told.output
    assert "iteration 0 of" in told.output and "iterations: none is finished" in told.output


def test_the_folder_of_a_run_is_the_network_that_it_plays_with(whole: Path, tmp_path: Path) -> None:
    def played(folder: Path) -> str:
        return build_engine(f"alphazero:sims=2,model={folder}", "tictactoe").network_id

    networks = [read_card(folder).network_id for folder in sorted((whole / "nets").iterdir())]
    assert played(whole) == networks[-1] != networks[-2]
    shutil.copytree(whole, tmp_path / "run")
    with (whole / "history.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "run/history.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0].keys() - {"promoted"}, "promoted"])
        writer.writeheader()
        writer.writerows(
            {**row, "promoted": float(row is not rows[-1])} for row in rows)
    assert played(tmp_path / "run") == networks[-2]  # the last one was not promoted
    (tmp_path / "run/history.csv").unlink()
    assert played(tmp_path / "run") == networks[0]  # no iteration is finished
    shutil.rmtree(tmp_path / "run/nets")
    (tmp_path / "run/nets").mkdir()
    with pytest.raises(ModelError, match="no network yet"):
        played(tmp_path / "run")
