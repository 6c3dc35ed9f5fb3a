"""Elo ratings with intervals from a list of game results; docs/ratings.md has the formulas.

Strengths pi of the model in `davidson.py` are fitted by maximum likelihood. Ratings are on the
scale of the *expected score*, as engine authors read Elo: near equality, a difference D means a
score of 1 / (1 + 10^(-D/400)), a draw being half a win. The slopes of the two curves give

    Elo = 2 / (2 + nu) * 400 log10(pi).

As nu is estimated too, its error is part of all intervals (first-order propagation). Games are
taken as independent, which the two games of a pair are not; `bootstrap.py` does not need this
assumption.

Strengths are finite if and only if, however the field is cut in two, each part has taken a point
from the other (Ford 1957). For an entrant that won every game better is always likelier. So the
field is split into the parts that Ford's condition connects, and between a part and the next one
below it that it played, and only there, one virtual game is added, half a win and half a loss
(Jeffreys' prior, Beta(1/2, 1/2)). A prior on every entrant was considered, too: it moves all
ratings, also those that games determine, and squeezes most where the field is widest.

gamma and nu can be unbounded as well. If an entrant won or drew every game, nu may grow with the
rating: then one more virtual game is shared out between the parts that wins alone connect. If that
is not enough (every first mover won; every game was drawn), 3/2 games between two equals are added,
half a win, half a draw and half a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import DlgoError
from reports.connections import Bridge, Connections
from reports.davidson import Floats, Ints, Observations, covariance_matrix, is_unbounded, maximise
from reports.first_move import share_told_apart
from reports.rating_table import ELO, Estimate, Rating, RatingTable, bounds

if TYPE_CHECKING:
    import pandas as pd

# That can be rated together: their covariances take 8 bytes a pair, 128 MB.
MOST_ENTRANTS = 4000
_TOLD_APART = 1e-6  # more than rounding errors leave of 0 (`share_told_apart`)


def repeated_games(games: pd.DataFrame) -> pd.Series:
    """Which rows repeat an earlier game: same game, players, order, moves and result.

    Two deterministic engines that meet twice from one opening play one game twice. The second says
    nothing new, and counting it would narrow the intervals for nothing. Engines that play at random
    may repeat a game by chance; it should count twice, but the ledger does not show the difference.
    In tiny games draws may be undercounted by that; more openings help.

    The result counts because an engine that breaks down after the opening leaves the same moves as
    one that breaks down on the other side. Games without moves are never repetitions.
    """
    repeated = games.duplicated(["game", "first", "second", "moves", "result"])
    return repeated & (games["moves"] != "")


def fit_ratings(
    first: Sequence[str], second: Sequence[str], result: Sequence[float], *,
    first_move: bool = True,
) -> RatingTable:
    """Rate everyone who played.

    Args:
        first, second: who moved first and second, an element a game.
        result: 1, 0.5 or 0, as the first mover sees it.
        first_move: whether to estimate the first-move advantage.

    Raises DlgoError without a game, for another result, or more than `MOST_ENTRANTS`.
    """
    scores = np.asarray(result, float)
    if len(scores) == 0:
        raise DlgoError("ratings: there are no games to rate; play some first")
    invalid = scores[~np.isin(scores, (0.0, 0.5, 1.0))]
    if len(invalid):
        raise DlgoError(f"ratings: result {invalid[0]} is not 1, 0.5 or 0")
    entrants, numbers = np.unique([list(first), list(second)], return_inverse=True)
    names, (ahead, behind) = [str(name) for name in entrants], numbers.reshape(2, -1)
    if len(names) > MOST_ENTRANTS:
        raise DlgoError(
            f"ratings: {len(names):,} entrants of one game; at most {MOST_ENTRANTS:,} can be rated "
            "together, so split the list"
        )
    links = Connections.of(names, ahead, behind, scores)
    observations = _observations(len(names), ahead, behind, scores, first_move)
    data = _with_bridges(observations, links.bridges, 1.0)
    unbounded = is_unbounded(data)
    if unbounded:
        decided = scores != 0.5
        by_wins = Connections.of(names, ahead[decided], behind[decided], scores[decided]).bridges
        data = _with_bridges(data, by_wins, 1 / max(1, len(by_wins)))
        if is_unbounded(data):  # half a win, draw and loss of a first mover against an equal
            zero, half = np.array([0]), np.array([0.5])
            data = data.plus(zero, zero, np.ones(1), half, half * data.with_draws, half)
    remarks = [remark for remark, is_shown in (
        (links.group_remark(), True),
        ("No first-move advantage: the first mover varied too little to tell it from strength.",
         first_move and not observations.with_first_move),
        ("No game was drawn, so the model has no draws.", not observations.with_draws),
        ("The games alone do not bound the first-move advantage or the share of draws; at most 5/2 "
         "virtual games were added for them.", unbounded),
    ) if remark and is_shown]
    parameters = maximise(data, links.leaders())
    covariance = covariance_matrix(data, parameters, links.leaders())
    return _table(links, data, parameters, covariance, observations, len(scores), tuple(remarks))


def without_first_move(table: RatingTable) -> RatingTable:
    """The ratings of the same games without the first-move term."""
    played, names = table.played, np.array([*table.index])
    counts = np.array([played.wins, played.draws, played.losses]).astype(int)
    first, second = (np.repeat(names[np.tile(row, 3)], counts.ravel())
                     for row in (played.first, played.second))
    result = np.repeat([1.0, 0.5, 0.0], counts.sum(axis=1))
    return fit_ratings(first.tolist(), second.tolist(), result.tolist(), first_move=False)


def _table(
    links: Connections, data: Observations, parameters: Floats, covariance: Floats,
    observed: Observations, games: int, remarks: tuple[str, ...],
) -> RatingTable:
    """The estimates on the scales that people read."""
    draw = None
    if data.with_draws:
        error = float(np.sqrt(max(covariance[-1, -1], 0.0)))
        draw = Estimate(*np.exp(bounds(parameters[-1], error)).tolist())
    # The zero of each group, subtracted from its strengths.
    size, model, zeros = len(links.names), parameters.copy(), set()
    for group in range(links.group.max() + 1):
        members, zero = np.flatnonzero(links.group == group), links.zero_of(group)
        model[members] -= parameters[zero].mean()
        covariance[members] -= covariance[zero].mean(axis=0)
        covariance[:, members] -= covariance[:, zero].mean(axis=1)[:, None]
        zeros |= {links.names[i] for i in zero}
    values, covariance = _expected_score_scale(ELO * model, ELO**2 * covariance, draw)
    errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    advantage = Estimate(*bounds(values[size], errors[size])) if data.with_first_move else None
    # Rounded: equals stand by name, not by the last digits of the fit.
    order = sorted(range(size), key=lambda i: (-round(float(values[i]), 6), links.names[i]))
    notes = links.notes()
    ratings = tuple(
        Rating(*bounds(values[i], errors[i]), entrant=links.names[i],
               group=int(links.group[i]) + 1, note=notes[i], model=float(ELO * model[i]))
        for i in order
    )
    place = np.argsort(order)
    return RatingTable(
        ratings, covariance[np.ix_(order, order)], advantage, draw,
        observed.log_likelihood(parameters), games,
        replace(observed, first=place[observed.first], second=place[observed.second]), remarks,
        frozenset(zeros),
    )


def _expected_score_scale(
    model: Floats, covariance: Floats, draw: Estimate | None
) -> tuple[Floats, Floats]:
    """Elo on the scale of the expected score, and its covariance. `model`: (parameters,) on the
    model's own scale, ln nu last if there is `draw` (nu)."""
    if draw is None:
        return model, covariance
    share = draw.value / (2 + draw.value)  # of draws between equals
    # Elo = (1 - share) * model; by ln nu, the factor has the derivative -share * (1 - share).
    spread, with_nu = share * model / ELO, covariance[-1]
    scaled = covariance - np.outer(spread, with_nu) - np.outer(with_nu, spread)
    scaled += np.outer(spread, spread) * covariance[-1, -1]
    return (1 - share) * model, (1 - share) ** 2 * scaled


def _observations(
    size: int, first: Ints, second: Ints, result: Floats, first_move: bool
) -> Observations:
    """The games, added up for each pair of first and second mover; with a first-move term if
    requested and identifiable."""
    pairs, row = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)
    wins, draws, losses = (
        np.bincount(row.ravel(), weights=result == value, minlength=len(pairs)).astype(float)
        for value in (1.0, 0.5, 0.0)
    )
    played = Observations(size, pairs[:, 0], pairs[:, 1], np.ones(len(pairs)), wins, draws, losses,
                          first_move, bool(draws.any()))
    return replace(played, with_first_move=first_move and share_told_apart(played) > _TOLD_APART)


def _with_bridges(data: Observations, bridges: Sequence[Bridge], games: float) -> Observations:
    """`data` and virtual games across each bridge, half won and half lost, where moving first does
    not count."""
    if not bridges:
        return data
    pairs = np.vstack([bridge.pairs for bridge in bridges])
    half = games / 2 * np.concatenate([bridge.shares for bridge in bridges])
    return data.plus(pairs[:, 0], pairs[:, 1], 0 * half, half, 0 * half, half)
