"""What a cluster costs beside processes of one machine, and where its throughput ends.

    python -m experiments.bench.cluster overhead [--sims 1000] [--games 200] [--workers 2]
    python -m experiments.bench.cluster scaling [--seconds 0.05] [--seconds 1]

`overhead` plays a tournament of Connect Four in turns by processes of this machine and by
`--cluster local`, with as many workers. Counted are the seconds between a tenth of the games and
the last one, by the clock and as CPU time of all processes, Ray's included, a game. On a machine
that does other work only the CPU time means something.

`scaling` measures what an exchange, and a record, cost the one process that hands out the work: the
call by Ray, unpickling, the dispatcher, the ledger. With these costs it simulates up to 1,000
workers on machines of some cores, on a network with a latency, through the dispatcher that the
cluster uses. Nothing of this has been seen on so many machines.
"""

from __future__ import annotations

import heapq
import itertools
import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from dlgo.records.ledger import GameRecord, Ledger
from engines.jobs.protocol import ListSource
from engines.programs.processes import core_count
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.bench.arena_overhead import Probe
from experiments.cluster.crew import WORK_AHEAD, exchange_seconds
from experiments.cluster.dispatcher import Dispatcher, Result, Ticket
from experiments.command import run
from experiments.number import Number

# Seconds that a message takes between two machines, in the simulation.
_LATENCY = 0.0005
# Simulated seconds; the first third does not count.
_SIMULATED = 12.0
_WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)


@click.group()
def main() -> None:
    """Measure what a cluster costs."""


# --- overhead -----------------------------------------------------------------------------------


def play(sims: int, games: int, workers: int, cluster: bool) -> tuple[float, float, float]:
    """A tournament: wall, CPU and engines' CPU seconds a game."""
    from experiments.cluster.games import ClusterGames

    entrants = (f"mcts:sims={sims}", f"mcts:sims={sims},c_uct=0.5")
    plan = Plan(("connect4",), entrants, games // 2, seed=1)
    probe = Probe()
    elsewhere = closing(ClusterGames("local", workers)) if cluster else nullcontext()
    with tempfile.TemporaryDirectory() as folder, elsewhere as there:
        path = Path(folder) / "games.sqlite"
        run_tournament(plan, path, workers, probe, elsewhere=there)
        with Ledger(path, read_only=True) as ledger:
            cpu = {r.slot: sum(c.cpu for c in r.costs) for r in ledger.games()}
    first, last = probe.samples
    counted = probe.slots[games // 10 :]
    used = last.own - first.own + last.workers - first.workers
    engines = sum(cpu[slot] for slot in counted)
    return tuple(seconds / len(counted) for seconds in (last.wall - first.wall, used, engines))


@main.command()
@click.option("--sims", multiple=True, type=Number(int, 1), default=(1000, 4000),
              show_default=True, help="Simulations a move of the engines; may be repeated.")
@click.option("--games", default=200, show_default=True, type=Number(int, 20),
              help="Games of each tournament.")
@click.option("--workers", default=core_count(), show_default=True, type=Number(int, 1),
              help="Processes that play.")
@click.option("--rounds", default=3, show_default=True, type=Number(int, 1),
              help="Tournaments of each kind, in turns; the median counts.")
def overhead(sims: tuple[int, ...], games: int, workers: int, rounds: int) -> None:
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


# --- scaling ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Costs:
    """CPU seconds of the process that hands out the work.

    Attributes:
        exchange: of a question and its answer, empty.
        record: of a game: its task sent, its record unpickled, dispatched and stored.
    """

    exchange: float
    record: float


class _Echo:
    """An agent that has nothing to do."""

    def exchange(self, tickets: list, sent: dict, patience: float, keep: frozenset) -> list:
        return []


def measured_costs(connection: object, record: GameRecord) -> Costs:
    """What an exchange and a record cost here."""
    import ray

    agent = ray.remote(_Echo).options(num_cpus=0).remote()
    ray.get(agent.exchange.remote([], {}, 0, frozenset()))
    count = 500
    cpu = time.process_time()
    for _ in range(count):
        reference = agent.exchange.remote([], {}, 0, frozenset())
        ray.wait([reference], timeout=1)
        ray.get(reference)
    exchange = (time.process_time() - cpu) / count
    ray.kill(agent)
    return Costs(exchange, record_cost(record))


def record_cost(record: GameRecord, count: int = 3000) -> float:
    """CPU seconds of a record: pickled as it comes, dispatched, and written to a ledger."""
    work = Dispatcher(ListSource(range(count)), str)
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "l.sqlite") as ledger:
        cpu = time.process_time()
        for start in range(0, count, 20):
            tickets = work.assign("a", 20, start)
            pickle.dumps(tickets)
            came = pickle.dumps([Result(t.key, t.attempt, record) for t in tickets])
            results = pickle.loads(came)
            fresh = work.returned("a", results, start + 1)
            ledger.add(*(
                replace(result.value, slot=result.key, worker="a") for result, _ in fresh
            ))
        return (time.process_time() - cpu) / count


class _Endless(ListSource[int]):
    """Items without end."""

    def __init__(self) -> None:
        super().__init__([])
        self._numbers = itertools.count()

    def take(self, count: int) -> list[int]:
        return list(itertools.islice(self._numbers, max(count, 0)))


class Simulation:
    """Agents that play games of random length, and one process that hands them out.

    Args:
        workers: processes in all. cores: of each machine. seconds: of a game, on average.
        costs: of the one process; it does one thing at a time.
    """

    def __init__(self, workers: int, cores: int, seconds: float, costs: Costs) -> None:
        self._costs, self._seconds = costs, seconds
        self._draw = np.random.default_rng(1)
        self._machines = [min(cores, workers - start) for start in range(0, workers, cores)]
        self._free = [[0.0] * size for size in self._machines]  # when each core is free
        for cores_free in self._free:
            heapq.heapify(cores_free)
        self._work = Dispatcher(_Endless(), str)
        self._finished: list[list[tuple[float, Ticket]]] = [[] for _ in self._machines]
        self._collects = exchange_seconds(len(self._machines))

    def run(self) -> tuple[float, float]:
        """Games a second, and the share of its time in which the one process is busy."""
        driver_free = busy = 0.0
        done = 0
        answers = [(self._draw.random() * self._collects, n) for n in range(len(self._machines))]
        heapq.heapify(answers)
        warm = _SIMULATED / 3
        while answers[0][0] < _SIMULATED:
            came, machine = heapq.heappop(answers)
            results = self._results(machine, came)
            begin = max(came + _LATENCY, driver_free)
            spent = self._costs.exchange + self._costs.record * len(results)
            driver_free = begin + spent
            if warm <= begin < _SIMULATED:
                busy += spent
                done += len(results)
            self._give(machine, results, driver_free)
            asked = driver_free + _LATENCY
            heapq.heappush(answers, (asked + self._collects, machine))
        return done / (_SIMULATED - warm), min(1.0, busy / (_SIMULATED - warm))

    def _results(self, machine: int, now: float) -> list[Result]:
        waiting = self._finished[machine]
        results = [Result(t.key, t.attempt, 0) for end, t in waiting if end <= now]
        self._finished[machine] = [row for row in waiting if row[0] > now]
        return results

    def _give(self, machine: int, results: list[Result], now: float) -> None:
        name, cores = str(machine), self._machines[machine]
        self._work.returned(name, results, now)
        most = max(2 * cores, cores + int(WORK_AHEAD * cores / self._seconds))
        room = most - self._work.held_by(name)
        for ticket in self._work.assign(name, room, now):
            free = heapq.heappop(self._free[machine])
            end = max(free, now + _LATENCY) + self._seconds * self._draw.gamma(4.0) / 4.0
            heapq.heappush(self._free[machine], end)
            self._finished[machine].append((end, ticket))


def scaling_lines(costs: Costs, seconds: float, cores: int) -> Iterator[str]:
    """A line for each number of workers."""
    for workers in _WORKERS:
        rate, busy = Simulation(workers, cores, seconds, costs).run()
        yield (f"{seconds:>7g} {cores:>6} {workers:>8} {rate:>10.1f} "
               f"{rate * seconds / workers:>7.1%} {busy:>7.1%}")


@main.command()
@click.option("--seconds", multiple=True, type=Number(float, 0.001, 1000), default=(0.05, 1.0),
              show_default=True, help="Seconds of a game; may be repeated.")
@click.option("--cores", default=16, show_default=True, type=Number(int, 1),
              help="Cores of each machine.")
def scaling(seconds: tuple[float, ...], cores: int) -> None:
    """Simulate many workers with the costs measured here."""
    from experiments.cluster.connection import Connection

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        plan = Plan(("connect4",), ("mcts:sims=50", "mcts:sims=50,c_uct=0.5"), 1, seed=1)
        run_tournament(plan, path, 1, Probe())
        with Ledger(path, read_only=True) as ledger:
            record = max(ledger.games(), key=lambda game: len(game.moves))
    with closing(Connection("local")) as connection:
        costs = measured_costs(connection, record)
    click.echo(f"an exchange costs {1e3 * costs.exchange:.2f} ms of the process that hands out the "
               f"work, a record {1e3 * costs.record:.2f} ms: at most {1 / costs.record:,.0f} "
               "games a second")
    click.echo(f"{'game s':>7} {'cores':>6} {'workers':>8} {'games/s':>10} {'ideal':>7} "
               f"{'driver':>7}")
    for length in seconds:
        for line in scaling_lines(costs, length, cores):
            click.echo(line)


if __name__ == "__main__":
    run(main)
