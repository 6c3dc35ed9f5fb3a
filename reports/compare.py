"""What the games of two entrants against each other say, as text.

Counts come from `head_to_head.py`, tests from `differences.py` and `sprt.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from reports.csv_import import load_games
from reports.differences import Counts, binomial_test, elo_of_score
from reports.head_to_head import HeadToHead, head_to_heads
from reports.sprt import SprtBounds, SprtResult, run_sprt


def compare(
    path: str | Path, entrant: str, opponent: str, bounds: SprtBounds, game: str = "",
    canonical: Callable[[str], str] = str,
) -> Iterator[str]:
    """Lines on each game that two entrants played against each other.

    Args:
        path: a ledger or a CSV file.
        bounds: of the sequential test.
        game, canonical: as for `head_to_heads`.

    Raises:
        DlgoError: if the file cannot be used, or they never met.
    """
    for number, match in enumerate(
        head_to_heads(load_games(path), entrant, opponent, game, canonical)
    ):
        if number:
            yield ""
        yield from describe(match, bounds)


def sprt_lines(
    path: str | Path, entrant: str, opponent: str, bounds: SprtBounds, game: str = "",
    budget: int | None = None, by_pairs: bool | None = None,
    canonical: Callable[[str], str] = str,
) -> Iterator[str]:
    """One line on each game: where the sequential test stands or stopped, and why.

    Args:
        budget: pairs (or games) after which the test ends without a decision.
        by_pairs: whether to count pairs (pentanomial) or games (trinomial); pairs by default
            where the games come in pairs.
    """
    for match in head_to_heads(load_games(path), entrant, opponent, game, canonical):
        result = sprt_of(match, bounds, budget, by_pairs)
        yield f"{match.game}: {match.entrant} against {match.opponent}, {bounds}"
        yield f"  {result.reason}"


def sprt_of(
    match: HeadToHead, bounds: SprtBounds, budget: int | None = None, by_pairs: bool | None = None
) -> SprtResult:
    """The sequential test on the games of two entrants, in the order of the plan."""
    pairs = match.paired if by_pairs is None else by_pairs
    points = match.pair_points if pairs else match.scores
    return run_sprt(points, bounds, pairs=pairs, budget=budget)


def describe(match: HeadToHead, bounds: SprtBounds) -> Iterator[str]:
    """Score, interval, Elo, tests and counts."""
    games, pairs = match.games, match.pairs
    losses, draws, wins = games.numbers
    rows = [("games", f"{games.total} counted: {wins} won, {draws} drawn, {losses} lost"
             + (f"; {match.repeated} repetitions left out" if match.repeated else ""))]
    if any(match.failures):
        rows.append(("failures", f"{match.failures[0]} of {match.entrant}, "
                                 f"{match.failures[1]} of {match.opponent}"))
    rows += _strength("by games", games)
    if pairs.total:
        text = ", ".join(
            f"{count} x {points}"
            for count, points in zip(pairs.numbers, ("0", "1/2", "1", "3/2", "2"), strict=True)
        )
        unpaired = f"; {match.unpaired} games in no pair" if match.unpaired else ""
        rows.append(("pairs", f"{pairs.total}, by points: {text}{unpaired}"))
        rows += _strength("by pairs", pairs)
    rows += [_binomial("binomial test", wins, losses, "decided games")]
    if pairs.total:
        lost, won = sum(pairs.numbers[:2]), sum(pairs.numbers[3:])
        rows.append(_binomial("the same, pairs", won, lost, "decided pairs"))
    rows += [("SPRT", str(bounds)), ("", sprt_of(match, bounds).reason)]
    yield f"{match.game}: {match.entrant} against {match.opponent}"
    for name, text in rows:
        yield f"  {name:<16}{text}"


def _strength(name: str, counts: Counts) -> list[tuple[str, str]]:
    score = counts.score_interval()
    if math.isnan(score.value):
        return [(name, "nothing counted")]
    low, value, high = map(elo_text, (score.low95, score.value, score.high95))
    return [(name, f"score {score.value:.1%} ({score.low95:.1%} to {score.high95:.1%}), "
                   f"{value} Elo ({low} to {high}), LOS {los_text(counts.superiority())}")]


def _binomial(name: str, wins: int, losses: int, what: str) -> tuple[str, str]:
    test = binomial_test(wins, losses)
    return name, (
        f"{test.wins} of {test.decided} {what}: p = {test.two_sided:.3g} two-sided, "
        f"{test.one_sided:.3g} one-sided"
    )


def elo_text(score: float) -> str:
    """A score, 0 to 1, as a difference in Elo with its sign."""
    elo = elo_of_score(score)
    return f"{round(elo):+d}" if math.isfinite(elo) else "unbounded"  # never -0


def los_text(chance: float) -> str:
    """A likelihood of superiority, never rounded to certainty."""
    if chance > 0.9995:
        return ">99.9%"
    return f"{chance:.1%}" if chance >= 0.0005 else "<0.1%"
