"""Is one machine of a cluster different from the others? Results, speed, and games played twice.

For each game, the other machines' games of the same two entrants say what to expect. *Turned* is an
estimate of the share of a machine's results that are the wrong way round: a result o counts for
p(1 - o) / p(o) - 1, where p are the others' shares, which is 0 on average if nothing is turned (the
score test of that share, the most powerful one for small shares). More than 3.5 standard errors are
hardly chance, even among a hundred machines. The estimate lives from pairings in which one entrant
is much stronger; between equals a turned result looks like any other, and only games played twice
(`--verify-share`) show it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dlgo.records.ledger import Ledger

# Standard errors that are more than chance.
ODD = 3.5
# Games of the same entrants that other machines must have played, to say what to expect.
_FEWEST_OTHERS = 10
# Counts of an outcome that nobody has seen.
_UNSEEN = 0.5
# By (game, first, second), then worker: how often the first mover scored 0, 1/2, 1.
_Results = dict[tuple[str, ...], dict[str, Counter[float]]]


@dataclass
class WorkerFacts:
    """What a ledger says of one machine."""

    name: str
    machine: str = ""
    games: int = 0
    failed: int = 0
    cpu: float = 0.0  # seconds of its moves, and what as many moves of the others took
    expected_cpu: float = 0.0
    turned: float = 0.0  # a share and its standard error; 0 where nothing can be said
    turned_error: float = 0.0
    twice: int = 0  # games played twice, and those of them that did not go the same way
    differ: int = 0

    @property
    def oddness(self) -> float:
        """By how many standard errors its results differ from what to expect."""
        return self.turned / self.turned_error if self.turned_error else 0.0

    @property
    def odd(self) -> bool:
        """Whether it differs from the others by more than chance."""
        return self.oddness > ODD or self.differ > 0


def worker_facts(path: str | Path) -> list[WorkerFacts]:
    """What a ledger says of each machine that has played in it, the oddest first."""
    facts: dict[str, WorkerFacts] = {}
    results: _Results = defaultdict(lambda: defaultdict(Counter))
    # By (game, entrant), then worker: moves and CPU seconds.
    moves: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0.0]))
    with Ledger(path, read_only=True) as ledger:
        for record in ledger.games():
            name = record.worker or "this machine"
            fact = facts.setdefault(name, WorkerFacts(name, record.machine))
            fact.games += 1
            fact.failed += record.failed
            if not record.failed:
                results[record.game, record.first, record.second][name][record.result] += 1
            for player, entrant in enumerate((record.first, record.second)):
                spent, sums = record.spent(player), moves[record.game, entrant][name]
                sums[0] += spent.moves
                sums[1] += spent.cpu
        for check in ledger.checks():
            for name in (check.worker, check.other):
                fact = facts.setdefault(name, WorkerFacts(name))
                fact.twice += 1
                fact.differ += check.difference is not None
    for fact in facts.values():
        _estimate_turned(fact, results)
        for by_worker in moves.values():
            count, cpu = by_worker.get(fact.name, (0, 0.0))
            others = [sums for name, sums in by_worker.items() if name != fact.name]
            their_count = sum(sums[0] for sums in others)
            if count and their_count:
                fact.cpu += cpu
                fact.expected_cpu += count * sum(sums[1] for sums in others) / their_count
    return sorted(facts.values(), key=lambda fact: (-fact.differ, -fact.oddness, fact.name))


def _estimate_turned(fact: WorkerFacts, results: _Results) -> None:
    turned = information = 0.0
    for by_worker in results.values():
        own, others = by_worker.get(fact.name), Counter[float]()
        for name, counts in by_worker.items():
            if name != fact.name:
                others.update(counts)
        if not own or others.total() < _FEWEST_OTHERS:
            continue
        total = others.total() + 3 * _UNSEEN
        chances = {value: (others[value] + _UNSEEN) / total for value in (0.0, 0.5, 1.0)}
        weights = {value: chances[1.0 - value] / chances[value] - 1.0 for value in chances}
        spread = sum(weights[value] ** 2 * chance for value, chance in chances.items())
        # What to expect is an estimate, too.
        certainty = 1 / (1 + own.total() / others.total())
        turned += certainty * sum(count * weights[value] for value, count in own.items())
        information += certainty * own.total() * spread
    if information:
        fact.turned, fact.turned_error = turned / information, 1 / math.sqrt(information)


def worker_lines(path: str | Path) -> Iterator[str]:
    """A line for each machine, and what to think of it."""
    facts = worker_facts(path)
    width = max([8, *(len(fact.name) for fact in facts)])
    yield (f"{'machine':<{width}} {'games':>7} {'failed':>6} {'CPU':>6} {'turned':>15} "
           f"{'twice':>6} {'differ':>6}  processor")
    for fact in facts:
        speed = f"{fact.cpu / fact.expected_cpu:.2f}" if fact.expected_cpu else "-"
        turned = f"{fact.turned:.2%} ± {fact.turned_error:.2%}" if fact.turned_error else "-"
        yield (f"{fact.name:<{width}} {fact.games:>7} {fact.failed:>6} {speed:>6} {turned:>15} "
               f"{fact.twice:>6} {fact.differ:>6}  {fact.machine}")
    yield ("CPU: seconds a move, as a multiple of the others'; turned: estimated share of results "
           "the wrong way round, with its standard error")
    # Of two that differ, it is the one with which others differ, too: a third one has played it.
    odd = [fact for fact in facts if fact.odd]
    if odd:
        name = max(odd, key=lambda fact: (fact.differ, fact.oddness)).name
        yield f"{name} is odd: look into its memory, then dlgo ledger {path} purge --worker {name}"
