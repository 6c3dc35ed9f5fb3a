"""What a file offers to the auditor, and its answers, made alike.

`parts.toml` lists the functions that a file may have. A file may also have a class with
select_move(state), called `Player` or with any name if it is all that the file has; it is asked
without the evaluator. KIND is "puct" (the default), "uct" or "gumbel". SELF_PLAY = True: `search`
is that of self-play, with noise. GAME is the game of the learner's parts (default: tictactoe). If
it is given, or `dlgo audit --game`, a player is asked for moves in this game instead of trees, and
may be any engine: dlgo audit "gtp:gnugo ..." --game go.
"""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import COLUMN_LETTERS, GameState
from dlgo.conformance.kit import bytes_of
from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.plugins import load_file
from dlgo.specs import suggest
from engines import bots
from engines.base import Budget, Decision
from engines.registry import ENGINES, EngineSpec, build_engine, engine_class
from experiments.museum.traces import RULES
from experiments.museum.tree_game import Script, TreeGame, tree_game

# Names of functions that a file may have.
FUNCTIONS = [call.partition("(")[0] for call in tomllib.loads(
    Path(__file__).with_name("parts.toml").read_text(encoding="utf-8"))]
SIMULATIONS = 400
# A finding: what tells it from others of the property, and a sentence.
Findings = Iterator[tuple[str, str]]
# The tag of a finding that is none: what could not be seen.
UNSEEN = "unseen"
# The tag of another that is none: in how many positions a player was asked.
ASKED = "asked"


class AuditError(DlgoError):
    """A file cannot be audited, or has given a wrong answer; `tag` tells such answers apart."""

    def __init__(self, tag: str, text: str) -> None:
        super().__init__(tag, text)  # a worker sends both
        self.tag = tag

    def __str__(self) -> str:
        return self.args[1]


def numbers(what: str, answer: Any) -> np.ndarray:
    """An answer as finite numbers; AuditError, which names `what`, if it is something else."""
    answer = answer.detach() if hasattr(answer, "detach") else answer  # of PyTorch
    array = np.array(np.nan)
    with contextlib.suppress(TypeError, ValueError):
        array = np.asarray(answer, float)
    if not np.isfinite(array).all():
        shown = " ".join(str(answer).split())[:80]
        raise AuditError("numbers", f"{what}: {shown}; these must be finite numbers")
    return array


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

    @property
    def asked(self) -> list[int]:
        """The nodes of all calls."""
        return sum(self.calls, [])

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
        functions: by name. player: `Player`, or all that the file has. parts: the names of these.
        asked: how many questions they were asked.
    """

    def __init__(self, source: str, game: str = "") -> None:
        self.path, self.asked = Path(source), 0
        is_file = source.endswith(".py") and ":" not in source
        self.module: Any = (load_file(self.path) if is_file else
                            SimpleNamespace(Player=EngineSpec.parse(source)))
        self.kind = getattr(self.module, "KIND", "puct")
        if self.kind not in RULES:
            raise AuditError("KIND", f"{source}: KIND is {self.kind!r}; write puct, uct or gumbel")
        self.self_play = bool(getattr(self.module, "SELF_PLAY", False))
        game = game or getattr(self.module, "GAME", "")
        self.game = get_game(game or "tictactoe")
        self.functions = {name: function for name in FUNCTIONS
                          if callable(function := getattr(self.module, name, None))}
        player = getattr(self.module, "Player", None)
        if not isinstance(player, str | EngineSpec) and not bots.is_bot(player):
            player = not self.functions and ENGINES.offered(self.path) and source
        self.player = EngineSpec.of(player) if player else None
        self.parts = list(self.functions)
        if self.player is not None:
            self.parts.append("moves" if game else "select_move")
            if game:
                build_engine(self.player, self.game).close()  # it says now what it does not play
        if not self.parts:
            near = "".join(suggest(name, (*FUNCTIONS, "select_move")) for name in
                           reversed(vars(self.module)) if not name.startswith("_"))
            raise AuditError("empty", f"{source} holds nothing to audit: no select_move, and none "
                             f"of {', '.join(FUNCTIONS)}{near}; see dlgo audit --help")

    @property
    def counts_simulations(self) -> bool:
        """Whether the player can be told a number of simulations."""
        return "sims" in engine_class(self.player.name).budgets

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function. Raises NotImplementedError if the file does not have it."""
        if name not in self.functions:
            raise NotImplementedError(f"the file has no {name}")
        self.asked += 1
        return self.functions[name](*arguments)

    def ask(self, part: str, tree: str, simulations: int = SIMULATIONS) -> Answer:
        """The answer of a search or player to the first position of a tree.

        Raises AuditError if that is none.
        """
        state, script = GameState.new_game(tree_game(tree)), Script(tree_game(tree))
        if part == "search":
            with _unchanged(state):
                answer = self.call("search", state, script, simulations)
        else:
            answer = self.decide(state, simulations)
        return _read(state, answer, script.calls)

    def decide(self, state: GameState, simulations: int = 0, seed: int = 1) -> Decision:
        """The decision of the player, with its own budget if `simulations` is 0.

        Raises AuditError if it changes the position, or if its move is not legal.
        """
        self.asked += 1
        engine = build_engine(self.player, state.game, seed)
        limit = Budget(sims=simulations) if simulations and self.counts_simulations else None
        with _unchanged(state):
            decision = engine.analyse(state, limit)
        engine.close()
        _action(state, decision.move)
        return decision


@contextlib.contextmanager
def _unchanged(state: GameState) -> Iterator[None]:
    before = bytes_of(state.kernel_state)
    yield
    if bytes_of(state.kernel_state) != before:
        raise AuditError("changed", f"it changes the position that it is given: {_text(state)}")


def _text(state: GameState) -> str:
    return state.game.settings.get("tree") or f"\n{state}"


def _read(state: GameState, answer: Any, calls: list[list[int]]) -> Answer:
    move, value, proven, visits, tree = None, None, None, answer, _text(state)
    if isinstance(answer, Decision):
        move, value, proven, visits = answer.move, answer.value, answer.proven, answer.visits
    elif isinstance(answer, tuple) and len(answer) == 2:
        visits, move = answer
    if not isinstance(visits, Mapping):
        raise AuditError("no answer", f"it returns {str(answer)[:80]!r}, not {{move: visits}}")
    counts = numbers(f"visits in {tree}", list(visits.values())).tolist()
    counts = dict(zip((_action(state, key) for key in visits), counts, strict=True))
    if min(counts.values(), default=0) < 0 or move is None and not any(counts.values()):
        raise AuditError("visits", f"visits in {tree}: {list(counts.values())}; these must be "
                                    "positive numbers or 0, and not all 0")
    if value is not None and not abs(numbers(f"value of {tree}", value)) < 1.000001:
        raise AuditError("value", f"it gives {tree} the value {value!r}; values are -1 to 1")
    played = max(counts, key=counts.__getitem__) if move is None else _action(state, move)
    return Answer(state.game, tree, played, counts, value, move is not None, calls, proven)


def _action(state: GameState, given: Any) -> int:
    """The action of a move, its text or its number. Raises AuditError if it is not legal."""
    game = state.game
    with contextlib.suppress(DlgoError, TypeError):
        is_number = given in range(game.num_actions)
        move = game.move_of(int(given)) if is_number else state.read_move(given)
        if state.is_valid_move(move):
            return game.action_of(move)
    raise AuditError("illegal", f"it names {str(given)[:40]}, not a legal move in {_text(state)}")
