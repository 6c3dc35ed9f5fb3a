"""How often engines err in draughts endings, by exact tables.

    python -m experiments.measures.draughts --engine mcts:sims=1000 --engine alphabeta:depth=6
        [--count 100] [--pieces 4] [--csv FILE] [--quick]

Positions are drawn from the endgame tables, each material alike, and only positions in which a
mistake is possible. Their classes: pieces on the board, and the value of the position (`4 won`, `3
drawn`). The tables leave aside the rules that end a game without progress, so a win that is kept
may still take too long.

"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click
import numpy as np

from dlgo import DlgoError, GameState, get_game
from dlgo.games.draughts import kernel
from dlgo.games.draughts.endgames import EndgameTables
from dlgo.games.draughts.endgames.places import NOWHERE, position, slice_size
from dlgo.games.draughts.endgames.retrograde import slices
from dlgo.games.draughts.state import Draughts
from dlgo.rng import derive_seed
from engines.isolation.describe import read_spec
from engines.jobs import Processes
from experiments.command import run
from experiments.measures.mistakes import Position, mistakes_options, print_mistakes
from experiments.options import Number

GAME = get_game("draughts")
# Positions drawn before a class is given up.
_DRAWS = 1_000_000


def draw_classes(pieces: int, count: int, seed: int) -> dict[str, list[Position]]:
    """`count` positions of each class in which a mistake is possible, with at most `pieces` on the
    board; black to move. Raises DlgoError if too few turn up."""
    tables = EndgameTables.get(pieces, lambda line: click.echo(line, err=True))
    classes: dict[str, list[Position]] = {}
    for total in range(2, pieces + 1):
        rng = np.random.default_rng(derive_seed(seed, "draughts mistakes", total) % 2**63)
        new_classes = {f"{total} won": list[Position](), f"{total} drawn": list[Position]()}
        for state in islice(random_endings(total, rng), _DRAWS):
            scores = tables.scores(state) or {}
            position = Position(Draughts.of(GAME).fen(state), state,
                                {action: score.result for action, score in scores.items()})
            if position.asks:
                members = new_classes[f"{total} {'won' if position.value == 1 else 'drawn'}"]
                if len(members) < count:
                    members.append(position)
                if all(len(rows) == count for rows in new_classes.values()):
                    break
        else:
            raise DlgoError(f"found too few positions with {total} pieces; ask for fewer")
        classes |= new_classes
    return classes


def random_endings(pieces: int, rng: np.random.Generator) -> Iterator[GameState]:
    """Random positions with that many pieces, each material alike; black to move."""
    materials = [
        material for group in slices(pieces) for material in group if sum(material) == pieces]
    while True:
        material = materials[rng.integers(len(materials))]
        number = int(rng.integers(slice_size(*material)))
        mover_pieces, rival_pieces, kings = position(number, *material)
        if mover_pieces != NOWHERE:
            yield _state(mover_pieces, rival_pieces, kings)


def _state(mover_pieces: int, rival_pieces: int, kings: int) -> GameState:
    words = GAME.new_kernel_state()
    kernel.set_position(words, mover_pieces, rival_pieces, kings, 0)
    return GameState(GAME, words)


@click.command()
@mistakes_options
@click.option("--pieces", type=Number(int, 3, 5), default=4, show_default=True,
              help="Maximum number of pieces on the board; missing tables are made.")
@click.option("--seed", type=Number(int), default=1, show_default=True,
              help="Seed of the positions.")
@click.option("--quick", is_flag=True, help="20 positions of up to 3 pieces.")
def main(
    engines: tuple[str, ...], count: int, workers: int | None, csv: Path | None, pieces: int,
    seed: int, quick: bool,
) -> None:
    """Print an engine's mistakes in draughts endings and its CPU time, by class of positions."""
    if quick:
        count, pieces = min(count, 20), 3
    texts = [str(read_spec(text)) for text in engines]
    with Processes(workers) as jobs:
        print_mistakes(texts, draw_classes(pieces, count, seed), jobs, csv)


if __name__ == "__main__":
    run(main)
