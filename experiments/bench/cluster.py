"""What a cluster costs beside processes of one machine.

    python -m experiments.bench.cluster [--sims 1000] [--games 200] [--workers 2]

It plays a tournament of Connect Four in turns by processes of this machine and by `--cluster
local`, with as many workers. Counted are the seconds between a tenth of the games and the last one,
by the clock and as CPU time of all processes, Ray's included, a game. On a machine that does other
work only the CPU time means something.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
import numpy as np

from dlgo.records.ledger import Ledger
from engines.programs.processes import core_count
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.bench.arena_overhead import Probe
from experiments.cluster.chosen import games_on
from experiments.command import run
from experiments.number import Number


def play(sims: int, games: int, workers: int, cluster: bool) -> tuple[float, float, float]:
    """A tournament: wall, CPU and engines' CPU seconds a game."""
    entrants = (f"mcts:sims={sims}", f"mcts:sims={sims},c_uct=0.5")
    plan = Plan(("connect4",), entrants, games // 2, seed=1)
    probe = Probe()
    with tempfile.TemporaryDirectory() as folder, \
            games_on("local" if cluster else None, workers) as there:
        path = Path(folder) / "games.sqlite"
        run_tournament(plan, path, workers, probe, elsewhere=there)
        with Ledger(path, read_only=True) as ledger:
            cpu = {r.slot: sum(c.cpu for c in r.costs) for r in ledger.games()}
    first, last = probe.samples
    counted = probe.slots[games // 10 :]
    used = last.own - first.own + last.workers - first.workers
    engines = sum(cpu[slot] for slot in counted)
    return tuple(seconds / len(counted) for seconds in (last.wall - first.wall, used, engines))


@click.command()
@click.option("--sims", multiple=True, type=Number(int, 1), default=(1000, 4000),
              show_default=True, help="Simulations a move of the engines; may be repeated.")
@click.option("--games", default=200, show_default=True, type=Number(int, 20),
              help="Games of each tournament.")
@click.option("--workers", default=core_count(), show_default=True, type=Number(int, 1),
              help="Processes that play.")
@click.option("--rounds", default=3, show_default=True, type=Number(int, 1),
              help="Tournaments of each kind, in turns; the median counts.")
def main(sims: tuple[int, ...], games: int, workers: int, rounds: int) -> None:
    """Compare a cluster of one machine with its processes."""
    click.echo(f"{games} games of Connect Four, mcts against mcts, {workers} workers; "
               f"medians of {rounds}; milliseconds a game")
    click.echo(f"{'sims':>6} {'':>9} {'wall':>8} {'CPU':>8} {'engines':>8} {'beside':>8}")
    for number in sims:
        rows: dict[bool, list[tuple[float, float, float]]] = {False: [], True: []}
        for _ in range(rounds):
            for cluster in (False, True):
                rows[cluster].append(play(number, games, workers, cluster))
        beside = {}
        for cluster, name in ((False, "processes"), (True, "cluster")):
            wall, used, engines = 1e3 * np.median(rows[cluster], axis=0)
            beside[cluster] = float(np.median([u / e - 1 for _, u, e in rows[cluster]]))
            click.echo(f"{number:>6} {name:>9} {wall:>8.2f} {used:>8.2f} {engines:>8.2f} "
                       f"{beside[cluster]:>8.2%}")
        click.echo(f"{'':>6} the cluster takes {(1 + beside[True]) / (1 + beside[False]) - 1:+.2%} "
                   "CPU time for the same work")


if __name__ == "__main__":
    run(main)
