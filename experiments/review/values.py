"""The value of a position in words."""

from __future__ import annotations

from dlgo import GameState, Player
from experiments.review.comparison import Evaluation


def value_text(state: GameState, evaluation: Evaluation, player: Player) -> str:
    """The value of a position for `player`: `61%`, `draw`, `win in 9 plies (score +5)`."""
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


def score_of(state: GameState, evaluation: Evaluation) -> int | None:
    """The score of a solved Connect Four position, as the solver and its test sets count it.

    +v if the player to move wins with their (22 - v)th stone, -v if the other one does, 0 for a
    draw. None in any other game, and where the value is not proved.
    """
    if state.game.name != "connect4" or not evaluation.proven or state.is_over():
        return None
    share, plies = evaluation.share(state.next_player), evaluation.plies_to_end
    if share == 0.5:
        return 0
    if plies is None:
        return None
    stones = len(state.moves())
    if share > 0.5:  # the last stone is the mover's
        return 22 - (stones // 2 + (plies + 1) // 2)
    return -(22 - ((stones + 1) // 2 + plies // 2))
