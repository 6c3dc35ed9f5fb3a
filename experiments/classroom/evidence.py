"""How sure it is that a student has a bot stronger than a staff bot, however often they try.

Each version of a bot bets on winning its pairs of games against the staff bot, with a capital of 1.
If it is not the stronger one, it expects at most half of the points of a pair, over random openings
and seeds, so no bet pays in the long run: whatever the strengths of both bots and the number of
pairs, the capital ever reaches c with a probability of at most 1/c (Ville's inequality;
Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024). Version k
needs k(k + 1) times the capital. The sum of all 1/(k(k + 1)) is 1, so all versions together, and
all looks at unfinished games, have the error probability that one look at one version may have.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dlgo.records.game_record import GameRecord
from dlgo.specs import split_version
from reports.davidson import Floats

# Shares of the capital that are bet; each has the same part of it at the start.
_BETS = (np.arange(10) + 0.5) / 10
# Points of a pair of games, of which half are expected between equal bots.
_POINTS = 2.0


@dataclass(frozen=True)
class Version:
    """A version of a student's bot against a staff bot."""

    number: int  # from 1
    entrant: str
    games: list[GameRecord]  # against the staff bot

    @property
    def points(self) -> float:
        """Of all games."""
        return sum(_points(game, self.entrant) for game in self.games)

    def pairs(self) -> list[float]:
        """The points of each pair of games, in their order, up to the first incomplete one: those
        that end soon must not count more. Nor must those count less that repeat earlier games: a
        bot could make its losses alike, and its wins different."""
        by_number: dict[int, list[float]] = defaultdict(list)
        for game in self.games:
            by_number[game.pair].append(_points(game, self.entrant))
        numbers = itertools.takewhile(lambda number: len(by_number[number]) == 2,
                                      range(len(by_number)))
        return [sum(by_number[number]) for number in numbers]

    def confidence(self) -> float:
        """How sure it is that this version is the stronger bot, 0 to 1."""
        return float(confidence(highest_capital(np.array(self.pairs())), self.number))


def versions_of(games: Iterable[GameRecord], student: str, staff: str) -> list[Version]:
    """The versions of a student's bot (`student:alice`) that have met a staff bot, in the order of
    their first games."""
    met = _by_entrant(games, student, staff)
    return [Version(number, *item) for number, item in enumerate(met.items(), 1)]


def version_numbers(games: Sequence[GameRecord], entrants: Iterable[str]) -> dict[str, int]:
    """By entrant, the number of a version among those that have played any game; after them, if it
    has played none."""
    numbers = {}
    for entrant in entrants:
        played = [*_by_entrant(games, split_version(entrant)[0])]
        numbers[entrant] = (played.index(entrant) if entrant in played else len(played)) + 1
    return numbers


def _by_entrant(
    games: Iterable[GameRecord], student: str, opponent: str = ""
) -> dict[str, list[GameRecord]]:
    """The games of each version of a student's bot, in the order of their first games."""
    by_entrant: dict[str, list[GameRecord]] = defaultdict(list)
    for game in games:
        players = game.first, game.second
        for entrant in players:
            if split_version(entrant)[0] == student and (not opponent or opponent in players):
                by_entrant[entrant].append(game)
    return dict(sorted(by_entrant.items(), key=lambda item: (
        min(game.started for game in item[1]), item[0])))


def best(versions: Sequence[Version]) -> Version:
    """The version of which it is most sure that it is stronger; of equal ones, the last."""
    return max(reversed(versions), key=Version.confidence)


def highest_capital(pairs: Floats) -> Floats:
    """The highest capital, 1 at the start, over pairs of games.

    Args:
        pairs: points of each pair, 0 to 2, of the player who bets: (..., pairs).
    """
    capital = np.ones((*pairs.shape[:-1], len(_BETS)))
    highest: Floats = np.ones(pairs.shape[:-1])
    for number in range(pairs.shape[-1]):
        capital *= 1 + _BETS * (pairs[..., number, None] - _POINTS / 2)
        np.maximum(highest, capital.mean(-1), out=highest)
    return highest


def confidence(capital: Floats, version: int) -> Floats:
    """How sure it is that the version with this number is stronger, by its highest capital."""
    return np.maximum(0.0, 1 - version * (version + 1) / capital)


def fewest_pairs(required: float) -> int:
    """How many pairs a first version must win, all of them, for a confidence below 1."""
    pairs = np.full(1, _POINTS)
    while confidence(highest_capital(pairs), 1) < required:
        pairs = np.full(len(pairs) + 1, _POINTS)
    return len(pairs)


def _points(game: GameRecord, entrant: str) -> float:
    return game.result if game.first == entrant else 1 - game.result
