"""Chapter 14: AlphaZero learns Go on 5x5, and as Black takes the whole board.

    python -m experiments.chapters.ch14_go5 [--quick] [--out out/alphazero/go5] [--games 10]
    python -m experiments.chapters.ch14_go5 --model go5-alphazero   # no training: as shipped

5x5 is solved (van der Werf, "AI techniques for the game of Go", 2004): Black opens in the centre
and owns all 25 points. So it is trained with a komi of 24.5, which leaves nothing else to win by.
Then it plays Black against every engine there is, from the empty board.

What to look for: the opening, and the margin: it should be 25 in every game. With usual komi a
network is content with less, for a win is a win. docs/lab_notebook.md has results. `--quick` takes
the network of such a run, which comes with the package.

Last run, `--quick`, 2026-11-22: 25 points in all of 20 different games, 50 simulations a move,
95% interval from 84%.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd
from scipy.stats import binomtest

from dlgo import GameState, SpecError, get_game
from dlgo.games.go.scoring import score
from dlgo.rng import derive_seed
from dlgo.text import excerpt
from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.learning.networks.store import network_folder
from engines.learning.runs import PrintedProgress
from engines.registry import EngineSpec
from experiments.arena.referee import EngineCache, GameTask, play_game
from experiments.chapters.diagrams import play
from experiments.command import run
from experiments.figures import drawing
from experiments.opponents.gnugo import gnugo_spec
from experiments.options import Number, out_option, quick_option, seed_option
from experiments.play.board_drawing import draw_board
from reports.tables import write_csv

GAME, CENTRE = "go:size=5,komi=24.5", "C3"
# At more than one strength; GNU Go joins them where it is installed.
OPPONENTS = (
    "random", "heuristic", "minimax:depth=2", "alphabeta:depth=2", "alphabeta:depth=4",
    "mcts:sims=100", "mcts:sims=1000", "mcts:sims=10000",
    "mcts:sims=10000,rollout=heavy,rule=rave", "puct:sims=1000", "supervised:choose=sample",
)
QUICK = ["random", "alphabeta:depth=2", "mcts:sims=100", "mcts:sims=1000"]


def opponents(model: str) -> list[str]:
    """The engines to play, the network itself among them."""
    engines = [*OPPONENTS, *(f"alphazero:model={model},sims={sims}" for sims in (1, 100))]
    try:
        engines.append(gnugo_spec(10))
    except SpecError as error:
        print(f"without GNU Go: {error}")
    return engines


def play_black(engine: str, others: list[str], games: int, seed: int) -> Iterator[dict]:
    """Rows: opponent, game, opening, margin in points of area, plies, how it ended."""
    engines = EngineCache()
    for other in others:
        for number in range(games):
            specs = (EngineSpec.parse(text).text for text in (engine, other))
            task = GameTask(f"{other}/{number}", str(get_game(GAME)), *specs, number, (),
                            derive_seed(seed, other, number))
            record = play_game(task, engines)
            counted, moves = score(record.replay()), record.moves.split()
            yield {
                "opponent": other, "game": number, "opening": moves[0],
                "margin": counted.black - counted.white, "plies": len(moves),
                "won": record.result == 1, "reason": record.reason, "moves": record.moves,
            }


@click.command()
@quick_option("The network that comes with the package, four opponents")
@out_option("out/alphazero/go5")
@click.option("--model", default=None, help="A trained network, instead of training one.")
@click.option("--sims", default=400, type=Number(int, 1), help="Simulations a move.")
@click.option("--games", default=10, type=Number(int, 1), show_default=True,
              help="Games with Black against each engine; equal games count once.")
@seed_option
def main(quick: bool, out: Path, model: str | None, sims: int, games: int, seed: int) -> None:
    """Train, then play Black against every engine."""
    if quick:
        out, model, sims, games = out.with_name(f"{out.name}-quick"), "go5-alphazero", 50, 5
    if model is None:
        train(config := make_config(GAME, seed=seed), out, PrintedProgress())
        model = str(network_folder(out, config.iterations))
    out.mkdir(parents=True, exist_ok=True)
    others = QUICK if quick else opponents(model)
    rows = []
    print(f"\n{'opponent':<58}{'games':>6}{'in the centre':>15}{'by 25':>7}")
    for other in others:
        network = f"alphazero:model={model},sims={sims}"
        rows += (played := list(play_black(network, [other], games, seed)))
        distinct = {row["moves"]: row for row in played}.values()
        centre = sum(row["opening"] == CENTRE for row in distinct)
        whole = sum(row["margin"] == 25 and row["won"] for row in distinct)
        print(f"{excerpt(other, 57):<58}{len(distinct):>6}{centre:>15}{whole:>7}")
    print(write_csv(pd.DataFrame(rows), out / "black.csv"))
    margins = list({row["moves"]: row["margin"] for row in rows}.values())
    low = binomtest(margins.count(25), len(margins)).proportion_ci(method="wilson").low
    print(f"25 points in {margins.count(25)} of {len(margins)} different games, "
          f"95% interval from {low:.0%}")
    _draw(rows, out / "ch14_go5.png")


def _draw(rows: list[dict], path: Path) -> None:
    """The best game against each of the last three opponents, of those the shortest."""
    game = get_game(GAME)
    with drawing(path, 3, 1, (4.4, 4.8)) as axes:
        others = list(dict.fromkeys(row["opponent"] for row in rows))
        for axis, other in zip(axes, others[-3:], strict=True):
            row = max((row for row in rows if row["opponent"] == other),
                      key=lambda row: (row["margin"], -row["plies"]))
            draw_board(axis, play(GameState.new_game(game), *row["moves"].split()))
            axis.set_title(f"{excerpt(other, 24)}\n{row['margin']:+.0f} after {row['plies']} moves")


if __name__ == "__main__":
    run(main)
