"""Copies of environments in the middle of a game: they go on alike, and apart from each other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dlgo.vector import Episodes, VectorEnv
from tests.conftest import RUN_ALL
from tests.vector.test_vector import ROWS


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))




class Zoo:
    """An environment of PettingZoo, as the functions below need it."""

    def __init__(self, game: str) -> None:
        pytest.importorskip("pettingzoo")
        from dlgo.adapters import pettingzoo_env

        self.env = pettingzoo_env.env(game, random_plies=2, max_plies=40)
        self.env.reset(seed=5)

    def step(self, chance: float) -> Any:
        env = self.env
        if all(env.terminations.values()) or all(env.truncations.values()):
            env.reset()
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chosen(mask, chance))
        observation = env.observe(env.agent_selection)
        return [env.agent_selection, *observation.values(), env.rewards, env.terminations,
                env.truncations]


class Vector:
    """Boards side by side."""

    def __init__(self, game: str) -> None:
        self.env = VectorEnv(game, 5, seed=5, episodes=Episodes(2, 40))

    def step(self, chance: float) -> Any:
        env = self.env
        step = env.step(np.array([chosen(mask, chance) for mask in env.time_step.masks]))
        return [array.copy() for array in (
            *step, env.final_observations, env.final_masks, env.final_plies, env.plies,
            env.random_actions(),
        )]


def chosen(mask: np.ndarray, chance: float) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[int(chance * len(legal))])


CASES = [(Zoo, copy.deepcopy), (Zoo, pickled), (Vector, copy.deepcopy), (Vector, pickled)]


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("game", [ROWS, "go:size=5"][: 1 + RUN_ALL], ids=lambda game: game[-8:])
@pytest.mark.parametrize(("kind", "way"), CASES)
def test_copies_go_on_alike_and_apart(
    kind: Callable[[str], Any], way: Callable[[Any], Any], game: str
) -> None:
    chances = np.random.default_rng(3)
    env = kind(game)
    for _ in range(8):
        env.step(chances.random())
    twin, other = way(env), way(env)
    differs = 0
    for chance in chances.random(40):
        strange = other.step(0.999 - chance)
        shown = env.step(chance)
        assert same(shown, twin.step(chance))
        differs += not same(shown, strange)
    assert differs > 5  # other actions, other games


def test_an_environment_with_an_opponent_says_that_it_cannot_be_copied() -> None:
    pytest.importorskip("gymnasium")
    from engines.adapters import gymnasium_env

    for way in (copy.deepcopy, pickled):
        with pytest.raises(TypeError, match="cannot be copied; make another one"):
            way(gymnasium_env.OpponentEnv("tictactoe"))
