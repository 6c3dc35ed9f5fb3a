"""Mistakes: moves that turn a win into a draw or a loss, or a draw into a loss.

    python -m experiments.measures.connect4 --engine mcts:sims=1000 --engine alphazero:NAME
    python -m experiments.measures.draughts --engine alphabeta:depth=6
    python -m experiments.measures.tictactoe --engine mcts:sims=200
    python -m experiments.measures.hex --engine mcts:sims=200

Each game has a module that makes classes of positions whose exact outcomes are known; this module
has the common parts: the question to an engine, the count, the table.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from dlgo import GameState
from dlgo.files import write_csv
from dlgo.rng import derive_seed
from engines.base import Engine
from engines.isolation.describe import read_spec
from engines.jobs import Amount, Executor, Task
from experiments.options import Number, csv_option, together, workers_option
from reports.intervals import proportion_interval

# Positions that a process plays at a time, at least; and the most tasks of a class, since each task
# builds its engine anew.
_PER_TASK, _TASKS = 25, 32


@dataclass(frozen=True)
class Position:
    """A position and the exact outcome of each of its moves."""

    name: str  # unlike all others of the game; the engine's seed is derived from it
    state: GameState
    outcomes: Mapping[int, int]  # action -> result for the player to move: 1, 0 or -1

    @property
    def asks(self) -> bool:
        """Whether a mistake is possible: the moves do not all have the same result."""
        return len(set(self.outcomes.values())) > 1

    @property
    def value(self) -> int:
        """The result of perfect play for the player to move."""
        return max(self.outcomes.values())


class Answer(NamedTuple):
    """An engine's answer in a position."""

    mistake: bool  # whether its move is worth less than the position
    losing: bool  # whether it lost what was not lost
    cpu_seconds: float


class Measured(NamedTuple):
    """An engine's results in a class of positions."""

    positions: int
    asking: int  # positions in which a mistake was possible
    mistakes: int
    losing: int  # mistakes that lost
    cpu_seconds: float  # mean of a move

    @classmethod
    def of(cls, positions: Sequence[Position], answers: Sequence[Answer]) -> Measured:
        """The count of the answers of one class."""
        return cls(
            len(answers), sum(position.asks for position in positions),
            sum(answer.mistake for answer in answers), sum(answer.losing for answer in answers),
            float(np.mean([answer.cpu_seconds for answer in answers])),
        )

    @property
    def share(self) -> float:
        """Share of mistakes in all positions."""
        return self.mistakes / self.positions

    def __str__(self) -> str:
        low, high = proportion_interval(self.mistakes, self.positions)
        return (
            f"{self.share:>6.1%} of {self.positions} ({low:.1%} to {high:.1%}), "
            f"{self.mistakes / max(self.asking, 1):>6.1%} of the {self.asking} in which a mistake "
            f"is possible; {self.cpu_seconds:.4f} CPU s a move"
        )


def answer_of(engine: Engine, position: Position) -> Answer:
    """The engine's answer in a new game, independent of other positions."""
    engine.new_game(derive_seed("mistakes", position.name))
    decision = engine.select_move(position.state)
    action = position.state.game.action_of(decision.move)
    result = -1 if action is None else position.outcomes[action]  # None: it resigned
    mistake = result < position.value or action is None
    return Answer(mistake, mistake and result < 0, decision.cost.cpu_seconds)


def ask(engine_text: str, positions: list[Position]) -> Generator[Amount, None, list[Answer]]:
    """The answers of an engine, as a task."""
    engine = read_spec(engine_text).build(positions[0].state.game, 1)
    engine.warm_up()
    answers = []
    with closing(engine):
        for position in positions:
            answers.append(answer_of(engine, position))
            yield Amount(1)
    return answers


def measure(
    engine: str, sets: Mapping[str, Sequence[Position]], jobs: Executor
) -> dict[str, Measured]:
    """An engine's mistakes by class."""
    tasks = [
        Task(f"{name} {start}", ask, (engine, [*rows[start : start + count]]))
        for name, rows in sets.items() for count in [max(_PER_TASK, -(-len(rows) // _TASKS))]
        for start in range(0, len(rows), count)
    ]
    answers: dict[str, list[Answer]] = {name: [] for name in sets}
    with closing(jobs.run(tasks)) as outcomes:
        for outcome in outcomes:
            answers[outcome.task.key.rpartition(" ")[0]] += outcome.value
    return {name: Measured.of(sets[name], rows) for name, rows in answers.items()}


# The options that the commands of all games share.
mistakes_options = together(
    click.option("--engine", "engines", multiple=True, required=True,
                 help="Engine to test; may be repeated."),
    click.option("--count", type=Number(int, 1), default=100, show_default=True,
                 help="Number of positions in each class."),
    workers_option, csv_option,
)


def print_mistakes(
    engines: Iterable[str], sets: Mapping[str, Sequence[Position]], jobs: Executor,
    csv: Path | None,
) -> None:
    """Measure each engine; print a line for each class, and write the table."""
    rows = []
    for text in engines:
        click.echo(text)
        for name, measured in measure(text, sets, jobs).items():
            click.echo(f"  {name:<12}{measured}")
            rows.append([text, name, *measured])
    if csv:
        header = ["engine", "class", "positions", "asking", "mistakes", "losing", "cpu_s_a_move"]
        write_csv(csv, header, rows)
