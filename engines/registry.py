"""Engines by specification: `mcts:sims=800,c_uct=1.4` -> `EngineSpec` -> `Engine`.

A new engine is one folder in `engines/` and one line in `_ENGINES`, or anything that
`dlgo.plugins` finds: a user's file (`engines/bots.py` describes its contents), or an installed
package.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo import specs
from dlgo.api import GameSpec
from dlgo.budgets import BUDGET_NAMES, BUDGET_OPTIONS
from dlgo.digests import hex_digest
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.plugins import Plugin, PluginGroup
from dlgo.text import LONGEST_NAME, excerpt
from engines import bots
from engines.base import Budget, Engine
from engines.own_functions import find_function, names_function
from engines.termination import TERMINATION_OPTIONS

# name -> "module:class". Modules load on demand, so that listing engines does not load all of them.
_ENGINES = {
    "random": "engines.random_bot.engine:RandomEngine",
    "heuristic": "engines.heuristic.engine:HeuristicEngine",
    "minimax": "engines.minimax.plain:MinimaxEngine",
    "alphabeta": "engines.minimax.engine:AlphaBetaEngine",
    "mcts": "engines.mcts.engine:MCTSEngine",
    "puct": "engines.puct.engine:PUCTEngine",
    "supervised": "engines.supervised.engine:SupervisedEngine",
    "alphazero": "engines.alphazero.engine:AlphaZeroEngine",
    "descent": "engines.descent.engine:DescentEngine",
    "ntuple": "engines.ntuple.engine:NTupleEngine",
    "alphago": "engines.alphago.engine:AlphaGoEngine",
    "policy_gradient": "engines.policy_gradient.engine:PolicyGradientEngine",
    "actor_critic": "engines.actor_critic.engine:ActorCriticEngine",
    "q_learning": "engines.q_learning.engine:QLearningEngine",
    "ppo": "engines.ppo.engine:PPOEngine",
    "fast_policy": "engines.fast_policy.engine:FastPolicyEngine",
    "solver": "engines.solver.engine:SolverEngine",
    "gtp": "engines.gtp.engine:GTPEngine",
    "llm": "engines.llm.engine:LLMEngine",
    "textbook-alphabeta": "engines.minimax.textbook:TextbookAlphaBeta",
    "textbook-mcts": "engines.mcts.textbook:TextbookMCTS",
    "textbook-puct": "engines.alphazero.textbook:TextbookPUCT",
    "textbook-alphago": "engines.alphago.textbook:TextbookAlphaGo",
    "textbook-gumbel": "engines.alphazero.textbook_gumbel:TextbookGumbel",
}

ENGINES = PluginGroup("engine", _ENGINES, bots.fits, bots.WANTED)


def engine_names() -> list[str]:
    """The names that a specification can begin with: built-in engines, and those of installed
    packages."""
    return ENGINES.names()


def engine_class(name: str) -> type[Engine]:
    """The engine class called `name`, which may be `FILE.py:Class`. Raises SpecError for an unknown
    one; naming file and line if it cannot be loaded."""
    plugin = ENGINES.find(name)
    return bots.as_engine(plugin.target, plugin.origin)


@dataclass(frozen=True)
class EngineSpec:
    """An entrant: an engine, its settings and its budget. Equal texts are equal entrants."""

    name: str  # the engine; for an external one, `FILE.py:Class` or `module:Class`
    family: str  # the specification without the budget: one line of a strength plot
    text: str  # the canonical specification
    budget: Budget  # limits per move
    settings: tuple[tuple[str, Any], ...]  # the other options that were given, checked
    # Its name in reports (`name=GNU Go 10`); empty if none is given.
    title: str = field(default="", compare=False)
    origin: str = ""  # the file of an external engine; empty for built-in engines
    # Digest of its sources, and of external engines that it asks: its version.
    digest: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> EngineSpec:
        """Read `name:key=value,...`, budget and other options in any order. Raises SpecError,
        naming what is wrong: an unknown engine, an option or a budget the engine does not have, a
        value out of range."""
        name, raw = ENGINES.split(text)
        plugin = ENGINES.find(name)
        engine = bots.as_engine(plugin.target, plugin.origin)
        settings = specs.split_settings(raw, f"engine {text!r}", engine.bare_option)
        return cls._of(engine, settings, plugin)

    @classmethod
    def of(cls, engine: Any) -> EngineSpec:
        """The specification of anything that can play: a specification, its text, or a file; an
        engine class, or any class or function that `engines.bots` describes; a module with one; an
        engine, or any object with `select_move(state)`. Raises SpecError for something else."""
        if isinstance(engine, cls):
            return engine
        if isinstance(engine, str | Path):
            return cls.parse(str(engine))
        if not (bots.is_bot(engine) or isinstance(engine, ModuleType)):
            raise SpecError(f"{engine!r} is not an engine: {bots.WANTED}")
        if isinstance(engine, Engine):
            target = engine.target if isinstance(engine, bots.BotEngine) else type(engine)
            plugin = ENGINES.find(ENGINES.name_of(target))
            settings = {key: value for key, value in engine.settings.items() if value is not None}
            return cls._of(type(engine), engine.budget.given() | settings, plugin)
        return cls.parse(ENGINES.name_of(engine))

    @classmethod
    def _of(cls, engine: type[Engine], texts: dict[str, Any], plugin: Plugin) -> EngineSpec:
        name, title = plugin.reference, _take_title(engine, texts, plugin.reference)
        limits = tuple(option for option in BUDGET_OPTIONS if option.name in engine.budgets)
        options = (*engine.options, *TERMINATION_OPTIONS)
        for key in texts.keys() & set(BUDGET_NAMES):
            if key not in {option.name for option in limits + options}:
                takes = ", ".join(engine.budgets) or "no budget"
                raise SpecError(f"engine {name} cannot limit itself by {key}; it takes {takes}")
        # One check over both kinds, so that a misspelt key is compared with all of them.
        values = specs.check_settings(f"engine {name}", limits + options, texts)
        limit = Budget(**{option.name: values.pop(option.name) for option in limits})
        budget = limit if limit.given() else engine.default_budget
        parts: list[Plugin | EngineSpec] = [plugin]  # with what the values of options name
        for option in options:
            value = values[option.name]
            part: Plugin | EngineSpec | None = None
            if option.nests and value is not None:
                part = EngineSpec.parse(str(value))
            elif option.function:
                part = find_function(value)
            if part is not None:
                values[option.name] = getattr(part, "reference", str(part))
                parts.append(part)
        digests = [part.digest for part in parts if part.digest]
        digest = hex_digest("".join(digests)) if len(digests) > 1 else "".join(digests)
        settings = tuple((key, value) for key, value in values.items() if value is not None)
        origin = next((str(part.origin) for part in parts if part.origin), "")
        text = specs.format_spec(name, limits + options, vars(budget) | values)
        family = specs.format_spec(name, options, values)
        return cls(name, family, text, budget, settings, title, origin, digest)

    @property
    def free_text(self) -> bool:
        """Whether an option was given whose value can be anything, such as a command."""
        options = {option.name: option for option in engine_class(self.name).options}
        return any(
            option.type is str and value not in (option.default, *option.choices)
            for name, value in self.settings if (option := options.get(name))
        )

    @property
    def label(self) -> str:
        """The entrant for people: its title, or its text with a short name and version."""
        if self.title or not self.origin:
            return self.title or self.text
        short = f"{self.name.rpartition(':')[2].lower()}@{self.digest[:4]}"
        return short + self.text.removeprefix(self.name)

    @property
    def full_text(self) -> str:
        """The specification with its title, as `parse` reads it."""
        if not self.title:
            return self.text
        comma = "," if self.text != self.name else ":"
        return f"{self.text}{comma}name={specs.quote_value(self.title)}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"EngineSpec.parse({self.full_text!r})"

    def build(self, game: GameSpec, seed: int = 0) -> Engine:
        """The engine, ready to play `game`."""
        engine = engine_class(self.name)
        return engine(game, self.budget, seed, build_engine=build_engine, **dict(self.settings))


def _take_title(engine: type[Engine], settings: dict[str, Any], name: str) -> str:
    """Take `name=` out of the settings, where it is the title and not the engine's own option."""
    own = {option.name for option in engine.options}
    title = str(settings.pop("name", "")) if "name" not in own else ""
    if len(title) > LONGEST_NAME:
        raise SpecError(f"the name {excerpt(title, 40)} of an engine has {len(title):,} "
                        f"characters; give it at most {LONGEST_NAME}")
    return title or (specs.split_version(name)[0] if ENGINES.is_given(name) else "")


@functools.lru_cache(maxsize=4096)
def is_outside(text: str) -> bool:
    """Whether a specification means an engine that does not belong to this project, or one that
    asks such an engine. No external code is loaded for this."""
    name, raw = ENGINES.split(text)
    if name not in ENGINES.built_in:
        return name.endswith(".py") or ":" in name or name in ENGINES.names()
    if not raw:
        return False
    options = engine_class(name).options
    settings = specs.split_settings(raw, f"engine {text!r}", engine_class(name).bare_option)
    return any(
        option.nests and is_outside(settings[option.name])
        or option.function and names_function(settings[option.name])
        for option in options if option.name in settings
    )


def spec_text(engine: Any) -> str:
    """The text of what `EngineSpec.of` takes, with its title. A text or a file stays as it is:
    external code is not loaded for this."""
    return str(engine) if isinstance(engine, str | Path) else EngineSpec.of(engine).full_text


def build_engine(spec: Any, game: GameSpec | str, seed: int = 0) -> Engine:
    """An engine, ready to play: `build_engine("mcts:sims=1000", "go9")`.

    Args:
        spec: anything that `EngineSpec.of` takes. An engine that has been built is returned
            unchanged.
        seed: the same seed gives the same moves if budgets are counts, not times.
    """
    game = get_game(game)
    if isinstance(spec, Engine):
        if spec.game != game:
            raise SpecError(f"the engine was built for {spec.game}, not for {game}; build it again")
        return spec
    return EngineSpec.of(spec).build(game, seed)
