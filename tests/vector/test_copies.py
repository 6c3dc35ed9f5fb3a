"""Copies of environments in the middle of a game: they go on alike, and apart from each other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dlgo.vector import VectorEnv
from tests.conftest import FULL
from tests.vector.test_vector import ROWS

WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}
OPPONENT = """
class Counter:
    \"\"\"Plays by how often it was asked in this game, and by its seed.\"\"\"
    def new_game(self, seed):
        self.asked = seed % 7
    def select_move(self, state):
        self.asked += 1
        moves = state.legal_moves()
        return moves[self.asked % len(moves)]
"""


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


class Gym:
    """An environment of Gymnasium."""

    def __init__(self, game: str, opponent: str) -> None:
        gymnasium = pytest.importorskip("gymnasium")
        from engines.adapters import gymnasium_env  # noqa: F401

        self.env = gymnasium.make(
            "dlgo/Opponent-v0", game=game, opponent=opponent, random_plies=2, max_plies=40)
        self.mask = self.env.reset(seed=5)[1]["action_mask"]

    def step(self, chance: float) -> Any:
        *shown, info = self.env.step(chosen(self.mask, chance))
        if shown[2] or shown[3]:
            observation, info = self.env.reset()
            shown.append(observation)
        self.mask = info["action_mask"]
        return [*shown, self.mask]


class Vector:
    """Boards side by side."""

    def __init__(self, game: str) -> None:
        self.env = VectorEnv(game, 5, seed=5, random_plies=2, max_plies=40)

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


KINDS: dict[str, Callable[[str], Any]] = {
    "pettingzoo": Zoo,
    "gymnasium, mcts": lambda game: Gym(game, "mcts:sims=20"),
    "gymnasium, a bot": lambda game: Gym(game, "counter.py:Counter"),
    "vector": Vector,
}


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", [ROWS, "go:size=5"][: 1 + FULL], ids=lambda game: game[-8:])
@pytest.mark.parametrize("kind", KINDS)
def test_copies_go_on_alike_and_apart(
    kind: str, game: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counter.py").write_text(OPPONENT)
    monkeypatch.chdir(tmp_path)
    chances = np.random.default_rng(3)
    env = KINDS[kind](game)
    for _ in range(8):
        env.step(chances.random())
    twin, other = WAYS[way](env), WAYS[way](env)
    differs = 0
    for chance in chances.random(40):
        strange = other.step(0.999 - chance)
        shown = env.step(chance)
        assert same(shown, twin.step(chance))
        differs += not same(shown, strange)
    assert differs > 5  # other actions, other games
