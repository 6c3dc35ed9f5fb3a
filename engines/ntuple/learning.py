"""Self-play and TD(lambda) of n-tuple networks, compiled (Thill, Bagheri, Koch and Konen 2014).

Both players play the move to the position with the best value, or with the chance `epsilon` a
random move. After a game each position learns its lambda-return, the last one first:

    return[t] = (1 - lambda) * value[t + 1] + lambda * return[t + 1],    return[end] = result

This equals eligibility traces whose weights change at the end of the game. A position with a random
move does not learn and ends the traces (its return is its value), unless the move ends the game.

Each weight has a rate of its own (temporal coherence learning; Beal and Smith 1999): high while its
changes have the same sign, low when they cancel each other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import shuffle, uniform
from dlgo.vector import longest_game
from engines.ntuple.network import Tuples, total

# Rate of a weight: exp(COHERENCE * (|sum of its changes| / sum of their sizes - 1)) of the
# highest (Bagheri et al. 2015).
COHERENCE = 2.7
# Indices into `Games.states`; into `Games.counts`: games that player 0 won, drew and lost, plies,
# positions learned, sum of their squared errors.
NOW, AFTER, START = range(3)
WON, DRAWN, LOST, PLIES, LEARNED, SQUARES = range(6)


class Games(NamedTuple):
    """Self-play and what it learns with; row t of a game belongs to the position after t plies."""

    tuples: Tuples  # its weights are float32
    states: Any  # batch of 3 states: the position, the one after a move, and the start
    actions: np.ndarray  # int64[num_actions], scratch
    used: np.ndarray  # int32[plies + 1, images], the weights of a position
    values: np.ndarray  # float64[plies + 1], seen by player 0
    random: np.ndarray  # bool[plies + 1], whether a random move was played there
    sums: np.ndarray  # float32[weights], sum of all changes that a weight was to make
    sizes: np.ndarray  # float32[weights], sum of their sizes
    counts: np.ndarray  # float64[6], see above


def new_games(game: GameSpec, tuples: Tuples) -> Games:
    """Arrays for self-play, from the start."""
    start, n = game.start().kernel_state, len(tuples.weights)
    rows = longest_game(game) + 1  # where a game ends: the last value stands in for a result
    states = kernels.make_batch(game.scratch_state(start, rows), 3)
    kernels.copy_into(kernels.row(states, START), start)
    return Games(
        tuples, states, np.zeros(game.num_actions, np.int64),
        np.zeros((rows, len(tuples.used)), np.int32), np.zeros(rows), np.zeros(rows, np.bool_),
        np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(6))


@inline_kernel
def value_of(tuples, state, work):
    """The value of a position for player 0; the result, if the game is over."""
    if kernels.terminal(state):
        return np.float64(kernels.result(state))
    return math.tanh(total(tuples, state, work))


@inline_kernel
def best_action(games, state, n):
    """The one of the first `n` actions that leads to the best position."""
    best, best_value, sign = games.actions[0], -2.0, 1 - 2 * kernels.to_move(state)
    successor = kernels.row(games.states, AFTER)
    for i in range(n):
        kernels.copy_into(successor, state)
        kernels.play(successor, games.actions[i])
        value = sign * value_of(games.tuples, successor, games.tuples.used)
        if value > best_value:
            best, best_value = games.actions[i], value
    return best


@kernel
def play_games(games, n, epsilons, rate, td_lambda, rng):
    """Play `n` games and learn from each; with rate 0, play only. Counts are added up.

    Args:
        epsilons: float64[2], each player's chance of a random move.
        rate: share of an error that is corrected at once where all weights are new.
    """
    state = kernels.row(games.states, NOW)
    for _ in range(n):
        kernels.copy_into(state, kernels.row(games.states, START))
        t = 0
        while not kernels.terminal(state) and t < len(games.values) - 1:
            games.values[t] = value_of(games.tuples, state, games.used[t])
            n_actions = kernels.search_actions(state, games.actions)
            shuffle(games.actions, n_actions, rng)  # equal moves: a random one
            games.random[t] = uniform(rng) < epsilons[kernels.to_move(state)]
            action = games.actions[0]
            if not games.random[t]:
                action = best_action(games, state, n_actions)
            kernels.play(state, action)
            t += 1
        games.values[t] = value_of(games.tuples, state, games.used[t])
        if kernels.terminal(state):
            games.random[t - 1] = False
        games.counts[DRAWN - (kernels.result(state) if kernels.terminal(state) else 0)] += 1
        games.counts[PLIES] += t
        if rate > 0:
            learn(games, t, rate, td_lambda)


@kernel
def learn(games, last, rate, td_lambda):
    """Learn from the positions of a game, before the last one, whose value is the result."""
    values, target = games.values, games.values[last]
    for t in range(last - 1, -1, -1):
        if games.random[t]:
            target = values[t]
            continue
        target = (1 - td_lambda) * values[t + 1] + td_lambda * target
        error = target - values[t]
        games.counts[LEARNED] += 1
        games.counts[SQUARES] += error * error
        change = error * (1 - values[t] * values[t])  # the gradient of tanh
        for weight in games.used[t]:
            own_rate = rate / games.used.shape[1]
            if games.sizes[weight] > 0:
                coherence = abs(games.sums[weight]) / games.sizes[weight]
                own_rate *= math.exp(COHERENCE * (coherence - 1))
            games.tuples.weights[weight] += own_rate * change
            games.sums[weight] += change
            games.sizes[weight] += abs(change)
