"""The loop: killed at any moment it goes on as if nothing had been, and Ctrl-C leaves nothing.

TensorFlow takes seconds to start, so few processes do all. `--run-all` kills at twelve random
moments more, in a longer run with a larger network.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from dlgo.errors import DataError, ModelError
from engines.alphazero import train as train_module
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.alphazero.train import learn, new_network
from engines.learning.data import Dataset
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.networks.runtimes import load_runtime
from engines.learning.runs import records as records_module
from engines.learning.runs import run as run_module
from engines.learning.runs.records import read_history
from tests.alphazero.short_run import PLAN, SETTINGS, dying, train
from tests.learning.breaking import BreakOff, Killed, measured

pytestmark = pytest.mark.train

# A variable that all processes of a run inherit.
MARK = "DLGO_TEST_RUN"
ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.long
@NEEDS_KILL
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


@pytest.mark.long
@NEEDS_KILL
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


def dies(
    folder: Path, monkeypatch, module, name: str, call: int, plan: AlphaZeroConfig = PLAN
) -> None:
    """Run until a given call of a function that writes, which writes nothing."""
    with monkeypatch.context() as patch:
        patch.setattr(module, name, dying(getattr(module, name), call))
        with pytest.raises(Killed):
            train(plan, folder)


@pytest.mark.long
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


def test_a_run_without_workers_and_curves_learns_as_one_with_a_worker(tmp_path: Path) -> None:
    plan = make_config("tictactoe", **SETTINGS | {"workers": 0, "iterations": 1, "curves": False})
    alone = train_module.train(plan, tmp_path / "run")
    shared = train(dataclasses.replace(plan, workers=1), tmp_path / "other" / "run")
    assert alone.network_id == shared.network_id
    assert (tmp_path / "run/history.csv").exists() and not (tmp_path / "run/curves.png").exists()


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
