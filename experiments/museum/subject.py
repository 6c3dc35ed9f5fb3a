"""What a file offers to the auditor, and its answers, made alike.

`parts.toml` lists the functions that a file may have. A file may also have a class with
select_move(state), called `Player` or with any name if it is all that the file has; it is asked
without the evaluator. KIND is "puct" (the default), "uct", "gumbel", or "other", of which moves and
values are examined, but not visits. SELF_PLAY = True: `search` is that of self-play, with noise.
GAME is the game of the learner's parts (default: tictactoe; targets that take draughts are asked
there, too, since a player may move twice). If it is given, or `dlgo audit --game`, a player is
asked for moves in this game instead of trees, and may be any engine:
dlgo audit "gtp:gnugo ..." --game go.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import COLUMN_LETTERS, GameState
from dlgo.conformance.kit import bytes_of
from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.plugins import load_file
from dlgo.system.watchdogs import TooSlow, watchdog
from dlgo.text import excerpt
from engines import bots
from engines.base import Budget, Decision
from engines.registry import ENGINES, EngineSpec, build_engine, engine_class
from experiments.museum import PARTS
from experiments.museum.traces import RULES
from experiments.museum.tree_game import Script, TreeGame, ended, mirrored, tree_game

SIMULATIONS = 400
# One move is better, but not by perfect play. A player answers within these CPU seconds, unless it
# looks at all that follows.
_PAIRS = ("x(o~.3 o~.6)", "x(o~.6 o~.3)"), ("x(o~-.3 o~-.6)", "x(o~-.6 o~-.3)")
_ANSWER_SECONDS = 5
# A finding: what tells it from others of the property, and a sentence.
Findings = Iterator[tuple[str, str]]
# Tags of findings that are none: what could not be seen, and in how many positions a player was
# asked.
UNSEEN, ASKED = "unseen", "asked"


class AuditError(DlgoError):
    """A file cannot be audited, or has given a wrong answer."""


def numbers(label: str, answer: Any) -> np.ndarray:
    """An answer as finite numbers; AuditError, which names `what`, if it is something else."""
    answer = answer.detach() if hasattr(answer, "detach") else answer  # of PyTorch
    array = np.array(np.nan)
    with contextlib.suppress(TypeError, ValueError):
        array = np.asarray(answer, float)
    if not np.isfinite(array).all():
        text = " ".join(str(answer).split())[:80]
        raise AuditError(f"{label}: {text}; these must be finite numbers")
    return array


def random_game(start: GameState, rng: np.random.Generator) -> list[GameState]:
    """The positions of a random game, the end included."""
    states = [start]
    while not states[-1].is_over():
        moves = states[-1].sensible_moves()
        states.append(states[-1].apply_move(moves[rng.integers(len(moves))]))
    return states


class Answer(NamedTuple):
    """What a search has said about the first position of a tree."""

    game: TreeGame
    tree: str
    move: int  # the action that it plays
    visits: dict[int, float]  # of each action; {} if it does not say
    value: float | None  # for the player to move
    decided: bool  # it says itself which move it plays
    calls: list[list[int]]  # nodes of each call of the evaluator; [] for an engine
    proven: int | None  # the result for the player to move that it calls certain
    threaded: bool  # it evaluates in threads of its own, in any order

    @property
    def asked(self) -> list[int]:
        """The nodes of all calls."""
        return sum(self.calls, [])

    @property
    def simulations(self) -> list[list[int]]:
        """The calls, if each node in them stands for a simulation; else only the first one. A batch
        may leave out a leaf that it has reached before, or have all moves of a position."""
        further = sum(map(bool, self.asked)) - sum(self.visits.values())
        wrong = further > 1 or (further < 0 and len(self.calls) < len(self.asked))
        return self.calls[: 1 if wrong or self.threaded else None]

    @property
    def text(self) -> str:
        """The move, and the visits, for a message."""
        counts = ", ".join(f"{COLUMN_LETTERS[action]} {count:g}"
                           for action, count in sorted(self.visits.items()))
        return f"it plays {COLUMN_LETTERS[self.move]}" + (f" (visits: {counts})" if counts else "")


class Subject:
    """The parts of a file, or of an engine, by its specification. Raises AuditError or PluginError
    if it has none.

    Attributes:
        functions: by name; a player is the function `select_move` on trees, `moves` in a game.
        names_game: whether the file or its user names the game.
        asked: how many questions they were asked. misspelt: names that are almost those of parts.
    """

    def __init__(self, source: str, game: str = "") -> None:
        self.path, self.asked = Path(source), 0
        is_file = source.endswith(".py") and ":" not in source
        self.module: Any = load_file(self.path) if is_file else SimpleNamespace(Player=source)
        self.kind = getattr(self.module, "KIND", "puct")
        if self.kind not in [*RULES, "other"]:  # also what has no hash
            raise AuditError(f"{source}: KIND is {self.kind!r}; write puct, uct, gumbel or other")
        self.self_play = bool(getattr(self.module, "SELF_PLAY", False))
        game = game or getattr(self.module, "GAME", "")
        self.names_game, self.game = bool(game), get_game(game or "tictactoe")
        called = {name: function for name in PARTS
                  if callable(function := getattr(self.module, name, None))}
        self.functions = {name: function for name, function in called.items()
                          if takes(function, PARTS[name][0])}
        player = getattr(self.module, "Player", None)
        if not isinstance(player, str) and not bots.is_bot(player):
            player = not self.functions and ENGINES.offered(self.path) and source
        if player:
            self._player = EngineSpec.of(player)
            self.functions["moves" if game else "select_move"] = self._decide
            self._counts = "sims" in engine_class(self._player.name).budgets
            if game:
                build_engine(self._player, self.game).close()  # it says now what it does not play
        unknown = {*PARTS, "select_move"} - {*self.functions}
        self.misspelt = "".join(
            f"; {name} (it does not take {PARTS[name][0]})" for name in called if name in unknown)
        self.misspelt += "".join(
            f"; {name} (did you mean {near[0]}?)" for name, value in vars(self.module).items()
            if inspect.isfunction(value) and name not in called and (
                near := get_close_matches(name, unknown, 1, 0.8 if self.functions else 0.6)))
        if not self.functions:
            raise AuditError(f"{source} holds nothing to audit: no select_move, and none of "
                             f"{', '.join(PARTS)}{self.misspelt}; see dlgo audit --help")

    @property
    def parts(self) -> list[str]:
        """The names of its functions."""
        return list(self.functions)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function. Raises NotImplementedError if the file does not have it; AuditError if
        it changes the position that it is given first."""
        if name not in self.functions:
            raise NotImplementedError(f"the file has no {name}")
        self.asked += 1
        state = arguments[0] if isinstance(arguments[0], GameState) else None
        before = state and bytes_of(state.kernel_state)
        answer = self.functions[name](*arguments)
        if state and bytes_of(state.kernel_state) != before:
            raise AuditError(f"it changes the position that it is given: {_text(state)}")
        return answer

    def ask(self, part: str, tree: str, simulations: int = SIMULATIONS) -> Answer:
        """The answer of a search or player to the first position of a tree. Raises AuditError if
        that is none."""
        if self.knows_ends_only(part):
            tree = ended(tree)
        script = Script(tree_game(tree))
        state, evaluate = script.game.start(), [script] if part == "search" else []
        return _read(state, self.call(part, state, *evaluate, simulations), script)

    def counts_simulations(self, part: str) -> bool:
        """Whether the part can be told a number of simulations."""
        return part != "select_move" or self._counts

    def knows_ends_only(self, part: str) -> bool:
        """Whether the part is a player that knows results only, as perfect play does, or heuristics
        for one game: it moves alike whichever move is better for others, or does not answer soon.
        One that reports visits or a value is examined as a search.
        """
        return part == "select_move" and self._knows_ends_only

    @functools.cached_property
    def _knows_ends_only(self) -> bool:
        def decide(tree: str) -> Decision:
            return self._decide(tree_game(tree).start(), SIMULATIONS)

        try:
            with watchdog(_ANSWER_SECONDS):
                first = decide(_PAIRS[0][0])
                return first.value is None and not first.visits and any(
                    decide(tree).move == decide(other).move for pair in _PAIRS
                    for tree, other in (pair, map(mirrored, pair)))
        except TooSlow:
            return True
        except Exception:  # it is a finding where the player is examined
            return False

    def _decide(
        self, state: GameState, simulations: int = 0, seed: int = 1, *earlier: GameState
    ) -> Decision:
        """The decision of the player, with its own budget if `simulations` is 0; it has been asked
        about earlier positions."""
        limit = Budget(sims=simulations) if simulations and self._counts else None
        with contextlib.closing(build_engine(self._player, state.game, seed)) as engine:
            for asked in earlier:
                engine.analyse(asked, limit)
            decision = engine.analyse(state, limit)
        _action(state, decision.move)
        return decision


def takes(function: Callable[..., Any], parameters: str) -> bool:
    """Whether a function can be called with parameters such as "(state, depth=None)"."""
    required = [name for name in parameters.split(",") if "=" not in name]
    try:
        inspect.signature(function).bind(*required)
    except TypeError:
        return False
    except ValueError:  # it does not say
        return True
    return True


def _text(state: GameState) -> str:
    return state.game.settings.get("tree") or f"\n{state}"


def _read(state: GameState, answer: Any, script: Script) -> Answer:
    move, value, proven, visits, tree = None, None, None, answer, _text(state)
    if isinstance(answer, Decision):
        move, value, proven, visits = answer.move, answer.value, answer.proven, answer.visits
    elif isinstance(answer, tuple) and len(answer) == 2:
        visits, move = answer
    if not isinstance(visits, Mapping):
        raise AuditError(f"it returns {str(answer)[:80]!r}, not {{move: visits}}")
    counts = numbers(f"visits in {tree}", list(visits.values())).tolist()
    counts = dict(zip((_action(state, key) for key in visits), counts, strict=True))
    if min(counts.values(), default=0) < 0 or move is None and not any(counts.values()):
        raise AuditError(f"visits in {tree}: {list(counts.values())}; these must be positive "
                         "numbers or 0, and not all 0")
    if value is not None and not abs(numbers(f"value of {tree}", value)) < 1.000001:
        raise AuditError(f"it gives {tree} the value {value!r}; values are -1 to 1")
    action = max(counts, key=counts.__getitem__) if move is None else _action(state, move)
    game = TreeGame.of(state.game)
    return Answer(game, tree, action, counts, value, move is not None, script.calls, proven,
                  script.threaded)


def _action(state: GameState, answer: Any) -> int:
    """The action of a move, its text or its number. Raises AuditError if it is not legal."""
    game = state.game
    with contextlib.suppress(DlgoError, TypeError):
        is_number = answer in range(game.num_actions)
        move = game.move_of(int(answer)) if is_number else state.read_move(answer)
        if state.is_valid_move(move):
            return state.apply_move(move).actions()[-1]
    raise AuditError(f"it names {excerpt(str(answer), 40)}, not a legal move in {_text(state)}")
