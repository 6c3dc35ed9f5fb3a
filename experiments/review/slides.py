"""Falls of the expectation that no single move explains.

A player can lose a position slowly, by many moves that each cost less than chance moves a search.
Or a search changes its mind, because it sees only now what it could not see before. Both are shown
with the moves between which they happened; no move is blamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from dlgo import Player
from experiments.review.game_review import KINDS, GameReview

# A fall is shown if this much of it is unexplained, over at most this many turns.
_LEAST, _LONGEST = KINDS[0][1], 120
# What each further turn must add, so that a fall begins and ends where it is steep.
_PER_TURN = 0.002
# Turns at its ends are left out if this much of it remains.
_KEPT = 0.85


@dataclass(frozen=True)
class Slide:
    """A player's expected share of the point fell from `before` to `after`."""

    player: Player  # who lost it
    first: int  # the turns after which it began and ended
    last: int
    before: float
    after: float


def slides(review: GameReview) -> list[Slide]:
    """The falls of a review that no verdict explains, in order; they do not overlap."""
    black = [None if evaluation is None else evaluation.black for evaluation in review.values]
    smooth = _smooth(black)
    explained = _explained(review)
    falls: list[tuple[float, int, int]] = []
    for first, start_share in enumerate(smooth):
        for last in range(first + 1, min(first + _LONGEST + 1, len(black))):
            end_share = smooth[last]
            if start_share is None or end_share is None:
                continue
            explained_change = explained[last] - explained[first]
            changes = (end_share - start_share, (black[last] or 0.0) - (black[first] or 0.0))
            # Black's falls are negative; all of these have to be falls of the same player.
            falls_by = [*changes, *(change - explained_change for change in changes)]
            least = max(min(falls_by), -max(falls_by))
            if least >= _LEAST:
                falls.append((least - _PER_TURN * (last - first), first, last))
    selection: list[Slide] = []
    for _, first, last in sorted(falls, reverse=True):
        if all(last <= slide.first or first >= slide.last for slide in selection):
            selection.append(_trimmed(smooth, first, last))
    return sorted(selection, key=lambda slide: slide.first)


def _explained(review: GameReview) -> list[float]:
    """What verdicts and a resignation explain of black's share after each turn, added up."""
    sums = [0.0]
    for turn in review.turns:
        verdict = review.verdict(turn.number)
        loss = 0.0
        if verdict is not None and turn.moves[-1].is_resign:
            loss = verdict.before.share(turn.player)
        elif verdict is not None and verdict.kind:
            loss = verdict.loss
        sums.append(sums[-1] - loss if turn.player is Player.black else sums[-1] + loss)
    return sums


def _trimmed(black: list[float | None], first: int, last: int) -> Slide:
    """A fall without the turns at its ends that hardly belong to it."""
    def change(first: int, last: int) -> float:
        start, end = black[first], black[last]
        return 0.0 if start is None or end is None else end - start

    least = _KEPT * change(first, last)
    while last - first > 1 and change(first, last - 1) / least >= 1:
        last -= 1
    while last - first > 1 and change(first + 1, last) / least >= 1:
        first += 1
    shares = (black[first] or 0.0, black[last] or 0.0)
    if shares[1] < shares[0]:
        return Slide(Player.black, first, last, *shares)
    return Slide(Player.white, first, last, 1 - shares[0], 1 - shares[1])


def _smooth(shares: list[float | None]) -> list[float | None]:
    """Medians of five neighbours, fewer at the ends: chance in one search begins no fall."""
    medians: list[float | None] = []
    for place, share in enumerate(shares):
        reach = min(2, place, len(shares) - 1 - place)
        near = [neighbour for neighbour in shares[place - reach : place + reach + 1]
                if neighbour is not None]
        medians.append(None if share is None else median(near))
    return medians
