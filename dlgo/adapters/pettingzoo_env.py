"""Every game as an environment of PettingZoo (agents take turns: AEC), with its conventions.

    from dlgo.adapters import pettingzoo_env
    env = pettingzoo_env.env("connect4")

Terry et al. 2021, "PettingZoo: Gym for multi-agent reinforcement learning"; the interface is
described at https://pettingzoo.farama.org/api/aec/. For speed see `dlgo.vector`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.extras import require_extra
from dlgo.vector import DEFAULT, ERROR, LOSS, Episodes, VectorEnv

require_extra("rl", "the adapter for PettingZoo", "pettingzoo", "gymnasium")

from gymnasium import spaces  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

AGENTS = ("player_0", "player_1")


def env(game: str | GameSpec, illegal: str = ERROR, **options: Any) -> AECEnv:
    """A game in the wrappers of PettingZoo's own: order is enforced; an action that is not in the
    action space raises AssertionError.

    Args:
        illegal: the effect of an illegal action: "error" raises, "loss" ends the game with -1 for
            its player, as in PettingZoo's own games.
        options: those of `GameEnv`.
    """
    if illegal not in (ERROR, LOSS):
        raise SpecError(f"PettingZoo: illegal={illegal!r} is not one of {ERROR}, {LOSS}")
    wrapped: AECEnv = GameEnv(game, **options)
    if illegal == LOSS:
        wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class GameEnv(AECEnv):
    """A game without wrappers: an illegal action raises IllegalMoveError.

    An observation is a dictionary: `observation`, float32[rows, cols, planes], as the player to
    move sees it, even if the other agent observes; `action_mask`, int8[num_actions], all 0 for the
    player who is not to move. Rewards come with the last move: 1 won, -1 lost, 0 drawn or
    truncated. `agent_selection` follows the rules: a player may move twice in a row. A copy
    (`deepcopy`, `pickle`) continues from the same position, independently of the original.

    Args:
        game: a game, or its specification.
        encoder: the name of an encoder; None for the game's usual one.
        random_plies, max_plies: random starts, and the longest game; as in `VectorEnv`.
        render_mode: None, or "ansi": `render` returns the board as text.

    Raises:
        SpecError: for an unknown game, encoder or option, or a value out of range.
    """

    def __init__(
        self, game: str | GameSpec, encoder: str | None = None, random_plies: int = 0,
        max_plies: int | None = None, render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise SpecError(f"PettingZoo: render_mode={render_mode!r} is not one of None, 'ansi'")
        self._env = VectorEnv(game, 1, encoder or DEFAULT, episodes=Episodes(
            random_plies, max_plies, autoreset=False))
        self.metadata = {
            "render_modes": ["ansi"], "name": f"dlgo_{self._env.game.slug}_v0",
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        shape, actions = self._env.observation_shape, self._env.num_actions
        self._spaces = {
            agent: (spaces.Discrete(actions), spaces.Dict({
                "observation": spaces.Box(-np.inf, np.inf, shape, np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }))
            for agent in AGENTS
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; a seed makes this and the following random starts the same."""
        self._env.reset(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._agent_to_move()

    @property
    def game(self) -> GameSpec:
        """The game."""
        return self._env.game

    @property
    def actions(self) -> list[int]:
        """The actions from the start position, random ones included: the whole history."""
        played: list[int] = self._env.actions[0, : self._env.plies[0]].tolist()
        return played

    def step(self, action: int | None) -> None:
        """Play an action of the agent that is to move; None once the game has ended.

        Raises IllegalMoveError, which names the action; the game is then unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        step = self._env.step(np.array([action]))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(AGENTS, step.rewards[0].tolist(), strict=True))
        self.terminations = dict.fromkeys(AGENTS, bool(step.terminated[0]))
        self.truncations = dict.fromkeys(AGENTS, bool(step.truncated[0]))
        self.agent_selection = self._agent_to_move()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The position and the legal actions of this agent; see the class."""
        step = self._env.time_step
        mask = step.masks[0].astype(np.int8)
        if agent != self._agent_to_move():
            mask[:] = 0
        return {"observation": step.observations[0].copy(), "action_mask": mask}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        return self._spaces[agent][1]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self._spaces[agent][0]

    def render(self) -> str | None:
        """The board as text; None without a render mode."""
        return str(self._env.state(0)) if self.render_mode else None

    def close(self) -> None:
        """There is nothing to release."""

    def _agent_to_move(self) -> str:
        return AGENTS[self._env.time_step.players[0]]
