"""A review as plain values, ready for JSON; or as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

from dlgo import Player
from dlgo.browser import scripts, source
from dlgo.display import player_text, position_info, result_text
from dlgo.text import one_line
from experiments.play.game_file import SavedGame
from experiments.review.comparison import value_text
from experiments.review.game_review import GameReview, Verdict
from experiments.review.pace import Pace
from experiments.review.slides import slides
from experiments.review.words import position_words, slide_words, summary_words, verdict_words
from experiments.studio.position import board_view, line_view, turn_view

_STATIC = Path(__file__).with_name("static")
_STYLES = ("boards.css", "style.css", "review.css")
# The page asks nothing of any host.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)


class ReviewView:
    """The data of a review for a page, by `engine`, and by `exact`, which proves values (or "").

    `names` are the players', by default those of the file.
    """

    def __init__(
        self, review: GameReview, read: SavedGame, engine: str = "", exact: str = "",
        pace: Pace | None = None, names: Sequence[str] = (),
    ) -> None:
        self.review, self.read, self.engine, self.exact = review, read, engine, exact
        self.pace = pace or Pace(review, engine)
        self._words = cache(partial(verdict_words, review))  # each report asks for all of them
        state, game = review.game_state, review.game_state.game
        self._fixed = {
            "names": [one_line(name)[:100] for name in names or (read.black, read.white)],
            "sides": [player_text(game, player) for player in Player],
            "result": result_text(state) if state.is_over() else one_line(read.result)[:100],
            "engine": engine, "exact": exact,
            "turns": [
                {**turn_view(review.states[turn.number - 1], turn.moves), "plies": turn.plies}
                for turn in review.turns
            ],
        }

    def summary(self) -> dict[str, Any]:
        """The whole game: the value of each position and the cost of each turn."""
        review = self.review
        values = [
            evaluation and {
                "black": evaluation.black, "proven": evaluation.proven,
                "text": value_text(state, evaluation, Player.black),
            }
            for state, evaluation in zip(review.states, review.values, strict=True)
        ]
        return {
            **self._fixed, "done": review.done, "of": len(values), "values": values,
            "verdicts": [self._verdict(verdict) for verdict in review.verdicts() if verdict.kind],
            "cannot": review.problem,
            "summaries": [summary_words(review, player) for player in Player],
            "slides": [
                {"from": slide.first, "to": slide.last, "text": slide_words(review, slide)}
                for slide in slides(review)
            ],
            "time": self.pace.left(), "spent": round(self.pace.spent, 1),
        }

    def _verdict(self, verdict: Verdict) -> dict[str, Any]:
        number = verdict.turn.number
        previous = self.review.states[number - 1]
        return {
            "turn": number, "kind": verdict.kind, "loss": verdict.loss,
            "cost": verdict.cost,
            "exact": verdict.exact, "sure": verdict.sure, "margin": verdict.margin,
            "text": self._words(verdict),
            "best": turn_view(previous, verdict.best) if verdict.best else None,
        }

    def place(self, place: int) -> dict[str, Any]:
        """The position after `place` turns, and its evaluation."""
        state, evaluation = self.review.states[place], self.review.evaluations[place]
        line = () if evaluation is None else evaluation.line
        return {
            "place": place, "position": position_info(state), "known": evaluation is not None,
            "words": position_words(self.review, place), "line": line_view(state, line),
        }


def review_html(view: ReviewView) -> bytes:
    """The results so far as one HTML page that works offline."""
    data = {
        **view.summary(), "final": True, "board": board_view(view.review.game_state.game),
        "places": [view.place(place) for place in range(len(view.review.states))],
    }
    names = " - ".join(filter(None, data["names"]))
    title = f"Review: {data['board']['title']}{f', {names}' if names else ''}"
    styles = "\n".join(source(name, _STATIC) for name in _STYLES)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{styles}</style>
</head>
<body>
<main id="main"></main>
<noscript><p>This page shows a game move by move, for which it needs JavaScript.</p></noscript>
{scripts("review_export.js", "review", data, _STATIC)}
</body>
</html>
""".encode("utf-8", "replace")
