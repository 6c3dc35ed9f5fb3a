"""Our positions in the forms that other libraries ask for: the glue of their searches and agents.

    bot = mcts.MCTSBot(game, 2.0, simulations, openspiel_evaluator(evaluate))  # OpenSpiel
    root = bot.mcts_search(OpenSpielState(state))

    root, step, invalid = for_mctx(state, evaluate)                            # mctx
    output = mctx.muzero_policy((), key, root, step, simulations, invalid, dirichlet_fraction=0.0)

    Player = from_agent(lambda observation, action_mask: ...)                  # PettingZoo

Whole files are in tests/museum/right. GTP programs need no glue.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from dlgo.api import GameState, Move
from dlgo.encoders import default_encoder, get_encoder

Evaluate = Callable[[GameState], tuple[dict[Move, float], float]]
# Actions of each position for mctx: all trees have the same shapes, so it compiles once.
_ACTIONS = 24
_TERMINAL = -4  # pyspiel.PlayerId.TERMINAL


class OpenSpielState:
    """A position as OpenSpiel's searches in Python ask it; for the methods see `pyspiel.State`."""

    def __init__(self, state: GameState) -> None:
        self.state = state
        self.is_terminal = lambda: self.state.is_over()
        self.is_chance_node = lambda: False
        self.returns = lambda: np.array([1.0, -1.0]) * self.state.result()
        self.legal_actions = lambda player=None: self.state.legal_actions().tolist()
        self.clone = lambda: OpenSpielState(self.state)

    def apply_action(self, action: int) -> None:
        self.state = self.state.apply_move(self.state.game.move_of(action))

    def current_player(self) -> int:
        return _TERMINAL if self.state.is_over() else self.state.next_player.index


def openspiel_evaluator(evaluate: Evaluate) -> Any:
    """The auditor's evaluator with OpenSpiel's two methods; it is asked once about a position."""
    priors: dict[GameState, dict[Move, float]] = {}

    def values(position: OpenSpielState) -> np.ndarray:
        state = position.state
        priors[state], value = evaluate(state)
        return value * np.array([1, -1]) * (1 - 2 * state.next_player.index)

    return SimpleNamespace(evaluate=values, prior=lambda position: [
        (position.state.game.action_of(move), prior)
        for move, prior in priors[position.state].items()])


# The evaluator of the search by mctx that is under way, and its positions by number.
_search: list[Any] = []


def _leaf(state: GameState) -> tuple[np.ndarray, np.ndarray]:
    """Logits and value of a position, which gets the next number."""
    priors, value = ({}, 0.0) if state.is_over() else _search[0](state)
    _search.append(state)
    logits = np.full((1, _ACTIONS), -1e9, np.float32)
    for move, prior in priors.items():
        logits[0, state.game.action_of(move)] = np.log(max(prior, 1e-9))
    return logits, np.array([value], np.float32)


def _step(number: np.ndarray, action: np.ndarray) -> tuple[np.ndarray, ...]:
    """The position after an action: number, reward, discount, logits, value."""
    before = after = _search[int(number[0])]
    reward, discount = 0.0, 0.0
    if not before.is_over():  # else mctx walks on where nothing happens any more
        after = before.apply_move(before.game.move_of(int(action[0])))
        if after.is_over():
            reward = after.result() * (1 - 2 * before.next_player.index)
        else:
            discount = 1.0 if after.next_player is before.next_player else -1.0
    return (np.array([len(_search)], np.int32), np.array([reward], np.float32),
            np.array([discount], np.float32), *_leaf(after))


def _recurrent(params: Any, key: Any, action: Any, embedding: Any) -> tuple[Any, Any]:
    import jax
    import mctx

    one, row = (jax.ShapeDtypeStruct(size, np.float32) for size in ((1,), (1, _ACTIONS)))
    number, reward, discount, logits, value = jax.pure_callback(
        _step, (jax.ShapeDtypeStruct((1,), np.int32), one, one, row, one), embedding, action)
    return mctx.RecurrentFnOutput(
        reward=reward, discount=discount, prior_logits=logits, value=value), number


def for_mctx(state: GameState, evaluate: Evaluate) -> tuple[Any, Callable[..., Any], np.ndarray]:
    """The root, the recurrent function and the invalid actions of a search by mctx."""
    import mctx

    _search[:] = [evaluate]
    logits, value = _leaf(state)
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=np.ones(1, np.int32))
    return root, _recurrent, (logits < -1e8).astype(np.int32)


def from_agent(act: Callable[..., int]) -> Callable[[GameState], Move]:
    """The player of an agent: `act(observation, action_mask)` is an action."""
    def select_move(state: GameState) -> Move:
        mask = np.zeros(state.game.num_actions, np.int8)
        mask[state.legal_actions()] = 1
        planes = get_encoder(default_encoder(state.game), state.game).encode(state)
        return state.game.move_of(int(act(observation=planes, action_mask=mask)))

    return select_move
