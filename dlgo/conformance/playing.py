"""Conformance checks of what searches use: rollouts and the evaluation."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance.sample import LONGEST_GAME, Sample, broken, bytes_of, clone, listed, rolled
from dlgo.rng import below, make_rng

# Games per position and way of playing them, where rollouts are compared with random moves.
COMPARED_POSITIONS, COMPARED_GAMES = 12, 150
ROLLOUTS = 4 * COMPARED_GAMES
# Standard errors by which two equal frequencies may differ: by chance, once in 10**6.
TOLERANCE = 5.0
# Where estimates are compared with the results of random games.
EVALUATED_POSITIONS, EVALUATED_GAMES = 400, 16


def check_rollout_seeds(sample: Sample) -> None:
    """Rollouts from the start come to an end, and equal seeds give equal ones."""
    # Called first of all, with nothing but the start position: others check more, with copies.
    once, again = (
        [rolled(sample.game.new_kernel_state(), seed) for seed in range(16)] for _ in range(2)
    )
    start = GameState.new_game(sample.game)
    if once != again:
        raise broken("rollout", "the same seeds give other results the second time", start)
    if all(end == int(make_rng(seed)[0]) for seed, (_, end) in enumerate(once)):
        raise broken("rollout", "draws nothing from the generator it is given", start)


def check_rollout(sample: Sample) -> None:
    """A rollout returns -1, 0 or 1, touches nothing else, and is the same in compiled loops."""
    for state in sample.states(12):
        before = bytes_of(state.kernel_state)
        for seed in range(16):
            value = kernels.rollout(clone(state), make_rng(seed))
            if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
                raise broken("rollout", f"returns {value!r}, not -1, 0 or 1", state)
        if bytes_of(state.kernel_state) != before:
            raise broken("rollout", "changes arrays of another state", state)
        total = kernels.rollouts(state.kernel_state, clone(state), make_rng(2), 16)
        rng, work = make_rng(2), clone(state)
        for _ in range(16):
            kernels.copy_into(work, state.kernel_state)
            total -= kernels.rollout(work, rng)
        if total != 0:
            raise broken("rollout", "compiled into a loop, it gives other results", state)


def check_heavy_rollout(sample: Sample) -> None:
    """A heavy rollout repeats itself from its seed and notes the actions of the right player."""
    game = sample.game
    actions = np.empty(game.num_actions, np.int64)
    for state in sample.states(8):
        before = bytes_of(state.kernel_state)
        legal = set(listed(state, "legal_actions"))
        rollouts = []
        for seed in (1, 2, 3, 1):
            played = np.full(game.num_actions, kernels.NOBODY, np.int8)
            rng = make_rng(seed)
            value = kernels.heavy_rollout(clone(state), rng, actions, played)
            if value not in (-1, 0, 1):
                raise broken("heavy rollout", f"returns {value!r}, not -1, 0 or 1", state)
            if not set(played.tolist()) <= {kernels.NOBODY, 0, 1}:
                raise broken("heavy rollout", "notes players that there are not", state)
            # Whoever is to move begins with a legal action; a pass need not be noted.
            mover = kernels.to_move(state.kernel_state)
            noted = {int(action) for action in np.flatnonzero(played == mover)}
            if noted and not noted & legal and game.pass_action < 0:
                raise broken("heavy rollout", "no action it notes could be the first", state)
            rollouts.append((int(value), played.tolist(), int(rng[0])))
        if rollouts[0] != rollouts[-1]:
            raise broken("heavy rollout", "the same seed gives another game", state)
        if bytes_of(state.kernel_state) != before:
            raise broken("heavy rollout", "changes arrays of another state", state)


def check_hints(sample: Sample) -> None:
    """Hints are imagined games: none negative, no more won than played."""
    game = sample.game
    visits, wins = (np.zeros(game.num_actions, np.float32) for _ in range(2))
    for state in sample.states(8):
        before = bytes_of(state.kernel_state)
        actions = np.array(listed(state, "search_actions"), np.int64)
        n = len(actions)
        visits[:], wins[:] = -1, -1
        kernels.hints(state.kernel_state, actions, n, visits, wins)
        if not ((visits[:n] >= wins[:n]) & (wins[:n] >= 0)).all():
            raise broken("hints", "wins are not between 0 and visits for every action", state)
        if bytes_of(state.kernel_state) != before:
            raise broken("hints", "changes the state", state)


def check_move_features(sample: Sample) -> None:
    """Move features are written for each action, in range, whatever else is asked about."""
    game = sample.game
    slots = game.feature_slots
    sizes = np.array([size for _, size in slots])
    for state in sample.states(24):
        before = clone(state)
        actions = listed(state, "search_actions")
        written = []
        for arrays, poison in ((state.kernel_state, -1), (clone(state), 1 << 30)):
            # Backwards the second time: what an action's values are does not depend on the rest.
            order = actions if arrays is state.kernel_state else actions[::-1]
            out = np.full((game.num_actions + 1, len(slots)), poison, np.int32)
            asked, scratch = (np.full(game.num_actions, -1, np.int64) for _ in range(2))
            asked[: len(order)] = order
            kernels.move_features(arrays, asked, len(order), scratch, out[:-1])
            values = out[: len(order)]
            if (out[-1] != poison).any():
                raise broken("move features", "writes beyond the end of `out`", state)
            if not ((values >= 0) & (values < sizes)).all():
                slot = int(np.argwhere((values < 0) | (values >= sizes))[0][1])
                raise broken(
                    "move features", f"slot {slots[slot][0]!r} is not between 0 and "
                    f"{sizes[slot] - 1} for every action", state,
                )
            if asked[: len(order)].tolist() != order:
                raise broken("move features", "changes the actions it is asked about", state)
            written.append(dict(zip(order, values.tolist(), strict=True)))
        if written[0] != written[1]:
            raise broken("move features", "equal positions have other values", state)
        if not game.same_position(state.kernel_state, before):
            raise broken("move features", "changes the state", state)


def check_rollout_chances(sample: Sample) -> None:
    """Rollouts win as often as games of uniformly random sensible moves.

    Not where the game says that rollouts are not uniform.
    """
    if not sample.game.uniform_rollouts:
        return
    for state in sample.states(COMPARED_POSITIONS):
        rng, work = make_rng(sample.seed + 1), clone(state)
        fast: Counter[int] = Counter()
        for _ in range(ROLLOUTS):
            kernels.copy_into(work, state.kernel_state)
            fast[int(kernels.rollout(work, rng))] += 1
        slow = Counter(_play_out(state, rng) for _ in range(COMPARED_GAMES))
        for value in (-1, 0, 1):
            p, q = fast[value] / ROLLOUTS, slow[value] / COMPARED_GAMES
            mean = (fast[value] + slow[value]) / (ROLLOUTS + COMPARED_GAMES)
            error = math.sqrt(mean * (1 - mean) * (1 / ROLLOUTS + 1 / COMPARED_GAMES))
            if abs(p - q) > TOLERANCE * error:
                raise broken(
                    "rollout chances", f"{p:.0%} of rollouts end with result {value}, but "
                    f"{q:.0%} of games of random search_actions", state,
                )


def _play_out(state: GameState, rng: np.ndarray) -> int:
    position = clone(state, room=LONGEST_GAME)
    actions = np.empty(state.game.num_actions, np.int64)
    for _ in range(LONGEST_GAME):
        if kernels.terminal(position):
            return int(kernels.result(position))
        n = kernels.search_actions(position, actions)
        kernels.play(position, int(actions[below(rng, n)]))
    raise broken("end", f"a random game has not ended after {LONGEST_GAME} plies", state)


def check_evaluate(sample: Sample) -> None:
    """`evaluate` is an int below 10,000 in size: beyond that lie proven results."""
    for state in sample.states(200):
        value = kernels.evaluate(state.kernel_state)
        if not isinstance(value, (int, np.integer)):
            raise broken("evaluate", f"returns {value!r}, which is not an int", state)
        if abs(value) >= 10_000:
            raise broken("evaluate", f"returns {value}, not between -10,000 and 10,000", state)


def check_evaluate_side(sample: Sample) -> None:
    """Who is to move does better in random games from positions that `evaluate` likes more."""
    for player in (0, 1):
        estimates, results = [], []
        for state in sample.states(EVALUATED_POSITIONS):
            if kernels.to_move(state.kernel_state) == player:
                estimates.append(float(kernels.evaluate(state.kernel_state)))
                total = kernels.rollouts(
                    state.kernel_state, clone(state), make_rng(len(results)), EVALUATED_GAMES
                )
                results.append((1 - 2 * player) * total / EVALUATED_GAMES)
        if len(set(estimates)) < 2 or len(set(results)) < 2:
            continue
        # Uncorrelated, this is about normal: TOLERANCE is passed once in 10**6.
        deviation = float(np.corrcoef(estimates, results)[0, 1]) * math.sqrt(len(results))
        if deviation < -TOLERANCE:
            raise broken(
                "evaluate", f"player {player} does worse where `evaluate` is high: it must be seen "
                "by the player to move", GameState.new_game(sample.game),
            )
