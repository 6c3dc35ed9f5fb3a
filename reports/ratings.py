"""Elo ratings with intervals from a list of game results.

The model and its likelihood are in `davidson.py`. Strengths are fitted by maximum likelihood and
reported as Elo, 400 points for odds of ten wins to one loss between two entrants who move first
equally often: Elo = 400 * log10(pi). Draws have their own parameter, so they pull two ratings
together but do not count as "half a win" in these odds.

Zero is the mean of the field: of the entrants whose ratings the games themselves bound.
The 95% interval of a rating is the estimate +- 1.96 standard errors, from the inverse of the
observed information; it says how well the distance to that mean is known. For the distance
between two entrants use `RatingTable.difference`: the two intervals do not add up to it.
Games are taken as independent. In fact the two games of a pair share an opening, colours
swapped, so that what favours one side cancels: intervals of ratings tend to be a little too
wide. `bootstrap.py` makes intervals without that assumption. That of the first-move advantage
speaks of the openings played and no others.

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
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import DlgoError
from reports.connections import Bridge, Connections, Ints, listing
from reports.davidson import Floats, Observations, covariance_matrix, growing_direction, maximise
from reports.rating_table import ELO, Estimate, Rating, RatingTable, bounds, interval

if TYPE_CHECKING:
    import pandas as pd


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
        DlgoError: if there is no game, a result is another number, or `prior` is 0 and no
            finite ratings exist.
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
    names, (ahead, behind) = [str(name) for name in names], who.reshape(2, -1)
    links = Connections.of(names, ahead, behind, scores)
    played, gamma = _observations(len(names), ahead, behind, scores, first_move)
    data, runaways = _bounded(played, links, (ahead, behind, scores), gamma, prior)
    parameters = maximise(data, links.shifts(data.size))

    notes, remarks = links.notes(), []
    if links.group_remark():
        remarks.append(links.group_remark())
    if first_move and not gamma:
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

    covariance = covariance_matrix(data, parameters, links.shifts(data.size))
    errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    advantage = draw = None
    if gamma:
        advantage = interval(ELO * parameters[len(names)], ELO * errors[len(names)])
    if data.with_draws:
        draw = Estimate(*np.exp(bounds(parameters[-1], errors[-1])).tolist())
    ratings, rating_covariance = _ratings(links, notes, parameters, covariance)
    return RatingTable(
        ratings, rating_covariance, advantage, draw,
        played.log_likelihood(parameters), len(scores), tuple(remarks),
        zero=frozenset(np.array(names)[links.mean_weights().any(axis=0)].tolist()),
    )


def _bounded(
    played: Observations, links: Connections, games: tuple[Ints, Ints, Floats], gamma: bool,
    prior: float,
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
        culprits = [name for name, note in zip(links.names, links.notes(), strict=True) if note]
        raise DlgoError(
            f"ratings: no finite ratings fit the record of {listing(culprits or links.names)}; "
            "allow a prior (prior=1)"
        )
    runaways = _runaways(data, links, growing, gamma, prior)
    # If somebody only won and drew, nu may run away with the ratings, which a loss stops.
    first, second, scores = games
    decided = scores != 0.5
    wins_only = Connections.of(links.names, first[decided], second[decided], scores[decided])
    data = _with_bridges(data, wins_only.bridges, prior / max(1, len(wins_only.bridges)))
    if growing_direction(data) is not None:
        data = _with_equals(data, gamma, prior)
    return data, runaways


def _runaways(
    data: Observations, links: Connections, growing: Floats, gamma: bool, prior: float
) -> Ints:
    """The entrants whose ratings have to grow in an unbounded direction.

    Where gamma or nu grow by themselves (every first mover won), a direction may move ratings
    too, for nothing; so first those two are held, then it is asked again.
    """
    size = len(links.names)
    common = Observations(
        data.design[:, size:], data.wins, data.draws, data.losses, data.with_draws
    )
    if common.size and growing_direction(common) is not None:
        again = growing_direction(_with_equals(data, gamma, prior))
        growing = np.zeros(data.size) if again is None else again
    moves = growing[:size].copy()
    for group in range(links.group.max() + 1):  # a shift of a whole group changes nothing
        moves[links.group == group] -= np.median(moves[links.group == group])
    return np.flatnonzero(np.abs(moves) > 1e-6)


def _ratings(
    links: Connections, notes: Sequence[str], parameters: Floats, covariance: Floats
) -> tuple[tuple[Rating, ...], Floats]:
    """The ratings, best first, and their covariance in that order, in Elo."""
    size = len(links.names)
    centring = ELO * (np.eye(size) - links.mean_weights())
    values = centring @ parameters[:size]
    covariance = centring @ covariance[:size, :size] @ centring.T
    errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    order = sorted(range(size), key=lambda i: (-values[i], links.names[i]))
    ratings = tuple(
        Rating(
            *bounds(values[i], errors[i]),
            entrant=links.names[i], group=int(links.group[i]) + 1, note=notes[i],
        )
        for i in order
    )
    return ratings, covariance[np.ix_(order, order)]


def _observations(
    size: int, first: Ints, second: Ints, result: Floats, first_move: bool
) -> tuple[Observations, bool]:
    """The games, added up for each pair of first and second mover.

    Returns:
        the observations, and whether they have a column for the first move.
    """
    pairs, row = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)
    row = row.ravel()
    design = np.zeros((len(pairs), size))
    np.add.at(design, (np.arange(len(pairs)), pairs[:, 0]), 1)  # adds up to 0 in a game
    np.add.at(design, (np.arange(len(pairs)), pairs[:, 1]), -1)  # against oneself
    if first_move:
        # Strengths that imitate a first-move advantage make gamma impossible to tell.
        ones = np.ones(len(pairs))
        imitation = design @ np.linalg.lstsq(design, ones)[0]
        first_move = bool(np.abs(imitation - ones).max() > 1e-8)
    if first_move:
        design = np.column_stack([design, np.ones(len(pairs))])
    wins, draws, losses = (
        np.bincount(row, weights=result == value, minlength=len(pairs))
        for value in (1.0, 0.5, 0.0)
    )
    return Observations(design, wins, draws, losses, bool(draws.any())), first_move


def _with_bridges(data: Observations, bridges: Sequence[Bridge], prior: float) -> Observations:
    """`data` and `prior` virtual games across each bridge, half won and half lost.

    They are played on neutral ground: nobody has the first move.
    """
    if not bridges or prior <= 0:
        return data
    pairs = np.vstack([bridge.pairs for bridge in bridges])
    half = prior / 2 * np.concatenate([bridge.shares for bridge in bridges])
    design = np.zeros((len(pairs), data.design.shape[1]))
    design[np.arange(len(pairs)), pairs[:, 0]] = 1
    design[np.arange(len(pairs)), pairs[:, 1]] = -1
    return _with_rows(data, design, half, 0 * half, half)


def _with_equals(data: Observations, gamma: bool, prior: float) -> Observations:
    """`data` and half a win, half a draw, half a loss of a first mover against an equal."""
    design = np.zeros((1, data.design.shape[1]))
    if gamma:
        design[0, -1] = 1
    half = np.array([prior / 2])
    return _with_rows(data, design, half, half * data.with_draws, half)


def _with_rows(
    data: Observations, design: Floats, wins: Floats, draws: Floats, losses: Floats
) -> Observations:
    return Observations(
        np.vstack([data.design, design]),
        np.concatenate([data.wins, wins]),
        np.concatenate([data.draws, draws]),
        np.concatenate([data.losses, losses]),
        data.with_draws,
    )
