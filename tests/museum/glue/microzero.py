"""AlphaZero in one file, shown to the auditor."""

import numpy as np

from experiments.chapters.microzero import Network, play

GAME = "tictactoe"
network = Network(np.random.default_rng(1))


def board_of(state):
    board = np.zeros(9, int)
    for move in state.moves():
        board = play(board, state.game.action_of(move))
    return board


def encode(state):
    return network.forward(board_of(state)[None])[0][0]


def priors(logits, legal):
    other = Network(np.random.default_rng(1))
    other.weights[2][:], other.weights[6][:] = 0, logits
    return other.forward(np.where(legal, 0, 1)[None])[3][0]
