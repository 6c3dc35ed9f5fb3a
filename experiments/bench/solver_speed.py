"""Speed of the solver and of bitbully (C++) on the published test sets, on one thread.

    python -m experiments.bench.solver_speed FOLDER [--rounds 5]
    python -m experiments.bench.solver_speed FOLDER --ladder          the gain of each technique

For each set, positions are prepared beforehand and solved by each solver in alternation, with a new
table that is kept for all 1000 positions (both keep theirs between calls); making the table is not
timed. Both run without their opening books. Ours runs

    solve_many      scores, in one compiled call
    score           scores, by one Python call a position, as bitbully does
    analyse         scores and best moves from text, as `dlgo analyze` calls it

The median of the rounds counts. FOLDER holds Test_L1_R1 and so on; other files named Test_* are
used, too (Pascal Pons's sets: blog.gamesolver.org). docs/engines/solver.md has the results.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from engines.solver.search import ALL_FEATURES, BOOK, FEATURES
from engines.solver.solver import Solver, pack
from experiments.command import run
from experiments.options import PATH, Number

# The steps of the ladder: (name, bits of `features`).
LADDER = [("safe moves only", 0)] + [
    (f"+ {name}", (2 << i) - 1) for i, name in enumerate(FEATURES)
]
# The positions of a set, and their scores.
Set = tuple[list[GameState], np.ndarray]


def state_of(columns: str) -> GameState:
    """The position after `columns`."""
    state = GameState.new_game(get_game("connect4"))
    for column in columns:
        state = state.apply_move(state.game.parse_move(state, column))
    return state


def read_set(path: Path, limit: int) -> Set:
    """The first positions of a test set, and their scores."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()][:limit]
    return [state_of(row[0]) for row in rows], np.array([int(row[1]) for row in rows])


def timed(ask: Callable[[Any], Any], solver: Any, scores: np.ndarray) -> float:
    """CPU seconds of a solver for the answers, which must be equal to `scores`."""
    began = time.process_time()
    answers = ask(solver)
    spent = time.process_time() - began
    if not np.array_equal(answers, scores):
        raise DlgoError(f"wrong scores: {int((np.asarray(answers) != scores).sum())}")
    return spent


def own_solver() -> Solver:
    """A solver without a book, like bitbully's."""
    return Solver(features=ALL_FEATURES & ~BOOK)


def runs_of(states: list[GameState]) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """Name -> a function that makes a new solver, and one that asks it for the scores."""
    packed = pack(states)
    texts = ["".join(map(state.game.move_text, state.moves())) for state in states]
    runs = {
        "solve_many": (own_solver, lambda solver: solver.solve_many(packed)),
        "score": (own_solver, lambda solver: [solver.score(state) for state in states]),
        "analyse": (own_solver, lambda solver: [
            answer.score for part in solver.analyse(texts, False) for answer in part
        ]),
    }
    try:
        from bitbully import bitbully_core as core
    except ImportError:
        return runs
    boards = [core.BoardCore() for _ in texts]
    for board, columns in zip(boards, texts, strict=True):
        board.setBoard([int(column) - 1 for column in columns])
    # Made without a book.
    runs["bitbully"] = (
        core.BitBullyCore, lambda solver: [solver.nullWindow(board) for board in boards])
    return runs


def compare(title: str, positions: Set, rounds: int) -> None:
    """Print the lines of one set."""
    states, scores = positions
    runs = runs_of(states)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):  # the first round compiles and is not counted
        for name, (make, ask) in runs.items():
            times[name].append(timed(ask, make(), scores))
    solver = own_solver()
    solver.solve_many(pack(states))
    print(f"\n{title}: {len(states)} positions, all scores as expected")
    print(f"  nodes a position: {solver.nodes / len(states):,.1f}")
    medians = {name: statistics.median(spent[1:]) for name, spent in times.items()}
    for name, seconds in medians.items():
        ratio = f"  bitbully / this = {medians['bitbully'] / seconds:.2f}" \
            if "bitbully" in medians else ""
        print(f"  {name:<12}{1000 * seconds:>10.1f} ms{ratio}", flush=True)


def print_ladder(sets: dict[str, Set]) -> None:
    """Print mean nodes and time of each step's features on each set."""
    print("mean nodes and milliseconds a position")
    for name, features in LADDER:
        line = f"{name:<18}"
        for title, (states, scores) in sets.items():
            packed, solver = pack(states), Solver(features=features)
            seconds = timed(lambda s, packed=packed: s.solve_many(packed), solver, scores)
            line += (f"  {title}: {solver.nodes / len(packed):>11,.1f}"
                     f" {1000 * seconds / len(packed):>9.4f} ms")
        print(line, flush=True)


@click.command()
@click.argument("folder", type=PATH)
@click.option("--rounds", type=Number(int, 1, 100), default=5, show_default=True,
              help="Number of alternating measurements of each solver; the median counts.")
@click.option("--limit", type=Number(int, 1), default=1000, show_default=True,
              help="Maximum number of positions of each set.")
@click.option("--ladder", "by_steps", is_flag=True, help="Add the techniques one by one.")
def main(folder: Path, rounds: int, limit: int, by_steps: bool) -> None:
    """Measure the solver and bitbully on the test sets in FOLDER."""
    Solver().solve_many(pack([state_of("4455")]))  # compile
    paths = sorted(folder.glob("Test_*"), reverse=True)
    sets = {path.name: read_set(path, limit) for path in paths}
    if not sets:
        raise DlgoError(f"no Test_* files in {folder}; name a folder with the test sets of "
                        "blog.gamesolver.org")
    if by_steps:
        print_ladder(sets)
        return
    for title, positions in sets.items():
        compare(title, positions, rounds)


if __name__ == "__main__":
    run(main)
