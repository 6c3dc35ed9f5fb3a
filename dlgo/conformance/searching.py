"""Conformance rules of the functions that searches use: rollouts, hints, features, evaluation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit
from dlgo.conformance.broken import Kind
from dlgo.rng import below, make_rng

# Games per position and method, where rollouts are compared with random moves.
COMPARED_POSITIONS, COMPARED_GAMES = 12, 150
ROLLOUTS = 4 * COMPARED_GAMES
# Standard errors by which two equal frequencies may differ: by chance, once in 10**6.
TOLERANCE = 5.0
# For the comparison of estimates with the results of random games.
EVALUATED_POSITIONS, EVALUATED_GAMES = 400, 16


def rollout_seeds(sample: kit.Sample) -> kit.Findings:
    """Rollouts from the start end, and equal seeds give equal rollouts."""
    # Called first, with only the start position; other rules check more, with copies.
    once, again = (
        [kit.rolled(sample.game.new_kernel_state(), seed) for seed in range(16)] for _ in range(2)
    )
    start = GameState.new_game(sample.game)
    if once != again:
        yield "the same seeds give other results the second time", start
    if all(end == int(make_rng(seed)[0]) for seed, (_, end) in enumerate(once)):
        yield "a rollout draws nothing from the generator it is given", start


@kit.at(12)
def rollout(state: GameState) -> Iterator[str]:
    """A rollout returns -1, 0 or 1, and is the same in compiled loops."""
    for seed in range(16):
        value = kernels.rollout(kit.clone(state), make_rng(seed))
        if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
            yield f"returns {value!r}, not -1, 0 or 1"
    total = kernels.rollouts(state.kernel_state, kit.clone(state), make_rng(2), 16)
    rng = make_rng(2)
    if total != sum(kernels.rollout(kit.clone(state), rng) for _ in range(16)):
        yield "compiled into a loop, it gives other results"


@kit.at(8)
def heavy_rollout(state: GameState) -> Iterator[str]:
    """A heavy rollout repeats itself from its seed and notes the actions of the right player."""
    game = state.game
    actions = np.empty(game.num_actions, np.int64)
    rollouts = []
    for seed in (1, 2, 3, 1):
        first_players, rng = np.full(game.num_actions, kernels.NOBODY, np.int8), make_rng(seed)
        value = kernels.heavy_rollout(kit.clone(state), rng, actions, first_players)
        if value not in (-1, 0, 1):
            yield f"returns {value!r}, not -1, 0 or 1"
        if not set(first_players.tolist()) <= {kernels.NOBODY, 0, 1}:
            yield "notes players that do not exist"
        # The player to move begins with a legal action; a pass need not be noted.
        noted = np.flatnonzero(first_players == kernels.to_move(state.kernel_state))
        legal = kit.listed(state, "legal_actions")
        if len(noted) and not np.isin(noted, legal).any() and game.pass_action < 0:
            yield "no action it notes could be the first"
        rollouts.append((int(value), first_players.tolist(), int(rng[0])))
    if rollouts[0] != rollouts[-1]:
        yield "the same seed gives another game"


@kit.at(8)
def hints(state: GameState) -> Iterator[str]:
    """Hints are imagined games: none negative, no more won than played."""
    visits, wins = np.full((2, state.game.num_actions), -1, np.float32)
    actions = np.array(kit.listed(state, "search_actions"), np.int64)
    n = len(actions)
    kernels.hints(state.kernel_state, actions, n, visits, wins)
    if not ((visits[:n] >= wins[:n]) & (wins[:n] >= 0)).all():
        yield "wins are not between 0 and visits for every action"


@kit.at(24)
def move_features(state: GameState) -> Iterator[str]:
    """Move features are written for each action, in range, independently of the other actions."""
    slots, num_actions = state.game.feature_slots, state.game.num_actions
    actions = kit.listed(state, "search_actions")
    features = []
    # In reverse order the second time: the values of an action do not depend on the others.
    for arrays, order, poison in (
        (state.kernel_state, actions, -1), (kit.clone(state), actions[::-1], 1 << 30),
    ):
        out = np.full((num_actions + 1, len(slots)), poison, np.int32)
        queries, scratch = np.full((2, num_actions), -1, np.int64)
        queries[: len(order)] = order
        kernels.move_features(arrays, queries, len(order), scratch, out[:-1])
        values = out[: len(order)]
        if (out[-1] != poison).any():
            yield "writes beyond the end of `out`"
        for (name, size), column in zip(slots, values.T, strict=True):
            if column.min() < 0 or column.max() >= size:
                yield f"slot {name!r} is not between 0 and {size - 1} for every action"
        if queries[: len(order)].tolist() != order:
            yield "changes the actions it is asked about"
        features.append(dict(zip(order, values.tolist(), strict=True)))
    if features[0] != features[1]:
        yield "equal positions have other values"


def rollout_chances(sample: kit.Sample) -> kit.Findings:
    """Rollouts win as often as games of uniformly random sensible moves.

    Skipped for games whose rollouts are declared as not uniform.
    """
    for state in sample.states(COMPARED_POSITIONS if sample.game.uniform_rollouts else 0):
        rng = make_rng(sample.seed + 1)
        fast = Counter(int(kernels.rollout(kit.clone(state), rng)) for _ in range(ROLLOUTS))
        slow = Counter(_play_out(state, rng) for _ in range(COMPARED_GAMES))
        for value in (-1, 0, 1):
            p, q = fast[value] / ROLLOUTS, slow[value] / COMPARED_GAMES
            mean = (fast[value] + slow[value]) / (ROLLOUTS + COMPARED_GAMES)
            error = math.sqrt(mean * (1 - mean) * (1 / ROLLOUTS + 1 / COMPARED_GAMES))
            if abs(p - q) > TOLERANCE * error:
                yield f"{p:.0%} of rollouts end with result {value}, but {q:.0%} of games of " \
                    "random search_actions", state


def _play_out(state: GameState, rng: np.ndarray) -> int:
    position = kit.clone(state, room=kit.LONGEST_GAME)
    actions = np.empty(state.game.num_actions, np.int64)
    for _ in range(kit.LONGEST_GAME):
        if kernels.terminal(position):
            return int(kernels.result(position))
        n = kernels.search_actions(position, actions)
        kernels.play(position, int(actions[below(rng, n)]))
    text = f"a random game has not ended after {kit.LONGEST_GAME} plies"
    raise kit.broken("end", text, state, Kind.LENGTH)


@kit.at(200)
def evaluate(state: GameState) -> Iterator[str]:
    """`evaluate` is an int below 10,000 in size: beyond that lie proven results."""
    value: Any = kernels.evaluate(state.kernel_state)
    if not isinstance(value, (int, np.integer)):
        yield f"returns {value!r}, which is not an int"
    elif abs(int(value)) >= 10_000:
        yield f"returns {value}, not between -10,000 and 10,000"


def side_of_evaluate(sample: kit.Sample) -> kit.Findings:
    """The player to move does better in random games from positions with a higher `evaluate`."""
    for player in (0, 1):
        estimates: list[float] = []
        results: list[float] = []
        for state in sample.states(EVALUATED_POSITIONS):
            arrays = state.kernel_state
            if kernels.to_move(arrays) == player:
                estimates.append(float(kernels.evaluate(arrays)))
                rng = make_rng(len(results))
                total = kernels.rollouts(arrays, kit.clone(state), rng, EVALUATED_GAMES)
                results.append((1 - 2 * player) * total / EVALUATED_GAMES)
        if len(set(estimates)) < 2 or len(set(results)) < 2:
            continue
        # Uncorrelated, this is about normal: TOLERANCE is passed once in 10**6.
        deviation = float(np.corrcoef(estimates, results)[0, 1]) * math.sqrt(len(results))
        if deviation < -TOLERANCE:
            yield f"player {player} does worse where `evaluate` is high: it must be seen by the " \
                "player to move", GameState.new_game(sample.game)
