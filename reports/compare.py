"""The games of two entrants against each other, summarised as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from dlgo.text import number_of
from reports.csv_import import load_games
from reports.differences import Counts, binomial_test, elo_of_score
from reports.head_to_head import HeadToHead, head_to_heads
from reports.sprt import Sprt, SprtBounds
from reports.text import los_text


def compare(
    path: str | Path, entrant: str, opponent: str, bounds: SprtBounds, game: str = "",
    canonical: Callable[[str], str] = str,
) -> Iterator[str]:
    """Lines on each game that two entrants of a ledger or a CSV file played against each other;
    `game` and `canonical` as for `head_to_heads`. Raises DlgoError without such a file or game."""
    matches = head_to_heads(load_games(path), entrant, opponent, game, canonical)
    for number, match in enumerate(matches):
        if number:
            yield ""
        yield f"{match.game}: {match.entrant} against {match.opponent}"
        for name, text in _facts(match, bounds):
            yield f"  {name:<16}{text}"


def sprt_lines(
    path: str | Path, entrant: str, opponent: str, bounds: SprtBounds, game: str = "",
    budget: int | None = None, canonical: Callable[[str], str] = str,
) -> Iterator[str]:
    """Where the sequential test stands or stopped on each game, and why; after `budget` pairs (or
    games) it ends without a decision."""
    for match in head_to_heads(load_games(path), entrant, opponent, game, canonical):
        yield f"{match.game}: {match.entrant} against {match.opponent}, {bounds}"
        yield f"  {_sprt(match, bounds, budget).reason}"


def _sprt(match: HeadToHead, bounds: SprtBounds, budget: int | None = None) -> Sprt:
    """The test in the order of the plan, by pairs where the games come in pairs."""
    test = Sprt(bounds, pairs=match.paired, budget=budget)
    test.add(*(match.pair_points if match.paired else match.scores))
    return test


def _facts(match: HeadToHead, bounds: SprtBounds) -> Iterator[tuple[str, str]]:
    """Score, interval, Elo, tests and counts."""
    games, pairs = match.games, match.pairs
    losses, draws, wins = games.numbers
    repeated = f"; {number_of(match.repeated, 'repetition')} left out" if match.repeated else ""
    yield ("games",
           f"{games.total} counted: {wins} won, {draws} drawn, {losses} lost{repeated}")
    if any(match.failures):
        ours, theirs = match.failures
        yield "failures", f"{ours} of {match.entrant}, {theirs} of {match.opponent}"
    yield "by games", _strength(games)
    if pairs.total:
        points = ("0", "1/2", "1", "3/2", "2")
        text = ", ".join(f"{n} x {point}" for n, point in zip(pairs.numbers, points, strict=True))
        unpaired = f"; games in no pair: {match.unpaired}" if match.unpaired else ""
        yield "pairs", f"{pairs.total}, by points: {text}{unpaired}"
        yield "by pairs", _strength(pairs)
    elif match.unpaired:
        yield "pairs", ("no complete pair (two games, colours swapped); games in no pair: "
                        f"{match.unpaired}")
    yield "normalized Elo", _normalized(pairs if pairs.total else games)
    yield "binomial test", _binomial(wins, losses, "decided games")
    if pairs.total:
        n_lost, n_won = sum(pairs.numbers[:2]), sum(pairs.numbers[3:])
        yield "the same, pairs", _binomial(n_won, n_lost, "decided pairs")
    yield "SPRT", str(bounds)
    yield "", _sprt(match, bounds).reason


def _strength(counts: Counts) -> str:
    score = counts.score_interval()
    if math.isnan(score.value):
        return "nothing counted"
    low, value, high = map(elo_text, (score.low95, score.value, score.high95))
    return (f"score {score.value:.1%} ({score.low95:.1%} to {score.high95:.1%}), "
            f"{value} Elo ({low} to {high}), LOS {los_text(counts.superiority())}")


def _normalized(counts: Counts) -> str:
    elo = counts.normalized_elo()
    if math.isnan(elo.value):
        return "nothing counted"
    low, value, high = (f"{round(number):+d}" if math.isfinite(number) else "unbounded"
                        for number in (elo.low95, elo.value, elo.high95))
    return f"{value} ({low} to {high}): comparable at any share of draws"


def _binomial(wins: int, losses: int, noun: str) -> str:
    two_sided, one_sided = binomial_test(wins, losses)
    return (f"{wins} of {wins + losses} {noun}: p = {two_sided:.3g} two-sided, "
            f"{one_sided:.3g} one-sided")


def elo_text(score: float) -> str:
    """A score, 0 to 1, as a difference in Elo with its sign."""
    elo = elo_of_score(score)
    return f"{round(elo):+d}" if math.isfinite(elo) else "unbounded"  # never -0
