"""Chapter 14: AlphaZero learns Go on 5x5, and as Black takes the whole board.

    python -m experiments.chapters.ch14_go5 [--quick] [--out out/alphazero/go5] [--games 10]
    python -m experiments.chapters.ch14_go5 --model go5-alphazero   # no training: as shipped

5x5 is solved (van der Werf, "AI techniques for the game of Go", 2004): Black opens in the centre
and owns all 25 points. So it is trained with a komi of 24.5, which leaves nothing else to win
by. Then the network's search plays Black against every engine there is, from the empty board.

What to look for: the opening, and the margin: it should be 25 in every game. With usual komi a
network is content with less, for a win is a win. docs/lab_notebook.md has results. `--quick` takes
13 seconds of CPU time, half of them to load TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd

from dlgo import get_game
from dlgo.errors import SpecError
from dlgo.games.go.scoring import score
from dlgo.rng import derive_seed
from dlgo.text import excerpt
from engines.alphazero.config import make_config
from engines.alphazero.run import network_folder, train
from engines.learning.runs import PrintedProgress
from engines.registry import EngineSpec
from experiments.arena.match import EngineCache, GameTask, play_game
from experiments.command import run
from experiments.number import Number
from experiments.opponents.gnugo import gnugo_spec
from experiments.options import out_option, quick_option, seed_option
from reports.tables import write_csv

GAME = "go:size=5,komi=24.5"
# Every engine that plays Go, at more than one strength; GNU Go joins them where it is installed.
OPPONENTS = (
    "random", "heuristic", "minimax:depth=2", "alphabeta:depth=2", "alphabeta:depth=4",
    "mcts:sims=100", "mcts:sims=1000", "mcts:sims=10000",
    "mcts:sims=10000,rollout=heavy,rule=rave", "puct:sims=1000", "supervised:choose=sample",
)
_CENTRE = "C3"


def opponents(model: str) -> list[str]:
    """The engines to play, the network itself among them."""
    engines = [*OPPONENTS, f"alphazero:model={model},sims=1", f"alphazero:model={model},sims=100"]
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
            task = GameTask(
                f"{other}/{number}", str(get_game(GAME)), EngineSpec.parse(engine).text,
                EngineSpec.parse(other).text, number, (), derive_seed(seed, other, number),
            )
            record = play_game(task, engines)
            state = record.replay()
            counted = score(state)
            moves = record.moves.split()
            yield {
                "opponent": other, "game": number, "opening": moves[0],
                "margin": counted.black - counted.white, "plies": len(moves),
                "won": record.result == 1, "reason": record.reason, "moves": record.moves,
            }


@click.command()
@quick_option("Two tiny iterations, two opponents: it will not win")
@out_option("out/alphazero/go5")
@click.option("--model", default=None, help="A trained network, instead of training one.")
@click.option("--sims", default=400, show_default=True, type=Number(int, 1),
              help="Simulations a move.")
@click.option("--games", default=10, show_default=True, type=Number(int, 1),
              help="Games with Black against each engine; equal games count once.")
@seed_option
def main(quick: bool, out: Path, model: str | None, sims: int, games: int, seed: int) -> None:
    """Train, then play Black against every engine."""
    given: dict = {"seed": seed}
    if quick:
        given |= {"iterations": 2, "games": 10, "sims": 8, "workers": 1,
                  "network": "resnet:blocks=1,filters=8"}
        out, sims, games = out.with_name(f"{out.name}-quick"), 8, 1
    if model is None:
        config = make_config(GAME, **given)
        train(config, out, PrintedProgress())
        model = str(network_folder(out, config.iterations))
    out.mkdir(parents=True, exist_ok=True)
    others = ["random", "mcts:sims=100"] if quick else opponents(model)
    rows = []
    print(f"\n{'opponent':<58}{'games':>6}{'in the centre':>15}{'by 25':>7}")
    for other in others:
        network = f"alphazero:model={model},sims={sims}"
        rows += (played := list(play_black(network, [other], games, seed)))
        distinct = {row["moves"]: row for row in played}.values()
        centre = sum(row["opening"] == _CENTRE for row in distinct)
        whole = sum(row["margin"] == 25 and row["won"] for row in distinct)
        print(f"{excerpt(other, 57):<58}{len(distinct):>6}{centre:>15}{whole:>7}")
    print(write_csv(pd.DataFrame(rows), out / "black.csv"))


if __name__ == "__main__":
    run(main)
