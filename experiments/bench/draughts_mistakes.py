"""How often engines err in draughts endings, by exact tables.

    python -m experiments.bench.draughts_mistakes --engine mcts:sims=1000 --engine alphabeta:depth=6
        [--count 100] [--pieces 4] [--csv FILE] [--quick]

A mistake turns a win into a draw or a loss, or a draw into a loss. Positions are drawn from the
endgame tables, each material alike, and only such in which a mistake is possible. They come in
classes: pieces on the board, and what the position is worth (`4 won`, `3 drawn`). The tables leave
aside the rules that end a game without progress, so a win that is kept may still take too long.

When last run: see docs/games.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from pathlib import Path

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from dlgo.files import write_csv
from dlgo.games.draughts import kernel
from dlgo.games.draughts.endgames import EndgameTables
from dlgo.games.draughts.endgames.places import NOWHERE, position, slice_size
from dlgo.games.draughts.endgames.retrograde import slices
from dlgo.rng import derive_seed
from engines.isolation.describe import read_spec
from engines.jobs import Amount, Portion, Processes
from experiments.bench.connect4_mistakes import Measured
from experiments.command import run
from experiments.number import Number
from experiments.options import workers_option

GAME = get_game("draughts")
# Positions drawn before a class is given up.
_DRAWS = 1_000_000
_PORTION = 25


def draw_classes(pieces: int, count: int, seed: int) -> dict[str, list[str]]:
    """Positions in which a mistake is possible, as FEN, by class; black to move.

    Args:
        pieces: the most on the board. count: of each class.

    Raises:
        DlgoError: if too few turn up.
    """
    tables = EndgameTables.get(pieces, lambda line: click.echo(line, err=True))
    classes: dict[str, list[str]] = {}
    for total in range(2, pieces + 1):
        every = [one for group in slices(total) for one in group if sum(one) == total]
        rng = np.random.default_rng(derive_seed(seed, "draughts mistakes", total) % 2**63)
        wanted = {f"{total} won": list[str](), f"{total} drawn": list[str]()}
        for _ in range(_DRAWS):
            one = every[rng.integers(len(every))]
            own, other, kings = position(int(rng.integers(slice_size(*one))), *one)
            if own == NOWHERE:
                continue
            state = _state(own, other, kings)
            results = {score.result for score in (tables.scores(state) or {}).values()}
            if len(results) > 1:
                kept = wanted[f"{total} {'won' if max(results) == 1 else 'drawn'}"]
                if len(kept) < count:
                    kept.append(GAME.fen(state))
                if all(len(rows) == count for rows in wanted.values()):
                    break
        else:
            raise DlgoError(f"too few positions with {total} pieces turn up; ask for fewer")
        classes |= wanted
    return classes


def _state(own: int, other: int, kings: int) -> GameState:
    words = GAME.new_kernel_state()
    kernel.set_position(words, own, other, kings, 0)
    return GameState(GAME, words)


def ask(
    engine_text: str, pieces: int, positions: list[str]
) -> Generator[Amount, None, list[tuple[bool, float]]]:
    """(mistake, CPU seconds) of an engine in some positions."""
    tables = EndgameTables.get(pieces)
    engine = read_spec(engine_text).build(GAME, 1)
    engine.warm_up()
    answers = []
    try:
        for text in positions:
            state = GAME.from_fen(text)
            engine.new_game(derive_seed("mistakes", text))
            decision = engine.select_move(state)
            values = tables.scores(state)
            action = GAME.action_of(decision.move)
            wrong = action is None or values[action].result < max(values.values()).result
            answers.append((bool(wrong), decision.cost.cpu_seconds))
            yield Amount(1)
    finally:
        engine.close()
    return answers


def measure(
    engine: str, pieces: int, classes: dict[str, list[str]], workers: int | None
) -> dict[str, Measured]:
    """An engine's mistakes by class."""
    portions = {
        f"{name} {start}": Portion(
            f"{name} {start}", ask, (engine, pieces, rows[start : start + _PORTION])
        )
        for name, rows in classes.items() for start in range(0, len(rows), _PORTION)
    }
    answers: dict[str, list[tuple[bool, float]]] = {name: [] for name in classes}
    with Processes(workers) as jobs:
        for outcome in jobs.run(portions.values()):
            answers[outcome.portion.key.rpartition(" ")[0]] += outcome.value
    return {
        name: Measured(len(rows), len(rows), sum(wrong for wrong, _ in rows),
                       float(np.mean([seconds for _, seconds in rows])))
        for name, rows in answers.items()
    }


@click.command()
@click.option("--engine", "engines", multiple=True, required=True,
              help="Engine to test; may be repeated.")
@click.option("--count", type=Number(int, 1), default=100, show_default=True,
              help="Positions a class.")
@click.option("--pieces", type=Number(int, 3, 5), default=4, show_default=True,
              help="The most pieces on the board; tables that are missing are made.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Of the positions.")
@workers_option
@click.option("--csv", type=click.Path(path_type=Path), default=None,
              help="Write the table to this file, too.")
@click.option("--quick", is_flag=True, help="20 positions of up to 3 pieces.")
def main(
    engines: tuple[str, ...], count: int, pieces: int, seed: int, workers: int | None,
    csv: Path | None, quick: bool,
) -> None:
    """Print an engine's mistakes in draughts endings and its CPU time, by class of positions."""
    if quick:
        count, pieces = min(count, 20), 3
    texts = [str(read_spec(text)) for text in engines]
    classes = draw_classes(pieces, count, seed)
    rows = []
    for text in texts:
        click.echo(text)
        for name, measured in measure(text, pieces, classes, workers).items():
            click.echo(f"  {name:<8}{measured.mistakes:>5} of {measured.positions} "
                       f"({measured.share:.1%}); {measured.cpu_seconds:.4f} CPU s a move")
            rows.append([text, name, *dataclasses.astuple(measured)])
    if csv:
        header = ["engine", "class", "positions", "asking", "mistakes", "cpu_s_a_move"]
        write_csv(csv, header, rows)


if __name__ == "__main__":
    run(main)
