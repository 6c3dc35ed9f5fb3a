"""What the games of two entrants against each other say, as text.

Called by `dlgo compare` and `dlgo sprt`; counts come from `meeting.py`, tests from
`differences.py` and `sprt.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from reports.csv_import import load_games
from reports.differences import Counts, binomial_test, elo_of_score
from reports.head_to_head import Meeting, find_meetings
from reports.sprt import SprtBounds, SprtResult, run_sprt


def compare(
    path: str | Path, one: str, other: str, bounds: SprtBounds, game: str = ""
) -> Iterator[str]:
    """Lines on each game that the two entrants of a ledger or CSV file met at.

    Raises:
        DlgoError: if the file cannot be used, or they never met.
    """
    for number, meeting in enumerate(find_meetings(load_games(path), one, other, game)):
        if number:
            yield ""
        yield from describe(meeting, bounds)


def sprt_lines(
    path: str | Path, one: str, other: str, bounds: SprtBounds, game: str = "",
    budget: int | None = None, by_pairs: bool | None = None,
) -> Iterator[str]:
    """One line on each game: where the sequential test stands or stopped, and why.

    Args:
        path, one, other, game: as for `compare`.
        bounds: what is tested.
        budget: pairs (or games) after which the test ends without a decision.
        by_pairs: whether to count pairs (pentanomial) or games (trinomial); pairs by default
            where the games come in pairs.
    """
    for meeting in find_meetings(load_games(path), one, other, game):
        result = sprt_of(meeting, bounds, budget, by_pairs)
        yield f"{meeting.game}: {meeting.one} against {meeting.other}, {bounds}"
        yield f"  {result.reason}"


def sprt_of(
    meeting: Meeting, bounds: SprtBounds, budget: int | None = None, by_pairs: bool | None = None
) -> SprtResult:
    """The sequential test on the games of a meeting, in the order of the plan."""
    pairs = meeting.paired if by_pairs is None else by_pairs
    points = meeting.pair_points if pairs else meeting.scores
    return run_sprt(points, bounds, pairs=pairs, budget=budget)


def describe(meeting: Meeting, bounds: SprtBounds) -> Iterator[str]:
    """Score, interval, Elo, tests and counts of one meeting."""
    games, pairs = meeting.games, meeting.pairs
    losses, draws, wins = games.numbers
    rows = [("games", f"{games.total} counted: {wins} won, {draws} drawn, {losses} lost"
             + (f"; {meeting.repeated} repetitions left out" if meeting.repeated else ""))]
    if any(meeting.failures):
        rows.append(("failures", f"{meeting.failures[0]} of {meeting.one}, "
                                 f"{meeting.failures[1]} of {meeting.other}"))
    rows += _strength("by games", games)
    if pairs.total:
        text = ", ".join(
            f"{count} x {points}"
            for count, points in zip(pairs.numbers, ("0", "1/2", "1", "3/2", "2"), strict=True)
        )
        outside = f"; {meeting.unpaired} games in no pair" if meeting.unpaired else ""
        rows.append(("pairs", f"{pairs.total}, by points: {text}{outside}"))
        rows += _strength("by pairs", pairs)
    rows += [_binomial("binomial test", wins, losses, "decided games")]
    if pairs.total:
        lost, won = sum(pairs.numbers[:2]), sum(pairs.numbers[3:])
        rows.append(_binomial("the same, pairs", won, lost, "decided pairs"))
    rows += [("SPRT", str(bounds)), ("", sprt_of(meeting, bounds).reason)]
    yield f"{meeting.game}: {meeting.one} against {meeting.other}"
    for name, text in rows:
        yield f"  {name:<16}{text}"


def _strength(name: str, counts: Counts) -> list[tuple[str, str]]:
    score = counts.score_interval()
    if math.isnan(score.value):
        return [(name, "nothing counted")]
    low, value, high = map(_elo_text, (score.low95, score.value, score.high95))
    return [(name, f"score {score.value:.1%} ({score.low95:.1%} to {score.high95:.1%}), "
                   f"{value} Elo ({low} to {high}), LOS {los_text(counts.superiority())}")]


def _binomial(name: str, wins: int, losses: int, what: str) -> tuple[str, str]:
    test = binomial_test(wins, losses)
    return name, (
        f"{test.wins} of {test.decided} {what}: p = {test.two_sided:.3g} two-sided, "
        f"{test.one_sided:.3g} one-sided"
    )


def _elo_text(score: float) -> str:
    elo = elo_of_score(score)
    return f"{elo:+.0f}" if math.isfinite(elo) else "unbounded"


def los_text(chance: float) -> str:
    """A likelihood of superiority, never rounded to certainty."""
    if chance > 0.9995:
        return ">99.9%"
    return f"{chance:.1%}" if chance >= 0.0005 else "<0.1%"
