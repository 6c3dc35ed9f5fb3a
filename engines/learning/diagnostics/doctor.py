"""What games of self-play say about a learner: values, policies, variety, exact results.

Each finding has a name, a level and a sentence with its numbers; what a number should be stands
in the sentence.
"""

from __future__ import annotations

import numpy as np

from engines.learning.diagnostics.checkup import FINE, ILL, WATCH, CheckUp, judge_values
from engines.learning.diagnostics.survey import (
    Survey,
    Variety,
    calibrate,
    correlation,
    entropy,
    variety,
)
from engines.solver.outcomes import is_mistake, outcomes_of

# Connect Four before this ply takes the solver too long for a check-up; and so many positions.
_SOLVE_AFTER = {"connect4": 16, "tictactoe": 0}
MOST_SOLVED = 300


def look_at_games(
    found: CheckUp, seen: Survey, trained: bool = True, drawn: bool = False
) -> None:
    """What the games say: are values right, policies of their positions, games different?

    Args:
        trained: whether the network that played had had the time to learn anything. If not, its
            values are what chance made of the planes: one may well say "black" for every
            position, and go together with results that are white's for the most part.
        drawn: whether the search's move is drawn from its policy, as Gumbel does, and is not
            always the policy's favourite.
    """
    calibration = calibrate(seen.values[seen.labelled], seen.results[seen.labelled])
    found.calibrations["search"] = calibration
    if trained:
        judge_values(found, "value sign", "the search", calibration)
    else:
        found.say("value sign", FINE, "the network that played had learned nothing yet")

    rows = np.flatnonzero(seen.full)
    if len(rows):
        _judge_policies(found, seen, rows, drawn)
        mean = float(entropy(seen.policies[rows]).mean())
        found.say("search entropy", FINE, f"the search's policy has {mean:.2f} nats: as sure as if "
                  f"it chose among {np.exp(mean):.1f} moves alike")

    some = variety(seen)
    _judge_variety(found, some)
    drawn = float(np.mean([one.result == 0 for one in seen.games]))
    won = float(np.mean([one.result == 1 for one in seen.games]))
    one_sided = len(seen.games) >= 20 and max(drawn, won, 1 - drawn - won) > 0.97
    found.say(
        "results", WATCH if one_sided else FINE,
        f"{won:.0%} won by who begins, {drawn:.0%} drawn, {1 - won - drawn:.0%} lost"
        + ("; from results that are all alike, a value learns nothing" if one_sided else ""),
    )


def _judge_policies(found: CheckUp, seen: Survey, rows: np.ndarray, drawn: bool) -> None:
    """Do policies belong to their positions? By the legal moves, and by the search's move."""
    policies, legal = seen.policies[rows], seen.legal[rows]
    chosen = policies[np.arange(len(rows)), seen.chosen[rows]]
    stray = float((policies * ~legal).sum(axis=1).mean())
    illegal = f"{stray:.1%} of their weight is on moves that are not legal"
    if drawn:
        even = float((1 / np.maximum(legal.sum(axis=1), 1)).mean())
        share = float(chosen.mean())
        bad = share < 1.3 * even
        text = (f"policies give the move the search chose {share:.0%}, an even policy would give "
                f"it {even:.0%}, and {illegal}; it should be far more, and none")
    else:
        # A policy is stored in steps of 1/255 of its largest share, and equals are chosen among.
        agree = float((chosen >= 0.98 * policies.max(axis=1)).mean())
        bad = agree < 0.8
        text = (f"{agree:.0%} of the policies favour the move the search chose, and {illegal}; it "
                "should be nearly all, and none")
    bad |= stray > 0.005
    found.say("policy targets", ILL if bad else FINE, text + (
        "; policies and positions do not belong together" if bad else ""))


def _judge_variety(found: CheckUp, some: Variety) -> None:
    text = (
        f"{some.distinct:.0%} of {some.games:,} games are different, the commonest is "
        f"{some.commonest:.1%} of them; {some.repeated:.0%} of the positions after ply "
        f"{some.after} have been seen before"
    )
    few = some.games >= 20
    if few and (some.distinct < 0.1 or some.commonest > 0.2):
        found.say("repeated games", ILL, text + ": the games are alike; look at noise, temperature "
                  "and sampled plies")
    elif few and some.distinct < 0.6:
        found.say("repeated games", WATCH, text + ": more noise or more sampled plies would "
                  "teach more (a small game has few games, though)")
    else:
        found.say("repeated games", FINE, text)


def look_at_exact_results(found: CheckUp, seen: Survey) -> None:
    """How often the search errs, and whether its values know who wins."""
    solve = outcomes_of(seen.game)
    if solve is None:
        return
    late = _SOLVE_AFTER.get(seen.game.name, 0)
    rows = np.flatnonzero(seen.labelled & seen.full & (seen.ply >= late))
    if not len(rows):
        return
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_SOLVED, len(rows))).astype(int)]
    outcomes = solve([seen.line(row) for row in rows.tolist()])
    wrong = np.mean([
        is_mistake(one, int(seen.chosen[row])) for one, row in zip(outcomes, rows, strict=True)
    ])
    best = np.array([max(one.values()) for one in outcomes], float)
    r = correlation(np.nan_to_num(seen.values[rows]), best)
    bad = len(rows) >= 50 and r < -0.1
    found.say(
        "exact results", ILL if bad else FINE,
        f"by exact results, {wrong:.1%} of the search's moves are mistakes"
        + (f" (from ply {late} on)" if late else "")
        + f", and its values go with them by a correlation of {r:+.2f} ({len(rows)} positions)",
    )
