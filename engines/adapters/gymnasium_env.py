"""Every game against every engine, as an environment of Gymnasium for a single agent.

    import gymnasium
    from engines.adapters import gymnasium_env
    env = gymnasium.make("dlgo/Opponent-v0", game="connect4", opponent="mcts:sims=100")

Towers et al. 2024, "Gymnasium: A Standard Interface for Reinforcement Learning Environments". The
opponent answers within `step`: the agent only ever sees positions in which it is to move, and the
end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import IllegalMoveError, SpecError
from dlgo.extras import require_extra
from dlgo.vector import DEFAULT, ERROR, LOSS, Episodes, VectorEnv
from engines.isolation.describe import read_spec
from engines.registry import EngineSpec

require_extra("rl", "the adapter for Gymnasium", "gymnasium")

import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402

SIDES = ("first", "second", "random")
# Starts before one is refused whose opponent ends every game at once.
_ATTEMPTS = 100


class OpponentEnv(gymnasium.Env):
    """One side of a game; an engine plays the other.

    Observations are float32[rows, cols, planes], as the player to move sees them: the agent, except
    at the end of a game. Rewards are the agent's: 1 won, -1 lost, 0 otherwise.
    `info["action_mask"]` is int8[num_actions] and says what is legal; `action_masks()` says the
    same as bool, as agents of sb3-contrib ask for it.

    It cannot be copied, because its opponent cannot: the same seed and the same actions lead to the
    same position in another one.

    Args:
        game: a game, or its specification.
        opponent: the specification of an engine, such as "mcts:sims=100" or "my_bot.py:MyBot"; or
            a class or an object with a method `select_move(state)`, which plays in this process.
        side: which side the agent takes: "first", "second", or "random" for each game.
        encoder: the name of an encoder; None for the game's usual one.
        illegal: the effect of an illegal action: "error" raises, "loss" ends the game with -1.
        random_plies, max_plies: random starts, and the longest game; as in `VectorEnv`.
        render_mode: None, or "ansi": `render` returns the board as text.

    Raises:
        SpecError: for what cannot be used.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self, game: str | GameSpec = "connect4", opponent: Any = "random", side: str = "random",
        encoder: str | None = None, illegal: str = ERROR, random_plies: int = 0,
        max_plies: int | None = None, render_mode: str | None = None,
    ) -> None:
        for name, value, choices in (
            ("side", side, SIDES), ("illegal", illegal, (ERROR, LOSS)),
            ("render_mode", render_mode, (None, "ansi")),
        ):
            if value not in choices:
                names = ", ".join(map(str, choices))
                raise SpecError(f"Gymnasium: {name}={value!r} is not one of {names}")
        self._env = VectorEnv(game, 1, encoder or DEFAULT, episodes=Episodes(
            random_plies, max_plies, illegal, autoreset=False))
        self._side = side
        spec = read_spec(opponent) if isinstance(opponent, str) else EngineSpec.of(opponent)
        self._engine = spec.build(self._env.game)
        self._engine.warm_up()
        self._agent = 0
        self._state = self._env.state(0)  # as the opponent sees it: with the moves so far
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(self._env.num_actions)
        shape = self._env.observation_shape
        self.observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a new game; if the opponent moves first, it has done so.

        Args:
            seed: of the starts, sides and of the opponent, from now on; None: they go on.

        Raises:
            SpecError: if the opponent ends every game before the agent's first move.
            BotError: if an external opponent fails.
        """
        super().reset(seed=seed)
        for _ in range(_ATTEMPTS):
            start, engine_seed = self.np_random.integers(1 << 62, size=2).tolist()
            first = self._side == "first" or (
                self._side == "random" and self.np_random.integers(2) == 0
            )
            self._agent = 0 if first else 1
            self._env.reset(start)
            self._state = self._env.state(0)
            self._engine.new_game(engine_seed)
            self._answer()
            if not self._over:
                return self._planes(), self._info()
        raise SpecError(
            f"Gymnasium: {_ATTEMPTS} games of {self._env.game} ended before the agent's first "
            "move; take another opponent, or side='first'"
        )

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action of the agent, and the opponent's answer.

        Raises:
            IllegalMoveError: for an illegal action if that is an error; nothing has changed then.
            BotError: if an external opponent fails.
        """
        if self._over:
            raise IllegalMoveError("the game is over: call reset() before the next step()")
        step = self._env.step([action])
        if not self._env.illegal[0]:
            self._state = self._state.apply_move(self._env.game.move_of(int(action)))
            self._answer()
        reward = float(step.rewards[0, self._agent])
        if self._state.is_over():  # a resignation is no action
            reward = float(self._state.result() * (1 - 2 * self._agent))
        terminated = self._state.is_over() or bool(step.terminated[0])
        return self._planes(), reward, terminated, bool(step.truncated[0]), self._info()

    def action_masks(self) -> np.ndarray:
        """bool[num_actions]: what is legal; nothing after the end."""
        return self._env.time_step.masks[0] & (not self._over)

    def render(self) -> str | None:
        """The board as text; None without a render mode."""
        return str(self._state) if self.render_mode else None

    def close(self) -> None:
        """Release the resources of the opponent (processes, files)."""
        self._engine.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("OpponentEnv cannot be copied; make another one, reset it with the same "
                        "seed and step it through the same actions")

    @property
    def _over(self) -> bool:
        return self._state.is_over() or bool(self._env.time_step.ended[0])

    def _planes(self) -> np.ndarray:
        return self._env.time_step.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}

    def _answer(self) -> None:
        """Have the opponent play until it is the agent's turn, or the game has ended."""
        while not self._over and self._env.time_step.players[0] != self._agent:
            move = self._engine.select_move(self._state).move
            self._state = self._state.apply_move(move)
            if not move.is_resign:
                self._env.step(np.array([self._env.game.action_of(move)]))


gymnasium.register(
    id="dlgo/Opponent-v0", entry_point=f"{__name__}:OpponentEnv", disable_env_checker=True)
