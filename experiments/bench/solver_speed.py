"""The solver beside bitbully (C++), on the published test sets: one thread, one run.

    python -m experiments.bench.solver_speed [--rounds 5] [FOLDER]
    python -m experiments.bench.solver_speed --plies 12 --limit 30    random positions instead
    python -m experiments.bench.solver_speed --all-moves --limit 100  the score of every move
    python -m experiments.bench.solver_speed --ladder --limit 1000    each technique's share

For each set, positions are prepared beforehand and solved in turns by each solver, a fresh
table each time that is kept through the 1000 positions (both keep theirs between calls);
making the table is not timed, for either. Both run without their opening books, bitbully by each of
its three search functions, of which the fastest counts. Ours runs

    solve_many      scores, in one compiled call
    score           scores, by one Python call a position, as bitbully does
    analyse         scores and best moves from text, as `dlgo analyze` calls it
    whole analyze   `analyze` from bytes in to bytes out, all but its start-up
    command         `dlgo analyze` in a process of its own: the sum of the cpu_ms it prints

The median of the rounds counts. FOLDER holds Test_L1_R1 and so on; others named Test_* are
taken too.

When last run (2026-11-21, 2-core Intel Xeon): see docs/engines/solver.md.
"""

from __future__ import annotations

import io
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from engines.solver.search import ALL_FEATURES, BOOK, FEATURES
from engines.solver.solver import Solver, pack
from experiments.bench.measure import random_positions
from experiments.command import run
from experiments.number import Number
from experiments.play.analyze import analyze, lines_there

SETS = Path(__file__).resolve().parents[3] / "shared" / "oracles" / "connect4"
WITHOUT = [(f"without {name}", ALL_FEATURES ^ (1 << i)) for i, name in enumerate(FEATURES)]
NO_BOOK = "solver:book=no"
# Mean nodes a position that Pons's tutorial gives for its last step.
PONS_NODES = {"Test_L3_R1": 51, "Test_L2_R1": 450, "Test_L1_R1": 3298}
# The order in which the ladder adds the techniques: (name, bits of `features`).
LADDER = [
    (f"+ {name}", sum(1 << j for j in range(i + 1))) for i, name in enumerate(FEATURES)
]


def _solver() -> Solver:
    """A solver that searches all positions, as bitbully does."""
    return Solver(features=ALL_FEATURES & ~BOOK)


def read_set(path: Path) -> tuple[list[str], np.ndarray]:
    """The positions of a test set, as columns, and their scores."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
    return [row[0] for row in rows], np.array([int(row[1]) for row in rows])


def state_of(columns: str) -> GameState:
    """The position after `columns`."""
    state = GameState.new_game(get_game("connect4"))
    for column in columns:
        state = state.apply_move(state.game.parse_move(state, column))
    return state


def timed(run: Callable[[], Any], scores: np.ndarray) -> float:
    """CPU seconds of `run`, whose results must be `scores`."""
    began = time.process_time()
    answers = run()
    spent = time.process_time() - began
    if not np.array_equal(answers, scores):
        raise DlgoError(f"wrong scores: {int((np.asarray(answers) != scores).sum())}")
    return spent


def bitbully_board(columns: str) -> Any:
    """The position after `columns`, as bitbully has it."""
    from bitbully import bitbully_core as core

    board = core.BoardCore()
    board.setBoard([int(column) - 1 for column in columns])
    return board


def bitbully_runs(positions: list[str]) -> dict[str, Callable[[], Callable[[], list[int]]]]:
    """Name -> function that makes a fresh bitbully and returns the run to be timed."""
    try:
        from bitbully import bitbully_core as core
    except ImportError:
        return {}
    boards = [bitbully_board(columns) for columns in positions]

    def null_window() -> Callable[[], list[int]]:
        ask = core.BitBullyCore().nullWindow  # made without a book
        return lambda: [ask(board) for board in boards]

    def mtdf() -> Callable[[], list[int]]:
        ask = core.BitBullyCore().mtdf
        return lambda: [ask(board, 0) for board in boards]

    def negamax() -> Callable[[], list[int]]:
        ask = core.BitBullyCore().negamax
        return lambda: [ask(board, -1000, 1000, 0) for board in boards]

    return {"nullWindow": null_window, "mtdf": mtdf, "negamax": negamax}


def bitbully_nodes(positions: list[str], method: str) -> float:
    """Mean nodes a position, by bitbully's own count."""
    from bitbully import bitbully_core as core

    solver, total = core.BitBullyCore(), len(positions)
    more: tuple[int, ...] = {"nullWindow": (), "mtdf": (0,), "negamax": (-1000, 1000, 0)}[method]
    for columns in positions:
        getattr(solver, method)(bitbully_board(columns), *more)
    return solver.getNodeCounter() / total


def random_set(plies: int, count: int, seed: int = 1) -> list[str]:
    """Random positions in which nobody can win with the next stone, as columns."""

    def quiet(state: GameState) -> bool:
        return not any(state.apply_move(move).is_over() for move in state.legal_moves())

    states = random_positions(get_game("connect4"), plies, count, seed, quiet)
    return ["".join(map(state.game.move_text, state.moves())) for state in states]


def command_times(positions: list[str], scores: np.ndarray) -> dict[str, float]:
    """CPU seconds of `dlgo analyze`: what it takes beyond its start-up, and what it reports."""
    data = "".join(f"{columns}\n" for columns in positions)
    began = 0.0

    def lines() -> Iterator[list[str]]:
        nonlocal began
        began = time.process_time()  # asked for the first line: the start is over
        yield from lines_there(io.BytesIO(data.encode()))

    written = io.BytesIO()
    for answers in analyze(get_game("connect4"), NO_BOOK, lines(), False, True):
        written.write(("\n".join(answers) + "\n").encode())
    whole = time.process_time() - began
    command = [sys.executable, "-m", "experiments.cli", "analyze", "connect4", "--engine", NO_BOOK,
               "--stdin", "--json"]
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=True)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    for answers in (printed, [json.loads(line) for line in written.getvalue().splitlines()]):
        if [answer["score"] for answer in answers] != scores.tolist():
            raise DlgoError("dlgo analyze prints wrong scores")
    reported = sum(answer["cpu_ms"] for answer in printed) / 1000
    return {"dlgo whole analyze": whole, "dlgo command": reported}


def compare_moves(title: str, positions: list[str], rounds: int) -> None:
    """Print what the scores of all moves take here and with bitbully's `scoreMoves`."""
    from bitbully import bitbully_core as core

    boards = [bitbully_board(columns) for columns in positions]
    times: dict[str, list[float]] = {"dlgo": [], "bitbully": []}
    for _ in range(rounds):
        ours, theirs = _solver(), core.BitBullyCore()
        began = time.process_time()
        scores = [answer.scores for part in ours.analyse(positions, True) for answer in part]
        middle = time.process_time()
        expected = [theirs.scoreMoves(board) for board in boards]
        times["bitbully"].append(time.process_time() - middle)
        times["dlgo"].append(middle - began)
        # A full column has a score far below all others there.
        if scores != [[None if x < -100 else x for x in row] for row in expected]:
            raise DlgoError(f"{title}: the scores of the moves differ")
    mine, other = (1000 * statistics.median(taken) for taken in times.values())
    print(f"{title}: {len(positions)} positions, every move: dlgo {mine:,.1f} ms, "
          f"bitbully {other:,.1f} ms, {other / mine:.2f}", flush=True)


def compare(
    title: str, positions: list[str], scores: np.ndarray, rounds: int, hard: bool
) -> None:
    """Print the lines of one set. `hard`: leave out what takes bitbully ten times as long."""
    states = [state_of(columns) for columns in positions]
    packed = pack(states)
    nodes = 0.0

    def batch() -> Callable[[], np.ndarray]:
        solver = _solver()

        def run() -> np.ndarray:
            nonlocal nodes
            answers = solver.solve_many(packed)
            nodes = solver.nodes / len(packed)
            return answers

        return run

    def single() -> Callable[[], list[int]]:
        solver = _solver()
        return lambda: [solver.score(state) for state in states]

    def analyse() -> Callable[[], list[int]]:
        solver = _solver()
        return lambda: [
            answer.score for part in solver.analyse(positions, False) for answer in part
        ]

    makers = {"dlgo solve_many": batch, "dlgo score": single, "dlgo analyse": analyse}
    theirs = bitbully_runs(positions)
    if hard:
        theirs = {name: maker for name, maker in theirs.items() if name == "nullWindow"}
    makers.update({f"bitbully {name}": maker for name, maker in theirs.items()})
    times: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(rounds + 1):  # the first round compiles and is not counted
        for name, maker in makers.items():
            times[name].append(timed(maker(), scores))
        for name, seconds in command_times(positions, scores).items():
            times.setdefault(name, []).append(seconds)
    medians = {name: statistics.median(spent[1:]) for name, spent in times.items()}
    print(f"\n{title}: {len(positions)} positions, all scores as expected")
    print(f"  nodes a position: dlgo {nodes:,.1f}, Pons {PONS_NODES.get(title, '-')}")
    best = min((medians[f"bitbully {name}"], name) for name in theirs) if theirs else None
    for name, seconds in medians.items():
        ratio = f"  bitbully {best[1]} / this = {best[0] / seconds:.2f}" if best else ""
        print(f"  {name:<22}{1000 * seconds:>10.1f} ms{ratio}", flush=True)
    if best:
        count = bitbully_nodes(positions, best[1])
        print(f"  nodes a position by bitbully's {best[1]}: {count:,.1f}")


def ladder(sets: dict[str, tuple[list[str], np.ndarray]], steps: list[tuple[str, int]]) -> None:
    """Print mean nodes and time of each step's features on each set."""
    print("mean nodes and milliseconds a position")
    for name, features in steps:
        line = f"{name:<18}"
        for title, (positions, scores) in sets.items():
            packed = pack(state_of(columns) for columns in positions)
            solver = Solver(features=features)
            seconds = timed(lambda s=solver, p=packed: s.solve_many(p), scores)
            line += f"  {title}: {solver.nodes / len(packed):>11,.1f}"
            line += f" {1000 * seconds / len(packed):>9.4f} ms"
        print(line, flush=True)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=SETS)
@click.option("--rounds", type=Number(int, 1, 100), default=5, show_default=True,
              help="Measurements of each solver, in turns; the median counts.")
@click.option("--limit", type=Number(int, 1), default=1000, show_default=True,
              help="Positions of each set.")
@click.option("--plies", type=Number(int, 0, 40), default=None,
              help="Solve random positions after so many moves, not the sets.")
@click.option("--ladder", "by_steps", is_flag=True, help="Add the techniques one by one.")
@click.option("--without", "without_one", is_flag=True, help="Leave out one technique at a time.")
@click.option("--all-moves", is_flag=True, help="Measure the score of every move.")
def main(
    folder: Path, rounds: int, limit: int, plies: int | None, by_steps: bool, without_one: bool,
    all_moves: bool,
) -> None:
    """Measure the solver beside bitbully, on the test sets in FOLDER."""
    Solver().solve_many(pack([state_of("4455")]))
    list(Solver().analyse(["2252576253462244111563365343671"], True))  # compile
    sets = {}
    if plies is not None:
        positions = random_set(plies, limit)
        scores = Solver().solve_many(pack(state_of(columns) for columns in positions))
        sets[f"random {plies} plies"] = positions, scores
    else:
        for path in sorted(folder.glob("Test_*"), reverse=True):
            positions, scores = read_set(path)
            sets[path.name] = positions[:limit], scores[:limit]
    if not sets:
        raise DlgoError(f"no Test_* files in {folder}; name their folder")
    if by_steps:
        ladder(sets, [("safe moves only", 0), *LADDER])
    elif without_one:
        ladder(sets, [("all", ALL_FEATURES), *WITHOUT])
    elif all_moves:
        for title, (positions, _) in sets.items():
            compare_moves(title, positions, rounds)
    else:
        for title, (positions, scores) in sets.items():
            compare(title, positions, scores, rounds, plies is not None)


if __name__ == "__main__":
    run(main)
