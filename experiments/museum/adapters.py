"""Our positions in the forms that other libraries ask for: the glue of their searches and agents.

    bot = mcts.MCTSBot(game, 2.0, simulations, OpenSpielEvaluator(evaluate))   # OpenSpiel
    root = bot.mcts_search(OpenSpielState(state))

    root, step, invalid = for_mctx(state, evaluate)                            # mctx
    output = mctx.muzero_policy((), key, root, step, simulations, invalid, dirichlet_fraction=0.0)

    Player = from_agent(lambda observation, action_mask: ...)                  # PettingZoo

Whole files are in tests/museum/right and tests/museum/peers. GTP programs need no glue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo.api import GameState, Move

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


class OpenSpielEvaluator:
    """The auditor's evaluator with OpenSpiel's two methods; it is asked once about a position."""

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate, self._priors = evaluate, {}

    def evaluate(self, position: OpenSpielState) -> np.ndarray:
        state = position.state
        self._priors[state], value = self._evaluate(state)
        return value * np.array([1, -1]) * (1 - 2 * state.next_player.index)

    def prior(self, position: OpenSpielState) -> list[tuple[int, float]]:
        action_of = position.state.game.action_of
        return [(action_of(move), prior) for move, prior in self._priors[position.state].items()]


class _Mctx:
    """The search by mctx that is under way: its positions by number."""

    states: list[GameState]
    evaluate: Evaluate

    @classmethod
    def ask(cls, state: GameState) -> tuple[np.ndarray, np.ndarray]:
        """Logits and value of a position, which gets the next number."""
        cls.states.append(state)
        logits = np.full((1, _ACTIONS), -1e9, np.float32)
        priors, value = ({}, 0.0) if state.is_over() else cls.evaluate(state)
        for move, prior in priors.items():
            logits[0, state.game.action_of(move)] = np.log(max(prior, 1e-9))
        return logits, np.array([value], np.float32)

    @classmethod
    def step(cls, number: np.ndarray, action: np.ndarray) -> tuple[np.ndarray, ...]:
        """The position after an action: number, reward, discount, logits, value."""
        before = after = cls.states[int(number[0])]
        reward, discount = 0.0, 0.0
        if not before.is_over():  # else mctx walks on where nothing happens any more
            after = before.apply_move(before.game.move_of(int(action[0])))
            discount = 1.0 if after.next_player is before.next_player else -1.0
        if after.is_over() and after is not before:
            reward, discount = after.result() * (1 - 2 * before.next_player.index), 0.0
        return (np.array([len(cls.states)], np.int32), np.array([reward], np.float32),
                np.array([discount], np.float32), *cls.ask(after))


def _recurrent(params: Any, key: Any, action: Any, embedding: Any) -> tuple[Any, Any]:
    import jax
    import mctx

    one, row = (jax.ShapeDtypeStruct(size, np.float32) for size in ((1,), (1, _ACTIONS)))
    number, reward, discount, logits, value = jax.pure_callback(
        _Mctx.step, (jax.ShapeDtypeStruct((1,), np.int32), one, one, row, one), embedding, action)
    return mctx.RecurrentFnOutput(
        reward=reward, discount=discount, prior_logits=logits, value=value), number


def for_mctx(state: GameState, evaluate: Evaluate) -> tuple[Any, Callable[..., Any], np.ndarray]:
    """The root, the recurrent function and the invalid actions of a search by mctx."""
    import mctx

    _Mctx.states, _Mctx.evaluate = [], staticmethod(evaluate)
    logits, value = _Mctx.ask(state)
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=np.zeros(1, np.int32))
    return root, _recurrent, (logits < -1e8).astype(np.int32)


def from_agent(act: Callable[..., int]) -> Callable[[GameState], Move]:
    """The player of an agent: `act(observation, action_mask)` is an action."""
    def select_move(state: GameState) -> Move:
        from dlgo.adapters.pettingzoo_env import GameEnv

        game, env = state.game, GameEnv(state.game)
        env.reset()
        for move in state.moves():
            env.step(game.action_of(move))
        return game.move_of(int(act(**env.observe(env.agent_selection))))

    return select_move
