"""The two suites, the order of files, shared helpers, and the reasons for which a test may skip.

`pytest` alone runs the fast suite: all tests without a marker of `SLOW_GROUPS`. `--run-all` runs
everything, with the long forms of many tests; `-m train` runs one group.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

from dlgo import GameSpec, GameState
from dlgo.jit import cache_folder, cpu_time
from dlgo.system import processes
from dlgo.text import excerpt

# Whether long forms of tests run, too: `--run-all`. Test modules are imported after it is set, and
# processes that tests start find it in their environment.
RUN_ALL = "DLGO_RUN_ALL" in os.environ
# The markers of tests that are not part of the fast suite; pyproject.toml describes them.
SLOW_GROUPS = ("slow", "long", "train", "browser", "sandbox", "cluster", "docs", "platform")
# CPU seconds that a test of the fast suite may use, compiling apart, on a fast machine, which
# does `_unit_of_work` in `CPU_UNIT`. The same work takes more on slower ones, and where other
# programs share the cores: twice as much fails.
CPU_LIMIT, CPU_UNIT = 3.0, 0.03
SHARED = Path(__file__).resolve().parents[2] / "shared" / "oracles"

# Folders in which files take long come first: no process is left with a long file at the end.
LONGEST = ("studio", "chapters", "alphazero", "engines", "arena", "classroom", "gtp", "docs",
           "cluster", "studies", "platforms", "learning")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-all", action="store_true",
                     help="run all tests, in long forms: about an hour")


def pytest_configure(config: pytest.Config) -> None:
    global RUN_ALL
    if config.getoption("--run-all"):
        RUN_ALL = True
        os.environ["DLGO_RUN_ALL"] = "1"
    # The same examples in each run, and as many on a busy machine.
    hypothesis.settings.register_profile(
        "dlgo", deadline=None, derandomize=True, database=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("dlgo")


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Failures are named at once: a run that is ended before its end shows no list of them."""
    plugins = session.config.pluginmanager
    if reporter := plugins.get_plugin("terminalreporter"):
        plugins.register(_Failures(reporter))


class _Failures:
    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            reason = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
            self._reporter.write_line(
                f"\nFAILED {report.nodeid} ({report.when}) {excerpt(reason, 400)}")


def in_slow_group(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(group) for group in SLOW_GROUPS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the fast suite, unless asked for more; put the folders of `LONGEST` first."""
    if not (RUN_ALL or config.option.markexpr):
        config.hook.pytest_deselected(items=[item for item in items if in_slow_group(item)])
        items[:] = [item for item in items if not in_slow_group(item)]
    here, ranks = Path(__file__).parent, {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.relative_to(here).parts[0], len(ranks)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test of the fast suite fails if it uses more than twice `CPU_LIMIT`.

    Compiling does not count: it is done once on a machine. That of other processes shows by new
    files of machine code.
    """
    before, cached = _cpu_seconds(), cache_folder().stat().st_mtime_ns
    yield
    used = _cpu_seconds() - before
    compiled = cache_folder().stat().st_mtime_ns != cached
    if used > CPU_LIMIT and not (in_slow_group(item) or RUN_ALL or compiled):
        limit = 2 * CPU_LIMIT * max(1.0, _unit_of_work() / CPU_UNIT)
        if used > limit:
            pytest.fail(f"{used:.1f} CPU seconds, more than {limit:.1f}: mark it as slow "
                        "(tests/conftest.py)", pytrace=False)


def _unit_of_work() -> float:
    began = time.process_time()
    sum(range(3_000_000))
    return time.process_time() - began


def _cpu_seconds() -> float:
    times = os.times()
    return cpu_time() + times.children_user + times.children_system


def pytest_collection_finish() -> None:
    """Python need not look for garbage among all that the libraries have brought, again and again.

    That took a twentieth of the CPU time of tests that train.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


@pytest.fixture(autouse=True)
def trust_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may run the tests' own files with `--trust`, where no other user can run Python."""
    monkeypatch.setattr(processes, "is_root", lambda: False)


@pytest.fixture(scope="session")
def oracles() -> Path:
    """Data of other projects, kept outside this one; most machines do not have it."""
    if not SHARED.is_dir():
        pytest.skip("needs the data folder shared/oracles beside the project")
    return SHARED


def random_game(
    game: GameSpec, seed: int, max_plies: int = 400, passes: bool = True
) -> list[GameState]:
    """All states of a random game, the start first; it may end at `max_plies` unfinished."""
    generator = np.random.default_rng(seed)
    states = [GameState.new_game(game)]
    while not states[-1].is_over() and len(states) <= max_plies:
        actions = states[-1].legal_actions()
        if not passes and len(actions) > 1:
            actions = actions[actions != game.pass_action]
        action = actions[generator.integers(len(actions))]
        states.append(states[-1].apply_move(game.move_of(action)))
    return states


@contextmanager
def one_line_error(kind: type[Exception], part: str = "") -> Iterator[None]:
    """The block raises an error whose message is one line with `part` in it."""
    with pytest.raises(kind) as caught:
        yield
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def assert_agrees_with_openspiel(game: GameSpec, theirs: Any, seed: int) -> None:
    """A random game has the same legal moves, turns and result by the rules of OpenSpiel."""
    state = theirs.new_initial_state()
    for ours in random_game(game, seed):
        if ours.last_move is not None:
            state.apply_action(game.action_of(ours.last_move))
        assert ours.is_over() == state.is_terminal()
        if ours.is_over():
            assert ours.result() == state.returns()[0]
        else:
            assert list(ours.legal_actions()) == state.legal_actions()
            assert ours.next_player.index == state.current_player()
