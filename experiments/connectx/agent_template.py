"""An agent for Kaggle's ConnectX in one file: a network, and a tree search guided by it.

The environment executes the text of this file, takes the LAST callable in it for the agent, and
calls `agent(observation, configuration)` whenever a column is to be chosen. Nothing is needed
but the standard library and NumPy.

Read it from the bottom: `agent` reads the board, `Search` looks for a column, and asks `Network`
what to think of a position. On a board that the network was not trained on, the search does not use
the network: all moves have equal priors, and a random game values a position.

Without a network, this file is an agent as well. `dlgo connectx export` puts the network's
weights at its end.
"""

from __future__ import annotations

import base64
import io
import math
import random
import time
from functools import lru_cache

import numpy as np

BATCH = 8  # leaves valued by one call of the network
EXPLORATION = 1.8  # weight of the priors; values are -1 to 1
FIRST_PLAY = 0.2  # a move not tried yet is taken for so much worse than the position
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
        # The middle first: it is the better guess where nothing else is known.
        self.order = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
        self.bottom = [1 << column * (rows + 1) for column in range(columns)]
        self.column = [((1 << rows) - 1) * bottom for bottom in self.bottom]
        # Up, sideways, and along the two diagonals.
        self.directions = (1, rows + 1, rows, rows + 2)

    def read(self, cells: list[int], mark: int) -> tuple[int, int]:
        """The stones of `mark` and those of the other player, from cells given row by row from
        the top: 0 empty, 1 the first player's, 2 the second's."""
        own = other = 0
        for place, cell in enumerate(cells):
            from_top, column = divmod(place, self.columns)
            bit = self.bottom[column] << (self.rows - 1 - from_top)
            if cell == mark:
                own |= bit
            elif cell:
                other |= bit
        return own, other

    def moves(self, stones: int) -> list[tuple[int, int]]:
        """(column, cell) of all moves, `stones` being those of both players."""
        moves = []
        for column in self.order:
            # Adding to the lowest bit carries through the stones to the first empty cell.
            cell = (stones + self.bottom[column]) & self.column[column]
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

    def sensible_moves(self, own: int, other: int) -> tuple[list[tuple[int, int]], int | None]:
        """The moves worth looking at (none if the board is full), and the result if that is
        certain: 1 if the player to move wins, -1 if he loses, 0 if the board is full, else None.

        A move that wins is the only one; so is one that stops the other player from winning.
        """
        moves = self.moves(own | other)
        wins = [(column, cell) for column, cell in moves if self.has_row(own | cell)]
        if wins:
            return wins, 1
        blocks = [(column, cell) for column, cell in moves if self.has_row(other | cell)]
        if len(blocks) > 1:
            return blocks, -1  # only one of them can be stopped
        return blocks or moves, None if moves else 0


class Network:
    """A residual network, the batch normalisations folded into the convolutions.

    Args:
        weights: base64 of an .npz file. "conv0" is the first convolution, two more make a
            residual block; then come the two heads. Kernels are [9 * in, out], [in, out] where
            only one cell is looked at, and "NAME_bias" is what is added.
    """

    def __init__(self, weights: str) -> None:
        with np.load(io.BytesIO(base64.b64decode(weights))) as arrays:
            self._weights = {name: arrays[name].astype(np.float32) for name in arrays.files}
        self._blocks = sum(name.startswith("conv") for name in self._weights) // 4

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The network's answers for `n` positions.

        Args:
            planes: float32[n, rows, columns, 3], the bottom row first: own stones, the other's,
                and 1 everywhere if the first player is to move.

        Returns:
            logits: float32[n, columns]; values: float32[n], -1 to 1, as the player to move sees
            them.
        """
        x = _relu(self._convolve(planes, "conv0"))
        for block in range(self._blocks):
            y = _relu(self._convolve(x, f"conv{2 * block + 1}"))
            x = _relu(x + self._convolve(y, f"conv{2 * block + 2}"))
        n = len(planes)
        logits = self._dense(_relu(self._dense(x, "policy_conv")).reshape(n, -1), "policy")
        y = _relu(self._dense(x, "value_conv")).reshape(n, -1)
        values = np.tanh(self._dense(_relu(self._dense(y, "value_hidden")), "value"))
        return logits, values[:, 0]

    def _dense(self, x: np.ndarray, name: str) -> np.ndarray:
        """A dense layer, which on planes is a convolution that looks at one cell."""
        kernel = self._weights[name]
        y = x.reshape(-1, len(kernel)) @ kernel + self._weights[f"{name}_bias"]
        return y.reshape(*x.shape[:-1], -1)

    def _convolve(self, x: np.ndarray, name: str) -> np.ndarray:
        """A 3x3 convolution as one product of matrices: the nine neighbours side by side."""
        _, rows, columns, _ = x.shape
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        shifted = [
            padded[:, row : row + rows, column : column + columns]
            for row in range(3) for column in range(3)
        ]
        return self._dense(np.concatenate(shifted, axis=3), name)


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


class Node:
    """A position in the tree.

    Values and results are seen by the player who CHOSE the position, not by the one to move.

    Attributes:
        own, other: stones of the player to move there, and of the other one.
        column: the move that led here; prior: its probability as the network sees it.
        visits, total: simulations that came through, and the sum of their values.
        result: 1 won, 0 drawn, -1 lost, if that is certain; else None.
        children: positions after the moves worth looking at; none before it was valued.
    """

    __slots__ = ("own", "other", "column", "prior", "visits", "total", "result", "children")

    def __init__(self, own: int, other: int, column: int = -1, prior: float = 1.0) -> None:
        self.own, self.other, self.column, self.prior = own, other, column, prior
        self.visits, self.total = 0, 0.0
        self.result: int | None = None
        self.children: list[Node] = []

    def best_child(self) -> Node:
        """Whom a simulation visits next: PUCT (Silver et al. 2017)."""
        explore = EXPLORATION * math.sqrt(self.visits)
        # The total is the other player's, who chose this position: so the sign turns.
        expected = -self.total / self.visits - FIRST_PLAY
        best, best_score = self.children[0], -math.inf
        for child in self.children:
            if child.result is None:
                mean = child.total / child.visits if child.visits else expected
                score = mean + explore * child.prior / (1 + child.visits)
            else:
                score = 100.0 * child.result
            if score > best_score:
                best, best_score = child, score
        return best


class Search:
    """A tree search from one position, without a network if there is none for this board."""

    def __init__(self, board: Board, network: Network | None) -> None:
        self._board, self._network = board, network
        self._random = random.Random(1)

    def choose(self, own: int, other: int, deadline: float) -> int:
        """The column to play.

        Args:
            own, other: the stones of the player to move, and of the other one.
            deadline: when to stop, as `time.perf_counter` tells the time.
        """
        moves, _ = self._board.sensible_moves(own, other)
        if len(moves) == 1 or self._board.has_row(own | moves[0][1]):
            return moves[0][0]
        root = Node(own, other)
        while root.result is None and time.perf_counter() < deadline:
            self._simulate(root)
        # Not what is lost for certain; else what was thought about most.
        most = max(
            root.children or [Node(own, other, moves[0][0])],
            key=lambda child: (child.result or 0, child.visits),
        )
        return most.column

    def _simulate(self, root: Node) -> None:
        """Walk to some leaves, value them together, and count their values on the way back.

        A walk counts as lost until its value is known (virtual loss), so that the next one goes
        elsewhere. One that ends where an earlier one waits is taken back.
        """
        waiting: dict[int, tuple[list[Node], list[tuple[int, int]]]] = {}
        for _ in range(BATCH):
            path = [root]
            while path[-1].children and path[-1].result is None:
                path.append(path[-1].best_child())
            leaf = path[-1]
            if id(leaf) in waiting:
                break
            moves = self._look_ahead(path) if leaf.result is None else []
            for node in path:
                node.visits += 1
                node.total -= 1.0
            if leaf.result is None:
                waiting[id(leaf)] = path, moves
            else:
                _count(path, leaf.result)
                if root.result is not None:
                    break
        if waiting:
            self._expand(list(waiting.values()))

    def _look_ahead(self, path: list[Node]) -> list[tuple[int, int]]:
        """The sensible moves at the end of a path, whose result is settled if a rule does it.

        The results of earlier positions that follow from this one are settled, too.
        """
        leaf = path[-1]
        moves, result = self._board.sensible_moves(leaf.own, leaf.other)
        if result is None:
            return moves
        leaf.result = -result
        for node in path[-2::-1]:
            results = [child.result for child in node.children]
            if 1 in results:
                node.result = -1  # the player to move here has a move that wins
            elif None not in results:
                node.result = -max(results)
            else:
                break
        return moves

    def _expand(self, paths: list[tuple[list[Node], list[tuple[int, int]]]]) -> None:
        """Value the ends of paths; give them children by their moves, and count the values."""
        leaves = [path[-1] for path, _ in paths]
        if self._network is None:
            priors = [[1.0] * self._board.columns] * len(leaves)
            values = [self._random_game(leaf.own, leaf.other) for leaf in leaves]
        else:
            planes = np.stack([encode(self._board, leaf.own, leaf.other) for leaf in leaves])
            logits, answers = self._network.evaluate(planes)
            priors = np.exp(logits - logits.max(axis=1, keepdims=True)).tolist()
            values = answers.tolist()
        for (path, moves), prior, value in zip(paths, priors, values, strict=True):
            leaf = path[-1]
            # Moves that nearly all probability is taken away from may have none at all.
            total = sum(prior[column] for column, _ in moves) or 1.0
            leaf.children = [
                Node(leaf.other, leaf.own | cell, column, prior[column] / total)
                for column, cell in moves
            ]
            _count(path, -value)  # the value is that of the player to move

    def _random_game(self, own: int, other: int) -> float:
        """Who wins if both players move at random from here: 1, 0 or -1 for whom is to move."""
        sign = 1.0
        while moves := self._board.moves(own | other):
            _, cell = self._random.choice(moves)
            if self._board.has_row(own | cell):
                return sign
            own, other, sign = other, own | cell, -sign
        return 0.0


def _count(path: list[Node], value: float) -> None:
    """Replace the virtual loss of a path by a value for the player who chose its end."""
    for node in reversed(path):
        node.total += 1.0 + value
        value = -value


def encode(board: Board, own: int, other: int) -> np.ndarray:
    """The input planes of a position; see `Network.evaluate`."""
    planes = np.empty((board.rows, board.columns, 3), np.float32)
    bits = board.columns * (board.rows + 1)
    for plane, stones in enumerate((own, other)):
        octets = np.frombuffer(stones.to_bytes((bits + 7) // 8, "little"), np.uint8)
        cells = np.unpackbits(octets, bitorder="little")[:bits]
        planes[:, :, plane] = cells.reshape(board.columns, board.rows + 1)[:, : board.rows].T
    planes[:, :, 2] = bin(own | other).count("1") % 2 == 0
    return planes


@lru_cache(maxsize=1)
def network_for(rows: int, columns: int, inarow: int) -> Network | None:
    """The network if it was trained on such boards; unpacked once."""
    return Network(WEIGHTS) if (rows, columns, inarow) == TRAINED_ON else None


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
    board = Board(*size)
    own, other = board.read(observation.board, observation.mark)
    return Search(board, network_for(*size)).choose(own, other, deadline)


# Rows, columns and how many in a row of the board the network was trained on, and the network.
TRAINED_ON: tuple[int, int, int] | None = None
WEIGHTS = ""
