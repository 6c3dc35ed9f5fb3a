"""Compares the speed of this version with another one: both alternate on one core.

    git worktree add ../before COMMIT
    python -m experiments.bench.versions ../before [--game connect4] [--starts 5] [--rounds 20]

The measurements of `dlgo bench` are made in the current folder and in the named folder. A process
of each does the same work for a few hundredths of a second, in alternation, on the same core. So
both meet the same noise of the machine, and the ratio of CPU times is accurate to a percent, while
separate runs differ by a quarter.

Equal code is not equally fast in two processes: the placement of memory may cost three percent. So
processes are started several times. The ratio is the median over all rounds of all starts, and the
interval (95%, bootstrap) is drawn from starts, not from rounds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

import click
import numpy as np

from dlgo.errors import DlgoError
from dlgo.files import write_csv
from dlgo.games import get_game
from dlgo.text import excerpt
from experiments.bench.speed import DEFAULT_GAMES
from experiments.command import run
from experiments.options import Number, csv_option, games_option

METERS = ("rollouts", "mcts", "states")
# Seconds of a measurement: longer than a switch of processes, shorter than most noise.
_LENGTH = 0.04
# The code of a process: it answers a line "game meter calls" with the CPU time of that number of
# calls, or, if the number is 0, with the number of calls that fill the time. Old versions have no
# other interface.
_CHILD = """
import os, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from dlgo import get_game
from experiments.bench import speed
if not os.path.samefile(os.path.dirname(speed.__file__), "experiments/bench"):
    sys.exit("it has no experiments/bench/speed.py")
meters = {}
for line in sys.stdin:
    game, what, calls = line.split()
    if (game, what) not in meters:
        meters[game, what] = getattr(speed, "_" + what)(get_game(game))
        meters[game, what]()
    meter, count, start = meters[game, what], 0, time.process_time()
    while count < int(calls) or calls == "0" and time.process_time() - start < %s:
        meter()
        count += 1
    print(time.process_time() - start if int(calls) else count, flush=True)
""" % _LENGTH  # noqa: UP031 (braces)


class Version:
    """A process that measures the checkout in a folder; compiled code is kept in `cache`."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        cache.mkdir(mode=0o700, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD], cwd=folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "DLGO_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1"},
        )

    def ask(self, game: str, what: str, calls: int) -> float:
        """CPU seconds of `calls` calls of a meter; for 0, the number of calls that take a
        moment."""
        try:
            print(game, what, calls, file=self._process.stdin, flush=True)
            return float(self._process.stdout.readline())
        except (OSError, ValueError):
            said = self._process.communicate()[1].strip().splitlines() or ["it ended"]
            raise DlgoError(f"{self._folder} cannot be measured: {excerpt(said[-1])}; name a "
                            "checkout whose requirements are installed here") from None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def compare(
    now: Path, before: Path, game: str, what: str, starts: int, rounds: int, caches: Path
) -> np.ndarray:
    """The logarithms of the speed of `now` divided by that of the other: float64[starts, rounds].

    Args:
        game: its specification. what: one of METERS.
        caches: a folder for compiled code of both versions.
    """
    logs = np.empty((starts, rounds))
    for start in range(starts):
        with ExitStack() as stack:
            versions = [stack.enter_context(closing(Version(folder, caches / name)))
                        for folder, name in ((now, "now"), (before, "before"))]
            calls = max(1, round(min(version.ask(game, what, 0) for version in versions)))
            for number in range(rounds):
                seconds = [0.0, 0.0]
                for which in (0, 1) if number % 2 else (1, 0):
                    seconds[which] = max(versions[which].ask(game, what, calls), 1e-9)
                logs[start, number] = np.log(seconds[1] / seconds[0])
    return logs


def interval(logs: np.ndarray, seed: int = 1, times: int = 2000) -> tuple[float, float, float]:
    """The median ratio and its 95% interval, by resampling starts."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(logs), size=(times, len(logs)))
    medians = [np.median(logs[rows]) for rows in drawn]
    low, high = np.exp(np.quantile(medians, [0.025, 0.975]))
    return float(np.exp(np.median(logs))), float(low), float(high)


@click.command()
@click.argument("before", type=click.Path(exists=True, file_okay=False, path_type=Path))
@games_option(DEFAULT_GAMES)
@click.option("--starts", type=Number(int, 1, 1000), default=5, show_default=True,
              help="Number of processes of each version.")
@click.option("--rounds", type=Number(int, 2, 10_000), default=20, show_default=True,
              help="Number of measurements in each process.")
@csv_option
def main(
    before: Path, games: tuple[str, ...], starts: int, rounds: int, csv: Path | None
) -> None:
    """Compare the speed of this version with the one in the folder BEFORE."""
    table, ratios = [], []
    click.echo(f"speed of {Path.cwd()} in times that of {before}; {starts} starts, {rounds} rounds")
    with tempfile.TemporaryDirectory() as caches:
        for game in map(str, map(get_game, games)):
            for what in METERS:
                logs = compare(Path.cwd(), before, game, what, starts, rounds, Path(caches))
                ratio, low, high = interval(logs)
                ratios.append(ratio)
                table.append([game, what, f"{ratio:.4f}", f"{low:.4f}", f"{high:.4f}"])
                click.echo(f"{game:<28}{what:<10}{ratio:>7.3f}  ({low:.3f} to {high:.3f})")
    click.echo(f"geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.3f}")
    if csv:
        write_csv(csv, ["game", "what", "ratio", "low", "high"], table)


if __name__ == "__main__":
    run(main)
