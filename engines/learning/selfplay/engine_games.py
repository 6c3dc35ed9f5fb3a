"""Plays one game of an engine against itself, or another, as training data.

An engine alone plays nearly the same game again and again. So a game begins with some random
plies, and in the next few the move is drawn from the engine's policy. The label is still the
engine's choice: data shows good moves, not random ones. The position is stored before the move
(chapter 6.1 of the book).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.rng import below, derive_seed, make_rng
from dlgo.vector import longest_game
from engines.base import Decision, Engine
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData
from engines.learning.selfplay.drawing import Sampling, draw


def play_game(
    game: GameSpec, engines: Sequence[Engine], seed: int, number: int, opening_plies: int = 0,
    sample_plies: int = 0, temperature: float = 1.0,
) -> GameData:
    """Play game `number`; it depends only on the arguments.

    Args:
        engines: one engine that plays both sides, or two; the second begins the odd games.
        opening_plies: maximum number of random plies at the start; each number is equally likely.
        sample_plies: number of plies after them in which the move is drawn from the policy.
        temperature: draw in proportion to `share ** (1 / temperature)`; 0: play the best move.
    """
    rng = make_rng(derive_seed(seed, "data", number))
    for i, engine in enumerate(engines):
        engine.new_game(derive_seed(seed, "data engine", number, i))
    state = GameState.new_game(game)
    builder = GameBuilder(game)
    opening = below(rng, opening_plies + 1)
    sampling = Sampling(opening + sample_plies, temperature)
    while not state.is_over() and len(builder) < longest_game(game):
        if len(builder) < opening:
            action = _random_action(state, rng)
            if action is not None:
                builder.skip(action)
                state = state.apply_move(game.move_of(action))
                continue
            opening = len(builder)
        which = (state.next_player.index + number) % len(engines)
        decision = engines[which].select_move(state)
        label = game.action_of(decision.move)
        if label is None:  # a resignation
            state = state.apply_move(decision.move)
            break
        policy = _policy(game, decision)
        action = label
        if sampling.applies(len(builder)) and policy.any():
            action = draw(policy, sampling.temperature, rng)
        builder.add(action, label, policy, decision.value, second=which == 1)
        state = state.apply_move(game.move_of(action))
    return builder.finish(state.result() if state.is_over() else NO_RESULT)


def _random_action(state: GameState, rng: np.ndarray) -> int | None:
    """A random move that leaves the game unfinished and is not a pass; None if there is none."""
    game = state.game
    actions = [a for a in state.legal_actions().tolist() if a != game.pass_action]
    while actions:
        action = actions.pop(below(rng, len(actions)))
        if not state.apply_move(game.move_of(action)).is_over():
            return action
    return None


def _policy(game: GameSpec, decision: Decision) -> np.ndarray:
    """The decision's policy, float64[num_actions]; resigning is no part of it."""
    policy = np.zeros(game.num_actions)
    for move, share in decision.policy.items():
        if (action := game.action_of(move)) is not None:
            policy[action] = max(share, 0.0)
    return policy
