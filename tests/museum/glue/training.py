"""The textbook's AlphaZero, shown to the auditor part by part."""

from types import SimpleNamespace

import numpy as np

from dlgo import GameState, get_game
from engines.alphazero.textbook_training import AlphaZeroLoss, Example, TextbookAlphaZero
from engines.base import Decision
from engines.learning.from_scratch import Dense, Network
from engines.mcts.textbook import Node


class Told(TextbookAlphaZero):
    """Plays the moves and has the visits that it is told; it proves results of finished games."""

    def select_move(self, state, budget=None):
        self.root = Node(0, None, None)
        self.root.state = state
        counts, move = next(self.told)
        for other, count in counts.items():
            self.root.children.append(Node(1, self.root, other))
            self.root.children[-1].visits = count
            if self.root.children[-1].state.is_over():
                self.root.children[-1].proven = self.root.children[-1].state.result()
        self.root.untried = []
        self.root.proven = self.root.proof()
        return Decision(move)


def targets(states, moves, visits, result):
    learner = Told(states[0].game, sims=1)
    learner.sample_plies = 0  # the moves are those that it is told
    learner.told = iter(
        ({move: counts[learner.game.action_of(move)] for move in state.legal_moves()}, played)
        for state, counts, played in zip(states, visits, moves, strict=True))
    examples = learner.self_play(states[0], explore=False)
    players = np.array([state.next_player.index for state in states])
    policies = np.array([example.policy for example in examples])
    policies = learner._encoder.to_network_order(policies, players)
    return list(zip(policies, [example.value for example in examples], strict=True))


learner = Told(get_game("tictactoe"), sims=1)


def pick(visits, temperature):
    if temperature not in (0, 1):
        raise NotImplementedError("moves are drawn with temperature 0 or 1")
    moves = list(map(learner.game.move_of, range(len(visits))))
    best = moves[int(np.argmax(visits))]
    drawn = []

    def told():
        yield dict(zip(moves, visits, strict=True)), best
        raise StopAsyncIteration

    class State(GameState):
        def apply_move(self, move):
            drawn.append(move)
            return super().apply_move(move)

    learner.told = told()
    try:
        learner.self_play(State.new_game(learner.game), explore=temperature > 0)
    except StopAsyncIteration:
        return learner.game.action_of(drawn[-1])


noisy = Told(get_game("tictactoe"), sims=1)


def noise(priors, is_root):
    """The priors of a position while self-play searches it, or one before it."""
    legal = priors[priors > 0]
    state, answers = noisy.game.start().play("A1", "B1", "C1", "A2", "C2", "B2"), []
    noisy.network.evaluate = lambda planes: {
        "policy": np.log(np.array([[1, 1, 1, 1, 1, 1, *legal]])), "value": np.zeros((1, 1))}

    def select_move(root, budget=None):
        noisy.root = Node(0, None, None)
        noisy.root.state = state if is_root else root
        answers.append(np.zeros(len(priors)))
        answers[0][priors > 0] = list(noisy._evaluate(state)[0].values())
        raise StopAsyncIteration

    noisy.select_move = select_move
    try:
        noisy.self_play(noisy.game.start())
    except StopAsyncIteration:
        return answers[0]


def augment(planes, policy):
    seen = []
    other = Told(learner.game, sims=1)
    other.batch, other.examples = 1, 2 * [Example(np.repeat(planes, 3, 2), policy, 0.0)]
    other.network.step = lambda inputs, labels, rate: seen.append((inputs, labels)) or 0.0
    other.rng = learner.rng
    other.train()
    return [(inputs.reshape(*planes.shape[:2], -1)[..., :1], labels[0, :-1])
            for inputs, labels in seen]


def encode(state):
    """What the first layer with weights gets."""
    inputs = learner._encoder.encode(state).reshape(1, -1).astype(float)
    first = [isinstance(layer, Dense) for layer in learner.network.layers].index(True)
    return Network(learner.network.layers[:first]).forward(inputs)


def epoch(examples, size):
    """The batches that are drawn, here one after the other, and the loss that is told for each
    training; the loss of an example is itself."""
    drawn, losses, other = [], [], Told(learner.game, sims=1)

    def integers(high, size=None):
        if size is None:
            return 0
        start = sum(map(len, drawn))
        drawn.append(examples[start : min(start + size, high)])
        return np.zeros(size, int)

    other.rng = SimpleNamespace(integers=integers)
    other.batch = size
    other.examples = [Example(np.zeros((3, 3, 3)), np.ones(9) / 9, 0.0)] * len(examples)
    other.network.step = lambda inputs, labels, rate: sum(drawn[-1]) / size
    while sum(map(len, drawn)) < len(examples) and (not drawn or drawn[-1]):
        losses.append(other.train())
    return drawn, losses


def batches(examples, size):
    return epoch(examples, size)[0]


def epoch_loss(losses, size):
    if len(losses) % size:
        raise NotImplementedError("all batches have the same size")
    return epoch(losses, size)[1][0]


def window(old, new, size):
    other = Told(learner.game, sims=1)
    other.games, other.window, other.examples = 1, size, list(old)
    other.self_play, other.train = lambda: list(new), lambda: 0.0
    next(other.learn(1))
    return other.examples


def loss(logits, values, policies, results):
    return AlphaZeroLoss().value(np.column_stack([logits, values]),
                                 np.column_stack([policies, results]))


def gradient(logits, values, policies, results):
    delta = AlphaZeroLoss().delta(np.column_stack([logits, values]),
                                  np.column_stack([policies, results]))
    return delta[:, :-1], delta[:, -1]
