"""A review as pages are told of it: plain values, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlgo import Player
from dlgo.display import player_text, position_info
from dlgo.text import one_line
from experiments.play.game_file import SavedGame
from experiments.review.export_sgf import review_sgf
from experiments.review.game_review import Evaluation, GameReview, Verdict
from experiments.review.words import position_words, summary_words, value_text, verdict_words
from experiments.studio.position import board_view, line_view, turn_view


@dataclass(frozen=True)
class Reviewed:
    """A review, and whose game it is.

    Attributes:
        read: what its file says of the game.
        engine: who evaluates.
        exact: the engine that proves values, or "".
    """

    review: GameReview
    read: SavedGame
    engine: str = ""
    exact: str = ""


class ReviewView:
    """What a page shows of a review. Words are made once for each position."""

    def __init__(self, reviewed: Reviewed) -> None:
        self.reviewed, self._review = reviewed, reviewed.review
        self._values: dict[int, tuple[Evaluation, dict[str, Any]]] = {}
        self._verdicts: dict[int, tuple[Verdict, dict[str, Any]]] = {}
        review, game = self._review, self._review.game_state.game
        self._fixed = {
            "names": [one_line(name)[:100] for name in (reviewed.read.black, reviewed.read.white)],
            "sides": [player_text(game, player) for player in Player],
            "result": game.result_text(review.game_state) if review.game_state.is_over()
            else one_line(reviewed.read.result)[:100],
            "engine": reviewed.engine, "exact": reviewed.exact,
            "turns": [
                {**turn_view(review.states[turn.number - 1], turn.moves), "plies": turn.plies}
                for turn in review.turns
            ],
        }

    def board(self) -> dict[str, Any]:
        """What does not change from position to position."""
        return board_view(self._review.game_state.game)

    def summary(self) -> dict[str, Any]:
        """The whole game: values by position, what each turn has cost."""
        review = self._review
        return {
            **self._fixed, "done": review.done, "of": len(review.states),
            "values": [self._value(place) for place in range(len(review.states))],
            "verdicts": [self._verdict(verdict) for verdict in review.verdicts() if verdict.kind],
            "summaries": [summary_words(review, player) for player in Player],
        }

    def _value(self, place: int) -> dict[str, Any] | None:
        """Black's share, and the same in words."""
        evaluation = self._review.evaluations[place]
        if evaluation is None:
            return None
        if place not in self._values or self._values[place][0] is not evaluation:
            text = value_text(self._review.states[place], evaluation, Player.black)
            self._values[place] = evaluation, {
                "black": evaluation.black, "proven": evaluation.proven, "text": text,
            }
        return self._values[place][1]

    def _verdict(self, verdict: Verdict) -> dict[str, Any]:
        number = verdict.turn.number
        if number not in self._verdicts or self._verdicts[number][0] != verdict:
            before = self._review.states[number - 1]
            self._verdicts[number] = verdict, {
                "turn": number, "kind": verdict.kind, "loss": verdict.loss,
                "cost": f"{verdict.loss:.0%}",
                "exact": verdict.exact, "text": verdict_words(self._review, verdict),
                "best": turn_view(before, verdict.best) if verdict.best else None,
            }
        return self._verdicts[number][1]

    def place(self, place: int) -> dict[str, Any]:
        """The position after `place` turns, and what is expected there."""
        state, evaluation = self._review.states[place], self._review.evaluations[place]
        line = () if evaluation is None else evaluation.line
        return {
            "place": place, "position": position_info(state),
            "words": position_words(self._review, place), "line": line_view(state, line),
            "known": evaluation is not None,
        }


def reviewed_sgf(reviewed: Reviewed) -> bytes:
    """A review as SGF. Raises NotationError if it is not a game of Go."""
    engines = " and ".join(filter(None, (reviewed.exact, reviewed.engine)))
    return review_sgf(reviewed.review, reviewed.read, engines)
