"""Make the opening book of the Connect Four solver.

    python -m experiments.datasets.connect4_book --plies 4
    python -m experiments.datasets.connect4_book --plies 8 --workers 2 [--tt 24] [--quick]
    python -m experiments.datasets.connect4_book --plies 8 --source bitbully    in seconds
    python -m experiments.datasets.connect4_book --check 300                    the book in use

The solver scores all positions with a given number of stones, up to mirror image: 568 with 4, 8,231
with 6, 91,295 with 8 (`engines/solver/book.py`). Neighbours in the order of the keys have most of
their stones in common, so each worker keeps its table from position to position.

The file is written after every task. The same command continues it, also after the process was
killed, and with another number of workers; the result is identical. To use the book, copy it to
engines/solver/connect4.book.

`--source bitbully` takes the scores from another program's book of 12 plies (bitbully-databases,
MIT licence). `--check` has the solver prove random positions of a book by search alone.

What to look for: the time left. A position with 8 stones takes about 0.2 CPU seconds.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.games.connect4.board import COLS, ROWS, STRIDE
from dlgo.system.locks import held
from dlgo.text import duration
from engines.jobs import Amount, Processes, Task
from engines.solver.book import MOST_PLIES, SHIPPED, UNSOLVED, levels, pack_book, read_book
from engines.solver.search import ALL_FEATURES, BOOK
from engines.solver.solver import Solver
from experiments.command import run
from experiments.options import PATH, Number
from experiments.progress import LineProgress

# Positions of a task: some seconds of work, which is all that a kill can lose.
_PER_TASK = {"solver": 32, "bitbully": 4096}
_LINE_INTERVAL = 10.0


def solve_part(positions: np.ndarray, table_bits: int) -> Generator[Amount, None, np.ndarray]:
    """The scores of packed positions (int64[n, 2]), int8[n], by search alone. A task."""
    yield Amount()
    return _solver(table_bits).solve_many(positions).astype(np.int8)


def ask_bitbully(positions: np.ndarray, _: int) -> Generator[Amount, None, np.ndarray]:
    """The scores of some positions, int8[n], by bitbully with its book. A task."""
    yield Amount()
    ask, board_class = _bitbully()
    scores = np.empty(len(positions), np.int8)
    for i, (own, mask) in enumerate(positions.tolist()):
        first = own if mask.bit_count() % 2 == 0 else own ^ mask
        board = board_class()
        board.setBoard([
            [(2 - (first >> cell & 1)) * (mask >> cell & 1)
             for cell in range(STRIDE * col, STRIDE * col + ROWS)] for col in range(COLS)
        ])
        scores[i] = ask(board)
    return scores


SOURCES = {"solver": solve_part, "bitbully": ask_bitbully}


@functools.cache
def _bitbully() -> tuple[Callable[[Any], int], Any]:
    try:
        from bitbully import BitBully, bitbully_core
    except ImportError:
        raise DlgoError("bitbully is not installed; run pip install bitbully") from None
    return BitBully("12-ply-dist")._core.nullWindow, bitbully_core.BoardCore


@functools.cache
def _solver(table_bits: int) -> Solver:
    return Solver(table_bits, ALL_FEATURES & ~BOOK)


def make_book(
    plies: int, path: Path, workers: int, table_bits: int, source: str = "solver"
) -> None:
    """Make the book of `plies` plies at `path`, or continue making it. Raises DlgoError if the file
    is not such a book, is in use, or cannot be written."""
    make_folder(path.parent)
    _, owns, masks = levels(plies)[plies]
    positions = np.stack([owns, masks], axis=1)
    progress = LineProgress()
    lock = path.with_name(f".{path.name}.lock")
    with held(lock, f"book {path}", "generation", "file", DlgoError), Processes(workers) as jobs:
        scores = _begun(path, plies, len(positions))
        missing = np.flatnonzero(scores == UNSOLVED)
        if len(missing) < len(scores):
            n_known = len(scores) - len(missing)
            progress.log(f"{path}: {n_known:,} of {len(scores):,} scores exist already")
        step = _PER_TASK[source]
        parts = {str(part[0]): part for part in np.split(missing, range(step, len(missing), step))
                 if len(part)}
        tasks = [Task(key, SOURCES[source], (positions[part], table_bits))
                    for key, part in parts.items()]
        began, solved = time.monotonic(), 0
        next_line = began + _LINE_INTERVAL
        with closing(jobs.run(tasks)) as outcomes:
            for outcome in outcomes:
                part = parts[outcome.task.key]
                scores[part] = outcome.value
                write_file(path, pack_book(plies, scores))
                solved += len(part)
                if time.monotonic() >= next_line:
                    next_line = time.monotonic() + _LINE_INTERVAL
                    seconds_left = (len(missing) - solved) * (time.monotonic() - began) / solved
                    progress.log(f"{len(scores) - len(missing) + solved:,} of {len(scores):,} "
                                 f"positions, {duration(seconds_left)} left")
    progress.log(f"{path}: {path.stat().st_size:,} bytes")


def _begun(path: Path, plies: int, count: int) -> np.ndarray:
    if not path.exists():
        return np.full(count, UNSOLVED, np.int8)
    book_plies, scores = read_book(path)
    if book_plies != plies or len(scores) != count:
        raise DlgoError(f"{path} is a book of {book_plies} plies, not of {plies}; "
                        "name another file")
    return scores.copy()


def check_book(path: Path, count: int, table_bits: int) -> None:
    """Prove random positions with a score by search. Raises DlgoError if a score is wrong."""
    plies, scores = read_book(path)
    _, owns, masks = levels(plies)[plies]
    solved = np.flatnonzero(scores != UNSOLVED)
    chosen = np.random.default_rng(0).choice(solved, min(count, len(solved)), replace=False)
    chosen.sort()
    began, next_line = time.monotonic(), time.monotonic() + _LINE_INTERVAL
    for done, i in enumerate(chosen.tolist()):
        score = int(_solver(table_bits).solve_many(np.array([[owns[i], masks[i]]]))[0])
        if score != scores[i]:
            raise DlgoError(f"{path}: position {i} scores {score}, not {scores[i]}")
        if time.monotonic() >= next_line:
            next_line = time.monotonic() + _LINE_INTERVAL
            seconds_left = (len(chosen) - done - 1) * (time.monotonic() - began) / (done + 1)
            click.echo(
                f"{done + 1:,} of {len(chosen):,} proved, {duration(seconds_left)} left", err=True)
    click.echo(f"{path}: {len(chosen):,} of {len(owns):,} positions proved")


@click.command()
@click.option("--plies", type=Number(int, 0, MOST_PLIES), default=8, show_default=True,
              help="Number of stones on the board.")
@click.option("--out", type=PATH,
              help="Book to write or check. Default: out/connect4-PLIES.book, with --check the one "
              "in use.")
@click.option("--workers", type=Number(int, 1), default=os.cpu_count() or 1,
              help="Number of processes. Default: one per core.")
@click.option("--tt", type=Number(int, 4, 28), default=24, show_default=True,
              help="Each process has a table of 2**tt entries of 8 bytes.")
@click.option("--source", type=click.Choice(list(SOURCES)), default="solver", show_default=True,
              help="Program that scores the positions.")
@click.option("--check", type=Number(int, 1),
              help="Number of positions of the book in use to prove by search.")
@click.option("--quick", is_flag=True, help="Make a book of one ply.")
def main(
    plies: int, out: Path | None, workers: int, tt: int, source: str, check: int | None,
    quick: bool,
) -> None:
    """Score all positions of Connect Four with a given number of stones, or check a book."""
    if check:
        check_book(out or SHIPPED, check, tt)
        return
    plies = 1 if quick else plies
    make_book(plies, out or Path(f"out/connect4-{plies}.book"), workers, tt, source)


if __name__ == "__main__":
    run(main)
