"""Elo ratings with intervals from a list of game results.

The model and its likelihood are in `davidson.py`. Strengths pi are fitted by maximum likelihood.
On the model's own scale, 400 log10(pi), 400 points are odds of ten wins to one loss. Draws have
their own parameter nu there and do not count as "half a win" in these odds.

Ratings are printed on the scale of the *expected score*, as engine authors read Elo: near
equality, a difference D stands for a score of 1 / (1 + 10^(-D/400)), a draw being half a win.
With d = ln(pi_i / pi_j) the model expects the score (1 + S) / 2, S = sinh(d/2) / (cosh(d/2) +
nu/2). Its slope at d = 0 is 1 / (4 + 2 nu), that of the logistic function 1/4, hence

    Elo = 2 / (2 + nu) * 400 log10(pi).

BayesElo scales its list in the same way, for its own model of draws. As nu is estimated too, its
error is part of the intervals of ratings and differences (first-order propagation).

Zero is the mean of the field: of the entrants whose ratings the games themselves bound.
The 95% interval of a rating is the estimate +- 1.96 standard errors, from the inverse of the
observed information; it says how well the distance to that mean is known. For the distance
between two entrants use `RatingTable.difference`: the two intervals do not add up to it.
Games are taken as independent. In fact the two games of a pair share an opening, colours
swapped, so that what favours one side cancels: intervals of ratings tend to be a little too
wide. `bootstrap.py` makes intervals without that assumption. The interval of the first-move
advantage speaks of the openings played and no others.

What maximum likelihood cannot answer, and what is done about it
----------------------------------------------------------------
Ford (1957): strengths are finite if and only if, however the field is cut in two, each part
has taken a point from the other. An entrant that won every game, or two that never lost to
the rest, have no largest likelihood: better is always likelier. Three remedies were
considered.

* Leave them out, as some programs do. But random bots lose every game, and they are wanted.
* A prior on every entrant (a Normal, or a virtual draw against an average opponent). It moves
  all ratings, also those the games determine, and it squeezes most where the field is widest:
  a random bot 2000 points below the mean is nowhere near drawing with "the average".
* Used here: split the field into the parts that Ford's condition connects. They are ordered
  by who beat whom. Between a part and the next one below it that it played, and only there,
  add one virtual game that counts as half a win and half a loss. Distances inside a part
  hardly change, and where Ford's condition holds there is no prior: the ratings are plain
  maximum likelihood.

Half a win and half a loss is Jeffreys' prior, Beta(1/2, 1/2), for the outcome between the
two parts. Its answers are sane and stay in order: n wins in n games put two entrants
400 * log10(2n + 1) apart, which for 100-0 is 921; the record 99-1, which needs no prior, gives
798. Entrants placed by it carry a note. Their intervals are as wide as the prior allows, so
the note matters more.

gamma and nu can be unbounded too. If somebody won or drew every game, nu may grow with the
rating: then one virtual game as above is shared out between the parts that wins alone
connect. If that is not enough (every first mover won; every game was drawn), 3/2 games between
two equals are added, half a win, half a draw and half a loss of the first mover. A remark says
so. A term the games cannot show at all is left out, with a remark: nu when no game was drawn,
gamma when it cannot be told from strength, as when each entrant moved only first or only
second. Groups that never met have each its own zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import DlgoError
from reports.connections import Bridge, Connections, listing
from reports.davidson import (
    Floats,
    Ints,
    Observations,
    covariance_matrix,
    growing_direction,
    maximise,
)
from reports.rating_table import ELO, Estimate, Rating, RatingTable, bounds, interval

if TYPE_CHECKING:
    import pandas as pd

# That can be rated together: their covariances take 8 bytes a pair, 128 MB.
MOST_ENTRANTS = 4000


def repeated_games(games: pd.DataFrame) -> pd.Series:
    """Which rows repeat an earlier game: same game, players, order, moves and result.

    Two deterministic engines that meet twice from one opening play one game twice. The second
    says nothing new, and counting it would narrow the intervals for nothing. The first of
    each set of equal games is not marked.

    Engines that play at random may repeat a game by chance. Such a game should count twice, but
    the ledger does not show the difference. It matters in tiny games: if the same few drawn lines
    of tic-tac-toe come up again and again, draws are undercounted. More openings help.

    The result counts because a game can end without a move: an engine that breaks down after
    the opening leaves the same moves as one that breaks down on the other side. A game of
    which no moves are known is never taken for a repetition.
    """
    repeated = games.duplicated(["game", "first", "second", "moves", "result"])
    return repeated & (games["moves"] != "")


def fit_ratings(
    first: Sequence[str],
    second: Sequence[str],
    result: Sequence[float],
    *,
    prior: float = 1.0,
    first_move: bool = True,
) -> RatingTable:
    """Rate everyone who played.

    Args:
        first, second: who moved first and second, an element a game.
        result: 1, 0.5 or 0, as the first mover sees it.
        prior: weight of the virtual games, used only where the games alone give no finite
            answer (module docstring). 0: none.
        first_move: whether to estimate the first-move advantage.

    Raises:
        DlgoError: if there is no game, a result is another number, there are more than
            `MOST_ENTRANTS`, or `prior` is 0 and no finite ratings exist.
    """
    scores = np.asarray(result, float)
    if not len(first) == len(second) == len(scores):
        raise DlgoError(
            f"ratings: {len(first)} first, {len(second)} second and {len(scores)} results; "
            "give one of each a game"
        )
    if len(scores) == 0:
        raise DlgoError("ratings: there are no games to rate; play some first")
    invalid = scores[~np.isin(scores, (0.0, 0.5, 1.0))]
    if len(invalid):
        raise DlgoError(f"ratings: result {invalid[0]} is not 1, 0.5 or 0")

    names, who = np.unique([list(first), list(second)], return_inverse=True)
    if len(names) > MOST_ENTRANTS:
        raise DlgoError(
            f"ratings: {len(names):,} entrants of one game; at most {MOST_ENTRANTS:,} can be rated "
            "together, so rate parts of the list"
        )
    names, (ahead, behind) = [str(name) for name in names], who.reshape(2, -1)
    links = Connections.of(names, ahead, behind, scores)
    played = _observations(len(names), ahead, behind, scores, first_move)
    data, runaways = _bounded(played, links, (ahead, behind, scores), prior)
    parameters = maximise(data, links.leaders())

    notes, remarks = links.notes(), []
    if links.group_remark():
        remarks.append(links.group_remark())
    if first_move and not played.with_first_move:
        remarks.append("No first-move advantage is given: who moved first was not varied "
                       "enough to tell it from strength.")
    if not played.with_draws:
        remarks.append("No game was drawn, so the model has no draws.")
    if runaways is not None:
        remarks.append("The games alone do not bound the first-move advantage or the share of "
                       "draws; at most 5/2 virtual games were added for them.")
        for i in runaways:
            notes[i] = notes[i] or "bounded only by the prior on first move and draws"
    notes = ["; ".join(filter(None, (note, links.group_note(i)))) for i, note in enumerate(notes)]

    covariance = covariance_matrix(data, parameters, links.leaders())
    draw = None
    if data.with_draws:
        error = float(np.sqrt(max(covariance[-1, -1], 0.0)))
        draw = Estimate(*np.exp(bounds(parameters[-1], error)).tolist())
    # Zero of each group, subtracted from its strengths.
    size, weights = len(names), links.mean_weights()
    model = parameters.copy()
    model[:size] -= (weights @ parameters[:size])[links.group]
    covariance[:size] -= (weights @ covariance[:size])[links.group]
    covariance[:, :size] -= (weights @ covariance[:, :size].T)[links.group].T
    values, covariance = _expected_score_scale(ELO * model, ELO**2 * covariance, draw)
    advantage = None
    if data.with_first_move:
        advantage = interval(values[size], float(np.sqrt(max(covariance[size, size], 0.0))))
    errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    order = sorted(range(size), key=lambda i: (-values[i], names[i]))
    ratings = tuple(
        Rating(
            *bounds(values[i], errors[i]), entrant=names[i], group=int(links.group[i]) + 1,
            note=notes[i], model=float(ELO * model[i]),
        )
        for i in order
    )
    return RatingTable(
        ratings, covariance[np.ix_(order, order)], advantage, draw,
        played.log_likelihood(parameters), len(scores), tuple(remarks),
        zero=frozenset(names[i] for i in weights.indices[weights.data > 0]),
    )


def _expected_score_scale(
    model: Floats, covariance: Floats, draw: Estimate | None
) -> tuple[Floats, Floats]:
    """Elo on the scale of the expected score, and its covariance.

    Args:
        model: (parameters,) all of them on the model's own scale, ln nu last if there is `draw`.
        covariance: of these.
        draw: nu.
    """
    if draw is None:
        return model, covariance
    share = draw.value / (2 + draw.value)  # of draws between equals
    # Elo = (1 - share) * model; by ln nu, the factor has the derivative -share * (1 - share).
    spread, with_nu = share * model / ELO, covariance[-1]
    scaled = covariance - np.outer(spread, with_nu) - np.outer(with_nu, spread)
    scaled += np.outer(spread, spread) * covariance[-1, -1]
    return (1 - share) * model, (1 - share) ** 2 * scaled


def _bounded(
    played: Observations, links: Connections, games: tuple[Ints, Ints, Floats], prior: float
) -> tuple[Observations, Ints | None]:
    """The games and as many virtual ones as a finite answer takes.

    Returns:
        the observations; and where gamma or nu were unbounded (else None) the entrants whose
        ratings would run away along with them.
    """
    data = _with_bridges(played, links.bridges, prior)
    growing = growing_direction(data)
    if growing is None:
        return data, None
    if prior <= 0:
        unbounded = [name for name, note in zip(links.names, links.notes(), strict=True) if note]
        raise DlgoError(
            f"ratings: no finite ratings fit the record of {listing(unbounded or links.names)}; "
            "allow a prior (prior=1)"
        )
    runaways = _runaways(data, links, growing, prior)
    # If an entrant only won and drew, nu may run away with its rating, which a loss stops.
    first, second, scores = games
    decided = scores != 0.5
    wins_only = Connections.of(links.names, first[decided], second[decided], scores[decided])
    data = _with_bridges(data, wins_only.bridges, prior / max(1, len(wins_only.bridges)))
    if growing_direction(data) is not None:
        data = _with_equals(data, prior)
    return data, runaways


def _runaways(data: Observations, links: Connections, growing: Floats, prior: float) -> Ints:
    """The entrants whose ratings have to grow in an unbounded direction.

    Where gamma or nu grow by themselves (every first mover won), a direction may move ratings
    too, for nothing; so first those two are held, then it is asked again.
    """
    size = len(links.names)
    # All games as those of an entrant against itself: only gamma and nu are left.
    common = replace(data, first=0 * data.first, second=0 * data.second, entrants=1)
    if growing_direction(common) is not None:
        again = growing_direction(_with_equals(data, prior))
        growing = np.zeros(data.size) if again is None else again
    moves = growing[:size].copy()
    for group in range(links.group.max() + 1):  # a shift of a whole group changes nothing
        moves[links.group == group] -= np.median(moves[links.group == group])
    return np.flatnonzero(np.abs(moves) > 1e-6)


def _observations(
    size: int, first: Ints, second: Ints, result: Floats, first_move: bool
) -> Observations:
    """The games, added up for each pair of first and second mover.

    There is a first-move term if it is wanted and can be told from strength.
    """
    pairs, row = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)
    row = row.ravel()
    wins, draws, losses = (
        np.bincount(row, weights=result == value, minlength=len(pairs))
        for value in (1.0, 0.5, 0.0)
    )
    return Observations(
        size, pairs[:, 0], pairs[:, 1], np.ones(len(pairs)), wins, draws, losses,
        first_move and not _imitates_first_move(size, pairs), bool(draws.any()),
    )


def _imitates_first_move(size: int, pairs: Ints) -> bool:
    """Whether strengths alone can give every first mover the same advantage.

    That is so if there are numbers x with x[first] - x[second] = 1 for all pairs.
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for first, second in pairs.tolist():
        neighbours[first].append((second, -1))
        neighbours[second].append((first, 1))
    level: dict[int, int] = {}
    for start in range(size):
        if start in level:
            continue
        level[start], waiting = 0, [start]
        while waiting:
            here = waiting.pop()
            for there, step in neighbours[here]:
                if there not in level:
                    level[there] = level[here] + step
                    waiting.append(there)
    return all(level[first] - level[second] == 1 for first, second in pairs.tolist())


def _with_bridges(data: Observations, bridges: Sequence[Bridge], prior: float) -> Observations:
    """`data` and `prior` virtual games across each bridge, half won and half lost.

    They are played on neutral ground: moving first does not count.
    """
    if not bridges or prior <= 0:
        return data
    pairs = np.vstack([bridge.pairs for bridge in bridges])
    half = prior / 2 * np.concatenate([bridge.shares for bridge in bridges])
    return data.plus(pairs[:, 0], pairs[:, 1], 0 * half, half, 0 * half, half)


def _with_equals(data: Observations, prior: float) -> Observations:
    """`data` and half a win, half a draw, half a loss of a first mover against an equal."""
    zero, half = np.array([0]), np.array([prior / 2])
    return data.plus(zero, zero, np.ones(1), half, half * data.with_draws, half)
