"""The plan of a tournament and the games it consists of.

A plan is a full round robin: in every game, every two entrants meet, and a meeting is some
*pairs* of games. The two games of a pair begin with the same random opening, colours
swapped, so that a lucky opening favours nobody. Pair number k of a game has the same
opening in every meeting, which makes meetings comparable, and depends on nothing but the
seed, so that pairs and entrants added later leave the games already played as they are.

Called by `tournament.py`, `series.py` and `planfile.py`; calls `dlgo` and the engine registry (to
check names).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dlgo.api import GameSpec, GameState, Move
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.rng import below, derive_seed, make_rng
from engines.registry import EngineSpec
from experiments.arena.match import GameTask

# Draws of an opening before a repeated one is accepted: a game such as tic-tac-toe has few.
_FRESH_ATTEMPTS = 20
# Draws of an opening before the plan is refused because every game ended within it.
_ATTEMPTS = 200


@dataclass(frozen=True)
class Plan:
    """A round robin.

    Attributes:
        games: game specifications.
        entrants: engine specifications, budget included.
        pairs: opening pairs per meeting; a meeting is twice as many games.
        opening_plies: random plies before the engines take over; None for each game's own
            number.
        seed: all openings and all engines' seeds come from it.
    """

    games: tuple[str, ...]
    entrants: tuple[str, ...]
    pairs: int
    opening_plies: int | None = None
    seed: int = 0

    def canonical(self) -> Plan:
        """The same plan with every specification in its canonical text.

        Raises:
            SpecError: for an unknown game or engine, a bad option, one named twice, or a
                plan that holds no games.
        """
        games = _unique("game", self.games, lambda text: str(get_game(text)))
        entrants = _unique("entrant", self.entrants, lambda text: EngineSpec.parse(text).text)
        if not games:
            raise SpecError("a tournament needs a game, such as connect4")
        if len(entrants) < 2:
            raise SpecError(f"a tournament needs two entrants or more, not {len(entrants)}")
        if self.pairs < 1:
            raise SpecError(f"pairs={self.pairs}: a meeting needs at least 1 opening pair")
        if self.opening_plies is not None and self.opening_plies < 0:
            raise SpecError(f"opening_plies={self.opening_plies} is negative")
        return dataclasses.replace(self, games=games, entrants=entrants)

    def union(self, other: Plan) -> Plan:
        """This plan together with all games, entrants and pairs of `other`."""
        return dataclasses.replace(
            self,
            games=tuple(dict.fromkeys(self.games + other.games)),
            entrants=tuple(dict.fromkeys(self.entrants + other.entrants)),
            pairs=max(self.pairs, other.pairs),
        )

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data, for `Ledger.set_meta`."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        """The plan that `to_json` gave. Raises KeyError, TypeError or ValueError for other data."""
        plies = data["opening_plies"]
        return cls(
            games=tuple(map(str, data["games"])),
            entrants=tuple(map(str, data["entrants"])),
            pairs=int(data["pairs"]),
            opening_plies=None if plies is None else int(plies),
            seed=int(data["seed"]),
        )


def _unique(kind: str, texts: Iterable[str], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """Each text in its canonical form. Raises SpecError if two of them mean the same."""
    written: dict[str, str] = {}
    for text in texts:
        name = canonical(text)
        if name in written:
            same = "twice" if text == written[name] else f"twice: {written[name]} and {text}"
            raise SpecError(f"{kind} {name} is named {same}; leave one out")
        written[name] = text
    return tuple(written)


def tasks(plan: Plan) -> list[GameTask]:
    """All games of the plan: games x meetings x pairs x 2.

    They are ordered by the number of the pair, then meeting by meeting with the games taking
    turns, so that a tournament which is interrupted has played every meeting equally often,
    give or take one pair.

    Raises:
        SpecError: if the plan is not usable (see `Plan.canonical`) or its openings are too
            long for a game.
    """
    plan = plan.canonical()
    streams = {game: openings(get_game(game), plan) for game in plan.games}
    result = []
    for pair in range(plan.pairs):
        opening = {game: next(stream) for game, stream in streams.items()}
        for one, other in itertools.combinations(plan.entrants, 2):
            for game in plan.games:
                for first, second in ((one, other), (other, one)):
                    slot = f"{game}|{first}|{second}|{pair}"
                    seed = derive_seed(plan.seed, slot)
                    result.append(
                        GameTask(slot, game, first, second, pair, opening[game], seed)
                    )
    return result


def openings(game: GameSpec, plan: Plan) -> Iterator[tuple[int, ...]]:
    """The openings of pair 0, 1, 2, ... of a game, as actions.

    Each leads to an unfinished position that no earlier one has led to; only when the game
    has hardly any other is one repeated. Number k is the same however many are drawn.
    """
    plies = game.opening_plies if plan.opening_plies is None else plan.opening_plies
    seen: set[int] = set()
    for pair in itertools.count():
        rng = make_rng(derive_seed(plan.seed, game, pair))
        # The last unfinished position drawn, in case all of them were seen before.
        opening, key = None, 0
        for attempt in range(_ATTEMPTS):
            drawn = random_opening(game, plies, rng)
            if not drawn.is_over():
                opening, key = drawn, drawn.key()
            if opening is not None and (key not in seen or attempt >= _FRESH_ATTEMPTS):
                break
        if opening is None:
            raise SpecError(
                f"opening_plies={plies} is too long for {game}: the game ends within the opening"
            )
        seen.add(key)
        yield tuple(_action(game, state) for state in opening.moves())


def random_opening(game: GameSpec, plies: int, rng: np.ndarray) -> GameState:
    """A position after `plies` random moves, or a finished one if the game ends before.

    Every legal move is equally likely, but nobody passes who can do something else: two
    passes at the start of a game of Go would end it.
    """
    state = GameState.new_game(game)
    for _ in range(plies):
        actions = [int(action) for action in state.legal_actions()]
        plays = [action for action in actions if action != game.pass_action] or actions
        if not plays:
            break
        state = state.apply_move(game.move_of(plays[below(rng, len(plays))]))
    return state


def _action(game: GameSpec, move: Move) -> int:
    action = game.action_of(move)
    assert action is not None, f"{move} was drawn as an action"
    return action
