"""The textbook's PUCT, shown to the auditor."""

from types import SimpleNamespace

import numpy as np

from dlgo import get_game
from dlgo.api import Player
from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget

KIND = "puct"


def search(state, evaluate, simulations):
    engine = TextbookPUCT(state.game, Budget(sims=simulations))
    engine._evaluate = evaluate
    return engine.select_move(state)


def priors(logits, legal):
    engine = TextbookPUCT(get_game("connectn:rows=3,cols=3,n=3,gravity=no"))
    moves = [engine.game.move_of(int(action)) for action in np.flatnonzero(legal)]
    engine._runtime = SimpleNamespace(
        evaluate=lambda planes: {"policy": logits[None], "value": np.zeros((1, 1))})
    engine._encoder = SimpleNamespace(
        encode=lambda state: np.zeros(1), to_network_order=lambda policies, players: policies)
    state = SimpleNamespace(sensible_moves=lambda: moves, next_player=Player.black)
    answers, answer = engine._evaluate(state)[0], np.zeros(len(logits))
    answer[legal] = [answers[move] for move in moves]
    return answer
