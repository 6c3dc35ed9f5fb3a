"""Self-play beside the learner: every game once, by a network that is not too old, to be resumed.

`DLGO_FULL=1` kills a run and interrupts one, too.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from pathlib import Path

import pytest

from dlgo.errors import SpecError
from engines.alphazero.ahead import AheadSchedule
from engines.alphazero.config import make_config
from engines.alphazero.doctor import check_history, examine_run
from engines.alphazero.run import train
from engines.alphazero.selfplay import SelfPlayStats
from engines.alphazero.workers import Job, PlayedJob
from engines.jobs import Inline, Outcome, Portion
from engines.jobs.processes import Processes
from engines.learning.data.shards import Shard, read_shard
from engines.learning.diagnostics.findings import Diagnosis
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress, Status
from engines.learning.runs import run as run_module
from tests.alphazero.test_run import (
    NEEDS_KILL,
    SETTINGS,
    dying,
    nobody_left,
    started,
    until_iteration,
)
from tests.conftest import FULL, one_line_error
from tests.learning.breaking import Killed

pytestmark = pytest.mark.usefixtures("shared_workers")
PLAN = make_config("tictactoe", **SETTINGS | {"iterations": 3, "ahead": 1, "workers": 3})


class Handed:
    """Jobs that say which portions they were given, and do them when the test lets them."""

    def __init__(self, folder: Path, ahead: int, learned: int = 0, iterations: int = 5) -> None:
        (folder / "games").mkdir()
        config = dataclasses.replace(PLAN, ahead=ahead, iterations=iterations)
        self.source = AheadSchedule(config, folder, learned, player=learned)

    def take(self, count: int) -> list[tuple[int, int, int]]:
        """Iteration, worker, and the network of the portions that may be played now."""
        self.taken = self.source.take(count)
        return [(job.iteration, job.worker, job.player) for job in map(job_of, self.taken)]

    def bring(self, portion: Portion) -> None:
        job = job_of(portion)
        games = SelfPlayStats(games=8, networks={str(job.player): 8})
        self.source.keep(Outcome(portion, PlayedJob(b"a shard", "digest", games)))


def job_of(portion: Portion) -> Job:
    return portion.arguments[0]


def test_no_portion_is_played_too_early_or_twice_and_each_by_the_newest_network(
    tmp_path: Path
) -> None:
    made = Handed(tmp_path, ahead=1)
    assert not made.source.is_whole(1)
    assert made.take(2) == [(1, 0, 0), (1, 1, 0)]
    first = made.taken
    assert made.take(9) == [(1, 2, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0)]
    rest = made.taken
    assert made.take(9) == []  # iteration 3 waits for network 1
    for portion in (*first, *rest[1:]):
        made.bring(portion)
    assert not made.source.is_whole(1) and made.source.is_whole(2)
    made.bring(rest[0])
    assert made.source.is_whole(1)
    made.source.publish(1, player=1)
    assert made.take(1) == [(3, 0, 1)]
    made.source.publish(2, player=1)  # its network was refused in a match
    assert made.take(9) == [(3, 1, 1), (3, 2, 1), (4, 0, 1), (4, 1, 1), (4, 2, 1)]
    made.source.publish(4, player=4)
    assert made.take(9) == [(5, 0, 4), (5, 1, 4), (5, 2, 4)]  # and there is no iteration 6
    assert made.source.note() == "network 4 is the newest, games are by networks 2.0 older"


def test_without_a_lead_nothing_is_played_before_the_learner_is_done(tmp_path: Path) -> None:
    made = Handed(tmp_path, ahead=0, learned=2)
    assert made.take(9) == [(3, 0, 2), (3, 1, 2), (3, 2, 2)]
    assert made.take(9) == []


class Listener(Progress):
    """Keeps what is said, and holds back the learner until games of the next iteration are there.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder, self.lines, self.notes = folder, [], set()

    def line(self, text: str) -> None:
        self.lines.append(text)

    def status(self, status: Status) -> None:
        self.notes.add(str(status).partition("; ")[2])
        if self.folder is None or status.phase != "training":
            return
        wanted = min(status.iteration + 1, status.iterations) * PLAN.workers
        until = time.monotonic() + 300
        while len(shards(self.folder)) < wanted and time.monotonic() < until:
            time.sleep(0.01)


def shards(folder: Path) -> list[Path]:
    return sorted((folder / "games").glob("games-*.npz"))


def player_of(shard: Shard) -> int:
    (player,) = shard.provenance["stats"]["networks"]
    return int(player)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, Listener]:
    """A run in which each iteration is learned while the next one is played."""
    folder = tmp_path_factory.mktemp("ahead") / "run"
    listener = Listener(folder)
    train(PLAN, folder, listener)
    return folder, listener


def test_games_are_played_while_the_network_learns(whole: tuple[Path, Listener]) -> None:
    """Had it waited, the first iteration would have seen no game of the second in a minute."""
    folder, listener = whole
    ages = [number // 3 - player_of(read_shard(path)) for number, path in enumerate(shards(folder))]
    assert ages == [0] * 3 + [1] * 6
    assert [line for line in listener.lines if "older than the newest" in line][-1].count(
        "networks that played were 1.0 older than the newest, 1 at most") == 1
    assert "age of games 1.0" in "".join(listener.notes)
    (age,) = [f for f in examine_run(folder).findings if f.name == "age of networks"]
    assert "0.7 iterations older than the newest on average, 1 at most" in age.text


def test_each_game_is_the_one_that_its_network_plays(whole: tuple[Path, Listener]) -> None:
    """All games of all iterations are there, and the record of who played them is true."""
    folder, _ = whole
    assert len(shards(folder)) == PLAN.iterations * PLAN.workers
    for number, path in enumerate(shards(folder)):
        shard = read_shard(path)
        job = Job(PLAN, 1 + number // 3, number % 3, player_of(shard), folder)
        assert len(shard.games) == len(job.numbers) and job.path == path
        assert played(job).digest == shard.content
        if number > 6:
            break


def played(job: Job) -> PlayedJob:
    (outcome,) = Inline().run([job.portion])
    return outcome.value


def test_a_run_that_was_killed_keeps_all_games_and_learns_each_iteration_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends while games of iteration 3 are played, with network 2 written and not kept."""
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(run_module, "write_checkpoint", dying(run_module.write_checkpoint, 3))
        train(PLAN, tmp_path, Listener(tmp_path))
    before = {path: path.read_bytes() for path in shards(tmp_path)}
    assert len(before) == 3 * 3
    networks = network_ids(tmp_path)
    time.sleep(0.5)
    assert len(shards(tmp_path)) == len(before)  # nobody plays on
    train(PLAN, tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    assert len(shards(tmp_path)) == 3 * 3
    assert network_ids(tmp_path) == networks  # and the second has been learned again
    rows = (tmp_path / "history.csv").read_text().splitlines()
    assert [row.partition(",")[0] for row in rows] == ["iteration", "1", "2", "3"]


def network_ids(folder: Path) -> list[str]:
    return [read_card(folder / "nets" / f"{number:04d}").network_id for number in (1, 2)]


def test_a_match_is_played_beside_the_games(tmp_path: Path) -> None:
    config = dataclasses.replace(PLAN, gating_threshold=0.4, gating_games=4, iterations=2)
    listener = Listener(tmp_path)
    train(config, tmp_path, listener)
    rows = [line for line in listener.lines if "the new network scores" in line]
    assert len(rows) == 2 and len(shards(tmp_path)) == 6


def test_one_process_cannot_do_both(tmp_path: Path) -> None:
    with one_line_error(SpecError, "ahead=1: games cannot be played while the network learns"):
        train(PLAN, tmp_path, jobs=Inline())
    assert not list(tmp_path.iterdir())


def test_old_games_are_named_by_the_doctor() -> None:
    config = dataclasses.replace(PLAN, ahead=8)
    row = {"divergence": 1.0, "agreed": 0.5, "network_age": 3.0, "network_age_max": 8.0}
    for age, level in ((3.0, "watch"), (1.0, "fine")):
        diagnosis = Diagnosis("run")
        check_history(diagnosis, config, [row | {"network_age": age}])
        (finding,) = [f for f in diagnosis.findings if f.name == "age of networks"]
        assert finding.level == level and ("does not keep up" in finding.text) == (age > 2)


def test_ages_are_weighted_by_games_and_survive_being_added() -> None:
    stats = SelfPlayStats(games=30, networks={"7": 30})
    stats.add(SelfPlayStats(games=10, networks={"5": 5, "7": 5}))
    assert stats.ages(8) == ((1 * 35 + 3 * 5) / 40, 3)


@NEEDS_KILL
@pytest.mark.skipif(not FULL, reason="half a minute: DLGO_FULL=1")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_run_and_the_same_command_continues(
    tmp_path: Path, how: signal.Signals
) -> None:
    process = started(tmp_path / "run", "--ahead=1")
    until_iteration(process, 1)
    time.sleep(0.3)
    (os.killpg if how is signal.SIGINT else os.kill)(process.pid, how)
    _, told = process.communicate(timeout=300)
    if how is signal.SIGINT:
        assert process.returncode == 130 and "the same command continues" in told
        assert "Traceback" not in told
    assert nobody_left(tmp_path / "run")
    before = {path: path.read_bytes() for path in shards(tmp_path / "run")}
    config = dataclasses.replace(PLAN, iterations=SETTINGS["iterations"], workers=2)
    with Processes(2) as jobs:
        train(config, tmp_path / "run", jobs=jobs)
    assert {path: path.read_bytes() for path in before} == before
    assert len(shards(tmp_path / "run")) == 2 * config.iterations
