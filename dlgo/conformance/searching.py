"""Conformance rules of the functions that searches use: rollouts, hints, features, evaluation."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit, playing
from dlgo.conformance.broken import Kind, broken
from dlgo.rng import make_rng

# Positions whose rollouts are compared with random moves, half of them near the end; games of each
# kind, as many as take about these microseconds, and at least and at most this number.
COMPARED_POSITIONS, COMPARED_US, COMPARED_GAMES = 24, 100_000.0, (150, 4_000)
# Positions, draws of each and groups of actions, for the comparison of first actions.
CHOICE_POSITIONS, CHOICES, CHOICE_GROUPS = 24, 240, 12
# Standard errors by which two equal frequencies may differ: by chance, once in 10**6.
TOLERANCE = 5.0
# For the comparison of estimates with the results of random games.
EVALUATED_POSITIONS, EVALUATED_GAMES = 400, 16


def rollout_seeds(sample: kit.Sample) -> kit.Findings:
    """Rollouts from the start end, and equal seeds give equal rollouts."""
    # Called first, with only the start position; other rules check more, with copies.
    once, again = (
        [playing.rolled(sample.game.new_kernel_state(), seed) for seed in range(16)]
        for _ in range(2)
    )
    start = GameState.new_game(sample.game)
    if once != again:
        yield "the same seeds give other results the second time", start
    if all(end == int(make_rng(seed)[0]) for seed, (_, end) in enumerate(once)):
        yield "a rollout draws nothing from the generator it is given", start


@kit.at(12)
def rollout(state: GameState) -> Iterator[str]:
    """A rollout returns -1, 0 or 1, and is the same in compiled loops."""
    for seed in range(8):
        value = kernels.rollout(kit.clone(state), make_rng(seed))
        if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
            yield f"returns {value!r}, not -1, 0 or 1"
    for seed in range(4):
        yield from _unlike_a_game(state, *playing.actions_of_rollout(state, seed))
    total = kernels.rollouts(state.kernel_state, kit.clone(state), make_rng(2), 16)
    rng = make_rng(2)
    if total != sum(kernels.rollout(kit.clone(state), rng) for _ in range(16)):
        yield "compiled into a loop, it gives other results"


def _unlike_a_game(state: GameState, actions: list[int], value: int | None) -> Iterator[str]:
    """Whether a rollout plays what is illegal, or returns another result than its game has."""
    position = kit.clone(state, room=len(actions) + 1)
    for n, action in enumerate(actions):
        if kernels.terminal(position) or not kernels.is_legal(position, action):
            text = f"plays action {action}, which is illegal, as its action {n + 1}"
            raise broken("rollout", text, state, Kind.ROLLOUT_ACTION)
        kernels.play(position, action)
    if actions and kernels.terminal(position) and kernels.result(position) != value:
        yield f"returns {value}, but the game that it has played ends with " \
            f"{kernels.result(position)}"


def rollout_choices(sample: kit.Sample) -> kit.Findings:
    """A rollout chooses each of the `search_actions` equally often.

    Skipped for games whose rollouts are declared as not uniform, and for rollouts that do not call
    `play`: their results are compared.
    """
    states = sample.states(4 * CHOICE_POSITIONS if sample.game.uniform_rollouts else 0)
    open_states = (state for state in states if len(kit.listed(state, "search_actions")) > 1)
    _check_choices(list(itertools.islice(open_states, CHOICE_POSITIONS)))
    return iter(())


def _check_choices(states: Sequence[GameState]) -> None:
    """Raise RuleBroken if the first actions of rollouts are uneven, by Pearson's chi-squared, or
    not among the `search_actions`."""
    total, freedom, worst = 0.0, 0, (-math.inf, states[0] if states else None, "")
    for state in states:
        options = sorted(kit.listed(state, "search_actions"))
        chosen = [action for seed in range(CHOICES)
                  for action in playing.actions_of_rollout(state, seed, 1)[0]]
        if not chosen:
            return
        if strange := set(chosen) - set(options):
            text = f"plays action {min(strange)}, which search_actions does not list"
            raise broken("rollout choices", text, state, Kind.ROLLOUT_ACTION, again=_check_choices)
        # Neighbours among many actions are counted together: the test needs some draws of each.
        n, n_groups = len(options), min(len(options), CHOICE_GROUPS)
        expected = len(chosen) * np.bincount(np.arange(n) * n_groups // n) / n
        often = np.bincount(np.searchsorted(options, chosen) * n_groups // n, minlength=n_groups)
        chi_squared = float(((often - expected) ** 2 / expected).sum())
        total, freedom = total + chi_squared, freedom + n_groups - 1
        action, most = Counter(chosen).most_common(1)[0]
        move = state.game.move_text(state.game.move_of(action))
        text = f"{most / len(chosen):.1%} of rollouts begin with {move}, one of {n} " \
            f"search_actions: {1 / n:.1%} should"
        worst = max(worst, (chi_squared - n_groups, state, text), key=lambda entry: entry[0])
    # Passed by chance once in 10**7, with one degree of freedom, too.
    if total > freedom + 6.5 * math.sqrt(2 * freedom) + 18:
        raise broken("rollout choices", worst[2], worst[1], Kind.UNEVEN, again=_check_choices)


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
    if not sample.game.uniform_rollouts:
        return iter(())
    # Near the end a single choice decides.
    late = [(line, ply) for line in sample.lines if line.over
            for ply in range(max(0, len(line.actions) - 6), len(line.actions))]
    places = sample.places(COMPARED_POSITIONS // 2)
    places += late[:: max(1, -(-2 * len(late) // COMPARED_POSITIONS))]
    longest = max(len(line.actions) for line in sample.lines)
    for line, ply in places:
        length = (len(line.actions) if line.over else longest) - ply
        us = (length + 5) * (0.3 + sample.game.num_actions / 1000)
        _compare(int(np.clip(COMPARED_US / us, *COMPARED_GAMES)), [line.states[ply]])
    return iter(())


def _compare(n: int, states: Sequence[GameState]) -> None:
    """Raise RuleBroken if `n` rollouts from the first state have other results than random
    games."""
    state, rng = states[0], make_rng(1)
    position = kit.clone(state, room=kit.LONGEST_GAME)
    actions = np.empty(state.game.num_actions, np.int64)
    fast, slow = Counter[int](), Counter[int]()
    for _ in range(n):
        kernels.copy_into(position, state.kernel_state)
        fast[int(kernels.rollout(position, rng))] += 1
        kernels.copy_into(position, state.kernel_state)
        slow[int(playing.random_game(position, rng, True, actions))] += 1
    for value in (-1, 0, 1):
        # At least five of a kind, or the normal distribution does not hold.
        mean = max((fast[value] + slow[value]) / 2, 5.0) / n
        if abs(fast[value] - slow[value]) / n > TOLERANCE * math.sqrt(2 * mean * (1 - mean) / n):
            text = f"{fast[value] / n:.1%} of rollouts end with result {value}, but " \
                f"{slow[value] / n:.1%} of games of random search_actions"
            again = functools.partial(_compare, n)
            raise broken("rollout chances", text, state, again=again)


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
