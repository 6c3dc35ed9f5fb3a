"""Is one machine of a cluster different from the others? Results, speed, and games played twice.

For each game, the other machines' games of the same two entrants say what to expect. A machine's
*score* is how far the first movers' points lie from that, in standard errors. *Turned* is an
estimate of the share of its results that are the wrong way round: a result o counts for
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


@dataclass
class WorkerFacts:
    """What a ledger says of one machine.

    Attributes:
        name, machine: what it is called, and what it is.
        games, failed: how many, and how many of them ended by a failure.
        cpu, expected_cpu: seconds of its moves, and of as many by the others.
        score: see above, in standard errors; 0 where nothing can be said.
        turned, turned_error: see above, a share and its standard error; 0 as before.
        twice, differ: games played twice, and those of them that did not go the same way.
    """

    name: str
    machine: str = ""
    games: int = 0
    failed: int = 0
    cpu: float = 0.0
    expected_cpu: float = 0.0
    score: float = 0.0
    turned: float = 0.0
    turned_error: float = 0.0
    twice: int = 0
    differ: int = 0

    @property
    def odd(self) -> bool:
        """Whether it differs from the others by more than chance."""
        return self.oddness > ODD or self.differ > 0

    @property
    def oddness(self) -> float:
        """By how many standard errors its results differ from what to expect."""
        turned = self.turned / self.turned_error if self.turned_error else 0.0
        return max(abs(self.score), turned)


def worker_facts(path: str | Path) -> list[WorkerFacts]:
    """What a ledger says of each machine that has played in it, the oddest first."""
    facts: dict[str, WorkerFacts] = {}
    # (game, first, second) -> worker -> how often the first mover scored 0, 1/2, 1
    results: dict[tuple[str, ...], dict[str, Counter[float]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    moves: dict[tuple[str, str], dict[str, tuple[int, float]]] = defaultdict(dict)
    with Ledger(path, read_only=True) as ledger:
        for record in ledger.games():
            name = record.worker or "this machine"
            fact = facts.setdefault(name, WorkerFacts(name, record.machine))
            fact.games += 1
            fact.failed += record.failed
            pairing = (record.game, record.first, record.second)
            if not record.failed:
                results[pairing][name][record.result] += 1
            for player, entrant in enumerate(pairing[1:]):
                spent = record.spent(player)
                count, cpu = moves[record.game, entrant].get(name, (0, 0.0))
                moves[record.game, entrant][name] = count + spent.moves, cpu + spent.cpu
        for check in ledger.checks():
            for name in (check.worker, check.other):
                fact = facts.setdefault(name, WorkerFacts(name))
                fact.twice += 1
                if check.difference is not None:
                    fact.differ += 1
    for fact in facts.values():
        _compare_results(fact, results)
        _compare_speed(fact, moves)
    return sorted(facts.values(), key=lambda fact: (
        -fact.differ, -fact.oddness, fact.name
    ))


def _compare_results(
    fact: WorkerFacts, results: dict[tuple[str, ...], dict[str, Counter[float]]]
) -> None:
    score = turned = score_variance = information = 0.0
    for by_worker in results.values():
        own = by_worker.get(fact.name)
        others: Counter[float] = Counter()
        for name, counts in by_worker.items():
            if name != fact.name:
                others.update(counts)
        if not own or others.total() < _FEWEST_OTHERS:
            continue
        n, n_others = own.total(), others.total()
        total = n_others + 3 * _UNSEEN
        chances = {value: (others[value] + _UNSEEN) / total for value in (0.0, 0.5, 1.0)}
        mean = sum(value * chance for value, chance in chances.items())
        variance = sum((value - mean) ** 2 * chance for value, chance in chances.items())
        weights = {value: chances[1.0 - value] / chances[value] - 1.0 for value in chances}
        spread = sum(weights[value] ** 2 * chance for value, chance in chances.items())
        # What to expect is an estimate, too.
        certainty = 1 / (1 + n / n_others)
        score += certainty * sum(count * (value - mean) for value, count in own.items())
        turned += certainty * sum(count * weights[value] for value, count in own.items())
        score_variance += certainty * n * variance
        information += certainty * n * spread
    fact.score = score / math.sqrt(score_variance) if score_variance else 0.0
    if information:
        fact.turned, fact.turned_error = turned / information, 1 / math.sqrt(information)


def _compare_speed(
    fact: WorkerFacts, moves: dict[tuple[str, str], dict[str, tuple[int, float]]]
) -> None:
    for by_worker in moves.values():
        count, cpu = by_worker.get(fact.name, (0, 0.0))
        others = [row for name, row in by_worker.items() if name != fact.name]
        their_count = sum(row[0] for row in others)
        if count and their_count:
            fact.cpu += cpu
            fact.expected_cpu += count * sum(row[1] for row in others) / their_count


def worker_lines(path: str | Path) -> Iterator[str]:
    """A line for each machine, and what to think of it."""
    facts = worker_facts(path)
    width = max([8, *(len(fact.name) for fact in facts)])
    yield (f"{'machine':<{width}} {'games':>7} {'failed':>6} {'CPU':>6} {'score':>6} "
           f"{'turned':>15} {'twice':>6} {'differ':>6}  processor")
    for fact in facts:
        speed = f"{fact.cpu / fact.expected_cpu:.2f}" if fact.expected_cpu else "-"
        yield (f"{fact.name:<{width}} {fact.games:>7} {fact.failed:>6} {speed:>6} "
               f"{fact.score:>+6.1f} {_share(fact):>15} {fact.twice:>6} {fact.differ:>6}  "
               f"{fact.machine}")
    yield ("CPU: seconds a move, as a multiple of the others'; score: of the first movers, in "
           "standard errors from what the others' games let expect; turned: estimated share of "
           "results the wrong way round, with its standard error")
    suspect = _suspect(facts)
    if suspect:
        yield (f"{suspect.name} is odd: look into its memory, then "
               f"dlgo ledger {path} purge --worker {suspect.name}")


def _share(fact: WorkerFacts) -> str:
    if not fact.turned_error:
        return "-"
    return f"{fact.turned:.2%} ± {fact.turned_error:.2%}"


def _suspect(facts: list[WorkerFacts]) -> WorkerFacts | None:
    """The machine to look into first. Of two that differ, it is the one with which others differ,
    too: a third one has played the game."""
    odd = [fact for fact in facts if fact.odd]
    return max(odd, key=lambda fact: (fact.differ, fact.oddness), default=None)
