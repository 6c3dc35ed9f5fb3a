"""The plan of a tournament: who meets whom, how often, and until when.

A match is two entrants on one game, and consists of *pairs* of games. The two games of a
pair begin with the same random opening, colours swapped, so that an unbalanced opening favours no
entrant; a pair of an entrant against itself is one game. Pair number k of a game has the same
opening in every match, which makes matches comparable. A game's place in the plan - game, who moves
first, who second, number of the pair - is its slot and gives its seed, so that later additions do
not change games already played, and plans of different kinds share a ledger. The seed does not
depend on the version of an external engine: a comment in its file must not draw new random numbers.

Openings are random, unfinished, all different, and the same for all entrants. Opening number k of
a game depends only on the seed and the number of its plies.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.records.game_record import slot_of
from dlgo.rng import below, derive_seed, make_rng
from dlgo.specs import parse_settings, split_version
from experiments.arena.entrants import Launches, entrants_of
from experiments.arena.plan_keys import KEYS, PLAN_KEYS
from experiments.arena.referee import GameTask

# Number of openings that matches with openings of their own share.
_OPENINGS = 200
# Draws of an opening before a repeated one is accepted: a game such as tic-tac-toe has few.
_FRESH_ATTEMPTS = 20
# Draws of an opening before the plan is refused because every game ended within it.
_ATTEMPTS = 200


@dataclass(frozen=True)
class Plan:
    """A plan of games; `plan_keys.PLAN_KEYS` describes the other fields."""

    games: tuple[str, ...]
    entrants: tuple[str, ...]  # engine specifications, budget included
    pairs: int  # with a target, those before it is first looked at; with a test, any number
    opening_plies: int | None = None
    seed: int = 0
    kind: str = KEYS["kind"].default
    challengers: tuple[str, ...] = ()  # of a gauntlet; some of the entrants
    # Who meets whom, in place of the kind; each of these matches has openings of its own.
    pairings: tuple[tuple[str, str], ...] = ()
    target_elo: float | None = None
    max_pairs: int = KEYS["max_pairs"].default
    sprt: tuple[float, float] | None = None
    alpha: float = KEYS["alpha"].default
    beta: float = KEYS["beta"].default
    elo_model: str = KEYS["elo_model"].default
    # (entrant, name in reports), for entrants that have a name.
    names: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    # How untrusted entrants are started. They are not warmed up.
    launches: Launches = field(default_factory=dict, compare=False)

    def canonical(self) -> CanonicalPlan:
        """The same plan with every specification in its canonical text. Raises SpecError for an
        unknown game or engine, a bad option, one named twice, or a plan that holds no games."""
        parse_settings("tournament", PLAN_KEYS, {
            key.name: value for key in PLAN_KEYS if key.type is not list
            and (value := getattr(self, key.name)) is not None})
        games = _unique("game", self.games, lambda text: get_game(text).versioned)
        entrant_of = entrants_of((*self.challengers, *self.entrants))
        challengers = _unique("challenger", self.challengers, lambda spec: entrant_of[spec].text)
        entrants = _unique("entrant", self.entrants, lambda spec: entrant_of[spec].text)
        labels = {entrant.text: entrant.label for entrant in entrant_of.values() if entrant.label}
        plan = CanonicalPlan(**{
            **vars(self), "games": games, "challengers": challengers,
            "entrants": tuple(dict.fromkeys(challengers + entrants)),
            "names": tuple({**dict(self.names), **labels}.items()),
        })
        for wrong, text in plan._problems():
            if wrong:
                raise SpecError(text)
        return plan

    def _problems(self) -> list[tuple[bool, str]]:
        """Possible errors of a plan, with their messages."""
        kind, field, target = self.kind, len(self.entrants), self.target_elo
        return [
            (not self.games, "no game given; add one, such as connect4"),
            (field < (1 if kind == "mirror" else 2),
             f"a tournament needs at least two engines, not {field}; add one, such as random"),
            (kind == "match" and field != 2,
             f"a match needs two engines, not {field}; use kind round-robin"),
            (kind == "gauntlet" and not 0 < len(self.challengers) < field,
             "a gauntlet needs challengers and other engines; add --challenger and --engine"),
            (kind != "gauntlet" and bool(self.challengers),
             f"challengers need kind gauntlet, not {kind}; change the kind or leave them out"),
            (target is not None and kind == "mirror",
             "target_elo does not work with kind mirror, which compares no entrants; leave it out"),
            (target is not None and self.max_pairs < self.pairs,
             f"max_pairs={self.max_pairs} is less than pairs={self.pairs}; raise max_pairs"),
            (self.sprt is not None and kind != "match",
             f"sprt needs kind match, not {kind}; change the kind or leave it out"),
            (self.sprt is not None and target is not None,
             "sprt and target_elo both say when to stop; leave one out"),
        ]


class CanonicalPlan(Plan):
    """A plan whose texts are those of the ledger; `Plan.canonical` makes it."""

    @property
    def ends_by_itself(self) -> bool:
        """Whether the number of games does not depend on their results."""
        return self.target_elo is None and self.sprt is None

    def matches(self) -> list[tuple[str, str]]:
        """Who meets whom, on each game."""
        if self.pairings:
            return list(self.pairings)
        if self.kind == "gauntlet":
            field = [entrant for entrant in self.entrants if entrant not in self.challengers]
            return list(itertools.product(self.challengers, field))
        if self.kind == "mirror":
            return list(zip(self.entrants, self.entrants, strict=True))
        if self.kind == "ladder":
            return list(itertools.pairwise(self.entrants))
        return list(itertools.combinations(self.entrants, 2))

    def pair_number(self, match: tuple[str, str], k: int) -> int:
        """The number of a match's pair `k`, from 0; it decides on the opening."""
        return (derive_seed(*match) + k) % _OPENINGS if self.pairings else k

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data, for `Ledger.set_meta`; without unused fields."""
        data = vars(self) | {"names": dict(self.names)}
        unused = ["pairings", "launches"]
        unused += [name for name in ("challengers", "names") if not data[name]]
        unused += ["target_elo"] if self.target_elo is None else []
        unused += ["sprt", "alpha", "beta"] if self.sprt is None else []
        default = self.sprt is None or self.elo_model == KEYS["elo_model"].default
        unused += ["elo_model"] if default else []
        unused += ["max_pairs"] if self.ends_by_itself else []
        return {key: list(value) if isinstance(value, tuple) else value
                for key, value in data.items() if key not in unused}


def _unique(kind: str, texts: Iterable[str], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """Each text in its canonical form. Raises SpecError if two of them mean the same."""
    text_of: dict[str, str] = {}
    for text in texts:
        name = canonical(text)
        if name in text_of:
            clash = "twice" if text == text_of[name] else f"twice: {text_of[name]} and {text}"
            raise SpecError(f"{kind} {name} is named {clash}; leave one out")
        text_of[name] = text
    return tuple(text_of)


class Pair(NamedTuple):
    """An opening, played with both colours; once if an entrant meets itself."""

    game: str
    entrant: str
    opponent: str
    number: int

    @property
    def match(self) -> tuple[str, str, str]:
        """Everything but the number."""
        return self[:3]

    @property
    def colours(self) -> tuple[tuple[str, str], ...]:
        """Who moves first and who second, in each game."""
        return tuple(dict.fromkeys([(self.entrant, self.opponent), (self.opponent, self.entrant)]))

    @property
    def slots(self) -> list[str]:
        """The places of the games in the plan."""
        return [slot_of(self.game, *players, self.number) for players in self.colours]


class Openings:
    """The openings of all games of a plan, drawn from its seed when they are asked for.

    Each leads to an unfinished position that no earlier one has led to; only when the game has
    hardly any other is one repeated. Number k is the same however many are drawn. Raises SpecError
    if a game ends within the plies of the plan.
    """

    def __init__(self, plan: CanonicalPlan) -> None:
        self._seed, self._plies = plan.seed, plan.opening_plies
        self._games = {name: get_game(name) for name in plan.games}
        # Of each game: the openings so far, and the keys of their positions.
        self._drawn: dict[str, list[tuple[int, ...]]] = {name: [] for name in plan.games}
        self._keys: dict[str, set[int]] = {name: set() for name in plan.games}
        for name in plan.games:
            self.get(name, 0)

    def get(self, game: str, pair: int) -> tuple[int, ...]:
        """The actions of the opening of a pair. Raises SpecError if the game ends within one."""
        openings, keys = self._drawn[game], self._keys[game]
        while len(openings) <= pair:
            opening = self._draw(self._games[game], len(openings), keys)
            keys.add(opening.key())
            openings.append(tuple(opening.actions()))
        return openings[pair]

    def tasks(self, pair: Pair) -> Iterator[GameTask]:
        """The games of a pair."""
        opening = self.get(pair.game, pair.number)
        for (first, second), slot in zip(pair.colours, pair.slots, strict=True):
            first_name, second_name = (split_version(player)[0] for player in (first, second))
            seed = derive_seed(self._seed, slot_of(pair.game, first_name, second_name, pair.number))
            yield GameTask(slot, pair.game, first, second, pair.number, opening, seed)

    def _draw(self, game: GameSpec, pair: int, keys: set[int]) -> GameState:
        """A position that is not over; if possible one whose key is not among `keys`."""
        plies = game.opening_plies if self._plies is None else self._plies
        rng = make_rng(derive_seed(self._seed, game, pair))
        # The last unfinished position drawn, in case all of them were drawn before.
        opening: GameState | None = None
        for attempt in range(_ATTEMPTS):
            candidate = _random_opening(game, plies, rng)
            opening = opening if candidate.is_over() else candidate
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


def tasks(plan: Plan) -> list[GameTask]:
    """All games of the plan that do not depend on results: games x matches x pairs x 2.

    They are ordered by the number of the pair, then match by match with the games taking turns, so
    that a tournament which is interrupted has played every match equally often, give or take one
    pair. Raises SpecError (see `Plan.canonical`), also if openings are too long for a game.
    """
    plan = plan.canonical()
    openings = Openings(plan)
    matches = plan.matches()
    return [
        task
        for k in range(plan.pairs) for match in matches for game in plan.games
        for task in openings.tasks(Pair(game, *match, plan.pair_number(match, k)))
    ]
