"""Chapter 14: AlphaZero learns Connect Four; how fast its mistakes become fewer.

    python -m experiments.az_connect4 [--quick] [--out out/alphazero/connect4] [--count 100]

Trains with the preset of `dlgo train alphazero --game connect4` (hours on two cores; stopped, it
continues), then counts mistakes of the networks along the way by exact scores
(`experiments/bench/connect4_mistakes.py`), beside plain MCTS.

What to look for: the column L3 (endings) falls first, for the search sees them through; L1 (few
stones) falls last and asks for judgement. Without search (1 simulation) the network errs several
times as often. docs/lab_notebook.md has results and what they cost.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from dlgo import DlgoError
from engines.alphazero.plan import make_plan
from engines.alphazero.run import AlphaZeroRun
from engines.nets.card import read_card
from experiments.bench.connect4_mistakes import CLASSES, measure, new_pool, position_sets


@click.command()
@click.option("--quick", is_flag=True, help="Two short rounds and a few positions.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/alphazero/connect4"),
              show_default=True, help="Folder of the run.")
@click.option("--count", default=100, show_default=True, type=click.IntRange(1),
              help="Positions a class.")
@click.option("--sims", default=64, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=1, show_default=True)
def main(quick: bool, out: Path, count: int, sims: int, seed: int) -> None:
    """Train, and print mistakes by round."""
    given: dict = {"seed": seed}
    classes, workers, points = CLASSES, os.cpu_count() or 1, 8
    if quick:
        given |= {"iterations": 2, "games": 10, "sims": 8, "workers": 1,
                  "network": "resnet:blocks=1,filters=8"}
        out, count, sims = out.with_name(f"{out.name}-quick"), 10, 8
        classes, workers, points = ("L2_R1", "L3_R1"), 1, 1
    try:
        run = AlphaZeroRun(make_plan("connect4", **given), out, print)
        run.run()
        with new_pool(workers) as pool:
            sets = position_sets(out / "positions.json", classes, count, pool, workers)
            print(f"\nmistakes in percent, {count} positions a class\n{'':<24}{'CPU s':>9}"
                  + "".join(f"{name:>8}" for name in classes) + "   1 simulation:")
            rounds = run.plan.iterations
            numbers = sorted({round(rounds * k / points) for k in range(points + 1)})
            for number in numbers:
                cost = read_card(run.net(number)).training.get("cpu_seconds", 0.0)
                found = [
                    measure(f"alphazero:model={run.net(number)},sims={n}", sets, pool, workers)
                    for n in (sims, 1)
                ]
                print(f"round {number:<4}{sims:>4} sims     {cost:>9,.0f}" + "   ".join(
                    "".join(f"{100 * one[name].share:>8.1f}" for name in classes) for one in found
                ))
            found = measure(f"mcts:sims={sims}", sets, pool, workers)
            print(f"{f'mcts, {sims} sims':<24}{0:>9}"
                  + "".join(f"{100 * found[name].share:>8.1f}" for name in classes))
    except DlgoError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
