"""The interface of engines: `Engine.select_move(state, budget) -> Decision`.

A `Budget` limits the cost of one move; a `Decision` has the chosen move and its cost. All code that
plays, rates or teaches works with these, and with no particular engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from dlgo.api import GameSpec, GameState, Move
from dlgo.budgets import BUDGET_OPTIONS
from dlgo.errors import SpecError
from dlgo.games import with_tablebase
from dlgo.jit import cpu_time, wall_time
from dlgo.rng import below, make_rng
from dlgo.specs import Option, check_settings, format_spec
from engines.decision import Budget, Cost, Decision
from engines.termination import TERMINATION_OPTIONS, Termination

__all__ = ["TABLES", "Budget", "Call", "Cost", "Decision", "Engine", "Kernels"]

# Of engines that search by the compiled protocol: they need do nothing else for it.
TABLES = Option("tables", 0, "number of pieces up to which endgame tables are used (draughts); 0: "
                "none", low=0, high=5)


Call = tuple[Any, tuple[Any, ...]]  # a kernel and its arguments


class Kernels(NamedTuple):
    """The compiled part of an engine, for programs that are not Python (`dlgo/webassembly`).

    Options that are numbers of a `NamedTuple` (`rule.c_uct`) can be replaced in each call.
    """

    driver: str  # the program that knows how to use the calls, such as `tree`
    # Name -> (kernel, arguments: the engine's own arrays, with a position at their root).
    calls: dict[str, Call]
    facts: dict[str, Any]  # what the driver must know beside them, as JSON


class Engine(ABC):
    """A way to play one game. Subclasses set the class attributes and implement `_decide`."""

    name: ClassVar[str]  # how specifications call it
    summary: ClassVar[str]  # one line for listings
    # Its settings, in addition to those of `termination.py`, which all engines have.
    options: ClassVar[tuple[Option, ...]] = ()
    budgets: tuple[str, ...] = ()  # the kinds of budget it obeys
    default_budget: ClassVar[Budget] = Budget()  # used where none is given
    # An option whose value may come first in a specification, without its name.
    bare_option: ClassVar[str] = ""
    # Whether a program or a server thinks: a user has to name it, and its answers may differ from
    # game to game.
    external: ClassVar[bool] = False
    # Of engines with a network; the ledger stores them with each game: a digest of the weights, CPU
    # time that training took, data included, and what runs it ("int8").
    network_id: str | None = None
    training_cpu_seconds: float | None = None
    runtime: str | None = None
    # Of engines that pay for answers, in this game: for each kind of cost, a number for each move
    # that was asked for; stored by the ledger, too.
    usage: dict[str, list[float]] | None = None

    def __init__(
        self, game: GameSpec, budget: Budget | None = None, seed: int = 0,
        build_engine: Callable[[str, GameSpec], Engine] | None = None, **settings: Any,
    ) -> None:
        self.game = game
        self._build_engine = build_engine  # for engines that ask other engines
        self.budget = budget if budget is not None and budget.given() else self.default_budget
        self.settings: dict[str, Any] = check_settings(
            f"engine {self.name}", (*self.options, *TERMINATION_OPTIONS), settings
        )
        self._termination = Termination(self.settings)
        if self.settings.get(TABLES.name):
            self.game = with_tablebase(game, self.settings[TABLES.name])
        self._set_up()
        self.new_game(seed)

    def _set_up(self) -> None:  # noqa: B027 (nothing to do for some engines)
        """Allocate what lasts from game to game, so that no move pays for fresh memory."""

    @abstractmethod
    def new_game(self, seed: int) -> None:
        """Forget the last game and seed the generator: the same seed gives the same game."""

    @abstractmethod
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        """Choose a move in a game that is not over. Times in the cost are filled in later."""

    def select_move(self, state: GameState, budget: Budget | None = None) -> Decision:
        """Choose a move and measure its cost.

        `budget` replaces the budget of the engine. Raises ValueError if the game is over or another
        one, SpecError if the engine supports no limit of the budget.
        """
        if state.game != self.game:
            raise ValueError(f"this engine plays {self.game}, but the position is of {state.game}")
        if state.is_over():
            raise ValueError("the game is over: there is no move to select")
        if budget is not None and self.budgets and not budget.given().keys() & set(self.budgets):
            kinds = " and ".join(budget.given()) or "nothing"
            raise SpecError(f"engine {self.name} cannot limit itself by {kinds}; it takes "
                            f"{', '.join(self.budgets)}")
        wall, cpu = wall_time(), self._cpu_clock()
        if (move := self._termination.shortcut(state)) is not None:
            decision = Decision(move, value=1.0, pv=(move,), proven=1)
        elif (results := self.game.probe(state)) is not None:
            decision = _by_tables(results)
        else:
            decision = self._decide(state, budget or self.budget)
            decision = self._termination.review(state, decision)
        spent = decision.cost
        return decision.with_cost(Cost(
            spent.simulations, spent.nodes, spent.evaluations,
            cpu_seconds=self._cpu_clock() - cpu, wall_seconds=wall_time() - wall,
        ), self.game)

    def analyse(self, state: GameState, budget: Budget | None = None) -> Decision:
        """Like `select_move`, with everything that the engine knows about each move."""
        return self.select_move(state, budget)

    def kernels(self, state: GameState) -> Kernels:
        """The compiled part of this engine.

        Args:
            state: a start position, in arrays with room for the longest game.

        Raises:
            SpecError: if the engine needs Python.
        """
        raise SpecError(f"engine {self.name} needs Python; a page can run engines that are "
                        "compiled, such as mcts and alphabeta")

    def __repr__(self) -> str:
        limits = [option for option in BUDGET_OPTIONS if option.name in self.budgets]
        values = {option.name: getattr(self.budget, option.name) for option in limits}
        options = (*self.options, *TERMINATION_OPTIONS)
        text = format_spec(self.name, (*limits, *options), {**values, **self.settings})
        return f"<engine {text} for {self.game}>"

    def warm_up(self) -> None:
        """Compile and load everything that a game needs, so that no clock counts it."""
        smallest = Budget(sims=2, depth=2, nodes=2, evals=2, cpu=1e-4, wall=1e-4)
        budget = Budget(**{name: getattr(smallest, name) for name in self.budgets[:1]})
        state = GameState.new_game(self.game)
        for _ in range(2):  # an engine may treat the second move differently (keep its tree, say)
            decision = self.select_move(state, budget)
            state = state.apply_move(decision.move)
            if not state.is_over():
                state = state.apply_move(state.legal_moves()[0])
            if state.is_over():  # a tiny board, or the engine has resigned
                state = GameState.new_game(self.game)
        self.new_game(0)

    def close(self) -> None:  # noqa: B027
        """Release the engine's processes and files."""

    def _cpu_clock(self) -> float:
        """CPU seconds spent so far; an engine that thinks in other processes adds theirs."""
        return cpu_time()


def _by_tables(results: dict[Move, tuple[int, int]]) -> Decision:
    """The move that wins soonest, or loses last; nothing is left to search."""
    def merit(move: Move) -> tuple[int, int]:
        result, turns = results[move]
        return result, -result * turns

    move = max(results, key=merit)
    value, turns = results[move]
    # The result is not marked as proven: the game may still be drawn by the rules about progress.
    values = {m: float(result) for m, (result, _) in results.items()}
    return Decision(move, value=float(value), depth=turns, values=values)


def finish_game(game: GameSpec) -> None:
    """Play a random game through `GameState`: loads the kernels of a search that reaches the
    end."""
    state, rng = GameState.new_game(game), make_rng(1)
    while not state.is_over():
        moves = state.sensible_moves()
        plays = [move for move in moves if not move.is_pass] or moves
        state = state.apply_move(plays[below(rng, len(plays))])
    state.result()
