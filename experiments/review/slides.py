"""Falls of the expectation that no single move explains.

A position is lost slowly, by many moves that each cost less than chance moves a search; or a search
changes its mind: it sees late what it could not see before, whatever was played. Both are told with
the moves between which they happened, and blamed on no move.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlgo import Player
from experiments.review.game_review import KINDS, GameReview

# A fall is told if so much of it is unexplained; over this many turns at most.
_LEAST, _LONGEST = KINDS[0][1], 40
# What a turn more must add: a fall begins and ends where it is steep.
_PER_TURN = 0.005


@dataclass(frozen=True)
class Slide:
    """What a player could expect fell from `before` to `after`, shares of the point."""

    player: Player  # who lost it
    first: int  # turns after which it began and ended
    last: int
    before: float
    after: float


def slides(review: GameReview) -> list[Slide]:
    """The falls of a review that no verdict explains, in order; they do not overlap."""
    black = [evaluation and evaluation.black for evaluation in review.evaluations]
    # What verdicts explain of black's share after each turn, added up.
    explained = [0.0]
    for turn in review.turns:
        verdict = review.verdict(turn.number)
        loss = 0.0
        if turn.moves[-1].is_resign and None not in black[turn.number - 1 : turn.number + 1]:
            loss = black[turn.number - 1] - black[turn.number]
        elif verdict is not None and verdict.kind:
            loss = verdict.loss if turn.player is Player.black else -verdict.loss
        explained.append(explained[-1] - loss)
    falls: list[tuple[float, Slide]] = []
    for first, before in enumerate(black):
        for last in range(first + 1, min(first + _LONGEST, len(black) - 1) + 1):
            after = black[last]
            if before is None or after is None:
                continue
            change = after - before
            rest = change - (explained[last] - explained[first])
            if min(abs(change), abs(rest)) < _LEAST or change * rest < 0:
                continue
            loser = Player.black if change < 0 else Player.white
            shares = (before, after) if change < 0 else (1 - before, 1 - after)
            merit = min(abs(rest), abs(change)) - _PER_TURN * (last - first)
            falls.append((merit, Slide(loser, first, last, *shares)))
    chosen: list[Slide] = []
    for _, slide in sorted(falls, key=lambda fall: -fall[0]):
        if all(slide.last <= other.first or slide.first >= other.last for other in chosen):
            chosen.append(slide)
    return sorted(chosen, key=lambda slide: slide.first)
