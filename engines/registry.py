"""Engines by specification: `mcts:sims=800,c_uct=1.4` -> `EngineSpec` -> `Engine`.

A new engine is one folder in `engines/` and one line in `_ENGINES`; the arena, the console
and the benchmarks find it here.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from dlgo.api import GameSpec
from dlgo.budgets import BUDGET_NAMES, BUDGET_OPTIONS
from dlgo.errors import SpecError
from dlgo.specs import check_settings, format_spec, split_spec, suggest
from engines.base import Budget, Engine
from engines.termination import TERMINATION_OPTIONS

# name -> "module:class". Modules load on demand: listing engines must not load them all.
_ENGINES = {
    "random": "engines.random_bot.engine:RandomEngine",
    "heuristic": "engines.heuristic.engine:HeuristicEngine",
    "minimax": "engines.minimax.plain:MinimaxEngine",
    "alphabeta": "engines.minimax.engine:AlphaBetaEngine",
    "mcts": "engines.mcts.engine:MCTSEngine",
    "puct": "engines.puct.engine:PUCTEngine",
    "supervised": "engines.supervised.engine:SupervisedEngine",
    "alphazero": "engines.alphazero.engine:AlphaZeroEngine",
    "solver": "engines.solver.engine:SolverEngine",
    "gtp": "engines.gtp.engine:GTPEngine",
}


def engine_names() -> list[str]:
    """The names a specification can begin with."""
    return list(_ENGINES)


def engine_class(name: str) -> type[Engine]:
    """The engine class called `name`. Raises SpecError for an unknown one."""
    if name not in _ENGINES:
        raise SpecError(
            f"unknown engine {name!r}{suggest(name, _ENGINES)}; engines are {', '.join(_ENGINES)}"
        )
    module, _, cls = _ENGINES[name].partition(":")
    return getattr(importlib.import_module(module), cls)


@dataclass(frozen=True)
class EngineSpec:
    """An entrant: an engine, its settings and its budget. Equal texts are equal entrants.

    Attributes:
        name: the engine.
        family: the specification without the budget: one line of a strength plot.
        text: the canonical specification.
        budget: limits per move.
        settings: the other options that were given, checked.
    """

    name: str
    family: str
    text: str
    budget: Budget
    settings: tuple[tuple[str, Any], ...]

    @classmethod
    def parse(cls, text: str) -> EngineSpec:
        """Read `name:key=value,...`, budget and other options in any order.

        Raises:
            SpecError: naming what is wrong: an unknown engine, an option or a budget the
                engine does not have, a value out of range.
        """
        name = text.partition(":")[0].strip()
        bare = engine_class(name).bare_option if name in _ENGINES else ""
        name, given = split_spec(text, "engine", bare)
        engine = engine_class(name)
        owner = f"engine {name}"
        for key in given:
            if key in BUDGET_NAMES and key not in engine.budgets:
                takes = ", ".join(engine.budgets) or "no budget"
                raise SpecError(f"{owner} cannot limit itself by {key}; it takes {takes}")
        limits = tuple(option for option in BUDGET_OPTIONS if option.name in engine.budgets)
        # One check over both kinds, so that a misspelt key is compared with all of them.
        options = engine.options + TERMINATION_OPTIONS
        values = check_settings(owner, limits + options, given)
        asked = {key: value for key, value in values.items() if key in engine.budgets}
        budget = Budget(**asked) if Budget(**asked).given() else engine.default_budget
        budget_values = {option.name: getattr(budget, option.name) for option in limits}
        settings = {option.name: values[option.name] for option in options}
        return cls(
            name=name,
            family=format_spec(name, options, settings),
            text=format_spec(name, limits + options, {**budget_values, **settings}),
            budget=budget,
            settings=tuple((k, v) for k, v in settings.items() if v is not None),
        )

    def __str__(self) -> str:
        return self.text

    def build(self, game: GameSpec, seed: int = 0) -> Engine:
        """The engine, ready to play `game`."""
        return engine_class(self.name)(
            game, self.budget, seed, build_engine=build_engine, **dict(self.settings)
        )


def build_engine(spec: str | EngineSpec, game: GameSpec, seed: int = 0) -> Engine:
    """Shortcut: parse and build."""
    return (EngineSpec.parse(spec) if isinstance(spec, str) else spec).build(game, seed)
