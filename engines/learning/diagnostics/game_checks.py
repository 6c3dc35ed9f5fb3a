"""Checks of a learner's games: values, policies, variety, and mistakes by exact results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.learning.diagnostics.findings import (
    FINE,
    ILL,
    WATCH,
    Check,
    Diagnosis,
    Measure,
    Threshold,
)
from engines.learning.diagnostics.positions import (
    Calibration,
    Positions,
    calibrate,
    correlation,
    entropy,
    variety,
)
from engines.solver.outcomes import is_mistake, outcomes_of

# Earlier positions of these games take the solver too long. MOST_SOLVED: how many are solved.
_SOLVE_AFTER = {"connect4": 16, "tictactoe": 0}
MOST_SOLVED = 300
# Fewer games or positions say too little.
_ENOUGH_GAMES, _ENOUGH_POSITIONS = 20, 50


@dataclass(frozen=True)
class GameEvidence:
    """What the checks of games look at.

    Attributes:
        positions: of the games.
        calibration: of the search's values.
        trained: whether the network that played had had the time to learn anything. If not, its
            values are what chance made of the planes: it may well say "black" for every
            position, and agree with results that are white's for the most part.
        drawn: whether the search's move is drawn from its policy, as Gumbel does, and is not
            always the policy's favourite.
    """

    positions: Positions
    calibration: Calibration
    trained: bool
    drawn: bool


def check_games(
    diagnosis: Diagnosis, positions: Positions, trained: bool = True, drawn: bool = False
) -> None:
    """What the games say; see `GameEvidence` for the arguments."""
    learned = positions.labelled
    calibration = calibrate(positions.values[learned], positions.results[learned])
    diagnosis.calibrations["search"] = calibration
    diagnosis.add(GAME_CHECKS, GameEvidence(positions, calibration, trained, drawn))


def value_check(name: str, whose: str, measure) -> Check:
    """Do expected values and results agree? `measure` gives those of `value_measure`."""
    return Check(
        name, measure,
        f"values of {whose} and results have a correlation of {{r:+.2f}} over {{n:,}} positions "
        "that were not proved",
        Threshold(FINE, lambda m: m.n < _ENOUGH_POSITIONS, "too few to tell"),
        Threshold(ILL, lambda m: m.r < -0.1 and m.r < -m.doubt,
                  "the sign of the value is turned around"),
        Threshold(WATCH, lambda m: m.r < max(0.05, m.doubt / 3),
                  "it says nothing yet about who wins"),
        Threshold(FINE, lambda m: True,
                  "expected and actual results differ by {bias:.2f} at most"),
    )


def value_measure(calibration: Calibration) -> Measure:
    """r: correlation. n: positions. doubt: how far from 0 luck may bring r. bias: see above."""
    n = calibration.positions
    bias = max((abs(expected - result) for expected, result, count in calibration.bins
                if count >= 0.05 * n), default=0.0)
    # Of n independent pairs |r| stays below 3 / sqrt(n); positions of one game are not.
    return Measure(r=calibration.correlation, n=n, doubt=10 / np.sqrt(max(n, 1)), bias=bias)


def _untrained(evidence: GameEvidence) -> Measure | None:
    return None if evidence.trained else Measure()


def _search_values(evidence: GameEvidence) -> Measure | None:
    return value_measure(evidence.calibration) if evidence.trained else None


def _full_policies(positions: Positions) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Policies, legal moves and chosen moves of the full searches; None if there is none."""
    rows = np.flatnonzero(positions.full)
    if not len(rows):
        return None
    return positions.policies[rows], positions.legal[rows], positions.chosen[rows]


def _policies(evidence: GameEvidence) -> Measure | None:
    """chosen: mean share of the search's move. agree: how often it is the policy's favourite.

    even: the share an even policy would give it. stray: weight on illegal moves.
    """
    full = _full_policies(evidence.positions)
    if full is None:
        return None
    policies, legal, moves = full
    chosen = policies[np.arange(len(moves)), moves]
    return Measure(
        chosen=float(chosen.mean()),
        # A policy is stored in steps of 1/255 of its largest share, and equals are chosen among.
        agree=float((chosen >= 0.98 * policies.max(axis=1)).mean()),
        even=float((1 / np.maximum(legal.sum(axis=1), 1)).mean()),
        stray=float((policies * ~legal).sum(axis=1).mean()),
    )


def _favourites(evidence: GameEvidence) -> Measure | None:
    return None if evidence.drawn else _policies(evidence)


def _draws(evidence: GameEvidence) -> Measure | None:
    return _policies(evidence) if evidence.drawn else None


def _search_entropy(evidence: GameEvidence) -> Measure | None:
    full = _full_policies(evidence.positions)
    if full is None:
        return None
    nats = float(entropy(full[0]).mean())
    return Measure(nats=nats, moves=np.exp(nats))


def _variety(evidence: GameEvidence) -> Measure:
    return Measure(**vars(variety(evidence.positions)))


def _results(evidence: GameEvidence) -> Measure:
    results = np.array([game.result for game in evidence.positions.games])
    won, drawn = float(np.mean(results == 1)), float(np.mean(results == 0))
    return Measure(games=len(results), won=won, drawn=drawn, lost=1 - won - drawn)


_MISMATCH = "policies and positions do not belong together"

GAME_CHECKS = (
    Check("value sign", _untrained, "the network that played had learned nothing yet"),
    value_check("value sign", "the search", _search_values),
    Check(
        "policy targets", _favourites,
        "{agree:.0%} of the policies favour the move the search chose (it should be nearly all), "
        "and {stray:.1%} of their weight is on illegal moves (it should be none)",
        Threshold(ILL, lambda m: m.agree < 0.8 or m.stray > 0.005, _MISMATCH),
    ),
    Check(
        "policy targets", _draws,
        "policies give the move the search chose {chosen:.0%} (it should be far more than the "
        "{even:.0%} of an even policy), and {stray:.1%} of their weight is on illegal moves (it "
        "should be none)",
        Threshold(ILL, lambda m: m.chosen < 1.3 * m.even or m.stray > 0.005, _MISMATCH),
    ),
    Check(
        "search entropy", _search_entropy,
        "the search's policy has {nats:.2f} nats, as if it chose among {moves:.1f} equal moves",
    ),
    Check(
        "repeated games", _variety,
        "{distinct:.0%} of {games:,} games are different, the commonest is {commonest:.1%} of "
        "them; {repeated:.0%} of the positions after ply {after} occurred before",
        Threshold(ILL, lambda m: m.games >= _ENOUGH_GAMES and (
            m.distinct < 0.1 or m.commonest > 0.2
        ), "the games are alike; look at noise, temperature and sampled plies"),
        Threshold(WATCH, lambda m: m.games >= _ENOUGH_GAMES and m.distinct < 0.6,
                  "more noise or more sampled plies would teach more (a small game has few "
                  "games, though)"),
    ),
    Check(
        "results", _results,
        "the first player won {won:.0%}, drew {drawn:.0%} and lost {lost:.0%}",
        Threshold(WATCH, lambda m: m.games >= _ENOUGH_GAMES and max(m.won, m.drawn, m.lost) > 0.97,
                  "from results that are all alike, a value learns nothing"),
    ),
)


def check_exact_results(diagnosis: Diagnosis, positions: Positions) -> None:
    """How often the search errs, and whether its values know who wins; for solved games."""
    diagnosis.add(EXACT_CHECKS, positions)


def _exact_results(positions: Positions) -> Measure | None:
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
    return Measure(
        wrong=wrong, r=correlation(np.nan_to_num(positions.values[rows]), best), n=len(rows),
        where=f" (from ply {late} on)" if late else "",
    )


EXACT_CHECKS = (
    Check(
        "exact results", _exact_results,
        "by exact results, {wrong:.1%} of the search's moves are mistakes{where}, and its values "
        "have a correlation of {r:+.2f} with them ({n} positions)",
        Threshold(ILL, lambda m: m.n >= _ENOUGH_POSITIONS and m.r < -0.1,
                  "the values contradict them"),
    ),
)
