"""How often engines err at Connect Four, by exact scores.

    python -m experiments.bench.connect4_mistakes --engine mcts:sims=1000 --engine alphazero:NAME
        [--count 100] [--classes L3_R1,L2_R1] [--unseen GAMES] [--csv FILE] [--quick]

A mistake turns a win into a draw or a loss, or a draw into a loss. In some positions none is
possible, since every move has the same result; the share of mistakes is printed both of all
positions and of those where there was something to choose. They come in the six classes of Pascal
Pons' solver tests:

    L1  fewer than 14 stones played     R1  the game ends within 14 more, by perfect play
    L2  14 to 28                        R2  14 to 28
    L3  more than 28                    R3  more

They are drawn by random moves, L1 from 2 stones on, and solved with the project's own solver and
its book. A position counts once, with its mirror image and however it was reached: of the 49 lines
of two moves, 25 are left. Some positions come with the project (connect4_positions.json); more are
made when they are asked for, and kept. Figures from before 2026-11-23 are of L1 from 6 stones on.
Where Pons' files `Test_L*_R1` are at hand (`--pons FOLDER`), they are three classes more.

There are few positions with few stones, and a network may have met them in its games. With
`--unseen GAMES`, a folder such as `games` of a run, those that occur there are left out.

What to look for: L3 asks for tactics, which any search has; L1_R3 for judgement.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from dlgo.files import write_csv, write_file
from dlgo.rng import derive_seed
from engines.isolation.describe import read_spec
from engines.learning.data import Dataset
from engines.solver.board import mirrored
from engines.solver.outcomes import is_mistake
from engines.solver.solver import Solver, along
from experiments.command import run
from experiments.number import Number

SHIPPED = Path(__file__).with_name("connect4_positions.json")
CLASSES = ("L1_R1", "L1_R2", "L1_R3", "L2_R1", "L2_R2", "L3_R1")
_STONES = {"L1": (2, 13), "L2": (14, 28), "L3": (29, 38)}
_PORTION = 10  # positions that a process draws or plays at a time
_LINE_INTERVAL = 10.0  # seconds between two lines of progress where there is no terminal
_DRAWS = 3000  # portions without enough positions of a class, before giving up
GAME = get_game("connect4")


@dataclass(frozen=True)
class Position:
    """A solved position.

    Attributes:
        line: the columns played, 1-7.
        outcomes: column 0-6 -> exact result for the player to move, -1 to 1.
    """

    line: str
    outcomes: dict[int, int]

    @property
    def asks(self) -> bool:
        """Whether a mistake is possible: the moves do not all have the same result."""
        return len(set(self.outcomes.values())) > 1

    @property
    def key(self) -> tuple[int, int]:
        """The same for all lines that lead to the position or to its mirror image."""
        return min(self.images)

    @property
    def images(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The words of the position and of its mirror image (`engines.solver.board`)."""
        own, mask = along(int(column) - 1 for column in self.line + "1")[-1].tolist()
        return (own, mask), (mirrored(own), mirrored(mask))

    def to_json(self) -> list:
        return [self.line, [self.outcomes.get(column) for column in range(7)]]

    @classmethod
    def from_json(cls, data: list) -> Position:
        line, results = data
        return cls(line, {k: value for k, value in enumerate(results) if value is not None})


def class_of(stones: int, score: int) -> str:
    """Pons' class of a position by the stones on the board and its exact score."""
    stage = "L1" if stones < 14 else "L2" if stones <= 28 else "L3"
    left = plies_left(stones, score)
    return f"{stage}_{'R1' if left < 14 else 'R2' if left <= 28 else 'R3'}"


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
        yield Position(line, outcomes), answer.score


def draw(stage: str, seed: int) -> dict[str, list[Position]]:
    """Random positions of a stage, by class."""
    rng = np.random.default_rng(seed)
    low, high = _STONES[stage]
    lines = []
    while len(lines) < _PORTION:
        state, columns = GameState.new_game(GAME), ""
        for _ in range(int(rng.integers(low, high + 1))):
            action = int(rng.choice(state.legal_actions()))
            state = state.apply_move(GAME.move_of(action))
            columns += str(action + 1)
            if state.is_over():
                break
        if not state.is_over():
            lines.append(columns)
    classes: dict[str, list[Position]] = {}
    for position, score in solved(lines, Solver()):
        classes.setdefault(class_of(len(position.line), score), []).append(position)
    return classes


def position_sets(
    path: Path, classes: Sequence[str], count: int, pool: ProcessPoolExecutor, workers: int
) -> dict[str, list[Position]]:
    """`count` positions of each class, from the file as far as it has them; the rest is made."""
    sets = _read(path)
    live, next_line = sys.stderr.isatty(), 0.0
    for stage in dict.fromkeys(name[:2] for name in classes):
        wanted = [name for name in classes if name.startswith(stage)]
        portion = sets["portions"].get(stage, 0)
        given_up = portion + _DRAWS
        if all(len(sets["positions"].get(name, [])) >= count for name in wanted):
            continue
        while any(len(sets["positions"].get(name, [])) < count for name in wanted):
            if portion > given_up:
                raise DlgoError(f"too few positions of {', '.join(wanted)} turn up; ask for fewer")
            seeds = [derive_seed("connect4 mistakes", stage, portion + k) for k in range(workers)]
            for drawn in pool.map(draw, [stage] * workers, seeds):
                for name, positions in drawn.items():
                    kept = sets["positions"].setdefault(name, [])
                    there = {position.key for position in kept}
                    for position in positions:
                        if position.key not in there:
                            there.add(position.key)
                            kept.append(position)
            portion += workers
            sets["portions"][stage] = portion
            _write(path, sets)
            have = ", ".join(f"{len(sets['positions'].get(n, []))} of {n}" for n in wanted)
            if live:
                click.echo(f"\rsolving positions: {have}   ", err=True, nl=False)
            elif time.monotonic() >= next_line:
                click.echo(f"solving positions: {have}", err=True)
                next_line = time.monotonic() + _LINE_INTERVAL
        if live:
            click.echo("", err=True)
    return {name: sets["positions"][name][:count] for name in classes}


def shipped_positions() -> list[Position]:
    """All solved positions that come with the project."""
    return [position for rows in _read(SHIPPED)["positions"].values() for position in rows]


def _read(path: Path) -> dict:
    if not path.exists():
        path = SHIPPED
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        # Stages that were drawn with other numbers of stones are made anew.
        stages = {stage for stage, span in data.get("stones", {}).items()
                  if span == list(_STONES[stage])}
        return {
            "portions": {stage: n for stage, n in data["portions"].items() if stage in stages},
            "positions": {
                name: [Position.from_json(row) for row in rows]
                for name, rows in data["positions"].items() if name[:2] in stages
            },
        }
    except (ValueError, KeyError, TypeError) as error:
        raise DlgoError(f"{path} is not a file of positions ({error}); delete it") from None


def _write(path: Path, sets: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps({"stones": _STONES, "portions": sets["portions"], "positions": {
        name: [position.to_json() for position in rows] for name, rows in sets["positions"].items()
    }}))


def unseen(sets: dict[str, list[Position]], folder: Path) -> dict[str, list[Position]]:
    """The positions that do not occur in the games of a folder, nor do their mirror images.

    Raises:
        DataError: if it is not a folder of games.
    """
    data = Dataset.open(folder)
    if data.game != GAME:
        raise DlgoError(f"{folder} holds games of {data.game}, not of {GAME}; name another folder")
    seen = {
        (own, mask)
        for game in data.games() for own, mask in along(game.actions.tolist()).tolist()
    }
    return {name: [position for position in positions if not seen.intersection(position.images)]
            for name, positions in sets.items()}


def pons_sets(folder: Path, count: int) -> dict[str, list[Position]]:
    """Pons' own positions; their scores are checked on the way."""
    sets = {}
    for name in ("L1_R1", "L2_R1", "L3_R1"):
        path = folder / f"Test_{name}"
        if not path.exists():
            raise DlgoError(f"{path} is not there; get it from blog.gamesolver.org, or leave out "
                            "--pons")
        rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
        scores = {line: int(score) for line, score in rows}
        positions = []
        for position, score in solved(list(scores)[:count], Solver()):
            if score != scores[position.line]:
                raise DlgoError(f"{path}: {position.line} scores {score} here")
            positions.append(position)
        sets[f"Pons {name}"] = positions
    return sets


def ask(engine_text: str, positions: list[Position]) -> list[tuple[bool, float]]:
    """(mistake, CPU seconds) of an engine in some positions."""
    engine = read_spec(engine_text).build(GAME, 1)
    engine.warm_up()
    answers = []
    try:
        for position in positions:
            state = GameState.new_game(GAME)
            for column in position.line:
                state = state.apply_move(GAME.parse_move(state, column))
            engine.new_game(derive_seed("mistakes", position.line))
            decision = engine.select_move(state)
            action = GAME.action_of(decision.move)
            wrong = action is None or is_mistake(position.outcomes, action)  # None: resigned
            answers.append((bool(wrong), decision.cost.cpu_seconds))
    finally:
        engine.close()
    return answers


@dataclass(frozen=True)
class Measured:
    """How an engine did in a class of positions.

    Attributes:
        positions: how many there were.
        asking: those of them in which a mistake was possible.
        mistakes: how many the engine made.
        cpu_seconds: mean CPU seconds a move.
    """

    positions: int
    asking: int
    mistakes: int
    cpu_seconds: float

    @property
    def share(self) -> float:
        """Share of mistakes in all positions."""
        return self.mistakes / self.positions

    def __str__(self) -> str:
        error = 1.96 * (self.share * (1 - self.share) / self.positions) ** 0.5
        return (
            f"{self.share:>6.1%} of {self.positions} (+-{error:.1%}), "
            f"{self.mistakes / max(self.asking, 1):>6.1%} of the {self.asking} that ask something; "
            f"{self.cpu_seconds:.4f} CPU s a move"
        )


def measure(
    engine: str, sets: dict[str, list[Position]], pool: ProcessPoolExecutor, workers: int
) -> dict[str, Measured]:
    """An engine's mistakes by class."""
    shares = {
        name: [pool.submit(ask, engine, rows[k::workers]) for k in range(min(workers, len(rows)))]
        for name, rows in sets.items()
    }
    measured = {}
    for name, futures in shares.items():
        rows = [row for future in futures for row in future.result()]
        wrong, seconds = zip(*rows, strict=True)
        asking = sum(position.asks for position in sets[name])
        measured[name] = Measured(len(rows), asking, sum(wrong), float(np.mean(seconds)))
    return measured


def new_pool(workers: int) -> ProcessPoolExecutor:
    """Processes that leave Ctrl-C to this one."""
    return ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts)


def _ignore_interrupts() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


@click.command()
@click.option("--engine", "engines", multiple=True, required=True,
              help="Engine to test; may be repeated.")
@click.option("--count", type=Number(int, 1), default=100, show_default=True,
              help="Positions a class.")
@click.option("--classes", default=",".join(CLASSES), show_default=True,
              help="Classes of positions to test, separated by commas.")
@click.option("--pons", type=click.Path(path_type=Path), default=None,
              help="Test Pons' own positions, too: folder of Test_L1_R1 and so on.")
@click.option("--unseen", "games", type=click.Path(path_type=Path), default=None,
              help="Leave out positions that occur in the games of this folder.")
@click.option("--sets", type=click.Path(path_type=Path), default=Path("out/connect4_mistakes.json"),
              show_default=True, help="File that keeps the solved positions.")
@click.option("--workers", type=Number(int, 1), default=os.cpu_count() or 1,
              help="Processes; one per core by default.")
@click.option("--csv", type=click.Path(path_type=Path), default=None,
              help="Write the table to this file, too.")
@click.option("--quick", is_flag=True, help="20 positions of the classes that are solved fast.")
def main(
    engines: tuple[str, ...], count: int, classes: str, pons: Path | None, games: Path | None,
    sets: Path, workers: int, csv: Path | None, quick: bool,
) -> None:
    """Print an engine's mistakes at Connect Four and its CPU time, by class of positions."""
    names = classes.split(",")
    if quick:
        count, names = min(count, 20), [name for name in names if name in ("L2_R1", "L3_R1")]
    if unknown := set(names) - set(CLASSES):
        raise DlgoError(f"unknown class {', '.join(unknown)}; classes are {', '.join(CLASSES)}")
    texts = [str(read_spec(text)) for text in engines]
    rows = []
    with new_pool(workers) as pool:
        tasks = position_sets(sets, names, count, pool, workers)
        if pons:
            tasks |= pons_sets(pons, count)
        if games:
            tasks = {name: some for name, some in unseen(tasks, games).items() if some}
        for text in texts:
            click.echo(text)
            for name, measured in measure(text, tasks, pool, workers).items():
                click.echo(f"  {name:<12}{measured}")
                rows.append([text, name, *dataclasses.astuple(measured)])
    if csv:
        header = ["engine", "class", "positions", "asking", "mistakes", "cpu_s_a_move"]
        write_csv(csv, header, rows)


if __name__ == "__main__":
    run(main)
