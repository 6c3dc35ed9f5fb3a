"""What a report says on whether one number an entrant is enough, and what to read where it is not.

The verdict is a sentence where the ratings fit. Where they do not, further sentences name the
strongest cycle, and a table has the orders of `equilibria.py` beside Elo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reports.davidson import Floats
from reports.equilibria import agents_against_tasks, alpha_rank, nash_averaging
from reports.first_move import is_confounded
from reports.intervals import quantile_interval
from reports.pairs import MOST_ENTRANTS, Pairs
from reports.rating_table import ELO, Estimate, RatingTable
from reports.ratings import without_first_move
from reports.text import markdown_table

LEVEL = 0.05  # of the test
_DRAWS = 100  # of the results, for the intervals of an order
_MOST_ORDERED = 60  # entrants, for which such an order is computed
_CLOSE = 0.05  # a cyclic share that is surely smaller is called small
MOST_PAIRS = 20  # listed with their residuals


class Standing(NamedTuple):
    """An entrant in the orders that need no single number, with 95% intervals."""

    entrant: str
    elo: float
    weight: Estimate  # in the Nash equilibrium
    gain: Estimate  # Elo against the equilibrium: 0 or less
    share: Estimate  # of alpha-Rank


@dataclass(frozen=True)
class OneNumber:
    """Whether one number is enough for the entrants of a game."""

    sentences: tuple[str, ...]  # the first one says it all
    enough: bool | None  # None where it cannot be decided
    pairs: Pairs | None = None

    def standings(self, seed: int = 1) -> list[Standing]:
        """The orders by Nash averaging and alpha-Rank, by what an entrant gains against the
        equilibrium; none for fields too large, or in groups that never met.

        Intervals: the middle 95% of 100 draws of each pair's log-odds around the observed ones; for
        pairs that never met, of the ratings.
        """
        pairs = self.pairs
        if pairs is None or not 1 < len(pairs.table.ratings) <= _MOST_ORDERED:
            return []
        if any(rating.group > 1 for rating in pairs.table.ratings):
            return []
        odds, information = pairs.own
        generator, noise = np.random.default_rng(seed), np.zeros((1 + _DRAWS, *odds.shape))
        noise[1:, *pairs.met] = generator.standard_normal((_DRAWS, len(pairs.met[0]))) / np.sqrt(
            information[pairs.met])
        away = _draws(pairs.table, generator) / (ELO * pairs.scale)
        noise[1:] += np.triu((away[:, :, None] - away[:, None, :]) * (pairs.games == 0))
        orders = []
        for error in noise:
            # Of equal entrants, rounding errors would make one the best.
            log_odds = np.round(pairs.scale * (odds + error - error.T), 6)
            equilibrium, gained = nash_averaging(log_odds)
            orders.append((equilibrium, ELO * gained, alpha_rank(log_odds)))
        weights, gains, shares = (_estimates(np.array(part)) for part in zip(*orders, strict=True))
        rows = [Standing(rating.entrant, rating.value, *row) for rating, *row in
                zip(pairs.table.ratings, weights, gains, shares, strict=True)]
        return sorted(rows, key=lambda row: (-round(row.gain.value, 6), -row.weight.value))


def one_number(table: RatingTable) -> OneNumber:
    """Judge the ratings by the games behind them."""
    size = len(table.ratings)
    if size > MOST_ENTRANTS:
        return OneNumber((f"Whether one number is enough was not tested, and residuals by pair, "
                          "Nash averaging and alpha-Rank are left out: the limit is "
                          f"{MOST_ENTRANTS} entrants, and there are {size}.",), None)
    pairs = Pairs.of(table)
    fit = pairs.fit
    if not fit.freedom:
        return OneNumber(("Whether one number is enough cannot be decided: it takes three entrants "
                          "that all met each other and moved first in turn.",), None, pairs)
    share, elo = pairs.cyclic()
    test = (f"chi-square {fit.chi_square:.1f}, by chance {fit.by_chance:.1f}, {fit.freedom} df, "
            f"largest |z| {fit.largest:.1f}, {_p_text(fit.p)}")
    if fit.p >= LEVEL:
        if doubt := _doubt(pairs):
            return OneNumber((f"Whether one number is enough cannot be decided: {doubt}",), None,
                             pairs)
        sentence = ("One number is enough: all pairs scored as their ratings expect, within chance "
                    f"({test}; a cyclic part of up to {elo.high95:.0f} Elo could hide).")
        return OneNumber((sentence,), True, pairs)
    close = share.high95 < _CLOSE
    sentences = [
        f"One number is {'not quite' if close else 'not'} enough: pairs scored otherwise than "
        f"their ratings expect ({test}).",
        f"Beyond chance, {share.value:.0%} ({share.low95:.0%} to {share.high95:.0%}) of the "
        f"squared differences in log-odds go round in circles, {elo.value:.0f} Elo "
        f"({elo.low95:.0f} to {elo.high95:.0f}) a pair: no rating can express them.",
    ]
    cycle = pairs.cycle()
    if cycle:
        doubt = "" if cycle.p < LEVEL else f" It may be chance ({_p_text(cycle.p)})."
        sentences.append(f"Strongest cycle: {cycle.steps_text()}.{doubt}")
    if cycle and cycle.p < LEVEL or share.low95 > 0.5:
        sentences.append("Read the scores of the pairs, and the order by Nash averaging, instead "
                         "of the order by Elo.")
    else:
        sentences.append("No cycle of three is certain: the order by Elo may hold, but take "
                         "expected scores from the pairs, not from differences of ratings.")
    return OneNumber(tuple(sentences), False, pairs)


def _doubt(pairs: Pairs) -> str:
    """Why ratings that fit do not show that one number is enough; "" if they do."""
    if pairs.table.first_move is not None and is_confounded(pairs.table.played):
        pairs = Pairs.of(without_first_move(pairs.table))
    cycle = pairs.cycle()
    steps = f" ({cycle.steps_text()})" if cycle else ""
    if pairs.fit.p < LEVEL:
        return ("with a first-move advantage all pairs scored as their ratings expect, without it "
                f"they did not{steps}, {_p_text(pairs.fit.p)}. Let both entrants of each pair move "
                "first equally often, or try --no-first-move.")
    if cycle and cycle.points == cycle.games and cycle.alike < 1:
        return f"there are too few games, and they make a perfect cycle{steps}."
    return ""


def over_games(tables: Mapping[str, RatingTable], seed: int = 1) -> list[tuple[str, Estimate,
                                                                               Estimate]]:
    """Nash averaging of entrants against games: who scores how much on the games that are hardest
    for the field, best first, as (entrant, score, weight).

    A score is the rating, scaled to 0 for the worst and 1 for the best of each game; only entrants
    of all games count, and only games of `separating`. Empty for fewer than two games or entrants.
    """
    tables = separating(tables)
    names = [rating.entrant for rating in next(iter(tables.values())).ratings
             if all(rating.entrant in table for table in tables.values())] if tables else []
    if min(len(names), len(tables)) < 2:
        return []
    generator, columns = np.random.default_rng(seed), []
    for table in tables.values():
        at = [table.index[name] for name in names]
        values = np.array([table.ratings[place].value for place in at])
        columns.append(np.vstack([values, values + _draws(table, generator)[:, at]]))
    solved = [agents_against_tasks(np.array(scores).T) for scores in zip(*columns, strict=True)]
    weights, _, scores = zip(*solved, strict=True)
    rows = zip(names, _estimates(np.array(scores)), _estimates(np.array(weights)), strict=True)
    return sorted(rows, key=lambda row: -row[1].value)


def separating(tables: Mapping[str, RatingTable]) -> dict[str, RatingTable]:
    """The games whose ratings can be compared, and differ."""
    return {
        game: table for game, table in tables.items()
        if all(rating.group == 1 for rating in table.ratings)
        and len({round(rating.value, 6) for rating in table.ratings}) > 1
    }


def _draws(table: RatingTable, generator: np.random.Generator) -> Floats:
    """By how much the ratings may be wrong: float64[draws, entrants], in Elo."""
    return generator.multivariate_normal(
        np.zeros(len(table.ratings)), table.covariance, size=_DRAWS, check_valid="ignore",
        method="eigh")


def lines(judged: OneNumber) -> Iterator[str]:
    """The residuals and the orders beside Elo, as tables."""
    if judged.pairs is None:
        return
    rows = judged.pairs.residuals()
    yield f"Residuals by pair{f', the largest {MOST_PAIRS}' if len(rows) > MOST_PAIRS else ''}:"
    yield markdown_table(
        ["entrant", "opponent", "games", "score", "expected", "error", "z"],
        [[row.entrant, row.opponent, str(row.games), f"{row.score:.1%}", f"{row.expected:.1%}",
          *(["-", "-"] if row.z != row.z else [f"{row.error:.1%}", f"{row.z:+.1f}"])]
         for row in rows[:MOST_PAIRS]], left=(0, 1))
    standings = judged.standings()
    if not standings:
        yield (f"Nash averaging and alpha-Rank need 2 to {_MOST_ORDERED} entrants that games link.")
        return
    yield "Orders without a single number, with 95% intervals:"
    yield markdown_table(
        ["entrant", "Elo", "Nash weight", "Elo against Nash", "alpha-Rank"],
        [[row.entrant, f"{round(row.elo)}", span(row.weight), span(row.gain, 0), span(row.share)]
         for row in standings], left=(0,))
    size = len(standings)
    if unplayed := size * (size - 1) // 2 - len(judged.pairs.met[0]):
        yield f"Pairs that never met ({unplayed}) count as their ratings expect."


def game_lines(tables: Mapping[str, RatingTable]) -> Iterator[str]:
    """`over_games` as a table, if there is something to say."""
    rows = over_games(tables)
    if not rows and len(tables) > 1:
        yield "Nash averaging over games needs two whose ratings differ and can be compared."
    if rows:
        compared = separating(tables)
        left_out = ", ".join(game for game in tables if game not in compared)
        yield (f"Over {len(compared)} games, Nash averaging of entrants against games (0: last of "
               f"each game, 1: first of each){f'; left out: {left_out}' if left_out else ''}:")
        yield markdown_table(["entrant", "score on the hardest games", "Nash weight"],
                             [[name, span(score), span(weight)] for name, score, weight in rows],
                             left=(0,))


def span(estimate: Estimate, digits: int = 2) -> str:
    """A number with its interval, never as minus zero."""
    value, low, high = (f"{round(number, digits) + 0.0:.{digits}f}" for number in
                        (estimate.value, estimate.low95, estimate.high95))
    return f"{value} ({low} to {high})"


def _estimates(draws: Floats) -> list[Estimate]:
    """Of each column: the first row, and the middle 95% of the others, at least up to the first:
    noise pushes shares one way only."""
    low, high = quantile_interval(draws[1:], axis=0)
    low, high = np.minimum(low, draws[0]), np.maximum(high, draws[0])
    return [Estimate(*map(float, numbers)) for numbers in zip(draws[0], low, high, strict=True)]


def _p_text(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
