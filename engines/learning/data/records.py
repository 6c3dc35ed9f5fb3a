"""Games of training data: actions, results, and what is learned from each ply.

`Games` holds many games side by side. There are two kinds, by what a network learns from a ply:

    LabelledGames    an engine's or a person's choice, its policy and value: for supervised
                     learning, alphazero and the fast policy; stored as shards (`shards.py`)
    Experience       a decision drawn from the learner's own policy, with its probability, value
                     and return: for reinforcement learning and descent (`experience.py`)

`GameBuilder` collects the plies of one game into a `GameData`, of which `LabelledGames` are made.
Boards are not stored: `replay.py` replays the actions with the compiled rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.errors import DataError
from dlgo.games.go.state import Go
from engines.learning.data.checked_arrays import check_arrays, check_range, smallest

# Bits of `flags`, for each ply.
LABELLED = 1  # something to learn: not a random ply, an implied pass or an opponent's move
FULL_SEARCH = 2  # the policy comes from a search of full length and may be learned
SECOND = 4  # chosen by the second of two engines
EXACT = 8  # the value is the position's result by perfect play, and used unchanged in training
PLAYER_1 = 16  # made by player 1
# The bits from here on are the symmetry of the board under which a network saw the position, 0: as
# it is.
SYMMETRY_SHIFT = 5

NO_VALUE = -128
VALUE_SCALE = 127
NO_RESULT = -128
# A policy's largest share is stored as this; the others in proportion.
SHARE_SCALE = 255


@dataclass(frozen=True)
class Start:
    """A start from given stones, for Go: handicap, a diagram."""

    # Bytes, one for each action that is not a pass: 0 empty, 1 player 0's, 2 player 1's.
    cells: bytes
    player: int  # whose turn it is: 0 or 1

    @classmethod
    def of(cls, state: GameState) -> Start | None:
        """The stones of a state, or None if it is the start of its game."""
        game = state.game
        if game.same_position(state.kernel_state, game.new_kernel_state()):
            return None
        if not isinstance(game, Go):
            raise DataError(f"{game}: games of training data must begin with the normal start")
        owners = [
            game.cell(state, row, col)
            for row in range(1, game.size + 1) for col in range(1, game.size + 1)
        ]
        cells = bytes(0 if owner is None else 1 + owner.index for owner in owners)
        return cls(cells, state.next_player.index)


@dataclass(frozen=True)
class GameData:
    """One game. All arrays but the last two have one element a ply, integers if no type is said."""

    actions: np.ndarray  # what was played
    # The engine's choice; it differs from `actions` if a move was sampled for variety.
    chosen: np.ndarray
    flags: np.ndarray  # uint8, see above
    values: np.ndarray  # int8, expected result for the player to move in 1/127, or NO_VALUE
    counts: np.ndarray  # how many actions of each ply's policy follow below; 0: all on `chosen`.
    policy_actions: np.ndarray  # in rising order within a ply
    policy_shares: np.ndarray  # uint8, in proportion to the ply's largest, which is 255
    result: int  # +1, 0, -1 for player 0, or NO_RESULT
    start: Start | None = None  # None for the game's own start

    @property
    def n_positions(self) -> int:
        """The number of plies to learn from."""
        return int(np.count_nonzero(self.flags & LABELLED))


@dataclass(frozen=True, eq=False)
class Games:
    """Games side by side, in their order: arrays with an element a game, or a ply of all games.

    Attributes:
        game: what was played.
        plies: int[games], the length of each game.
        results: int8[games], for player 0: 1 won, 0 drawn, -1 lost; NO_RESULT: unknown, or too
            long.
        actions: int[plies], what was played.
        flags: uint8[plies], see above.
        starts: of each game; empty: all begin as their game does.
    """

    game: GameSpec
    plies: np.ndarray
    results: np.ndarray
    actions: np.ndarray
    flags: np.ndarray
    starts: Sequence[Start | None] = field(default=(), kw_only=True)

    @property
    def n_games(self) -> int:
        """The number of games."""
        return len(self.plies)

    @property
    def firsts(self) -> np.ndarray:
        """int64[games + 1]: where each game's plies begin and end."""
        return np.append(0, np.cumsum(self.plies, dtype=np.int64))

    @property
    def decisions(self) -> np.ndarray:
        """int64[n]: the plies to learn from, numbered through all games."""
        return np.flatnonzero(self.flags & LABELLED)

    def games_of(self, rows: np.ndarray) -> np.ndarray:
        """int64[n]: the game of each of these plies, which are numbered through all games."""
        return np.searchsorted(self.firsts, rows, side="right") - 1

    def columns(self) -> dict[str, np.ndarray]:
        """These arrays as all files of games have them."""
        return {
            "game_plies": self.plies.astype(np.int32), "result": self.results.astype(np.int8),
            "action": smallest(self.actions, self.game.num_actions - 1),
            "flags": self.flags.astype(np.uint8),
        }


# The arrays of `Games.columns`.
COLUMNS = ("game_plies", "result", "action", "flags")


def check_columns(game: GameSpec, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError where the arrays of `Games.columns` contradict each other or the game."""
    games, plies = len(arrays["result"]), int(arrays["game_plies"].sum())
    check_arrays(arrays, {"game_plies": games, "result": games, "action": plies, "flags": plies})
    check_range("game_plies", arrays["game_plies"], (0, np.inf), "a negative length")
    check_actions(game, "action", arrays["action"])
    check_range("flags", arrays["flags"], (0, (len(game.symmetry_names) << SYMMETRY_SHIFT) - 1),
                f"a symmetry that {game} does not have")


def check_actions(game: GameSpec, name: str, actions: np.ndarray) -> None:
    """Raise ValueError if one of the actions in the array `name` is none of the game."""
    check_range(name, actions, (0, game.num_actions - 1), f"an action that {game} does not have")


@dataclass(frozen=True, eq=False)
class LabelledGames(Games):
    """Games with choices, policies and values; the arrays that `Games` lacks are as in
    `GameData`."""

    chosen: np.ndarray
    values: np.ndarray
    counts: np.ndarray  # int64[plies]
    policy_actions: np.ndarray
    policy_shares: np.ndarray

    @classmethod
    def of(cls, game: GameSpec, games: Sequence[GameData]) -> LabelledGames:
        """These games, side by side."""
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(data, name) for data in games] or [np.empty(0, np.int64)])
            for name in ("actions", "flags", "chosen", "values", "counts", "policy_actions",
                         "policy_shares")}
        return cls(
            game, np.array([len(data.actions) for data in games], np.int64),
            np.array([data.result for data in games], np.int8), **arrays,
            starts=[data.start for data in games],
        )

    def __iter__(self) -> Iterator[GameData]:
        entries = np.append(0, np.cumsum(self.counts))
        firsts = self.firsts.tolist()
        for number, (first, end) in enumerate(itertools.pairwise(firsts)):
            policies = slice(entries[first], entries[end])
            yield GameData(
                self.actions[first:end], self.chosen[first:end], self.flags[first:end],
                self.values[first:end], self.counts[first:end], self.policy_actions[policies],
                self.policy_shares[policies], int(self.results[number]), self.starts[number],
            )

    def policies(self, rows: np.ndarray) -> np.ndarray:
        """The stored policies of these plies, float32[n, num_actions]; 0 where there is none."""
        policies = np.zeros((len(rows), self.game.num_actions), np.float32)
        counts = self.counts[rows]
        to = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(to)) - np.repeat(np.cumsum(counts) - counts, counts)
        entries = np.repeat((np.cumsum(self.counts) - self.counts)[rows], counts) + within
        policies[to, self.policy_actions[entries]] = self.policy_shares[entries]
        return policies


class GameBuilder:
    """Collects the plies of a game."""

    def __init__(self, game: GameSpec, start: Start | None = None) -> None:
        self._game, self._start = game, start
        self._plies: list[tuple[int, int, int, int, int]] = []
        self._policies = [(np.empty(0, np.int64), np.empty(0))]

    def __len__(self) -> int:
        return len(self._plies)

    def skip(self, action: int) -> None:
        """Add a ply that is not learned."""
        self._plies.append((action, action, 0, NO_VALUE, 0))

    def add(
        self, action: int, chosen: int | None = None,
        policy: np.ndarray | Mapping[int, float] | None = None, value: float | None = None,
        full_search: bool = True, second: bool = False,
    ) -> None:
        """Add a ply to learn from.

        Args:
            action: the action played.
            chosen: the action to learn if `policy` is empty; `action` by default.
            policy: shares or visits in any unit: float[num_actions], or by action.
            value: expected result for the player to move, -1 to 1.
            full_search: whether the policy may be learned.
            second: whether it is the choice of the second of two engines.
        """
        flags = LABELLED | (FULL_SEARCH if full_search else 0) | (SECOND if second else 0)
        scaled = NO_VALUE if value is None else round(VALUE_SCALE * min(max(value, -1.0), 1.0))
        if isinstance(policy, Mapping):
            by_action, policy = policy, np.zeros(self._game.num_actions)
            policy[list(by_action)] = list(by_action.values())
        count = 0
        if policy is not None and (most := policy.max()) > 0:
            shares = np.rint(SHARE_SCALE * policy / most)
            actions = np.flatnonzero(shares)
            self._policies.append((actions, shares[actions]))
            count = len(actions)
        self._plies.append((action, action if chosen is None else chosen, flags, scaled, count))

    def finish(self, result: int) -> GameData:
        """The game; `result` is seen by player 0, or NO_RESULT."""
        actions, chosen, flags, values, counts = np.array(self._plies, np.int64).reshape(-1, 5).T
        policy_actions, shares = map(np.concatenate, zip(*self._policies, strict=True))
        return GameData(actions, chosen, flags.astype(np.uint8), values.astype(np.int8), counts,
                        policy_actions, shares.astype(np.uint8), result, self._start)
