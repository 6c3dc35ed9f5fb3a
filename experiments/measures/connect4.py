"""How often engines err at Connect Four, by exact scores.

    python -m experiments.measures.connect4 --engine mcts:sims=1000 --engine alphazero:NAME
        [--count 100] [--classes L3_R1,L2_R1] [--csv FILE] [--quick]

In some positions no mistake is possible, since every move has the same result. The share of
mistakes is printed for all positions and for those in which a mistake is possible. The classes are
those of Pascal Pons' solver tests:

    L1  fewer than 14 stones played     R1  the game ends within 14 more, by perfect play
    L2  14 to 28                        R2  14 to 28
    L3  more than 28                    R3  more

Positions are drawn by random moves, L1 from 2 stones on, and solved with the project's solver and
its book. A position and its mirror image count once, however they were reached: of the 49 lines of
two moves, 25 remain. Some positions come with the project (connect4_positions.json); more are
solved when needed, and saved.

What to look for: L3 asks for tactics, which any search has; L1_R3 for judgement.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from dlgo.errors import ForeignFileError
from dlgo.files import write_file
from dlgo.readers import read_json, reading
from dlgo.rng import derive_seed
from engines.isolation.describe import read_spec
from engines.jobs import Amount, Processes, Task
from engines.solver.board import mirrored
from engines.solver.solver import Solver, words_of
from experiments.command import run
from experiments.measures.mistakes import Position, mistakes_options, print_mistakes

SHIPPED = Path(__file__).with_name("connect4_positions.json")
CLASSES = ("L1_R1", "L1_R2", "L1_R3", "L2_R1", "L2_R2", "L3_R1")
_STONES = {"L1": (2, 13), "L2": (14, 28), "L3": (29, 38)}
_PER_TASK = 10  # positions that a process draws at a time
_LINE_INTERVAL = 10.0  # seconds between two lines of progress
_DRAWS = 3000  # tasks without enough positions of a class, before giving up
GAME = get_game("connect4")

Sets = dict[str, list[Position]]


def position_of(columns: str, outcomes: dict[int, int]) -> Position:
    """The position after some columns, 1 to 7."""
    state = GameState.new_game(GAME)
    for column in columns:
        state = state.apply_move(GAME.move_of(int(column) - 1))
    return Position(columns, state, outcomes)


def key_of(position: Position) -> tuple[int, int]:
    """The same for a position and its mirror image, whatever line of columns leads there."""
    stones, mask = words_of(position.state)
    return min((stones, mask), (mirrored(stones), mirrored(mask)))


def class_of(stones: int, score: int) -> str:
    """Pons' class of a position by the stones on the board and its exact score."""
    stage = "L1" if stones < 14 else "L2" if stones <= 28 else "L3"
    plies = plies_left(stones, score)
    return f"{stage}_{'R1' if plies < 14 else 'R2' if plies <= 28 else 'R3'}"


def plies_left(stones: int, score: int) -> int:
    """How long the game lasts by perfect play: the winner's (22 - |score|)th stone wins."""
    if score == 0:
        return 42 - stones
    winner = stones % 2 if score > 0 else 1 - stones % 2
    return 2 * (22 - abs(score)) - (winner == 0) - stones


def solved(lines: Sequence[str], solver: Solver) -> Iterator[tuple[Position, int]]:
    """Positions and scores of those lines that are unfinished."""
    answers = [answer for part in solver.analyse(lines, all_moves=True) for answer in part]
    for line, answer in zip(lines, answers, strict=True):
        if answer is None or answer.scores is None:
            continue
        outcomes = {k: int(np.sign(s)) for k, s in enumerate(answer.scores) if s is not None}
        yield position_of(line, outcomes), answer.score


def draw(stage: str, seed: int) -> Generator[Amount, None, Sets]:
    """Random positions of a stage, by class; a task."""
    rng = np.random.default_rng(seed)
    low, high = _STONES[stage]
    lines: list[str] = []
    while len(lines) < _PER_TASK:
        state, columns = GameState.new_game(GAME), ""
        for _ in range(int(rng.integers(low, high + 1))):
            action = int(rng.choice(state.legal_actions()))
            state = state.apply_move(GAME.move_of(action))
            columns += str(action + 1)
            if state.is_over():
                break
        if not state.is_over():
            lines.append(columns)
    classes: Sets = {}
    for position, score in solved(lines, Solver()):
        classes.setdefault(class_of(len(position.name), score), []).append(position)
        yield Amount(1)
    return classes


def position_sets(path: Path, classes: Sequence[str], count: int, jobs: Processes) -> Sets:
    """`count` positions of each class, from the file; missing ones are made."""
    draws_done, sets = _read(path)
    next_line = 0.0
    for stage in dict.fromkeys(name[:2] for name in classes):
        names = [name for name in classes if name.startswith(stage)]
        keys = {name: {key_of(position) for position in rows} for name, rows in sets.items()}
        given_up = draws_done.get(stage, 0) + _DRAWS
        while any(len(sets.get(name, [])) < count for name in names):
            first = draws_done.get(stage, 0)
            if first > given_up:
                raise DlgoError(f"too few positions of {', '.join(names)} turn up; ask for fewer")
            draws_done[stage] = first + jobs.count
            work = [Task(f"{k:09}", draw, (stage, derive_seed("connect4 mistakes", stage, k)))
                    for k in range(first, draws_done[stage])]
            with closing(jobs.run(work)) as outcomes:
                draws = [outcome.value for outcome in
                         sorted(outcomes, key=lambda outcome: outcome.task.key)]
            for name, position in (
                (label, position) for by_class in draws for label in by_class
                for position in by_class[label]
            ):
                key = key_of(position)
                if key not in keys.setdefault(name, set()):
                    keys[name].add(key)
                    sets.setdefault(name, []).append(position)
            _write(path, draws_done, sets)
            if time.monotonic() >= next_line:
                have = ", ".join(f"{len(sets.get(name, []))} of {name}" for name in names)
                click.echo(f"solving positions: {have}", err=True)
                next_line = time.monotonic() + _LINE_INTERVAL
    return {name: sets[name][:count] for name in classes}


def shipped_positions() -> list[Position]:
    """All solved positions that come with the project."""
    return [position for rows in _read(SHIPPED)[1].values() for position in rows]


def _read(path: Path) -> tuple[dict[str, int], Sets]:
    """The number of tasks drawn so far by stage, and the positions by class."""
    if not path.exists():
        path = SHIPPED
    with reading(path, "file of positions", restore="restore it from a copy, or name another "
                 "file with --sets", other="name another file with --sets"):
        data = read_json(path, "it")
        if not (isinstance(data, dict) and {"portions", "positions"} <= data.keys()):
            raise ForeignFileError("it has no portions and positions")
        return data["portions"], {
            name: [position_of(columns, {
                k: value for k, value in enumerate(results) if value is not None
            }) for columns, results in rows]
            for name, rows in data["positions"].items()
        }


def _write(path: Path, draws_done: dict[str, int], sets: Sets) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps({"portions": draws_done, "positions": {
        name: [[position.name, [position.outcomes.get(column) for column in range(7)]]
               for position in rows]
        for name, rows in sets.items()
    }}))


@click.command()
@mistakes_options
@click.option("--classes", default=",".join(CLASSES), show_default=True,
              help="Classes of positions to test, separated by commas.")
@click.option("--sets", type=click.Path(path_type=Path), default=Path("out/connect4_mistakes.json"),
              show_default=True, help="File that keeps the solved positions.")
@click.option("--quick", is_flag=True, help="20 positions of the classes that are solved fast.")
def main(
    engines: tuple[str, ...], count: int, workers: int | None, csv: Path | None, classes: str,
    sets: Path, quick: bool,
) -> None:
    """Print an engine's mistakes at Connect Four and its CPU time, by class of positions."""
    names = classes.split(",")
    if quick:
        count, names = min(count, 20), [name for name in names if name in ("L2_R1", "L3_R1")]
    if unknown := set(names) - set(CLASSES):
        raise DlgoError(f"unknown class {', '.join(unknown)}; classes are {', '.join(CLASSES)}")
    texts = [str(read_spec(text)) for text in engines]
    with Processes(workers) as jobs:
        print_mistakes(texts, position_sets(sets, names, count, jobs), jobs, csv)


if __name__ == "__main__":
    run(main)
