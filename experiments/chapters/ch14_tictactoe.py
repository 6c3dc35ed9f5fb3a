"""Chapter 14: AlphaZero learns tic-tac-toe from its rules, and is checked against all of it.

    python -m experiments.chapters.ch14_tictactoe [--quick] [--out out/alphazero/tictactoe]

Trains with the preset of `dlgo train alphazero --game tictactoe` (a few minutes on two cores;
stopped, it continues), then asks the questions that a solved game allows:

* with 50 simulations, does it lose any line of play, from either side?
* without search, in how many of the 4,520 positions does the policy make a losing mistake?

What to look for: the search hides what the policy has not learned: it loses no line after two or
three iterations, when the policy alone still errs in many positions that its own play never
reaches. That is why some games begin with random plies (`random_share`). A minute is too short to
learn, so `--quick` trains on 120 games and then shows the network that comes with the package.

Last run (docs/lab_notebook.md, entry 2): after half of 36 iterations no line is lost, with or
without search; 0.3% losing mistakes of the policy at the end. `--quick`, 2026-11-22: the policy
makes losing mistakes in 33.4% of the positions untrained, in 32.3% after 120 games, in 0.3% as
shipped; with 50 simulations 2.1% untrained and 0% as shipped. As shipped it loses no line.
"""

from __future__ import annotations

from pathlib import Path

import click

from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.learning.networks.leaf_evaluator import model_for
from engines.learning.networks.store import load_card, network_folder
from engines.learning.runs import PrintedProgress
from engines.registry import build_engine
from experiments.command import run
from experiments.figures import COLOURS, drawing
from experiments.measures.tictactoe import GAME, report
from experiments.options import out_option, quick_option, seed_option


@click.command()
@quick_option("Two short iterations, and the network that comes with the package")
@out_option("out/alphazero/tictactoe")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """Train and check."""
    given: dict = {"seed": seed}
    if quick:
        given |= {"iterations": 2, "games": 60, "sims": 16, "workers": 1,
                  "network": "resnet:blocks=1,filters=16"}
        out = out.with_name(f"{out.name}-quick")
    config = make_config("tictactoe", **given)
    card = train(config, out, PrintedProgress())
    print(f"\ntraining took {card.training['cpu_seconds']:,.0f} CPU s, "
          f"{card.training['wall_seconds']:,.0f} s, {card.training['games']:,.0f} games")
    def network(number: int) -> str:
        return f"alphazero:model={network_folder(out, number)},"

    points: dict[str, tuple[str, tuple[int, ...]]] = {"untrained": (network(0), (1, 50))}
    if quick:  # a minute is not enough to learn: the end of a whole run comes with the package
        _, shipped = load_card(model_for(GAME, "alphazero"))
        points[f"{config.iterations * config.games} games"] = network(config.iterations), (1,)
        points[f"{shipped.training['games']:,} games,\nas shipped"] = "alphazero:", (1, 50)
    else:
        for number in (config.iterations // 2, config.iterations):
            points[f"{number} iterations"] = network(number), (1, 50)
    curves: dict[int, list[tuple[str, float]]] = {1: [], 50: []}
    for label, (spec, budgets) in points.items():
        print(f"\n{label.replace(chr(10), ' ')}:")
        for sims in budgets:
            engine = build_engine(f"{spec}sims={sims}", GAME, 1)
            measured = report(engine, f"  {sims} simulation{'s' * (sims > 1)}")
            curves[sims].append((label, 100 * measured.losing / measured.positions))
    with drawing(out / "ch14_tictactoe.png", size=(8, 5)) as (axes,):
        for sims, style, label in ((1, "o-", "the network alone"), (50, "s--", "50 simulations")):
            places = [list(points).index(point) for point, _ in curves[sims]]
            axes.plot(places, [share for _, share in curves[sims]], style,
                      color=COLOURS[sims > 1], label=label)
        axes.set(ylim=(0, None), title="losing mistakes, % of all 4,520 positions")
        axes.set_xticks(range(len(points)), list(points))
        axes.legend()


if __name__ == "__main__":
    run(main)
