"""The textbook's REINFORCE, shown to the auditor."""

from dlgo import get_game
from dlgo.api import Player
from engines.policy_gradient.textbook import Decision, TextbookReinforce


def targets(states, moves, visits, result):
    learner = TextbookReinforce(states[0].game)
    decisions = [Decision(None, None, 0, state.next_player, 1.0) for state in states]
    returns = learner.credit(
        decisions, lambda player: result if player is Player.black else -result)
    return [(None, value) for value in returns]


def match(play, games):
    learner = TextbookReinforce(get_game("tictactoe"))

    def play_one(opponent=None):
        result = play(opponent is Player.white)
        return [], lambda player: result

    learner.play = play_one
    return learner.score(games)
