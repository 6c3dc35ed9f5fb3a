"""Chapter 7.2: how a wrong split of the data makes a bad predictor look good.

    python -m experiments.chapters.ch07_leak [--quick] [--data FOLDER] [--games 200] [--seed 1]

The predictor learns nothing: it looks up the most similar position it knows and answers with
the move that was played there and with who won that game. It is tested three times.

* On games it knows: the leak of the book's printed program, whose generator opens the files
  named `train` for test data, too. Behind its 84% of moves predicted stands no strength:
  networks of 2015 and 2016 reached 55% and 57% on strong players' games (Maddison et al.;
  Silver et al.).
* On 10% of the positions, the others known: a shuffle of all positions before the split.
* On 10% of the games, the others known: what happens in the next game.

What to look for: the predictor is the same, so the three should agree. Known games give nearly all
of both. Held-back positions give away the winner: the position two plies later is known, and
it comes from the same game. They hardly give away the move: the neighbour's move is on the
board already. So whether a split leaks depends on the question, and a split by games
(`Dataset.split`) is right for all. A network repeats this by heart: trained on every position
of its games, AlphaGo's value network learned the games (Silver et al. 2016). `dlgo train
supervised` is the place to try.

Last run, 250 games of 9-dan players, 2026-11-21: winner 97.4% on positions, 51.9% on games.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
import numpy as np

from dlgo.encoders import get_encoder
from engines.learning.data import Batch, BatchOptions, Dataset, batches
from experiments.arena.series import share_margin
from experiments.command import run
from experiments.datasets.generate import generate, make_recipe
from experiments.figures import draw_bars, drawing
from experiments.options import Number, out_option, quick_option, seed_option
from experiments.progress import LineProgress

# Positions compared with all others at a time: the table of distances must fit in memory.
_ROWS = 512


@click.command()
@quick_option("Games of a weak engine")
@click.option("--data", "folder", type=click.Path(path_type=Path), default=None,
              help="Data of dlgo generate or dlgo data import-sgf; made if none is named.")
@click.option("--games", type=Number(int, 10), default=200, show_default=True,
              help="At most so many games of it.")
@seed_option
@out_option("out/ch07_leak")
def main(quick: bool, folder: Path | None, games: int, seed: int, out: Path) -> None:
    """Test the same predictor on three splits of the same games."""
    with tempfile.TemporaryDirectory() as made:
        if folder is None:
            recipe = make_recipe("go9", f"mcts:sims={20 if quick else 200}", seed=seed)
            folder = generate(recipe, games, Path(made), 1, LineProgress(sys.stdout))
        shares = compare(Dataset.open(folder), games, seed)
    with drawing(out / "ch07_leak.png", 2, 1, (6.5, 4), sharey=True) as axes:
        for axis, title, part in zip(axes, ("the move", "the winner"), (0, 1), strict=True):
            bars = {what: 100 * row[part] for what, row in shares.items()}
            margins = [100 * row[2 + part] for row in shares.values()]
            draw_bars(axis, bars, margins, [f"{share:.0f}%" for share in bars.values()], most=100)
            axis.set(title=f"{title} predicted, by looking it up", xlim=(0, 122),
                     xticks=range(0, 101, 25), xlabel="%, with 95% interval")


def compare(data: Dataset, games: int, seed: int) -> dict[str, tuple[float, float, float, float]]:
    """Print and return the shares of moves and of winners predicted, and half their intervals.

    Positions of one game have one winner: held-back games count as so many winners.
    """
    data = data.subset(min(games, data.n_games), seed)
    print(f"{data.game}: {data.n_games} games, {data.n_positions:,} positions\n")
    everything = _table(data)
    order = np.random.default_rng(seed).permutation(data.n_positions)
    rest, held_back = (everything.at(rows) for rows in np.split(order, [len(order) // 10])[::-1])
    train, test = (_table(part) for part in data.split(0.1, seed))
    shares = {}
    print(f"{'tested on':<18}{'known':>8}{'tested':>8}{'move %':>9}{'winner %':>10}{'+-':>7}")
    for what, known, tested, outcomes in (
        ("known games", everything, held_back, len(held_back)),
        ("10% of positions", rest, held_back, len(held_back)),
        ("10% of games", train, test, data.n_games // 10),
    ):
        moves, winners = _accuracy(known, tested)
        shares[what] = (moves, winners, share_margin(moves, len(tested)),
                        share_margin(winners, outcomes))
        print(f"{what:<18}{len(known):>8,}{len(tested):>8,}{100 * moves:>9.1f}"
              f"{100 * winners:>10.1f}{100 * shares[what][3]:>7.1f}")
    return shares


def _table(data: Dataset) -> Batch:
    """All positions of a part in one batch, in order."""
    encoder = get_encoder("oneplane", data.game)
    return next(batches(data, encoder, BatchOptions(data.n_positions, shuffle=False)))


def _accuracy(known: Batch, tested: Batch) -> tuple[float, float]:
    """Shares of positions in which the nearest known one has the same move, the same winner."""
    planes = known.planes.reshape(len(known), -1)
    lengths = (planes**2).sum(1)
    moves = winners = 0
    for start in range(0, len(tested), _ROWS):
        rows = tested.rows(start, start + _ROWS)
        # |a - b|^2 without |a|^2, which is the same for all b.
        distances = lengths - 2 * rows.planes.reshape(len(rows), -1) @ planes.T
        nearest = distances.argmin(1)
        moves += (known.policies[nearest].argmax(1) == rows.policies.argmax(1)).sum()
        winners += (known.values[nearest] == rows.values).sum()
    return float(moves / len(tested)), float(winners / len(tested))


if __name__ == "__main__":
    run(main)
