"""AlphaZero in one file, for tic-tac-toe: rules, network, search, self-play, training, a game.

    python experiments/chapters/microzero.py [SEED]

The file needs NumPy and nothing else. Read it from top to bottom: each part uses only what stands
above it. All boards and values are seen by the player to move; values are in [-1, 1]. A move gives
the turn to the opponent, so a value changes its sign wherever it crosses a move.

Source: Silver et al. 2018, "A general reinforcement learning algorithm" (AlphaZero); chapter 14.
"""

import sys
import time

import numpy as np

# The rules. A board is 9 numbers: 1 for a stone of the player to move, -1 for one of the opponent.
#     0 1 2
#     3 4 5
#     6 7 8
SQUARE = np.arange(9).reshape(3, 3)
LINES = np.array([*SQUARE, *SQUARE.T, SQUARE.diagonal(), np.fliplr(SQUARE).diagonal()])
SYMMETRIES = np.array([np.rot90(face, turns).ravel()
                       for face in (SQUARE, SQUARE.T) for turns in range(4)])


def play(board, move):
    """The board after the move, as the opponent sees it."""
    board = board.copy()
    board[move] = 1
    return -board


def result(board):
    """The value of a finished game; None while it goes on. Only the last mover can have won."""
    if (board[LINES].sum(axis=1) == -3).any():
        return -1.0
    return 0.0 if board.all() else None


# The network. A board becomes 18 inputs; two hidden layers feed two heads, policy and value.
class Network:
    """Estimates the policy and the value of boards, and learns by gradient descent (Adam)."""

    def __init__(self, rng, width=64):
        shapes = [(18, width), (width, width), (width, 9), (width, 1)]
        self.weights = [rng.normal(0, np.sqrt(2 / shape[0]), shape) for shape in shapes]
        self.weights += [np.zeros(outputs) for _, outputs in shapes]
        self.momenta = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def forward(self, boards):
        """All layers for boards [n, 9]: inputs, two hidden layers, policies [n, 9], values [n]."""
        w1, w2, w_policy, w_value, b1, b2, b_policy, b_value = self.weights
        inputs = np.hstack([boards == 1, boards == -1]).astype(float)
        hidden1 = np.maximum(inputs @ w1 + b1, 0)
        hidden2 = np.maximum(hidden1 @ w2 + b2, 0)
        logits = np.where(boards == 0, hidden2 @ w_policy + b_policy, -1e9)  # legal moves only
        policies = np.exp(logits - logits.max(axis=1, keepdims=True))
        policies /= policies.sum(axis=1, keepdims=True)
        return inputs, hidden1, hidden2, policies, np.tanh(hidden2 @ w_value + b_value)[:, 0]

    def evaluate(self, board):
        """The policy [9] and the value of one board."""
        *_, policies, values = self.forward(board[None])
        return policies[0], values[0]

    def learn(self, boards, target_policies, target_values, rate=0.002):
        """One step that lowers cross-entropy(policy) + (value - target)^2. Returns the loss."""
        _, w2, w_policy, w_value, *_ = self.weights
        inputs, hidden1, hidden2, policies, values = self.forward(boards)
        errors = values - target_values
        # The chain rule, from the heads back to the inputs: d_x is the gradient at x.
        d_policy = (policies - target_policies) / len(boards)
        d_value = (2 * errors * (1 - values**2) / len(boards))[:, None]
        d_hidden2 = (d_policy @ w_policy.T + d_value @ w_value.T) * (hidden2 > 0)
        d_hidden1 = (d_hidden2 @ w2.T) * (hidden1 > 0)
        layers = [inputs, hidden1, hidden2, hidden2]
        d_outputs = [d_hidden1, d_hidden2, d_policy, d_value]
        gradients = [x.T @ d for x, d in zip(layers, d_outputs, strict=True)]
        gradients += [d.sum(axis=0) for d in d_outputs]
        self.steps += 1
        for i, g in enumerate(gradients):
            weight, m, s = self.weights[i], self.momenta[i], self.squares[i]
            m += 0.1 * (g - m)
            s += 0.001 * (g**2 - s)
            step = m / (1 - 0.9**self.steps) / (np.sqrt(s / (1 - 0.999**self.steps)) + 1e-8)
            weight -= rate * step
        return -(target_policies * np.log(policies + 1e-9)).sum(1).mean() + (errors**2).mean()


# The search. It walks down the tree, asks the network about one new board, and walks back up.
class Node:
    """A board in the tree, with statistics of its 9 moves. It is expanded at its first visit."""

    def __init__(self, board):
        self.board = board
        self.end = result(board)
        self.prior = None
        self.visits = np.zeros(9)
        self.value_sum = np.zeros(9)
        self.children = {}


def simulate(node, network, c_puct=1.5):
    """Add one leaf below the node. Returns the leaf's value, as the node's player sees it."""
    if node.end is not None:
        return node.end
    if node.prior is None:
        node.prior, value = network.evaluate(node.board)
        return value
    q_value = node.value_sum / np.maximum(node.visits, 1)
    bonus = c_puct * node.prior * np.sqrt(node.visits.sum() + 1) / (node.visits + 1)
    move = np.where(node.board == 0, q_value + bonus, -np.inf).argmax()
    if move not in node.children:
        node.children[move] = Node(play(node.board, move))
    value = -simulate(node.children[move], network)  # the child's value is the opponent's
    node.visits[move] += 1
    node.value_sum[move] += value
    return value


def search(board, network, simulations, rng=None):
    """The share of visits of each move [9]. With a generator, noise makes the root explore."""
    root = Node(board)
    simulate(root, network)  # expands the root
    if rng is not None:
        noise = rng.dirichlet(np.ones(9)) * (board == 0)
        root.prior = 0.75 * root.prior + 0.25 * noise / noise.sum()
    for _ in range(simulations):
        simulate(root, network)
    return root.visits / root.visits.sum()


# Self-play: the search improves on the policy, the game's end corrects the value.
def self_play(network, rng, simulations=40, random_plies=4):
    """One game. Returns its examples (board, policy, value); the network learns them."""
    board, boards, policies = np.zeros(9, dtype=int), [], []
    while result(board) is None:
        policy = search(board, network, simulations, rng)
        boards.append(board)
        policies.append(policy)
        move = rng.choice(9, p=policy) if len(boards) <= random_plies else policy.argmax()
        board = play(board, move)
    value = result(board)
    values = [value * (-1) ** (len(boards) - ply) for ply in range(len(boards))]
    return list(zip(boards, policies, values, strict=True))


def train(seed=1, iterations=60, games=50, buffer_size=10_000, batches=100, progress=print):
    """Each iteration plays games, then learns from the newest positions of all games so far."""
    rng = np.random.default_rng(seed)
    network, examples = Network(rng), []
    for iteration in range(1, iterations + 1):
        for _ in range(games):
            examples += self_play(network, rng)
        examples = examples[-buffer_size:]
        boards, policies, values = map(np.array, zip(*examples, strict=True))
        for _ in range(batches):
            chosen = rng.integers(len(examples), size=64)
            turn = SYMMETRIES[rng.integers(8)]  # a turned or mirrored board is an example too
            loss = network.learn(boards[chosen][:, turn], policies[chosen][:, turn], values[chosen])
        progress(f"iteration {iteration}: {len(examples)} positions, loss {loss:.3f}")
    return network


def lost_lines(board, network, simulations, machine_moves):
    """In how many lines of play the machine loses, when the opponent tries every move."""
    if (value := result(board)) is not None:
        return int(value == (-1 if machine_moves else 1))
    moves = np.flatnonzero(board == 0)
    if machine_moves:
        moves = np.array([search(board, network, simulations).argmax()])
    return sum(lost_lines(play(board, m), network, simulations, not machine_moves) for m in moves)


def game(network, simulations=40):
    """You against the network, in the console. You move first."""
    board, machine_moves = np.zeros(9, dtype=int), False
    while result(board) is None:
        if machine_moves:
            move = search(board, network, simulations).argmax()
        else:
            print(*("".join(".XO"[cell] for cell in row) for row in board.reshape(3, 3)), sep="\n")
            legal = [str(move) for move in np.flatnonzero(board == 0)]
            while (text := input(f"Your move ({' '.join(legal)}): ")) not in legal:
                pass
            move = int(text)
        board, machine_moves = play(board, move), not machine_moves
    print("A draw." if result(board) == 0 else "You win." if machine_moves else "You lose.")


if __name__ == "__main__":
    start = time.process_time()
    network = train(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    lost = [lost_lines(np.zeros(9, dtype=int), network, 40, first) for first in (True, False)]
    print(f"{time.process_time() - start:.0f} s; lines lost as first and second player: {lost}")
    game(network)
