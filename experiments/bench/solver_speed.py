"""The solver beside bitbully (C++), on the published test sets: one thread, one run.

    python -m experiments.bench.solver_speed [--rounds 5] [FOLDER]
    python -m experiments.bench.solver_speed --plies 12 --limit 30    random positions instead
    python -m experiments.bench.solver_speed --all-moves --limit 100  the score of every move
    python -m experiments.bench.solver_speed --ladder --limit 1000    each technique's share

For each set, positions are prepared beforehand and solved in turns by each solver, a fresh
table each time that is kept through the 1000 positions (both keep theirs between calls);
making the table is not timed, for either. bitbully runs without its opening book, by each of
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

import argparse
import io
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dlgo import GameState, get_game
from engines.solver.search import ALL_FEATURES, FEATURES
from engines.solver.solver import Solver, pack
from experiments.command import run
from experiments.play.analyze import analyze, lines_there

SETS = Path(__file__).resolve().parents[3] / "shared" / "oracles" / "connect4"
WITHOUT = [(f"without {name}", ALL_FEATURES ^ (1 << i)) for i, name in enumerate(FEATURES)]
# Mean nodes a position that Pons publishes for the last step of his tutorial.
PONS_NODES = {"Test_L3_R1": 51, "Test_L2_R1": 450, "Test_L1_R1": 3298}
# The order in which the ladder adds the techniques: (name, bits of `features`).
LADDER = [
    (f"+ {name}", sum(1 << j for j in range(i + 1))) for i, name in enumerate(FEATURES)
]


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
    found = run()
    spent = time.process_time() - began
    if not np.array_equal(found, scores):
        raise SystemExit(f"wrong scores: {int((np.asarray(found) != scores).sum())}")
    return spent


def bitbully_runs(positions: list[str]) -> dict[str, Callable[[], Callable[[], list[int]]]]:
    """Name -> function that makes a fresh bitbully and returns the run to be timed."""
    try:
        from bitbully import bitbully_core as core
    except ImportError:
        return {}
    boards = []
    for columns in positions:
        board = core.BoardCore()
        board.setBoard([int(column) - 1 for column in columns])
        boards.append(board)

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
        board = core.BoardCore()
        board.setBoard([int(column) - 1 for column in columns])
        getattr(solver, method)(board, *more)
    return solver.getNodeCounter() / total


def random_set(plies: int, count: int, seed: int = 1) -> list[str]:
    """Random positions in which nobody can win with the next stone, as columns."""
    generator = np.random.default_rng(seed)
    found: list[str] = []
    while len(found) < count:
        state = GameState.new_game(get_game("connect4"))
        while len(state.moves()) < plies and not state.is_over():
            moves = state.legal_moves()
            state = state.apply_move(moves[generator.integers(len(moves))])
        if not state.is_over() and not any(
            state.apply_move(move).is_over() for move in state.legal_moves()
        ):
            found.append("".join(state.game.move_text(move) for move in state.moves()))
    return found


def command_times(positions: list[str], scores: np.ndarray) -> dict[str, float]:
    """CPU seconds of `dlgo analyze`: what it takes beyond its start-up, and what it reports."""
    data = "".join(f"{columns}\n" for columns in positions)
    began = 0.0

    def lines() -> Iterator[list[str]]:
        nonlocal began
        began = time.process_time()  # asked for the first line: the start is over
        yield from lines_there(io.BytesIO(data.encode()))

    written = io.BytesIO()
    for found in analyze(get_game("connect4"), "solver", lines(), False, True):
        written.write(("\n".join(found) + "\n").encode())
    whole = time.process_time() - began
    command = [sys.executable, "-m", "experiments.cli", "analyze", "connect4", "--stdin", "--json"]
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=True)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    for answers in (printed, [json.loads(line) for line in written.getvalue().splitlines()]):
        if [answer["score"] for answer in answers] != scores.tolist():
            raise SystemExit("dlgo analyze prints wrong scores")
    reported = sum(answer["cpu_ms"] for answer in printed) / 1000
    return {"dlgo whole analyze": whole, "dlgo command": reported}


def compare_moves(title: str, positions: list[str], rounds: int) -> None:
    """Print what the scores of all moves take here and with bitbully's `scoreMoves`."""
    from bitbully import bitbully_core as core

    boards = []
    for columns in positions:
        boards.append(core.BoardCore())
        boards[-1].setBoard([int(column) - 1 for column in columns])
    times: dict[str, list[float]] = {"dlgo": [], "bitbully": []}
    for _ in range(rounds):
        ours, theirs = Solver(), core.BitBullyCore()
        began = time.process_time()
        found = [one.scores for some in ours.analyse(positions, True) for one in some]
        middle = time.process_time()
        expected = [theirs.scoreMoves(board) for board in boards]
        times["bitbully"].append(time.process_time() - middle)
        times["dlgo"].append(middle - began)
        # A full column has a score far below all others there.
        if found != [[None if x < -100 else x for x in scores] for scores in expected]:
            raise SystemExit(f"{title}: the scores of the moves differ")
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
        solver = Solver()

        def run() -> np.ndarray:
            nonlocal nodes
            found = solver.solve_many(packed)
            nodes = solver.nodes / len(packed)
            return found

        return run

    def single() -> Callable[[], list[int]]:
        solver = Solver()
        return lambda: [solver.score(state) for state in states]

    def analyse() -> Callable[[], list[int]]:
        solver = Solver()
        return lambda: [one.score for some in solver.analyse(positions, False) for one in some]

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
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SETS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=1000, help="positions of each set")
    parser.add_argument("--plies", type=int, help="random positions after so many moves")
    parser.add_argument("--ladder", action="store_true", help="add the techniques one by one")
    parser.add_argument("--without", action="store_true", help="leave each technique out")
    parser.add_argument("--all-moves", action="store_true", help="the score of every move")
    options = parser.parse_args()
    Solver().solve_many(pack([state_of("4455")]))
    list(Solver().analyse(["2252576253462244111563365343671"], True))  # compile
    sets = {}
    if options.plies is not None:
        positions = random_set(options.plies, options.limit)
        scores = Solver().solve_many(pack(state_of(columns) for columns in positions))
        sets[f"random {options.plies} plies"] = positions, scores
    else:
        for path in sorted(options.folder.glob("Test_*"), reverse=True):
            positions, scores = read_set(path)
            sets[path.name] = positions[: options.limit], scores[: options.limit]
    if not sets:
        raise SystemExit(f"no Test_* files in {options.folder}: give their folder")
    if options.ladder:
        ladder(sets, [("safe moves only", 0), *LADDER])
    elif options.without:
        ladder(sets, [("all", ALL_FEATURES), *WITHOUT])
    elif options.all_moves:
        for title, (positions, _) in sets.items():
            compare_moves(title, positions, options.rounds)
    else:
        for title, (positions, scores) in sets.items():
            compare(title, positions, scores, options.rounds, options.plies is not None)


if __name__ == "__main__":
    run(main)
