"""Chapter 13: what a linear policy learns from games, and what its rollouts are worth.

    dlgo generate go9 --engine mcts:sims=100,rule=rave,rollout=heavy --games 1000 --out out/data/go9
    python -m experiments.studies.fast_policy out/data/go9 [--out out/fast] [--pairs 40] [--quick]

The policy learns from nine tenths of the games in DATA and foretells the moves of the rest, beside
the uniform policy. Then MCTS with rollouts drawn from it plays MCTS with uniform and with heavy
rollouts, at equal CPU time and at equal simulations.

What to look for: at equal simulations, how much better the policy's rollouts judge positions; at
equal CPU time, whether that pays for their being slower (Silver et al. 2016 needed them fast).

The policy stays in the folder of --out, as `GAME.npz`.
"""

from __future__ import annotations

from pathlib import Path

import click

from dlgo.files import make_folder
from engines.fast_policy.training import train
from engines.learning.data.dataset import Dataset
from experiments.arena.series import play_series
from experiments.command import run
from experiments.options import Number, out_option, pairs_option, quick_option, seed_option

_HELD_OUT = 0.1
_SIMULATIONS = 200


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@out_option("out/fast")
@click.option("--epochs", type=Number(int, 1, 1000), default=5, show_default=True,
              help="Times that each game is seen.")
@click.option("--cpu", type=Number(float, 0.0001, 60), default=0.02, show_default=True,
              help="CPU seconds a move, in the matches at equal time.")
@pairs_option(40)
@seed_option
@quick_option("One epoch of 20 games, one opening a match")
def main(
    data: Path, out: Path, epochs: int, cpu: float, pairs: int, seed: int, quick: bool
) -> None:
    """Learn a fast policy from the games in DATA, and let its rollouts play others."""
    games, simulations = Dataset.open(data), _SIMULATIONS
    if quick:
        games, epochs, pairs = games.subset(min(20, games.n_games), seed), 1, 1
        cpu, simulations = min(cpu, 0.001), 10
    learned_from, held_out = games.split(_HELD_OUT, seed)
    policy = train(learned_from, held_out, epochs=epochs, seed=seed, report=click.echo)
    path = policy.save(make_folder(out) / f"{games.game.slug}.npz")
    click.echo(f"{path}: learned in {policy.training['cpu_seconds']:.1f} CPU s")
    click.echo("\nmatch: score of the first, CPU ms a move of both")
    learned, alone = f"rollout=policy,policy={path}", f"fast_policy:policy={path}"
    for one, other in (
        *((f"mcts:{budget},{learned}", f"mcts:{budget},rollout={kind}")
          for budget in (f"cpu={cpu:g}", f"sims={simulations}") for kind in ("light", "heavy")),
        (alone, "random"), (f"{alone},choose=sample", "random"),
    ):
        click.echo(play_series(games.game, one, other, pairs, seed))


if __name__ == "__main__":
    run(main)
