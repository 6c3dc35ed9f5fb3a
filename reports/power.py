"""How many games it takes to see a difference, before playing any.

There are two answers: for a match of fixed length, and for the sequential test of `sprt.py`,
which on average needs fewer games. Draws between equals have a share `draws`, 0 to below 1, which
shrinks as one side gets stronger, as in Davidson's model. A difference in normalized Elo is one of
means in standard deviations of a game, so draws, and the likeness of a pair's games, are in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dlgo.errors import DlgoError
from dlgo.text import number_of
from reports.differences import MOST_NORMALIZED, NORMALIZED, TRINOMIAL, elo_of_score, score_of_elo
from reports.sprt import SprtBounds

# Differences that are asked for: beyond these, scores are 50% or 100% to the last digit.
_LEAST, _MOST = 0.01, 2000.0


def probabilities(elo: float, draws: float) -> np.ndarray:
    """Chances of loss, draw and win where the logistic Elo difference is `elo`.

    Davidson: win : draw : loss = r : nu : 1/r with nu = 2 draws / (1 - draws). The r that gives the
    score of `elo` solves r^2 (1 - s) + r nu (1/2 - s) - s = 0.
    """
    score, nu = score_of_elo(elo), 2 * draws / (1 - draws)
    ratio = max(np.roots([1 - score, nu * (0.5 - score), -score]).real)
    weights = np.array([1 / ratio, nu, ratio])
    weights /= weights.sum()
    return weights


def games_needed(
    elo: float, *, power: float = 0.8, alpha: float = 0.05, sides: int = 2, draws: float = 0.0,
    normalized: bool = False,
) -> int:
    """Games in a match of fixed length to tell a difference of `elo` points from none.

    Normal approximation, n = ((z_alpha sqrt(v0) + z_power sqrt(v1)) / (s - 1/2))^2, with v0 and v1
    the variance of a game's score under no difference and under `elo`. The exact binomial test,
    which cannot use up all of alpha, is weaker by some per cent.

    Args:
        power: chance that a difference this large comes out significant.
        alpha: chance that no difference does.
        sides: 2 to ask "different?", 1 to ask "better?".
        normalized: `elo` is normalized Elo; `draws` does not matter then.

    Raises DlgoError for a difference or a power that cannot be.
    """
    most = MOST_NORMALIZED if normalized else _MOST
    if not _LEAST <= abs(elo) <= most:
        raise DlgoError(f"power: elo={elo:g} is out of range; use {_LEAST:g} to {most:g} points")
    spread = _spread(abs(elo), power, alpha, sides, draws, normalized)
    return math.ceil((spread / _lead(abs(elo), normalized)) ** 2)


def smallest_difference(
    games: int, *, power: float = 0.8, alpha: float = 0.05, sides: int = 2, draws: float = 0.0,
    normalized: bool = False,
) -> float:
    """The Elo difference that a match of `games` games shows with the given power, at least 1e-6;
    infinite where so few games cannot show any."""
    from scipy.optimize import brentq

    def missing(elo: float) -> float:
        spread = _spread(elo, power, alpha, sides, draws, normalized)
        return spread / math.sqrt(games) - _lead(elo, normalized)

    least, top = 1e-6, MOST_NORMALIZED if normalized else elo_of_score(1 - 1e-9)
    if missing(least) < 0:  # a power hardly above alpha
        return least
    return float(brentq(missing, least, top)) if missing(top) < 0 else math.inf


def expected_sprt_games(bounds: SprtBounds, elo: float, draws: float = 0.0) -> float:
    """Games the sequential test takes on average where the true difference is `elo`.

    Wald's approximation, which forgets that the last game overshoots the bound. The LLR walks
    with drift m and variance v a game between the bounds a < 0 < b. With h = 2 m / v it ends
    at b with chance p = (1 - exp(-h a)) / (exp(-h b) - exp(-h a)), and takes
    (p b + (1 - p) a) / m games on average, or -a b / v where there is no drift.
    """
    hypotheses = elo, bounds.elo0, bounds.elo1
    if bounds.elo_model == "normalized":  # near equality
        lead, lead0, lead1 = (_lead(difference, True) for difference in hypotheses)
        drift, variance = (lead1 - lead0) * (lead - (lead0 + lead1) / 2), (lead1 - lead0) ** 2
    else:
        chances, chances0, chances1 = (probabilities(elo, draws) for elo in hypotheses)
        possible = chances > 0
        steps = np.log(chances1[possible] / chances0[possible])
        drift = float(chances[possible] @ steps)
        variance = float(chances[possible] @ steps**2 - drift**2)
    low, high = bounds.lower, bounds.upper
    h = 2 * drift / variance
    if abs(h * (high - low)) < 1e-6:
        return -low * high / variance
    end_low, end_high = np.exp(np.clip([-h * low, -h * high], -700, 700))
    up = (1 - end_low) / (end_high - end_low)
    return float((up * high + (1 - up) * low) / drift)


def power_lines(
    elo: float | None, games: int | None, *, power: float, alpha: float, sides: int, draws: float,
    elo_model: str = "logistic",
) -> Iterator[str]:
    """The answer of `dlgo power`: for a difference, for a length, or a table of differences."""
    normalized = elo_model == "normalized"
    unit = "normalized Elo" if normalized else "Elo"
    if games is not None:
        least = smallest_difference(
            games, power=power, alpha=alpha, sides=sides, draws=draws, normalized=normalized)
        gain = "no difference" if math.isinf(least) else f"{least:.1f} {unit}"
        yield (f"A match of {number_of(games, 'game')} detects {gain} (power {power:.0%}, "
               f"alpha {alpha:g}, {sides}-sided).")
        if elo is None:
            return
    yield (f"games: length of a match that detects the difference (power {power:.0%}, "
           f"alpha {alpha:g}, {sides}-sided"
           + ("; normalized Elo)." if normalized else f", {draws:.0%} draws between equals)."))
    testable = max(alpha, 1 - power) < 0.5
    yield ("SPRT: mean number of games if H0 (no difference) or H1 (this difference) is true, "
           f"alpha {alpha:g}, beta {1 - power:.2g}."
           + (" It needs alpha below 0.5 and power above 0.5." if not testable else ""))
    yield f"{'Elo':>8} {'score':>8} {'games':>12} {'SPRT, H0':>12} {'SPRT, H1':>12}"
    for difference in (5, 10, 20, 50, 100, 200) if elo is None else (elo,):
        needed = games_needed(
            difference, power=power, alpha=alpha, sides=sides, draws=draws, normalized=normalized)
        means = ["-", "-"]
        if testable:
            bounds = SprtBounds(0, abs(difference), alpha, 1 - power, elo_model)
            means = [f"{expected_sprt_games(bounds, true, draws):,.0f}"
                     for true in (0.0, abs(difference))]
        score = "-" if normalized else f"{score_of_elo(difference):.1%}"
        yield f"{difference:>8g} {score:>8} {needed:>12,} {means[0]:>12} {means[1]:>12}"


def _lead(elo: float, normalized: bool) -> float:
    """The mean score above 1/2 at a difference, in standard deviations if it is normalized."""
    return elo / NORMALIZED if normalized else score_of_elo(elo) - 0.5


def _spread(
    elo: float, power: float, alpha: float, sides: int, draws: float, normalized: bool
) -> float:
    """z_alpha sqrt(v0) + z_power sqrt(v1) of a difference."""
    from scipy.special import ndtri

    if power <= alpha:
        raise DlgoError(f"power: power={power:g} must be above alpha={alpha:g}; raise power")
    scores = np.array(TRINOMIAL)
    even, ahead = (1.0, 1.0) if normalized else (
        math.sqrt(chances @ scores**2 - (chances @ scores) ** 2)
        for chances in (probabilities(0, draws), probabilities(elo, draws))
    )
    return -float(ndtri(alpha / sides)) * even + float(ndtri(power)) * ahead
