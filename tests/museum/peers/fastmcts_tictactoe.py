"""fastmcts 0.3.0: with its own tic-tac-toe, the first player plays for the second.

Its search calls the players 0 and 1; its tic-tac-toe and Connect Four call them 1 and -1.
"""

import numpy as np
from fastmcts.games.tictactoe import TicTacToeGameState
from fastmcts.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from fastmcts.tree.search import MonteCarloTreeSearch

from dlgo import Move, Point

GAME = "tictactoe"


def best(board, player):
    """The row and column of the move that it plays."""
    state = TicTacToeGameState(np.array(board, float), next_to_move=player)
    search = MonteCarloTreeSearch(TwoPlayersGameMonteCarloTreeSearchNode(state))
    action = search.best_action(simulations_number=400).parent_action
    return int(action.x_coordinate), int(action.y_coordinate)


def select_move(state):
    board = np.zeros((3, 3))
    for point, player in state.game.stones(state).items():
        board[point.row - 1, point.col - 1] = 1 - 2 * player.index
    row, column = best(board, 1 - 2 * state.next_player.index)
    return Move.play(Point(row + 1, column + 1))


def reproduce():
    """Player 1 has two in a row, and so has -1; each can win at once. -1 does, 1 does not."""
    board = np.array([[1, 1, 0], [-1, -1, 0], [0, 0, 0]])
    return best(board, 1) != (0, 2) and best(-board, -1) == (0, 2)
