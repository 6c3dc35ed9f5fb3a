"""Checks of a learner's games: values, policies, variety, and mistakes by exact results."""

from __future__ import annotations

from collections import Counter

import numpy as np

from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis, Finding, judge
from engines.learning.diagnostics.positions import Calibration, Positions, calibrate, correlation
from engines.solver.outcomes import is_mistake, outcomes_of

# Earlier positions of these games take the solver too long. MOST_SOLVED: how many are solved.
_SOLVE_AFTER = {"connect4": 16, "tictactoe": 0}
MOST_SOLVED = 300
# Fewer games or positions say too little.
_ENOUGH_GAMES, _ENOUGH_POSITIONS = 20, 50


def check_games(
    diagnosis: Diagnosis, positions: Positions, trained: bool = True, is_drawn: bool = False
) -> None:
    """Findings about the games of a search.

    Args:
        positions: of the games.
        trained: whether the network that played had had the time to learn anything. If not, its
            values are what chance made of the planes: it may well say "black" for every
            position, and agree with results that are white's for the most part.
        is_drawn: whether the search's move is drawn from its policy, as Gumbel does, and is not
            always the policy's favourite.
    """
    learned = positions.labelled
    calibration = calibrate(positions.search_values[learned], positions.outcomes[learned])
    diagnosis.calibrations["search"] = calibration
    if trained:
        diagnosis.add(value_sign("value sign", "the search", calibration))
    else:
        diagnosis.add(judge("value sign", "the network that played had learned nothing yet"))
    rows = np.flatnonzero(positions.full)
    if len(rows):
        diagnosis.add(policy_targets(positions.shares[rows], positions.legal[rows],
                                     positions.chosen[rows], is_drawn, trained))
    diagnosis.add(repeated_games(positions), results(positions))


def value_sign(name: str, whose: str, calibration: Calibration) -> Finding:
    """Do expected values and results agree?"""
    n, r = calibration.positions, calibration.correlation
    bias = max((abs(expected - result) for expected, result, count in calibration.bins
                if count >= 0.05 * n), default=0.0)
    # Of n independent pairs |r| stays below 3 / sqrt(n); positions of one game are not.
    doubt = 10 / np.sqrt(max(n, 1))
    return judge(
        name, f"values of {whose} and results have a correlation of {r:+.2f} over {n:,} positions "
        "that were not proved",
        (n < _ENOUGH_POSITIONS, FINE, "too few to tell"),
        (r < -0.1 and r < -doubt, ILL, "the value has the wrong sign"),
        (r < max(0.05, doubt / 3), WATCH, "it does not predict the winner yet"),
        (True, FINE, f"expected and actual results differ by at most {bias:.2f}"),
    )


def policy_targets(
    policies: np.ndarray, legal: np.ndarray, actions: np.ndarray, is_drawn: bool, trained: bool
) -> Finding:
    """Do the policies belong to the positions and to the moves that the search chose?"""
    shares = policies[np.arange(len(actions)), actions]
    stray = float((policies * ~legal).sum(axis=1).mean())
    if is_drawn:
        even = float((1 / np.maximum(legal.sum(axis=1), 1)).mean())
        message = (f"policies give the move the search chose {shares.mean():.0%} (it should be far "
                   f"more than the {even:.0%} of an even policy)")
        # Where the network knows nothing, the policy after a few simulations is nearly even.
        wrong = trained and shares.mean() < 1.3 * even
    else:
        # A policy is stored in steps of 1/255 of its largest share, and equals are chosen among.
        agree = float((shares >= 0.98 * policies.max(axis=1)).mean())
        message = (f"{agree:.0%} of the policies favour the move the search chose (it should be "
                   "nearly all)")
        wrong = agree < 0.8
    return judge(
        "policy targets",
        f"{message}, and {stray:.1%} of their weight is on illegal moves (it should be none)",
        (wrong or stray > 0.005, ILL, "policies do not match their positions"),
    )


def repeated_games(positions: Positions) -> Finding:
    """Are the games different enough to learn from?"""
    games = positions.games
    lines = [actions.tobytes() for actions in np.split(games.actions, games.firsts[1:-1])]
    counts = np.array(list(Counter(lines).values()))
    n = max(len(lines), 1)
    distinct, commonest = len(counts) / n, counts.max(initial=0) / n
    middle = int(np.median(positions.ply)) if len(positions.ply) else 0
    keys = positions.keys[positions.ply >= middle]
    repeated = 1 - len(np.unique(keys)) / len(keys) if len(keys) else 0.0
    enough = n >= _ENOUGH_GAMES
    return judge(
        "repeated games",
        f"{distinct:.0%} of {len(lines):,} games are different, the commonest is {commonest:.1%} "
        f"of them; {repeated:.0%} of the positions after ply {middle} occurred before",
        (enough and (distinct < 0.1 or commonest > 0.2), ILL,
         "the games are too similar; check noise, temperature and sampled plies"),
        (enough and distinct < 0.6, WATCH,
         "more noise or more sampled plies would teach more (a small game has few games, though)"),
    )


def results(positions: Positions) -> Finding:
    """Are the results different enough to learn from?"""
    outcomes = positions.games.results
    won, drew = float(np.mean(outcomes == 1)), float(np.mean(outcomes == 0))
    loss_share = 1 - won - drew
    return judge(
        "results", f"the first player won {won:.0%}, drew {drew:.0%} and lost {loss_share:.0%}",
        (len(outcomes) >= _ENOUGH_GAMES and max(won, drew, loss_share) > 0.97, WATCH,
         "a value learns nothing if all results are equal"),
    )


def exact_results(positions: Positions) -> Finding | None:
    """How often the search errs, and whether its values know who wins; for solved games."""
    solve = outcomes_of(positions.game)
    if solve is None:
        return None
    late = _SOLVE_AFTER.get(positions.game.name, 0)
    rows = np.flatnonzero(positions.labelled & positions.full & (positions.ply >= late))
    if not len(rows):
        return None
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_SOLVED, len(rows))).astype(int)]
    outcomes = solve([positions.line(row) for row in rows.tolist()])
    wrong = np.mean([
        is_mistake(outcome, int(positions.chosen[row]))
        for outcome, row in zip(outcomes, rows, strict=True)
    ])
    best = np.array([max(outcome.values()) for outcome in outcomes], float)
    r = correlation(np.nan_to_num(positions.search_values[rows]), best)
    where = f" (from ply {late} on)" if late else ""
    return judge(
        "exact results",
        f"by exact results, {wrong:.1%} of the search's moves are mistakes{where}, and its values "
        f"have a correlation of {r:+.2f} with them ({len(rows)} positions)",
        (len(rows) >= _ENOUGH_POSITIONS and r < -0.1, ILL, "the values contradict them"),
    )
