"""What a file offers to the auditor, and its answers, made alike.

Parts of a file, any subset of them:

    search(state, evaluate, simulations)    {move: visits}, or (visits, move), or a Decision;
                                            evaluate(state) -> {move: prior}, value for who moves
    Player                                  a class with select_move(state), asked without the
                                            evaluator; any name, if it is all that the file has
    solve(state, depth=None, evaluate=None) the value for the player to move, exact without depth
    targets(game)                           [(..., policy, value)], one for each of game.states
    encode(state)                           what the network is shown
    augment(planes, policy)                 [(planes, policy)]: all images, or one drawn
    priors(logits, legal)                   probabilities of all actions
    noise(priors, is_root=True)             the priors of the root in self-play
    pick(visits, temperature)               an action
    loss(logits, values, policies, results) a number; arrays [n, actions], [n], [n, actions], [n]
    gradient(...)                           of the loss, by logits and values
    batches(examples, size)                 the batches of one epoch
    window(old, new, size)                  the examples that are learned from now on
    match(play, games)                      the share of points; play(first) is 1, 0 or -1

A function that raises NotImplementedError is not asked such a question again.

KIND is "puct" (the default), "uct" or "gumbel"; GAME the game of `encode` and `augment`
(default: tictactoe). If GAME is given, or `dlgo audit --game`, the player is asked for moves in
this game instead of trees, and may be any engine: `dlgo audit "gtp:gnugo --mode gtp" --game go5`.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dlgo.api import GameState, Move
from dlgo.conformance.kit import bytes_of
from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.plugins import load_file
from engines import bots
from engines.base import Budget, Decision
from engines.registry import ENGINES, EngineSpec, build_engine, engine_class
from experiments.museum.traces import RULES
from experiments.museum.tree_game import Script, TreeGame, tree_game

# A finding: what tells it from others of the property, and a sentence.
Findings = Iterator[tuple[str, str]]
FUNCTIONS = ("search", "solve", "targets", "encode", "augment", "priors", "noise", "pick", "loss",
             "gradient", "batches", "window", "match")
SIMULATIONS = 400
# The tag of a finding that is none: what could not be seen.
UNSEEN = "unseen"


class AuditError(DlgoError):
    """The file cannot be audited."""


class WrongAnswer(Exception):
    """A part has returned something that is no answer; `tag` tells such faults apart."""

    def __init__(self, tag: str, text: str) -> None:
        super().__init__(text)
        self.tag = tag


@dataclass(frozen=True)
class Answer:
    """What a search has said about a position.

    Attributes:
        move: the action that it plays.
        visits: of each action, {} if it does not say.
        value: for the player to move, None if it does not say.
        decided: whether it says itself which move it plays.
        asked: nodes about which it asked the evaluator; [] for an engine.
        proven: the result for the player to move that it calls certain, if it does.
    """

    game: TreeGame
    move: int
    visits: dict[int, float]
    value: float | None
    decided: bool
    asked: list[int]
    proven: int | None = None

    @property
    def tree(self) -> str:
        """The text of the tree."""
        return self.game.settings["tree"]

    @property
    def text(self) -> str:
        """The visits, or the move, for a message."""
        letters = self.game.move_text
        if not self.visits:
            return f"it plays {letters(self.game.move_of(self.move))}"
        counts = ", ".join(f"{letters(self.game.move_of(action))} {count:g}"
                           for action, count in sorted(self.visits.items()))
        return f"it plays {letters(self.game.move_of(self.move))} (visits: {counts})"


class Subject:
    """A file whose parts are examined, or the specification of an engine. Raises AuditError or
    PluginError if it has none."""

    def __init__(self, source: str, game: str = "") -> None:
        is_file = source.endswith(".py")
        path = self.path = Path(source)
        self.module = load_file(path) if is_file else SimpleNamespace(Player=source)
        self._game = game or getattr(self.module, "GAME", "")
        self.kind = getattr(self.module, "KIND", "puct")
        if self.kind not in (*RULES, "gumbel"):
            raise AuditError(f"{path}: KIND is {self.kind!r}; write 'puct', 'uct' or 'gumbel'")
        self.functions = {name: function for name in FUNCTIONS
                          if callable(function := getattr(self.module, name, None))}
        if not self.functions and self.player is None:
            raise AuditError(f"{path} holds nothing to audit: write one of {', '.join(FUNCTIONS)}, "
                             "or a class with select_move(state)")
        if self._game and self.player is not None:
            build_engine(self.player, self.game).close()  # it says now what it does not play

    @cached_property
    def player(self) -> Any | None:
        """The class or function that plays: `Player`, or all that the file has."""
        named = getattr(self.module, "Player", None)
        if isinstance(named, str | EngineSpec):
            return EngineSpec.of(named)
        if bots.is_bot(named):
            return named
        offered = [] if self.functions else ENGINES.offered(self.path)
        return engine_class(f"{self.path}:{offered[0]}") if len(offered) == 1 else None

    @property
    def parts(self) -> list[str]:
        """The names of the parts."""
        asked = "moves" if self._game else "select_move"
        return [*self.functions, *([asked] if self.player is not None else [])]

    @property
    def counts_simulations(self) -> bool:
        """Whether the player can be told a number of simulations."""
        if isinstance(self.player, EngineSpec):
            return self.player.budget.sims is not None
        return "sims" in getattr(self.player, "budgets", ("sims",))

    @cached_property
    def game(self) -> Any:
        """The game of `encode`, `augment` and the player's moves."""
        return get_game(self._game or "tictactoe")

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function with as many of the arguments as it takes."""
        function = self.functions[name]
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return function(*arguments)
        if any(one.kind is one.VAR_POSITIONAL for one in parameters):
            return function(*arguments)
        places = [one for one in parameters
                  if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        return function(*arguments[: len(places)])

    def ask(self, part: str, tree: str, simulations: int = SIMULATIONS) -> Answer:
        """The answer of a search or player to the first position of a tree.

        Raises WrongAnswer if that is none.
        """
        game = tree_game(tree)
        state, script = GameState.new_game(game), Script(game)
        before = bytes_of(state.kernel_state)
        if part == "search":
            answer = self.call("search", state, script, simulations)
        else:
            answer = self.decide(state, simulations)
        if bytes_of(state.kernel_state) != before:
            raise WrongAnswer("position changed", f"it changes the position that it is given: "
                                                  f"{tree}")
        return _read(game, state, answer, script.asked)

    def decide(self, state: GameState, simulations: int = 0, seed: int = 1) -> Decision:
        """The decision of the player, with its own budget if `simulations` is 0."""
        engine = build_engine(self.player, state.game, seed)
        limit = simulations and "sims" in engine.budgets
        decision = engine.analyse(state, Budget(sims=simulations) if limit else None)
        engine.close()
        return decision


def _read(game: TreeGame, state: GameState, answer: Any, asked: list[int]) -> Answer:
    move, value, visits, decided = None, None, answer, False
    if isinstance(answer, Decision):
        move, value, visits, decided = answer.move, answer.value, answer.visits, True
    elif isinstance(answer, tuple) and len(answer) == 2:
        visits, move, decided = *answer, True
    if not isinstance(visits, Mapping):
        raise WrongAnswer("no answer", f"it returns {str(answer)[:80]!r}, not {{move: visits}}")
    counts = {_action(game, state, key): count for key, count in visits.items()}
    for count in counts.values():
        if not isinstance(count, int | float) and not hasattr(count, "__float__") or (
            not math.isfinite(count) or count < 0
        ):
            raise WrongAnswer("visits", f"a move has {count!r} visits in {game.settings['tree']}")
    counts = {action: float(count) for action, count in counts.items()}
    if move is None:
        if not any(counts.values()):
            raise WrongAnswer("visits", f"no move has visits in {game.settings['tree']}")
        move = max(counts, key=counts.__getitem__)
    else:
        move = _action(game, state, move)
    if value is not None and not (math.isfinite(value) and abs(value) < 1.000001):
        raise WrongAnswer("value", f"it gives the value {value!r}; values are -1 to 1")
    return Answer(game, move, counts, value, decided, asked, getattr(answer, "proven", None))


def _action(game: TreeGame, state: GameState, given: Any) -> int:
    """The action of a move, its text or its number; WrongAnswer if it is not legal."""
    move = given
    if isinstance(given, str):
        with contextlib.suppress(DlgoError):  # it stays a text
            move = state.read_move(given)
    elif hasattr(given, "__index__"):
        move = game.move_of(int(given)) if 0 <= int(given) < game.num_actions else None
    if not isinstance(move, Move) or not state.is_valid_move(move):
        raise WrongAnswer("illegal", f"it names {str(given)[:40]}, which is not legal in "
                                     f"{game.settings['tree']}")
    return game.action_of(move)
