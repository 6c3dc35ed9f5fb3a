"""Measures the overhead of the arena beside the engines, and how busy the cores are.

    python -m experiments.bench.arena_overhead [--sims 100] [--sims 1000] [--games 1000]
        [--cluster local]

For each number of simulations, a tournament of fast Connect Four games is played into a new ledger.
Measured from the first stored game to the last one:

* overhead: CPU time of all processes (workers and the writer of the ledger) beyond the CPU time
  that the engines report for their moves, as a share of the latter.
* arena: the part of the overhead that a bare loop would not have. (A bare loop asks the engines for
  moves and plays them in one process, and stores nothing.) So this is the referee, the records, the
  pipes and SQLite; the rest is the cost of a move in Python: the rules, and the decision object.
* ledger: the part used by the process that hands out games and stores them.
* busy: the share of the time in which the workers compute or wait for a core (Linux counts both);
  in the rest they wait for games. With more workers than free cores, `CPU` is the share in which
  they compute.

Start-up is left out: a second or two for each worker, for tournaments of any length. With
`--cluster`, each tournament is also played by a cluster; Ray's processes count as workers.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing
from pathlib import Path

import click
import numpy as np

from dlgo import kernels
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.rng import derive_seed
from dlgo.system import processes
from experiments.arena.limits import DEFAULT_LIMITS
from experiments.arena.progress import PlainReporter
from experiments.arena.referee import EngineCache, GameLog
from experiments.arena.schedule import Plan, tasks
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on
from experiments.command import run
from experiments.options import Number


class Probe(PlainReporter):
    """A reporter that reads clocks at the first game and at the last game.

    `slots` of the games are in the order in which they ended; `samples` are wall seconds, CPU
    seconds of this process and of the workers, and seconds in which these were ready to compute.
    """

    def __init__(self) -> None:
        super().__init__(interval=1e9)
        self.slots: list[str] = []
        self.samples: list[np.ndarray] = []

    def log(self, text: str) -> None:
        """Nothing."""

    def game(self, record: GameRecord) -> None:
        self.slots.append(record.slot)
        # The first tenth of the games does not count, so that all workers have started and played.
        if len(self.slots) in (self.planned // 10, self.planned):
            on_cpu = waiting = 0
            for pid in processes.descendants(os.getpid()):
                path = Path(f"/proc/{pid}/schedstat")
                if path.exists():
                    run, wait, _ = map(int, path.read_text().split())
                    on_cpu, waiting = on_cpu + run, waiting + wait
            self.samples.append(np.array([
                time.perf_counter(), time.process_time(), on_cpu / 1e9, (on_cpu + waiting) / 1e9]))


def measure(sims: int, games: int, workers: int, cluster: str | None) -> str:
    """Play and measure: a line of the table."""
    entrants = (f"mcts:sims={sims}", f"mcts:sims={sims},c_uct=0.5")
    plan = Plan(("connect4",), entrants, games // 2, seed=1)
    probe = Probe()
    with tempfile.TemporaryDirectory() as folder, games_on(cluster, workers) as jobs:
        path = Path(folder) / "games.sqlite"
        run_tournament(plan, path, workers, probe, backend=jobs)
        with Ledger(path, read_only=True) as ledger:
            cpu = {r.slot: sum(c.cpu for c in r.costs) for r in ledger.games()}
    counted = probe.slots[games // 10 :]
    engines = sum(cpu[slot] for slot in counted)
    wall, own, on_cpu, ready = probe.samples[1] - probe.samples[0]
    overhead = (own + on_cpu) / engines - 1
    return (
        f"{'cluster' if cluster else 'processes':<9} {sims:>6} {len(counted) / wall:>8.0f} "
        f"{1e3 * engines / len(counted):>10.2f} {overhead:>9.1%} "
        f"{overhead - bare_loop(plan, len(counted) // 4):>9.1%} {own / engines:>7.1%} "
        f"{ready / wall / workers:>7.1%} {on_cpu / wall / workers:>7.1%}"
    )


def bare_loop(plan: Plan, games: int) -> float:
    """The overhead of a bare loop that plays games."""
    total = spent = 0.0
    with closing(EngineCache()) as engines:
        for number, task in enumerate(tasks(plan)[: games + 4]):
            began, cpu = time.process_time(), 0.0
            state = GameLog(task, DEFAULT_LIMITS).open()
            players = [engines.get(task.game, spec, side) for side, spec in enumerate(task.players)]
            for side, engine in enumerate(players):
                engine.new_game(derive_seed(task.seed, side))
            while not state.is_over():
                decision = players[int(kernels.to_move(state.kernel_state))].select_move(state)
                state = state.apply_move(decision.move)
                cpu += decision.cost.cpu_seconds
            if number >= 4:  # the first games build the engines
                total += time.process_time() - began
                spent += cpu
    return total / spent - 1


@click.command()
@click.option("--sims", multiple=True, type=Number(int, 1), default=(100, 300, 1000, 3000),
              show_default=True, help="Simulations a move of the engines; may be repeated.")
@click.option("--games", default=1000, show_default=True, type=Number(int, 20),
              help="Games of each tournament.")
@click.option("--workers", default=processes.core_count(), show_default=True, type=Number(int, 1),
              help="Number of worker processes.")
@click.option("--cluster", metavar="ADDRESS",
              help="Also play on this Ray cluster; local starts one.")
def main(sims: tuple[int, ...], games: int, workers: int, cluster: str | None) -> None:
    """Measure the CPU time that the arena adds to that of the engines."""
    click.echo(f"{games} games of Connect Four, mcts against mcts, {workers} workers")
    click.echo(f"{'by':<9} {'sims':>6} {'games/s':>8} {'engine ms':>10} {'overhead':>9} "
               f"{'arena':>9} {'ledger':>7} {'busy':>7} {'CPU':>7}")
    for number in sims:
        for where in dict.fromkeys((None, cluster)):
            click.echo(measure(number, games, workers, where))


if __name__ == "__main__":
    run(main)
