"""gumbel-mcts 0.2.0: PUCT with its own tic-tac-toe, by its moves."""

import numpy as np
import torch
from game_logic.tictactoe import TicTacToeLogic
from gumbel_mcts import PUCT

from dlgo import Move, Point

GAME = "tictactoe"


class Model:
    """It knows nothing: equal priors, values 0."""

    logic = TicTacToeLogic

    def forward_for_mcts(self, batch):
        count = len(batch["boards"])
        return {"policy": torch.full((count, 9), 1 / 9), "value": torch.zeros(count)}


def select_move(state):
    board = np.zeros((1, 3, 3), np.int8)
    for point, player in state.game.stones(state).items():
        board[0, point.row - 1, point.col - 1] = player.value
    tree = PUCT(n_games=1, max_nodes=2000, logic=TicTacToeLogic, device="cpu")
    tree.initialize_roots([0], board, np.array([state.next_player.value]))
    tree.run_simulation_batch(Model(), [0], num_simulations=400)
    place = int(np.argmax(tree.get_root_data(0)[0]))
    return Move.play(Point(place // 3 + 1, place % 3 + 1))
