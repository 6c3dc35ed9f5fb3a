"""Replays stored games and encodes positions: from actions to planes, compiled.

Each game is played once from its start, for any number of its positions, and every position is
encoded before its move. So a position of 9x9 Go costs microseconds, and planes, which take a
hundred times the room of an action, need not be stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Player
from dlgo.encoders.base import Encoder, encode
from dlgo.errors import DataError
from dlgo.games.go.state import Go
from dlgo.jit import kernel
from engines.learning.data.records import NO_RESULT, Games, Start

DONE = -1


def start_state(game: GameSpec, start: Start | None) -> GameState:
    """Where a stored game begins."""
    if start is None:
        return GameState.new_game(game)
    actions = [action for action in range(game.num_actions) if action != game.pass_action]
    black, white = (
        [point for action, cell in zip(actions, start.cells, strict=True)
         if cell == owner and (point := game.move_of(action).point)]
        for owner in (1, 2)
    )
    return Go.of(game).position(black, white, Player.from_index(start.player))


class LaidOut(NamedTuple):
    """Games as kernels take them, side by side."""

    starts: Any  # the different start positions, a batch of states
    start_of: np.ndarray  # int64[games], which of them is each game's
    actions: np.ndarray  # int64, the actions of all games
    firsts: np.ndarray  # int64[games + 1], where each game's actions begin


class Requests(NamedTuple):
    """The plies of games to look at, side by side."""

    games: np.ndarray  # int64[k], the number of each game
    firsts: np.ndarray  # int64[k + 1], where the plies of each of them begin
    plies: np.ndarray  # int64, how many were played before each; rising within a game
    slots: np.ndarray  # int64, where in `Replayed` each goes


def laid_out(games: Games) -> LaidOut:
    """Games as kernels take them."""
    game, starts = games.game, games.starts or [None] * games.n_games
    kinds = list(dict.fromkeys(starts))
    number_of = {start: k for k, start in enumerate(kinds)}
    states = kernels.make_batch(game.new_kernel_state(), max(len(kinds), 1))
    for k, start in enumerate(kinds):
        kernels.copy_into(kernels.row(states, k), start_state(game, start).kernel_state)
    return LaidOut(states, np.array([number_of[start] for start in starts], np.int64),
                   games.actions.astype(np.int64), games.firsts)


class Replayer:
    """Encodes positions of games; holds the scratch arrays for it.

    All methods raise DataError, naming the game, if it holds a move that the rules do not allow.

    Args:
        encoder: makes the planes; it must not be used elsewhere at the same time.
        games: with the positions.
        source: the name of the game with this number, for messages.

    Raises DataError if the encoder is for another game.
    """

    def __init__(
        self, encoder: Encoder, games: Games,
        source: Callable[[int], str] = lambda index: f"game {index}",
    ) -> None:
        game = games.game
        if encoder.game != game:
            raise DataError(f"games of {game} do not fit an encoder for {encoder.game}; use an "
                            f"encoder for {game}")
        self.encoder, self._source = encoder, source
        self._games, self._laid_out = games, laid_out(games)
        self._actions = np.empty(encoder.num_actions, np.int64)
        longest = int(games.plies.max(initial=0))
        template = game.scratch_state(game.new_kernel_state(), room=longest + 1)
        self._window: Any = kernels.make_batch(template, encoder.history + 1)
        # `replay` copies states along before all of them exist, so each must be one.
        for i in range(encoder.history + 1):
            kernels.copy_into(kernels.row(self._window, i), game.new_kernel_state())

    def encode(
        self, rows: np.ndarray, legal: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Planes of the positions before plies, and whose turn it is there.

        Args:
            rows: int[n], plies, numbered through all games; in any order.
            legal: bool[n, num_actions], all False: the sensible moves of each position are set.

        Returns:
            planes float32[n, rows, cols, planes] and players int8[n], in the order of `rows`.
        """
        planes = np.empty((len(rows), *self.encoder.shape), np.float32)
        optional = {} if legal is None else {"legal": legal}
        return planes, self._replay_rows(rows, planes=planes, **optional)

    def survey(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The data of all n positions without planes: players int8[n]; keys int64[n]; bool[n,
        num_actions], which moves are sensible."""
        n = len(self._games.actions)
        keys, legal = np.empty(n, np.int64), np.zeros((n, self._games.game.num_actions), np.bool_)
        return self._replay_rows(np.arange(n), legal=legal, keys=keys), keys, legal

    def finals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The final boards of the games; see `kernels.ownership` and `margin`.

        Returns:
            owners int8[games, rows, cols] and margins float64[games] as player 0 sees them;
            results int64[games], NO_RESULT where the actions do not lead to the end of the
            game (as after a resignation): there the others are 0.
        """
        n = self._games.n_games
        owners, margins = np.zeros((n, *self.encoder.shape[:2]), np.int8), np.zeros(n)
        results = np.full(n, NO_RESULT, np.int64)
        self._replay(np.arange(n), self._games.plies, owners=owners, margins=margins,
                     results=results)
        return owners, margins, results

    def _replay_rows(self, rows: np.ndarray, **outputs: np.ndarray) -> np.ndarray:
        which = self._games.games_of(rows)
        return self._replay(which, rows - self._games.firsts[which], **outputs)

    def _replay(
        self, which: np.ndarray, plies: np.ndarray, **outputs: np.ndarray
    ) -> np.ndarray:
        """Fill the arrays `outputs`, named as in `Replayed`, for the positions of the games `which`
        after these plies; returns the players."""
        rows, cols, _ = self.encoder.shape
        arrays: dict[str, Any] = {
            "planes": np.empty((0, *self.encoder.shape), np.float32),
            "players": np.empty(len(which), np.int8),
            "legal": np.empty((0, self._games.game.num_actions), np.bool_),
            "keys": np.empty(0, np.int64), "owners": np.empty((0, rows, cols), np.int8),
            "margins": np.empty(0), "results": np.empty(0, np.int64), **outputs,
        }
        out = Replayed(**arrays)
        order = np.lexsort((plies, which))
        numbers, firsts = np.unique(which[order], return_index=True)
        failed = replay(
            self.encoder.kernel, self.encoder.history, self._window, self._laid_out,
            Requests(numbers, np.append(firsts, len(which)).astype(np.int64),
                     plies[order].astype(np.int64), order.astype(np.int64)),
            out, self._actions,
        )
        if failed != DONE:
            raise DataError(f"{self._source(int(failed))}: holds a move that {self._games.game} "
                            "does not allow")
        return out.players


class Replayed(NamedTuple):
    """The arrays to write for n positions; those of length 0 are left out.

    planes: float32[n, rows, cols, planes]; players: int8[n], to move; legal: bool[n, num_actions],
    set where a move is sensible; keys: int64[n]. Where the game is over: owners: int8[n, rows,
    cols]; margins: float64[n]; results: int64[n], which the other two need.
    """

    planes: np.ndarray
    players: np.ndarray
    legal: np.ndarray
    keys: np.ndarray
    owners: np.ndarray
    margins: np.ndarray
    results: np.ndarray


@kernel
def replay(encoder, history, window, games, requests, out, scratch):
    """Play games and look at the requested plies; -1, or the number of a game with an illegal
    action.

    Args:
        window: batch of history + 1 states with room for the longest game; scratch, but each
            must be some state.
        games: `LaidOut`.
        requests: `Requests`.
        out: `Replayed`.
        scratch: int64[num_actions].
    """
    state = kernels.row(window, 0)
    for k in range(len(requests.games)):
        g = requests.games[k]
        kernels.copy_into(state, kernels.row(games.starts, games.start_of[g]))
        ply = 0
        for w in range(requests.firsts[k], requests.firsts[k + 1]):
            while ply < requests.plies[w]:
                action = games.actions[games.firsts[g] + ply]
                if (
                    games.firsts[g] + ply >= games.firsts[g + 1]
                    or kernels.terminal(state) or not kernels.is_legal(state, action)
                ):
                    return g
                # Only the last positions before a requested one are needed.
                if requests.plies[w] - ply <= history:
                    for i in range(history, 0, -1):
                        kernels.copy_into(kernels.row(window, i), kernels.row(window, i - 1))
                kernels.play(state, action)
                ply += 1
            slot = requests.slots[w]
            out.players[slot] = kernels.to_move(state)
            if len(out.planes) > 0:
                encode(encoder, window, min(ply, history) + 1, out.planes[slot])
            if len(out.legal) > 0:
                for k in range(kernels.search_actions(state, scratch)):
                    out.legal[slot, scratch[k]] = True
            if len(out.keys) > 0:
                out.keys[slot] = kernels.key(state)
            if len(out.results) > 0 and kernels.terminal(state):
                out.results[slot] = kernels.result(state)
                out.margins[slot] = kernels.margin(state)
                kernels.ownership(state, out.owners[slot])
    return DONE
