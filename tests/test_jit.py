"""The cache of compiled code: quick to start from, never stale, and nobody else's.

What has compiled rules in it counts move sequences here; with `--run-all` it is a search.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import RUN_ALL

ROOT = Path(__file__).resolve().parents[1]


def run(folder: Path, code: str, cache: Path) -> str:
    """Run Python code against the copy of the project in `folder`."""
    environment = {
        **os.environ, "DLGO_CACHE_DIR": str(cache), "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python's own cache goes by the time that `edit` keeps
        "TMPDIR": str(cache.parent / "tmp"),
    }
    (cache.parent / "tmp").mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=240, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def machine_code(cache: Path) -> dict[str, int]:
    """The cached files, with the times they were written at."""
    return {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.code")}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the compiled packages that a test may edit."""
    return copy_packages(tmp_path)


def copy_packages(folder: Path) -> Path:
    for package in ("dlgo", "engines"):
        shutil.copytree(
            ROOT / package, folder / package,
            ignore=shutil.ignore_patterns("__pycache__", "models"),
        )
    return folder


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of a project in another folder, where CODE has run once."""
    folder = tmp_path_factory.mktemp("first")
    assert run(copy_packages(folder), CODE, folder / "cache") == RIGHT
    return folder / "cache"


@pytest.fixture
def cache(first_start: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may add to or damage."""
    return Path(shutil.copytree(first_start, tmp_path / "cache"))


def edit(path: Path, old: str, new: str) -> None:
    """Edit a file as an editor does that keeps its time: even that cannot hide a change."""
    before, text = path.stat(), path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


# Both compile the rules into themselves: what is printed comes from inside.
PERFT = """
from dlgo import GameState, get_game
game = get_game("tictactoe")
print(game.count_sequences(GameState.new_game(game).kernel_state, 6))
"""
SEARCH = """
from dlgo import GameState, get_game
from engines.registry import build_engine
game = get_game("tictactoe")
decision = build_engine("alphabeta:depth=9", game).select_move(GameState.new_game(game))
print(decision.proven, decision.cost.nodes > 100)
"""
CODE, RIGHT, WRONG = (SEARCH, "0 True", "1") if RUN_ALL else (PERFT, "54720", "48912")
RULES = "dlgo/games/tictactoe/kernel.py"


@pytest.mark.slow
def test_an_edit_is_played_by_at_once_and_compiles_only_what_it_changes(
    project: Path, cache: Path
) -> None:
    """The code was made in another folder; nothing loads SciPy's linear algebra."""
    compiled = machine_code(cache)
    run(project, f"{CODE}\nimport sys; assert 'scipy.linalg' not in sys.modules", cache)
    assert compiled and machine_code(cache) == compiled
    # Another game, another engine, and what no machine code is made of.
    edit(project / "dlgo/games/connect4/board.py", "STRIDE = ", "STRIDE = 1 + ")
    edit(project / "engines/search/rules.py", "math.log(", "0.5 * math.log(")
    edit(project / "dlgo/text.py", "\nfrom __future__ import annotations\n",
         "\nfrom __future__ import annotations\n\nANSWER = 42\n")
    edit(project / RULES, '"""', '""" ')
    assert run(project, CODE, cache) == RIGHT
    assert machine_code(cache) == compiled
    # Two in a row win: the first player cannot miss it, and games end sooner.
    edit(project / RULES, "LINES = (0o7, 0o70,", "LINES = (0o3, 0o70,")
    assert run(project, CODE, cache).startswith(WRONG)
    both = machine_code(cache)
    edit(project / RULES, "LINES = (0o3, 0o70,", "LINES = (0o7, 0o70,")
    assert run(project, CODE, cache) == RIGHT
    assert machine_code(cache) == both  # the old rules' code was still there


PARTS = """
from typing import NamedTuple
import numpy as np
from dlgo.dispatch import by_class
from dlgo.jit import kernel
import parts

class Square(NamedTuple):
    side: np.ndarray

@by_class
def area(shape): ...

@kernel
def square_area(shape):
    return parts.helper(shape.side[0]) * parts.FACTOR + OFFSETS[1]

OFFSETS = (5, 6)
area.register(Square, square_area)

@kernel
def twice(shape):
    return 2 * area(shape)

print(twice(Square(np.array([3]))))
"""
MODULE = """
from dlgo.jit import inline_kernel
import numpy as np
FACTOR = np.int64(10)

@inline_kernel
def helper(x):
    return x * x
"""


PARTS_CHANGED = [
    ("x * x", "x * x * x", 552),           # a kernel called by a kernel that a class chose
    ("np.int64(10)", "np.int64(20)", 372),  # a constant of another module
    ("(5, 6)", "(6, 7)", 194),              # a constant of its own
    ("2 * area", "3 * area", 288),          # the function itself
]


@pytest.fixture
def parts(project: Path) -> Path:
    """The project with modules of somebody else's."""
    (project / "parts.py").write_text(MODULE)
    (project / "shapes.py").write_text(PARTS)
    return project


@pytest.mark.slow
def test_whatever_a_kernel_is_made_of_counts(parts: Path, tmp_path: Path) -> None:
    """Also of modules outside this project, and through functions chosen by class.

    Two changes, and with `--run-all` two more; then damaged machine code is made anew.
    """
    cache = tmp_path / "cache"
    start = "import shapes"
    assert run(parts, start, cache) == "192"
    compiled = machine_code(cache)
    assert compiled
    assert run(parts, start, cache) == "192"
    assert machine_code(cache) == compiled
    for old, new, value in PARTS_CHANGED if RUN_ALL else PARTS_CHANGED[:2]:
        for name, text in (("parts.py", MODULE), ("shapes.py", PARTS)):
            (parts / name).write_text(text.replace(old, new))
        assert run(parts, start, cache) == str(value)
    for path in cache.rglob("*.code"):
        path.write_bytes(path.read_bytes()[:100])
    assert run(parts, start, cache) == str(value)
    whole = [path.name for path in cache.rglob("*.code") if path.stat().st_size > 1000]
    assert len(whole) == len(compiled)


RANDOM = "import dlgo.jit, dlgo.rng as r; print(r.below(r.make_rng(1), 1), dlgo.jit.cache_folder())"


def test_an_unwritable_cache_folder_is_no_obstacle(project: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    zero, folder = run(project, RANDOM, blocked).split()
    assert zero == "0"
    assert Path(folder).parent == tmp_path / "tmp"
    assert not Path(folder).exists()  # gone with its process


@pytest.fixture
def folder_named(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Path]]:
    """The folder of machine code, had this process been started with another `DLGO_CACHE_DIR`."""
    from dlgo import jit

    def named(folder: Path) -> Path:
        monkeypatch.setenv("DLGO_CACHE_DIR", str(folder))
        jit.cache_folder.cache_clear()

        @jit.kernel
        def square(x):
            return x * x

        assert square(3) == 9
        return jit.cache_folder()

    yield named
    monkeypatch.undo()
    jit.cache_folder.cache_clear()


def test_a_folder_that_others_can_write_to_is_not_trusted(
    folder_named: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Machine code is unpickled: what somebody else has planted would run."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "kernels").symlink_to(theirs)
    assert "dlgo-kernels-" in str(folder_named(linked))
    assert not list(theirs.iterdir())

    open_to_all = tmp_path / "open"
    (open_to_all / "kernels").mkdir(parents=True)
    (open_to_all / "kernels").chmod(0o777)
    assert folder_named(open_to_all) == open_to_all / "kernels"
    assert (open_to_all / "kernels").stat().st_mode & 0o777 == 0o700
    assert machine_code(open_to_all)

    if os.getuid() == 0:
        other = tmp_path / "other"
        (other / "kernels").mkdir(parents=True)
        os.chown(other / "kernels", 12345, 12345)
        assert "dlgo-kernels-" in str(folder_named(other))


def test_machine_code_that_nobody_uses_is_forgotten(
    folder_named: Callable[[Path], Path], tmp_path: Path
) -> None:
    kernels = tmp_path / "cache" / "kernels"
    kernels.mkdir(parents=True)
    for name, days in (("used.code", 3), ("old.code", 40)):
        (kernels / name).write_text("")
        os.utime(kernels / name, (time.time() - days * 86400,) * 2)
    assert folder_named(tmp_path / "cache") == kernels
    assert (kernels / "used.code").exists() and not (kernels / "old.code").exists()


def test_who_waits_for_the_compiler_is_told_once() -> None:
    from dlgo.jit import kernel, tell_of_compiling, wall_time

    never_seen = time.time_ns()  # so that no cache has it

    @kernel
    def inner(x):
        return x + 1 + 0 * never_seen

    @kernel
    def outer(x):
        return inner(x) * 2

    lines: list[str] = []
    before = time.perf_counter() - wall_time()
    with tell_of_compiling(lines.append):
        assert outer(3) == 8
        assert outer(3.0) == 8.0
    assert len(lines) == 1
    assert "compiling" in lines[0]
    assert time.perf_counter() - wall_time() > before
    with tell_of_compiling(lines.append):
        assert outer(4) == 10  # nothing to compile
    assert outer(4 + 0j) == 10  # nobody waits
    assert len(lines) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has a home for everybody")
def test_a_user_without_home_and_name_has_a_cache_of_his_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that sets another user."""
    from dlgo import jit

    for name in ("HOME", "XDG_CACHE_HOME", "DLGO_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    jit._folder_without_home.cache_clear()
    assert jit.base_folder() == tmp_path / "dlgo-cache"
    assert (tmp_path / "dlgo-cache").stat().st_mode & 0o077 == 0
    # Earlier versions of platformdirs leave the `~` in the path.
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **options: Path("~/.cache/dlgo"))
    assert jit.base_folder() == tmp_path / "dlgo-cache"
    jit._folder_without_home.cache_clear()
    monkeypatch.setattr(jit, "is_own", lambda status: False)  # another user was first
    assert jit.base_folder() not in (tmp_path / "dlgo-cache", Path("~/.cache/dlgo"))
    jit._folder_without_home.cache_clear()
