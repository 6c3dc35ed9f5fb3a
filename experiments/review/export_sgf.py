"""A review as an SGF file: every position's value as a comment, better moves as variations."""

from __future__ import annotations

from dataclasses import replace

from dlgo import NotationError, Player
from dlgo.records.sgf import Variation
from experiments.play.game_file import SavedGame, game_bytes
from experiments.review.game_review import GameReview, legal_part
from experiments.review.words import position_words, summary_words, value_text, verdict_words

# Moves of a variation.
_LINE = 10


def review_sgf(review: GameReview, read: SavedGame, engine: str = "") -> bytes:
    """The reviewed game.

    Args:
        read: what its file says of the game, which is kept.
        engine: who has evaluated, for the comment on the start.

    Raises:
        NotationError: if it is not a game of Go.
    """
    state = review.game_state
    if state.game.name != "go":
        raise NotationError(f"{state.game.title} is not written as SGF")
    heading = [f"Review by {engine}." if engine else "Review."]
    heading += [f"{player.name}: {summary_words(review, player)}." for player in Player]
    comments = {0: "\n".join([*heading, position_words(review, 0)])}
    variations: dict[int, list[Variation]] = {}
    for turn in review.turns:
        texts = [f"{position_words(review, turn.number)}"]
        verdict = review.verdict(turn.number)
        if verdict is not None and verdict.kind:
            texts.insert(0, verdict_words(review, verdict))
        comments[turn.plies] = "\n".join(texts)
        if verdict is None or not verdict.kind or not verdict.best:
            continue
        before = review.states[turn.number - 1]
        line = legal_part(before, verdict.before.line[:_LINE])
        instead = verdict.instead or verdict.before
        value = value_text(before, instead, turn.player) if not instead.proven else ""
        text = f"Better for {turn.player.name}{f', {value}' if value else ''}."
        variations[turn.plies - len(turn.moves)] = [(line, text)]
    for plies, text in read.comments.items():
        comments[plies] = "\n\n".join(filter(None, (comments.get(plies), text)))
    commented = replace(read, comments=comments)
    return game_bytes(state, read.black, read.white, commented, variations)
