"""What pip installs, from a wheel and from a clone: it is found, complete, small, and plays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import venv
import zipfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.command import ROOT, Done

pytestmark = [
    pytest.mark.docs,
    pytest.mark.skipif(find_spec("pip") is None or find_spec("setuptools") is None,
                       reason="needs pip and setuptools"),
]

PACKAGES = ("dlgo", "engines", "experiments", "reports")
LARGEST_MB = 25
# A user's script that plays and starts processes, which have to find our packages as well.
SCRIPT = """
    from dlgo import GameState, get_game
    from engines.registry import build_engine
    from experiments.cli.main import main

    if __name__ == "__main__":
        game = get_game("tictactoe")
        print(build_engine("mcts:sims=20", game).select_move(GameState.new_game(game)).move.kind)
        main(["tournament", "--game=tictactoe", "--engine=mine.py", "--engine=random",
              "--pairs=1", "--workers=2", "--ledger=games.sqlite"])
"""
BOT = "def select_move(state):\n    return state.legal_moves()[0]\n"
NOTEBOOK = """
    import sys
    import nbformat
    from nbclient import NotebookClient

    cell = nbformat.v4.new_code_cell("from dlgo import GameState\\nprint(GameState.__name__)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, resources={"metadata": {"path": "."}}).execute()
    print(notebook.cells[0].outputs[0].text)
"""


class Environment:
    """A virtual environment that sees the libraries of this one, and nothing of this project."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        (self.packages,) = folder.rglob("site-packages")
        libraries = [path for path in sys.path if path.endswith("-packages")]
        (self.packages / "libraries.pth").write_text("\n".join(libraries))

    def install(self, *what: object) -> None:
        """Install from files, as pip does."""
        self.run(sys.executable, "-m", "pip", "--python", self.programs / "python", "install",
                 "--quiet", "--no-deps", "--no-index", "--ignore-installed",
                 "--no-build-isolation", "--no-warn-script-location", *what)

    def python(self, *arguments: object, cwd: Path) -> Done:
        """Run Python in a folder."""
        return self.run(self.programs / "python", *arguments, cwd=cwd)

    def run(self, *command: object, cwd: Path = ROOT) -> Done:
        """Run a program, which has to succeed."""
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=300,
            env=kept, check=False, stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr
        return done


def copy_sources(folder: Path, *left_out: str) -> None:
    """What a clone holds to be installed."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name,
                        ignore=shutil.ignore_patterns("__pycache__", ".*", *left_out))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)


def build(source: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel of sources into their own folder."""
    return subprocess.run(
        # What pip runs, in three processes of which this is the last.
        [sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('.')"],
        cwd=source, capture_output=True, text=True, check=False, env=os.environ | variables,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    copy_sources(source)
    done = build(source)
    assert done.returncode == 0, done.stderr
    (path,) = source.glob("*.whl")
    return path


def test_a_wheel_for_students_has_no_solutions_or_is_refused(wheel: Path, tmp_path: Path) -> None:
    """`build/` of an ordinary build holds all of them; and one may lie elsewhere."""
    source = wheel.parent
    assert (source / "build/lib/experiments/classroom/exercises/ko.py").exists()
    for path in source.iterdir():
        if path.name != wheel.name:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, tmp_path / path.name)
    done = build(tmp_path, DLGO_STUDENT="1")
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(wheel) as full:
        missing = set(full.namelist()) - set(archive.namelist())
        assert "experiments/classroom/exercises/ko.py" in missing
        assert "experiments/classroom/questions/__init__.py" in missing
        secret = ("experiments/classroom/exercises/", "experiments/classroom/questions/")
        assert all(name.startswith(secret) for name in missing)
        assert not any(b"    ### BEGIN SOLUTION\n" in archive.read(name)
                       for name in archive.namelist())
    path.unlink()
    shutil.copy(source / "experiments/classroom/exercises/ko.py", tmp_path / "reports/ko.py")
    done = build(tmp_path, DLGO_STUDENT="1")
    assert done.returncode != 0 and "would contain solutions (reports/ko.py)" in done.stderr
    assert not list(tmp_path.glob("*.whl"))


@pytest.fixture(scope="module")
def from_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment into which the wheel has been installed."""
    environment = Environment(tmp_path_factory.mktemp("from_wheel"))
    environment.install(wheel)
    return environment


@pytest.fixture(scope="module")
def from_clone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Path]:
    """An environment with an editable installation, and the folder that holds the clone `dlgo`."""
    folder = tmp_path_factory.mktemp("clones")
    (folder / "dlgo").mkdir()
    copy_sources(folder / "dlgo", "models")
    environment = Environment(tmp_path_factory.mktemp("from_clone"))
    environment.install("--editable", folder / "dlgo")
    return environment, folder


def is_installed(path: Path) -> bool:
    """Whether a wheel has to hold a file; networks of the studies stay in clones."""
    parts = path.relative_to(ROOT).parts
    hidden = any(part.startswith(".") for part in parts) or {"results", "networks"} <= set(parts)
    twice = path.name == "network.onnx" and (path.parent / "network-dense.npz").exists()
    return path.is_file() and not hidden and not twice and (
        path.suffix not in ("", ".md", ".pyc", ".keras")
    )


def test_the_wheel_has_what_playing_needs_and_is_small(wheel: Path) -> None:
    assert wheel.name.startswith("dlgo_suite-")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {
        path.relative_to(ROOT).as_posix() for package in PACKAGES
        for path in (ROOT / package).rglob("*") if is_installed(path)
    }
    assert wanted <= names
    assert {f"{package}/py.typed" for package in PACKAGES} <= wanted
    assert {"engines/models/draughts-alphazero/network-dense.npz",
            "experiments/plans/report.toml"} <= wanted
    assert not [name for name in names - wanted if ".dist-info/" not in name]
    sizes: Counter[str] = Counter()
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if entry.filename.startswith("engines/models/"):
                sizes[entry.filename.split("/")[2]] += entry.compress_size
    (largest, most), megabytes = sizes.most_common(1)[0], wheel.stat().st_size / 1e6
    assert megabytes <= LARGEST_MB, (
        f"the wheel has {megabytes:.1f} MB, more than {LARGEST_MB}; its largest model is {largest} "
        f"with {most / 1e6:.1f} MB")


def test_what_a_wheel_installs_plays_and_lists(from_wheel: Environment, tmp_path: Path) -> None:
    version = from_wheel.run(from_wheel.programs / "dlgo", "--version", cwd=tmp_path)
    assert version.stdout.startswith("dlgo, version ")
    played = from_wheel.python("-m", "dlgo", "play", "draughts", "--first", "alphazero:sims=10",
                               "--second", "random", "--delay", "0", cwd=tmp_path)
    assert "Game over: " in played.stdout
    listed = from_wheel.python("-m", "dlgo", "models", cwd=tmp_path).stdout
    assert "go9-alphazero" in listed and "connect4-ppo" in listed
    code = "import dlgo, reports; print(dlgo.__file__, reports.__file__)"
    where = from_wheel.python("-c", code, cwd=tmp_path).stdout
    assert where.count(str(from_wheel.packages)) == 2


def test_a_file_that_only_a_clone_has_is_named(from_wheel: Environment, tmp_path: Path) -> None:
    code = ("from dlgo import DlgoError\n"
            "from engines.learning.networks.runtimes import load_runtime\n"
            "try:\n    load_runtime('draughts-alphazero', 'keras')\n"
            "except DlgoError as error:\n    print(error)")
    line = from_wheel.python("-c", code, cwd=tmp_path).stdout
    assert "has no network.keras" in line and "source checkout" in line and line.count("\n") == 1


def test_a_clone_is_found_from_the_folder_that_holds_it(
    from_clone: tuple[Environment, Path]
) -> None:
    environment, folder = from_clone
    code = "from dlgo import GameState; import reports; print(GameState.__name__)"
    assert environment.python("-c", code, cwd=folder).stdout == "GameState\n"
    (folder / "script.py").write_text(code)
    assert environment.python("script.py", cwd=folder).stdout == "GameState\n"
    if find_spec("nbclient") and find_spec("ipykernel"):  # of the extra `course`
        notebook = textwrap.dedent(NOTEBOOK)
        assert "GameState" in environment.python("-c", notebook, cwd=folder).stdout


def test_files_with_the_names_of_packages_are_named_and_do_not_hide_them(
    from_clone: tuple[Environment, Path], tmp_path: Path
) -> None:
    names = ["engines.py", "reports.py", "experiments/__init__.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    done = from_clone[0].python("script.py", cwd=tmp_path)
    assert done.stdout.startswith("play\n") and "0 lost by failures" in done.stderr + done.stdout
    lines = [line for line in done.stderr.splitlines() if "rename" in line]
    assert len(lines) == 1
    assert all(str(tmp_path / name.removesuffix("/__init__.py")) in lines[0] for name in names)
