"""The same commands on every system: simulated ones in each run, Windows itself where there is one.

The simulations refuse what the other system lacks, wherever a file of dlgo asks for it, and log it
(`platform_sim.py`); only `dlgo/system` may ask. For a Windows Python, as Wine runs it, name it:
DLGO_WINDOWS_PYTHON=PATH, and DLGO_SCENARIOS, the path at which it sees `scenarios.py`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.conftest import RUN_ALL, SHARED
from tests.platforms.commands import COMMANDS, SHORT, Command, run

pytestmark = pytest.mark.platform
SIMULATION = SHARED.parent / "windows/sim"
WINDOWS = os.environ.get("DLGO_WINDOWS_PYTHON")
PACKAGES = ("dlgo", "engines", "experiments", "reports")
# What is tried outside dlgo/system, too, and done without where the system forbids it.
TRIED = ("os.symlink", "experiments/classroom/make_class.py")


def simulated(command: Command, system: str) -> bool:
    """Whether a simulated system runs a command: with --run-all, "windows" runs almost all.

    Chapters do nothing that other commands do not do. Windows ends a job when its last handle
    closes, which the simulation does not, so orphans stay.
    """
    if command.name in SHORT:
        return True
    return (RUN_ALL and system == "windows" and command.name != "orphans"
            and "experiments.chapters" not in command.words)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our packages in a folder of their own: libraries may see the true system."""
    folder = tmp_path_factory.mktemp("clone")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name,
                        ignore=shutil.ignore_patterns("__pycache__", "results"))
    return folder


@pytest.mark.skipif(not SIMULATION.is_dir(), reason=f"needs {SIMULATION}")
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_commands_work_under_simulation(
    system: str, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "refused.log"
    for name, value in {
        "DLGO_SIM": system, "DLGO_SIM_FOLDER": SIMULATION, "DLGO_SIM_ROOT": clone,
        "DLGO_SIM_LOG": log,
        "PYTHONPATH": f"{Path(__file__).with_name('simulation')}{os.pathsep}{clone}",
    }.items():
        monkeypatch.setenv(name, str(value))
    rows = [run(command, [sys.executable], tmp_path) for command in COMMANDS
            if simulated(command, system)]
    assert [row for row in rows if row.wrong] == []
    asked = {tuple(line.split("\t")[:2]) for line in log.read_text().splitlines()}
    assert {what for what, place in asked if place.startswith("dlgo/system/")}
    assert {(what, place) for what, place in asked if not place.startswith("dlgo/system/")
            and (what, place.partition(":")[0]) != TRIED} == set()


@pytest.mark.skipif(not WINDOWS, reason="needs a Windows Python: DLGO_WINDOWS_PYTHON=PATH")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_commands_work_on_windows(command, tmp_path_factory: pytest.TempPathFactory) -> None:
    work = Path(os.environ.get("DLGO_WINDOWS_WORK") or tmp_path_factory.getbasetemp())
    row = run(command, shlex.split(WINDOWS), work)
    assert row.wrong == "", row
