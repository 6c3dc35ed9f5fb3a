"""The results of a review in sentences, and as an SGF file."""

from __future__ import annotations

from dataclasses import replace

from dlgo import GameState, Move, NotationError, Player
from dlgo.display import player_text, result_text
from dlgo.game_tree import grouped_turns, tree_of
from dlgo.text import number_of
from experiments.play.cell_moves import turn_text
from experiments.play.game_file import SavedGame, game_bytes
from experiments.review.comparison import value_text
from experiments.review.facts import explain
from experiments.review.game_review import GameReview, Verdict, legal_part
from experiments.review.slides import Slide

# Turns of a shown line, and moves of a variation.
_LINE = 10


def line_text(state: GameState, line: tuple[Move, ...]) -> str:
    """The turns of an expected line, as far as it is legal."""
    turns = grouped_turns(state.game, legal_part(state, line))
    return " ".join(turn_text(state.game, moves) for _, moves in turns[:_LINE])


def position_words(review: GameReview, place: int) -> str:
    """The value of the position after `place` turns, with its player and expected line."""
    state, evaluation = review.states[place], review.values[place]
    if evaluation is None:
        return "not evaluated"
    if state.is_over():
        text, last = result_text(state), review.turns[-1]
        evaluation_before = review.values[place - 1]
        if last.moves[-1].is_resign and evaluation_before is not None:
            name = player_text(state.game, last.player)
            value = value_text(review.states[place - 1], evaluation_before, last.player)
            text += f"; before that, {name} could expect {value}"
        return text
    name = player_text(state.game, state.next_player)
    value = value_text(state, evaluation, state.next_player)
    kind = "proved" if evaluation.proven else "expected"
    text = f"{kind} for {name}, who is to move: {value}"
    line = line_text(state, evaluation.line)
    return f"{text}; line {line}" if line else text


def kind_words(verdict: Verdict) -> str:
    """`blunder`, or `probably a blunder` where chance may have made it one."""
    article = "an" if verdict.kind == "inaccuracy" else "a"
    return verdict.kind if verdict.sure else f"probably {article} {verdict.kind}"


def verdict_words(review: GameReview, verdict: Verdict) -> str:
    """The cost of a turn for its player, and a better turn."""
    turn, player = verdict.turn, verdict.turn.player
    state_before, state_after = review.states[turn.number - 1], review.states[turn.number]
    name = player_text(state_before.game, player)
    value_before, value_after = verdict.before, verdict.after
    change = (f"{value_text(state_before, value_before, player)} becomes "
              f"{value_text(state_after, value_after, player)}")
    if verdict.kind and not verdict.exact:
        margin = f" ± {verdict.margin:.0%}" if verdict.margin else ""
        change += f", so the move cost {verdict.cost}{margin}"
    words = [f"For {name}: {change}."]
    if verdict.kind:
        words.insert(0, f"{kind_words(verdict).capitalize()}{' (exact)' if verdict.exact else ''}.")
        words += (fact.text for fact in explain(state_before, turn.moves))
    if verdict.best and verdict.kind:
        better = f"Better: {turn_text(state_before.game, verdict.best)}"
        if verdict.instead is not None:
            state = state_before
            for move in verdict.best:
                state = state.apply_move(move)
            better += f", {value_text(state, verdict.instead, player)} after it"
        line = line_text(state_before, value_before.line)
        words.append(f"{better}; line {line}." if line else f"{better}.")
        words += (fact.text for fact in explain(state_before, verdict.best))
    return " ".join(words)


def slide_words(review: GameReview, slide: Slide) -> str:
    """A fall that no single move explains."""
    name = player_text(review.game_state.game, slide.player)
    fall = f"what {name} could expect fell from {slide.before:.0%} to {slide.after:.0%}"
    if slide.last == slide.first + 1:
        reason = "the engine knew no better move: it had not seen this before"
        return f"With move {slide.last}, {fall}; {reason}."
    return f"Between moves {slide.first} and {slide.last}, {fall}; no single move explains it."


def summary_words(review: GameReview, player: Player) -> str:
    """How many mistakes of each kind a player made, and how much they cost."""
    verdicts = [verdict for verdict in review.verdicts() if verdict.turn.player is player]
    if review.problem and not verdicts:
        return "not judged"
    if not verdicts:
        return "no move judged yet"
    counts = {kind: sum(verdict.kind == kind for verdict in verdicts) for kind in _PLURALS}
    unsure = sum(not verdict.sure for verdict in verdicts if verdict.kind)
    kinds = [f"{n} {kind if n == 1 else _PLURALS[kind]}" for kind, n in counts.items() if n]
    text = f"{', '.join(kinds) or 'no mistakes'} in {number_of(len(verdicts), 'move')}"
    text += f", {unsure} of them only probable" if unsure else ""
    loss = sum(verdict.loss for verdict in verdicts if verdict.kind)
    return f"{text}; {loss:.2f} points lost (a game is worth 1)" if loss else text


_PLURALS = {"blunder": "blunders", "mistake": "mistakes", "inaccuracy": "inaccuracies"}


def review_sgf(review: GameReview, read: SavedGame, engine: str = "") -> bytes:
    """A game of Go as `engine` reviewed it, with the comments of `read`. Raises NotationError."""
    state = review.game_state
    if state.game.name != "go":
        raise NotationError(f"{state.game.title} cannot be written as SGF: only Go can")
    heading = [f"Review by {engine}." if engine else "Review."]
    heading += [review.problem] if review.problem else []
    heading += [f"{player.name}: {summary_words(review, player)}." for player in Player]
    root = tree_of(state, read.root)
    line = root.main_line()
    comment_of = {node: node.comment for node in line}
    root.comment = "\n".join([*heading, position_words(review, 0)])
    for turn in review.turns:
        texts = [f"{position_words(review, turn.number)}"]
        verdict = review.verdict(turn.number)
        if verdict is not None and verdict.kind:
            texts.insert(0, verdict_words(review, verdict))
        line[turn.plies].comment = "\n".join(texts)
        if verdict is None or not verdict.kind or not verdict.best:
            continue
        position = review.states[turn.number - 1]
        instead = verdict.instead or verdict.before
        value = value_text(position, instead, turn.player) if not instead.proven else ""
        node = line[turn.plies - len(turn.moves)]
        better = legal_part(position, verdict.before.line[:_LINE])
        for number, (_, move) in enumerate(better):
            node = node.add([move])
            if not number:
                node.say(f"Better for {turn.player.name}{f', {value}' if value else ''}.")
    for node, text in comment_of.items():
        node.say(text)
    return game_bytes(state, read.black, read.white, replace(read, root=root))
