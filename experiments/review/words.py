"""What a review has found, in sentences. Each says whose value it tells."""

from __future__ import annotations

from dlgo import GameState, Move, Player
from dlgo.display import player_text
from experiments.play.cell_moves import grouped_turns
from experiments.review.exact import score_of
from experiments.review.game_review import Evaluation, GameReview, Verdict, legal_part

# Turns of a line that are told.
LINE = 10


def turn_text(state: GameState, moves: tuple[Move, ...]) -> str:
    """The moves of a turn that begins at `state`."""
    return " ".join(state.game.whole_moves(list(moves)))


def line_turns(state: GameState, line: tuple[Move, ...]) -> list[tuple[Player, str]]:
    """The turns of an expected line with who makes them, as far as it is legal."""
    game, moves = state.game, legal_part(state, line)
    return [
        (player, " ".join(game.whole_moves(turn)))
        for player, turn in grouped_turns(game, moves)[:LINE]
    ]


def line_text(state: GameState, line: tuple[Move, ...]) -> str:
    """The same as one text."""
    return " ".join(text for _, text in line_turns(state, line))


def value_text(state: GameState, evaluation: Evaluation, player: Player) -> str:
    """What a position is worth for `player`: `61%`, `draw`, `win in 9 plies (score +5)`.

    Args:
        state: the position. Connect Four's score is told as `player` sees it.
    """
    share, plies = evaluation.share(player), evaluation.plies_to_end
    if not evaluation.proven:
        return f"{share:.0%}"
    if share == 0.5:
        return "draw"
    text = "win" if share == 1 else "loss"
    if plies:
        text += f" in {plies} {'ply' if plies == 1 else 'plies'}"
    score = score_of(state, evaluation)
    if score is not None:
        text += f" (score {score if player is state.next_player else -score:+d})"
    return text


def position_words(review: GameReview, place: int) -> str:
    """What the position after `place` turns is worth, for whom, and what was expected."""
    state, evaluation = review.states[place], review.evaluations[place]
    if evaluation is None:
        return "not evaluated"
    if state.is_over():
        return state.game.result_text(state)
    name = player_text(state.game, state.next_player)
    value = value_text(state, evaluation, state.next_player)
    kind = "proved" if evaluation.proven else "expected"
    text = f"{kind} for {name}, who is to move: {value}"
    line = line_text(state, evaluation.line)
    return f"{text}; line {line}" if line else text


def verdict_words(review: GameReview, verdict: Verdict) -> str:
    """What a turn has cost its player, and what was better."""
    turn, player = verdict.turn, verdict.turn.player
    before, after = review.states[turn.number - 1], review.states[turn.number]
    name = player_text(before.game, player)
    first, then = verdict.before, verdict.after
    change = f"{value_text(before, first, player)} becomes {value_text(after, then, player)}"
    words = [f"For {name}: {change}."]
    if verdict.kind:
        words.insert(0, f"{verdict.kind.capitalize()}{' (exact)' if verdict.exact else ''}.")
    if verdict.best and verdict.kind:
        better = f"Better: {turn_text(before, verdict.best)}"
        if verdict.instead is not None:
            state = before
            for move in verdict.best:
                state = state.apply_move(move)
            better += f", {value_text(state, verdict.instead, player)} after it"
            if not verdict.exact:
                better += f", so the move cost {verdict.loss:.0%}"
        line = line_text(before, first.line)
        words.append(f"{better}; line {line}." if line else f"{better}.")
    return " ".join(words)


def summary_words(review: GameReview, player: Player) -> str:
    """How many mistakes of each kind a player made, and how much they cost."""
    verdicts = [verdict for verdict in review.verdicts() if verdict.turn.player is player]
    if not verdicts:
        return "no move judged yet"
    counts = {kind: sum(verdict.kind == kind for verdict in verdicts) for kind in _PLURALS}
    kinds = [f"{n} {kind if n == 1 else _PLURALS[kind]}" for kind, n in counts.items() if n]
    moves = f"{len(verdicts)} {'move' if len(verdicts) == 1 else 'moves'}"
    text = f"{', '.join(kinds) or 'no mistakes'} in {moves}"
    lost = sum(verdict.loss for verdict in verdicts if verdict.kind)
    return f"{text}; {lost:.2f} points lost (a game is worth 1)" if lost else text


_PLURALS = {"blunder": "blunders", "mistake": "mistakes", "inaccuracy": "inaccuracies"}
