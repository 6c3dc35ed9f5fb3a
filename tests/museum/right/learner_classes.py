"""A learner in classes: the parts are methods, value targets are black's until they are read."""

import collections
import itertools
import random

import numpy as np

GAME = "connect4"


class Recorder:
    def targets(self, states, moves, visits, result):
        for state, row in zip(states, visits, strict=True):
            policy = np.asarray(row, np.float32) / np.sum(row)
            winner = {1: "black", -1: "white", 0: None}[result]
            value = 0.0 if winner is None else 1.0 if state.next_player.name == winner else -1.0
            yield {"state": state}, policy, np.float32(value)

    def encode(self, state):
        game = state.game
        planes = np.zeros((3, game.board_rows, game.board_cols), np.int8)
        for row, col in itertools.product(range(game.board_rows), range(game.board_cols)):
            owner = game.cell(state, row + 1, col + 1)
            if owner is not None:
                planes[owner.index, row, col] = 1
        planes[2] = state.next_player.index
        return planes

    def augment(self, planes, policy):
        """A random one of the two images."""
        if random.random() < 0.5:
            return planes, policy
        return planes[:, ::-1].copy(), policy[::-1].copy()


class Sampler:
    def __init__(self):
        self.rng = random.Random(3)

    def pick(self, visits, temperature):
        if temperature < 0.1:
            return max(range(len(visits)), key=lambda action: visits[action])
        weights = [float(count) ** (1 / temperature) for count in visits]
        return self.rng.choices(range(len(weights)), weights)[0]

    def noise(self, priors, is_root):
        if not is_root:
            return list(priors)
        drawn = [self.rng.gammavariate(0.8, 1) if prior else 0.0 for prior in priors]
        return [0.75 * prior + 0.25 * one / sum(drawn)
                for prior, one in zip(priors, drawn, strict=True)]

    def priors(self, logits, legal):
        actions = [action for action, ok in enumerate(legal) if ok]
        top = max(logits[action] for action in actions)
        powers = {action: np.exp(logits[action] - top) for action in actions}
        total = sum(powers.values())
        return [powers.get(action, 0.0) / total for action in range(len(logits))]


def batches(examples, size):
    order = list(examples)
    random.shuffle(order)
    source = iter(order)
    while batch := list(itertools.islice(source, size)):
        yield batch


def window(old, new, size):
    return collections.deque([*old, *new], maxlen=size)


def match(play, games):
    half = games // 2
    points = {1: 1.0, 0: 0.5, -1: 0.0}
    return (sum(points[play(True)] for _ in range(half))
            + sum(points[play(False)] for _ in range(games - half))) / games


recorder, sampler = Recorder(), Sampler()
targets, encode, augment = recorder.targets, recorder.encode, recorder.augment
pick, noise, priors = sampler.pick, sampler.noise, sampler.priors
