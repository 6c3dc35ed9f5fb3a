"""What the adapters share: a game in progress, its random start, its planes, mask and end."""

from __future__ import annotations

import numpy as np

from dlgo.api import GameSpec, GameState, Move
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import IllegalMoveError
from dlgo.games import get_game
from dlgo.rng import below, derive_seed, make_rng
from dlgo.specs import check_number
from dlgo.vector import longest_game


class Board:
    """One game after the other, held as a `GameState` with all of its moves.

    Args:
        owner: who uses it, for messages.
        game: the game, or its specification.
        encoder: the name of an encoder; None for the usual one.
        random_plies: a game starts after 0 to so many random legal plies, all numbers alike (if
            it ends on the way: once more, with fewer).
        max_plies: a game is cut after so many plies; by default `longest_game(game)`.

    Attributes:
        state: the position.

    Raises:
        SpecError: for what cannot be used.
    """

    def __init__(
        self, owner: str, game: str | GameSpec, encoder: str | None, random_plies: int,
        max_plies: int | None,
    ) -> None:
        self.game = get_game(game)
        self._encoder = get_encoder(encoder or default_encoder(self.game), self.game)
        longest = longest_game(self.game) if max_plies is None else max_plies
        self._longest = check_number(longest, f"{owner}: max_plies", int, low=1)
        self._random_plies = check_number(
            random_plies, f"{owner}: random_plies", int, low=0, high=self._longest - 1
        )
        self.start(0)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and planes of an observation."""
        return self._encoder.shape

    def start(self, seed: int) -> None:
        """Start a new game, at random where that is wanted."""
        rng = make_rng(derive_seed("adapter", seed))
        wanted = below(rng, self._random_plies + 1)
        while True:
            self.state, self._plies = GameState.new_game(self.game), 0
            while self._plies < wanted and not self.state.is_over():
                actions = self.state.legal_actions()
                self.play(int(actions[below(rng, len(actions))]))
            if not self.state.is_over():
                return
            wanted = below(rng, self._plies)

    def play(self, action: int) -> None:
        """Play an action. Raises IllegalMoveError, with the remedy, if it is not legal."""
        legal = self.state.legal_actions()
        if action not in legal:
            shown = ", ".join(map(str, legal[:8].tolist())) + (", ..." if len(legal) > 8 else "")
            raise IllegalMoveError(
                f"action {action} is illegal in {self.game}; legal there are {shown}: choose "
                "where the action mask is 1"
            )
        self.play_move(self.game.move_of(int(action)))

    def play_move(self, move: Move) -> None:
        """Play a move, which may be a resignation. Raises IllegalMoveError."""
        self.state = self.state.apply_move(move)
        self._plies += 1

    @property
    def cut(self) -> bool:
        """Whether the game has become too long, and is not over."""
        return self._plies >= self._longest and not self.state.is_over()

    def planes(self) -> np.ndarray:
        """float32[rows, cols, planes], seen by the player to move; new memory."""
        return self._encoder.encode(self.state)

    def mask(self) -> np.ndarray:
        """int8[num_actions], 1 for a legal action; all 0 after the end."""
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[self.state.legal_actions()] = 1
        return mask
