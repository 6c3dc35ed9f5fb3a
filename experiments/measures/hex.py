"""How often engines err on small boards of Hex, by exact values.

    python -m experiments.measures.hex --engine mcts:sims=100 --engine alphazero:NAME
        [--size 4] [--count 100] [--csv FILE] [--quick]

Positions are drawn by random moves, and only positions in which a mistake is possible: the player
to move wins, but not by every move. In `early` ones, half of the cells or more are empty.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from dlgo.rng import derive_seed
from engines.isolation.describe import read_spec
from engines.jobs import Processes
from engines.solver.outcomes import outcomes_of
from experiments.command import run
from experiments.measures.mistakes import Position, mistakes_options, print_mistakes
from experiments.options import Number

# Random lines for each position wanted, before a class is given up.
_DRAWS = 100


def draw_classes(size: int, count: int, seed: int) -> dict[str, list[Position]]:
    """`count` positions of each class, each of them once. Raises DlgoError if too few turn up, or
    if the board is too large to be solved."""
    game = get_game("hex", size)
    solve = outcomes_of(game)
    if solve is None:
        raise DlgoError(f"{game} has no solved positions; use a size of up to 4")
    rng = np.random.default_rng(derive_seed(seed, "hex mistakes", size) % 2**63)
    classes: dict[str, list[Position]] = {"early": [], "late": []}
    met = set()
    for _ in range(_DRAWS * count):
        state = GameState.new_game(game)
        for _ in range(rng.integers(size**2 - 1)):
            if not state.is_over():
                state = state.apply_move(game.move_of(rng.choice(state.legal_actions())))
        rows = classes["early" if 2 * len(state.moves()) <= size**2 else "late"]
        if state.is_over() or state.key() in met or len(rows) == count:
            continue
        met.add(state.key())
        moves = state.moves()
        (outcomes,) = solve([state.actions()])
        position = Position(" ".join(map(game.move_text, moves)), state, outcomes)
        if position.asks:
            rows.append(position)
        if all(len(rows) == count for rows in classes.values()):
            return classes
    raise DlgoError(f"found too few positions of {game}; ask for fewer")


@click.command()
@mistakes_options
@click.option("--size", type=Number(int, 3, 4), default=4, show_default=True,
              help="Cells on a side of the board.")
@click.option("--seed", type=Number(int), default=1, show_default=True,
              help="Seed of the positions.")
@click.option("--quick", is_flag=True, help="20 positions of 3x3.")
def main(
    engines: tuple[str, ...], count: int, workers: int | None, csv: Path | None, size: int,
    seed: int, quick: bool,
) -> None:
    """Print an engine's mistakes in Hex and its CPU time, by class of positions."""
    if quick:
        count, size = min(count, 20), 3
    texts = [str(read_spec(text)) for text in engines]
    with Processes(workers) as jobs:
        print_mistakes(texts, draw_classes(size, count, seed), jobs, csv)


if __name__ == "__main__":
    run(main)
