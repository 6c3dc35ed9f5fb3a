"""`dlgo puzzles`: positions in which one turn is right."""

from __future__ import annotations

from pathlib import Path

import click

from experiments.options import FILE, Number


@click.command()
@click.argument("game")
@click.option("--out", type=FILE, required=True, help="File to write.")
@click.option("--count", type=Number(int, 1, 10_000), default=40, show_default=True,
              help="Number of puzzles.")
@click.option("--seed", type=Number(int, 0), default=1, show_default=True,
              help="Seed of the positions.")
def puzzles(game: str, out: Path, count: int, seed: int) -> None:
    """Make puzzles of GAME: positions in which only one move wins, or only one draws.

    GAME is connect4, tictactoe, draughts, or connectn, hex or othello with at most 16 cells. In
    other games, such as breakthrough, hex:size=6 or othello, puzzles are endings, which takes
    minutes; Go has none. Solve them in the studio: `dlgo web --puzzles FILE`, view Train.
    """
    from dlgo import DlgoError, get_game
    from dlgo.text import number_of
    from experiments.measures.puzzles import PuzzleSet, make_puzzles, write_puzzles

    spec = get_game(game)
    puzzles = make_puzzles(spec, count, seed)
    if not puzzles:
        raise DlgoError(f"no position of {spec} makes a puzzle; try another --seed")
    command = f"dlgo puzzles {spec} --count {count} --seed {seed}"
    write_puzzles(out, PuzzleSet(spec, tuple(puzzles), command))
    levels = [puzzle.level for puzzle in puzzles]
    counts = ", ".join(f"{levels.count(name)} {name}" for name in dict.fromkeys(levels))
    click.echo(f"{out}: {number_of(len(puzzles), 'puzzle')} of {spec}: {counts}")
