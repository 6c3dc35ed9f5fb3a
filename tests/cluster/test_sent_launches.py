"""Bots of a class on other machines: their files travel, the sandbox is made where they play."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from engines.programs.sandbox import Allowance, Sandbox, SandboxError
from experiments.arena.launch import Launch
from experiments.arena.limits import Limits
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from experiments.classroom.league import play_league
from experiments.classroom.league_plan import read_league_plan
from experiments.cluster import parcels
from experiments.cluster.jobs import ClusterJobs
from tests.cluster.test_cluster import Said, games_of
from tests.cluster.three_nodes import small_cluster
from tests.command import dlgo_here
from tests.conftest import one_line_error
from tests.sandboxed import sandboxed

NAME = "student:ann@3f9a1c22"
# Its first move is that of a file beside it, which only a bot in the right place finds.
BOT = """\
from pathlib import Path
from beside import LAST
def select_move(state):
    assert not Path({secret!r}).exists(), "it sees what is not for it"
    return state.legal_moves()[LAST]
"""
LEAGUE = """\
game = "tictactoe"
staff_pairs = 2
[[staff]]
engine = "random"
"""


def hand_in(folder: Path, secret: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(BOT.format(secret=str(secret)))
    (folder / "beside.py").write_text("LAST = -1\n")
    return folder


def launch_of(place: Path) -> Launch:
    return Launch(f"{place}/bot.py", Sandbox([place], Allowance(memory_mb=500), None))


@sandboxed
def test_a_bot_plays_elsewhere_as_it_plays_here_and_sees_as_little(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("marks")
    home = hand_in(tmp_path / "out" / "bots" / "ann" / "3f9a1c22", secret)
    launches = {NAME: launch_of(home)}
    order = pickle.dumps((parcels.pack_bots(launches), launches))
    there = parcels.unpack_bots(*pickle.loads(order), ["tictactoe"], tmp_path / "agent" / "bots")
    assert there[NAME].sandbox.allowance == Allowance(memory_mb=500)
    [place] = there[NAME].sandbox.readable
    assert place.is_relative_to(tmp_path / "agent" / "bots") and there[NAME].spec.startswith(
        str(place))
    assert sorted(path.name for path in place.iterdir()) == ["beside.py", "bot.py"]
    task = tasks(Plan(("tictactoe",), (NAME, "random"), 1, seed=1).canonical())[0]
    records = []
    for known in (launches, there):
        engines = EngineCache(Limits(), launches=known)
        records.append(play_game(task, engines))
        engines.close()
    assert records[0].moves == records[1].moves and not records[1].failed


def test_a_machine_without_a_sandbox_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise SandboxError("untrusted code needs bubblewrap (bwrap), which is not installed")

    monkeypatch.setattr(parcels, "check_sandbox", missing)
    launches = {NAME: launch_of(hand_in(tmp_path / "bots", tmp_path / "s"))}
    sent = parcels.pack_bots(launches)
    with one_line_error(SandboxError, "needs bubblewrap"):
        parcels.unpack_bots(sent, launches, ["tictactoe"], tmp_path / "agent")
    assert not (tmp_path / "agent").exists()
    assert parcels.unpack_bots({}, {}, ["tictactoe"], tmp_path / "agent") == {}


def test_code_without_a_sandbox_stays_on_this_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with one_line_error(DlgoError, "--trust does not work on a cluster"):
        parcels.pack_bots({NAME: Launch("bot.py", None)})
    (tmp_path / "league.toml").write_text(LEAGUE)
    (tmp_path / "class").mkdir()
    done = dlgo_here(capfd, "class", "league", tmp_path / "class", "--plan",
                     tmp_path / "league.toml", "--trust", "--cluster", "local")
    assert done.returncode == 2 and "--trust does not work on a cluster" in done.stderr


@sandboxed
@pytest.mark.slow
def test_a_league_on_a_cluster_has_the_games_of_one_machine(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE)
    plan = read_league_plan(tmp_path / "league.toml")
    secret = tmp_path / "league.toml"
    sources = {name: hand_in(tmp_path / "class" / name, secret) for name in ("ann", "bo b")}
    (sources["bo b"] / "beside.py").write_text("LAST = 0\n")
    here = play_league(plan, sources, tmp_path / "one", Said(), workers=1)
    with small_cluster(2) as made, ClusterJobs(made.address, print) as jobs:
        there = play_league(plan, sources, tmp_path / "many", Said(), backend=jobs)
    assert here.complete and there.complete
    assert games_of(here.ledger) == games_of(there.ledger)
    played = there.games()
    assert len(played) == 2 * 4 + 2 and {game.worker for game in played} - {None}
    assert not any(game.failed for game in played)
