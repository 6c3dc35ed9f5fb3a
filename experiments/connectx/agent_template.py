"""An agent for Kaggle's ConnectX in one file: a network, and a tree search guided by it.

The environment executes the text of this file, takes the LAST callable in it for the agent, and
calls `agent(observation, configuration)` whenever a column is to be chosen. It needs only the
standard library and NumPy.

Read it from the bottom: `agent` reads the board, `choose` searches (PUCT, Silver et al. 2017), and
`Network` values positions. On a board that the network was not trained on, all moves have equal
priors, and only the end of the game has a value. `Bot` is the same agent for dlgo.

`dlgo connectx export` puts the network at the end of this file. Without one it is an agent, too.
"""

from __future__ import annotations

import base64
import io
import math
import time
import types
from collections.abc import Callable

import numpy as np

EXPLORATION = 1.8  # weight of the priors; values are -1 to 1
FIRST_PLAY = 0.2  # a move without visits counts as the position, less this
SHARE_OF_TIME = 0.75  # of actTimeout: the machine may be busy with something else
SHARE_WHEN_LATE = 0.4  # the same once the time in reserve is used up
LITTLE_RESERVE = 5.0  # seconds


class Board:
    """The rules on a board of any size. A set of cells is an int, one bit for each cell.

    Bits are numbered upwards, column by column. Above each column is a bit that is never set,
    so that no row of stones can run over the edge. With two rows and three columns:

        .  .  .      2  5  8
        x  x  x      1  4  7
        x  x  x      0  3  6
    """

    def __init__(self, rows: int, columns: int, inarow: int) -> None:
        self.rows, self.columns, self.inarow = rows, columns, inarow
        self.bottom = [1 << column * (rows + 1) for column in range(columns)]
        # Up, sideways, and along the two diagonals.
        self.directions = (1, rows + 1, rows, rows + 2)

    def read(self, cells: list[int], mark: int) -> tuple[int, int]:
        """The stones of `mark` and those of the opponent, from cells given row by row from the
        top: 0 empty, 1 the first player's, 2 the second's."""
        stones = {mark: 0, 3 - mark: 0, 0: 0}
        for place, cell in enumerate(cells):
            row_from_top, column = divmod(place, self.columns)
            stones[cell] |= self.bottom[column] << (self.rows - 1 - row_from_top)
        return stones[mark], stones[3 - mark]

    def moves(self, stones: int) -> list[tuple[int, int]]:
        """(column, cell) of all moves, `stones` being those of both players."""
        moves = []
        for column, bottom in enumerate(self.bottom):
            # Adding to the lowest bit carries through the stones to the first empty cell.
            cell = (stones + bottom) & bottom * ((1 << self.rows) - 1)
            if cell:
                moves.append((column, cell))
        return moves

    def has_row(self, stones: int) -> bool:
        """Whether `inarow` of these stones are in a row."""
        for step in self.directions:
            run = stones
            for _ in range(self.inarow - 1):
                run &= run >> step
            if run:
                return True
        return False

    def sensible_moves(self, own: int, opponent: int) -> list[tuple[int, int]]:
        """The moves to search: one that wins at once, else those that stop the opponent from
        winning at once, else all."""
        moves = self.moves(own | opponent)
        wins = [move for move in moves if self.has_row(own | move[1])]
        blocks = [move for move in moves if self.has_row(opponent | move[1])]
        return wins[:1] or blocks or moves

    def planes(self, own: int, opponent: int) -> np.ndarray:
        """float32[1, rows, columns, 3], the bottom row first: own stones, the opponent's, and 1
        everywhere if the first player is to move."""
        planes = np.zeros((1, self.rows, self.columns, 3), np.float32)
        for column, bottom in enumerate(self.bottom):
            for row in range(self.rows):
                planes[0, row, column, 0] = bool(own & bottom << row)
                planes[0, row, column, 1] = bool(opponent & bottom << row)
        planes[..., 2] = (own | opponent).bit_count() % 2 == 0
        return planes


def convolve(planes: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A convolution that keeps the board's size, as one product of matrices: planes [n, in, rows,
    columns], kernel [out, side, side, in]."""
    n, channels, rows, columns = planes.shape
    side, edge = kernel.shape[1], kernel.shape[1] // 2
    padded = np.zeros((n, channels, rows + 2 * edge, columns + 2 * edge), np.float32)
    padded[:, :, edge : edge + rows, edge : edge + columns] = planes
    neighbours = np.concatenate([
        padded[:, :, row : row + rows, column : column + columns]
        for row in range(side) for column in range(side)
    ], axis=1)
    sums = kernel.reshape(len(kernel), -1) @ neighbours.reshape(n, -1, rows * columns)
    return (sums + bias[:, None]).reshape(n, -1, rows, columns)


OPERATIONS: dict[str, Callable[..., np.ndarray]] = {
    "Add": np.add,
    "Conv": convolve,
    "Flatten": lambda x: x.reshape(len(x), -1),
    "MatMul": np.matmul,
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Transpose": np.transpose,
}


class Network:
    """A network as a list of operations of ONNX.

    Args:
        arrays: base64 of an .npz file, its constants by name.
        steps: operation, names of its arguments, name of its result.
    """

    def __init__(self, arrays: str, steps: list[tuple[str, list[str], str]]) -> None:
        with np.load(io.BytesIO(base64.b64decode(arrays))) as constants:
            self._constants = {
                name: array.astype(np.float32) if array.dtype.kind == "f" else array
                for name, array in constants.items()
            }
        self._steps = steps

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """float32[n, columns] logits, and float32[n] values, -1 to 1, of the player to move."""
        results = {"planes": planes, **self._constants}
        for operation, arguments, result in self._steps:
            results[result] = OPERATIONS[operation](*(results[name] for name in arguments))
        return results["policy"], results["value"][:, 0]


class Node:
    """A position of the tree: the stones of the player to move, and of the opponent. `total` is the
    sum of its values for the opponent, who chose it by playing `column`."""

    def __init__(self, own: int, opponent: int, column: int = -1, prior: float = 1.0) -> None:
        self.own, self.opponent, self.column, self.prior = own, opponent, column, prior
        self.visits, self.total = 0, 0.0
        self.children: list[Node] = []

    def best_child(self) -> Node:
        """The child that the next simulation visits, by PUCT."""
        explore = EXPLORATION * math.sqrt(self.visits)
        first_play = -self.total / self.visits - FIRST_PLAY

        def score(child: Node) -> float:
            mean = child.total / child.visits if child.visits else first_play
            return mean + explore * child.prior / (1 + child.visits)

        return max(self.children, key=score)


def simulate(root: Node, board: Board, network: Network | None) -> None:
    """Walk to a leaf, value it and give it children, and count its value on the way back."""
    path = [root]
    while path[-1].children:
        path.append(path[-1].best_child())
    leaf = path[-1]
    moves = board.sensible_moves(leaf.own, leaf.opponent)
    value = 0.0  # for the player to move; a full board is a draw
    if board.has_row(leaf.opponent):
        value = -1.0
    elif moves:
        priors = np.ones(board.columns)
        if network is not None:
            logits, values = network.evaluate(board.planes(leaf.own, leaf.opponent))
            priors, value = np.exp(logits[0] - logits.max()), float(values[0])
        total = sum(priors[column] for column, _ in moves) or 1.0
        leaf.children = [
            Node(leaf.opponent, leaf.own | cell, column, float(priors[column] / total))
            for column, cell in moves
        ]
    for node in reversed(path):
        value = -value
        node.visits += 1
        node.total += value


def choose(
    board: Board, network: Network | None, own: int, opponent: int, deadline: float
) -> int:
    """The column to play, by a search until `deadline`, a time of `time.perf_counter`."""
    moves = board.sensible_moves(own, opponent)
    if len(moves) == 1:
        return moves[0][0]
    root = Node(own, opponent)
    while not root.children or time.perf_counter() < deadline:
        simulate(root, board, network)
    return max(root.children, key=lambda child: child.visits).column


class Bot:
    """The agent as a player of dlgo: `dlgo play connect4 --first FILE.py:Bot`."""

    def __init__(self, act_timeout: float = 2.0) -> None:
        self.act_timeout = act_timeout

    def select_move(self, state):
        """The move in a state of Connect Four, or of Connect n with gravity."""
        game = state.game
        players = [
            game.cell(state, row, column)
            for row in range(game.board_rows, 0, -1) for column in range(1, game.board_cols + 1)
        ]
        column = agent(
            types.SimpleNamespace(
                board=[0 if player is None else player.value for player in players],
                mark=state.next_player.value,
            ),
            types.SimpleNamespace(
                rows=game.board_rows, columns=game.board_cols, inarow=getattr(game, "n", 4),
                actTimeout=self.act_timeout,
            ),
        )
        return game.move_of(column)


NETWORKS: dict[str, Network] = {}  # unpacked once


def agent(observation, configuration) -> int:
    """The column to play; what Kaggle calls. All other functions must be above it.

    Args:
        observation: `board`, row by row from the top, 0 empty, 1 and 2 the players' stones;
            `mark`, which of them we are; `remainingOverageTime`, seconds in reserve.
        configuration: `rows`, `columns`, `inarow`; `actTimeout`, seconds a move.
    """
    start = time.perf_counter()
    late = getattr(observation, "remainingOverageTime", 60) < LITTLE_RESERVE
    share = SHARE_WHEN_LATE if late else SHARE_OF_TIME
    deadline = start + share * getattr(configuration, "actTimeout", 2)
    size = configuration.rows, configuration.columns, configuration.inarow
    network = None
    if size == TRAINED_ON:
        network = NETWORKS.get(WEIGHTS) or NETWORKS.setdefault(WEIGHTS, Network(WEIGHTS, STEPS))
    board = Board(*size)
    return choose(board, network, *board.read(observation.board, observation.mark), deadline)


# Rows, columns and how many in a row of the board that the network was trained on; the network.
TRAINED_ON: tuple[int, int, int] | None = None
STEPS: list[tuple[str, list[str], str]] = []
WEIGHTS = ""
