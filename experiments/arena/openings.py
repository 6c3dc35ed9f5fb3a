"""Openings: random, unfinished, all different, and the same for all entrants.

Opening number k of a game depends only on the seed and the number of its plies, so that games,
entrants and pairs added later change none.
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.rng import below, derive_seed, make_rng

# Draws of an opening before a repeated one is accepted: a game such as tic-tac-toe has few.
_FRESH_ATTEMPTS = 20
# Draws of an opening before the plan is refused because every game ended within it.
_ATTEMPTS = 200


class Openings:
    """The openings of all games, drawn from `seed` when they are asked for; `plies` random moves,
    None for each game's own number.

    Each leads to an unfinished position that no earlier one has led to; only when the game has
    hardly any other is one repeated. Number k is the same however many are drawn.
    """

    def __init__(self, seed: int, plies: int | None) -> None:
        self._seed, self._plies = seed, plies
        # Of each game: the openings so far, and the keys of their positions.
        self._drawn: dict[str, tuple[list[tuple[int, ...]], set[int]]] = {}

    def get(self, game: str, pair: int) -> tuple[int, ...]:
        """The actions of the opening of a pair. Raises SpecError if the game ends within one."""
        drawn, keys = self._drawn.setdefault(game, ([], set()))
        while len(drawn) <= pair:
            opening = self._draw(get_game(game), len(drawn), keys)
            keys.add(opening.key())
            drawn.append(tuple(opening.game.action_of(move) for move in opening.moves()))
        return drawn[pair]

    def _draw(self, game: GameSpec, pair: int, keys: set[int]) -> GameState:
        """A position that is not over; if possible one whose key is not among `keys`."""
        plies = game.opening_plies if self._plies is None else self._plies
        rng = make_rng(derive_seed(self._seed, game, pair))
        # The last unfinished position drawn, in case all of them were drawn before.
        opening: GameState | None = None
        for attempt in range(_ATTEMPTS):
            drawn = _random_opening(game, plies, rng)
            opening = opening if drawn.is_over() else drawn
            if opening is not None and (opening.key() not in keys or attempt >= _FRESH_ATTEMPTS):
                return opening
        raise SpecError(
            f"opening_plies={plies} is too long for {game}, which ends within them; use fewer"
        )


def _random_opening(game: GameSpec, plies: int, rng: np.ndarray) -> GameState:
    """A position after `plies` random moves, all legal ones equally likely, or a finished one.
    A player passes only without another move, because two passes would end a game of Go."""
    state = GameState.new_game(game)
    for _ in range(plies):
        actions = [int(action) for action in state.legal_actions()]
        plays = [action for action in actions if action != game.pass_action] or actions
        if not plays:
            break
        state = state.apply_move(game.move_of(plays[below(rng, len(plays))]))
    return state
