"""Chapter 14: AlphaZero learns tic-tac-toe from its rules, and is checked against all of it.

    python -m experiments.chapters.ch14_tictactoe [--quick] [--out out/alphazero/tictactoe]

Trains with the preset of `dlgo train alphazero --game tictactoe` (a few minutes on two cores;
stopped, it continues), then asks the questions that a solved game allows:

* with 50 simulations, does it lose any line of play, from either side?
* without search, in how many of the 4,520 positions does the policy make a losing mistake?

What to look for: the search hides what the policy has not learned: it loses no line after two or
three iterations, when the policy alone still errs in many positions that its own play never
reaches. That is why some games begin with random plies (`random_share`).

Last run (docs/lab_notebook.md, entry 2): after half of 36 iterations no line is lost, with or
without search; 0.3% losing mistakes of the policy at the end. `--quick`, 2026-11-22: the policy
makes losing mistakes in 31.7% of the positions, untrained in 33.4%; with 50 simulations 1.6% and
2.1%, and no line is lost by the first player, 17 of 473 by the second.
"""

from __future__ import annotations

from pathlib import Path

import click

from engines.alphazero.config import make_config
from engines.alphazero.run import network_folder, train
from engines.learning.runs import PrintedProgress
from engines.registry import build_engine
from experiments.bench.tictactoe_mistakes import GAME, report
from experiments.command import run
from experiments.figures import COLOURS, drawing
from experiments.options import out_option, quick_option, seed_option


@click.command()
@quick_option("Three short iterations: the policy alone will still err")
@out_option("out/alphazero/tictactoe")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """Train and check."""
    given: dict = {"seed": seed}
    if quick:
        given |= {"iterations": 3, "games": 60, "sims": 16, "workers": 1,
                  "network": "resnet:blocks=1,filters=16"}
        out = out.with_name(f"{out.name}-quick")
    config = make_config("tictactoe", **given)
    card = train(config, out, PrintedProgress())
    print(f"\ntraining took {card.training['cpu_seconds']:,.0f} CPU s, "
          f"{card.training['wall_seconds']:,.0f} s, {card.training['games']:,.0f} games")
    curves: dict[int, list[tuple[int, float]]] = {1: [], 50: []}
    for number in sorted({0, config.iterations // 2, config.iterations}):
        print(f"\nafter iteration {number}:")
        for sims in (1,) if quick and 0 < number < config.iterations else (1, 50):
            spec = f"alphazero:model={network_folder(out, number)},sims={sims}"
            engine = build_engine(spec, GAME, 1)
            losing = report(engine, f"  {sims} simulation{'s' * (sims > 1)}").losing
            curves[sims].append((number, 100 * losing))
    with drawing(out / "ch14_tictactoe.png", size=(8, 5)) as (axes,):
        for sims, style, label in ((1, "o-", "the network alone"), (50, "s--", "50 simulations")):
            axes.plot(*zip(*curves[sims], strict=True), style, color=COLOURS[sims > 1], label=label)
        axes.set(xlabel="iterations of training", ylim=(0, None), xticks=[x for x, _ in curves[1]],
                 title="losing mistakes, % of all 4,520 positions")
        axes.legend()


if __name__ == "__main__":
    run(main)
