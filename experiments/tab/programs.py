"""Games and engines as plain values, which a page can play with.

A program is a WebAssembly module, the memory that it begins with, and their description. Modules
are kept in the cache of compiled code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo import DlgoError, GameSpec, GameState, get_game
from dlgo.display import cell_number
from dlgo.game_declaration import GameDeclaration
from dlgo.jit import cached_build
from dlgo.specs import format_spec
from dlgo.webassembly.compiler import Module, compile_kernels, describe
from dlgo.webassembly.memory import argument_types, lay_out
from engines.base import Budget, Engine, Kernels
from engines.registry import EngineSpec, build_engine, engine_class
from experiments.play.cell_moves import points_of
from experiments.studio.position import board_view
from experiments.tab import rules

View = dict[str, Any]

# Options of a page's engines: nodes of a tree, in place of the millions that Python takes; networks
# without ONNX Runtime.
_OPTIONS = {"nodes_max": 500_000, "runtime": "compiled"}


def program(calls: Mapping[str, tuple[Any, tuple[Any, ...]]]) -> View:
    """The program of some calls: export -> (kernel, arguments)."""
    exports = {name: (kernel, argument_types(arguments))
               for name, (kernel, arguments) in calls.items()}

    def compile_all() -> bytes:
        module = compile_kernels(exports)
        return json.dumps(module.returns).encode() + b"\n" + module.code

    form = f"wasm-{os.environ.get('NUMBA_CPU_NAME', 'host')}"
    returns, _, code = cached_build(form, list(exports.values()), compile_all).partition(b"\n")
    module, image = Module(code, json.loads(returns)), lay_out(calls)
    return {
        "code": code, "image": _in_planes(b"".join(part for _, part in image.parts())),
        "description": json.loads(describe(module, image)),
    }


def _in_planes(content: bytes) -> bytes:
    """The first byte of every four, then the second, ...: weights are compressed to half the size,
    since many of their last bits are alike."""
    words = np.frombuffer(content + bytes(-len(content) % 4), np.uint8).reshape(-1, 4)
    return words.T.tobytes()


def game_view(game: GameSpec) -> View:
    """A game: its program, and what `static/worker/rules.js` must know of it."""
    state = rules.start_of(game)
    moves = [_move_at(game, action) for action in range(game.num_actions)]
    return {
        "spec": str(game), "name": game.name, "info": board_view(game),
        "numActions": game.num_actions, "passAction": game.pass_action,
        "swapAction": game.swap_action, "openingPlies": game.opening_plies,
        "texts": [move and game.move_text(move) for move in moves],
        "cellOf": [move and move.point and cell_number(game, move.point) for move in moves],
        "pathOf": [move and [cell_number(game, point) for point in points_of(move)] or None
                   for move in moves],
        # Jumps of one piece are written as one turn.
        "joins": type(game).whole_moves is not GameDeclaration.whole_moves,
        "winLength": getattr(game, "n", None),
        "shared": [*getattr(type(state.kernel_state), "shared_fields", ())],
        "program": _rules(state),
    }


def _rules(state: GameState) -> View:
    """The program of a game. An error names the function of the game that cannot be compiled."""
    try:
        return program(rules.calls_of(state))
    except DlgoError:
        for name, call in rules.calls_of_own_rules(state):
            program({name: call})
        raise


def _move_at(game: GameSpec, action: int) -> Any:
    """The move of an action, or None if the number is not a move."""
    try:
        return game.move_of(action)
    except (LookupError, ValueError):
        return None


class Entrant(NamedTuple):
    """An engine of a page."""

    facts: View  # for `static/worker/engines.js`
    kernels: Kernels


def entrants(game: GameSpec, specs: Iterable[str]) -> dict[str, Entrant]:
    """Engines of a page by specification, without the options that the page sets, such as budgets;
    so several of `specs` may be one entrant. Raises SpecError for an engine that needs Python.
    """
    state, found = rules.start_of(game), dict[str, Entrant]()
    for spec in specs:
        engine = build(EngineSpec.parse(spec), game)
        kernels = engine.kernels(state)
        fixed = {option.name: engine.settings[option.name] for option in engine.options
                 if option.name not in kernels.facts["options"]}
        own = [option for option in engine.options if option.name in fixed]
        text = format_spec(engine.name, own, fixed)
        found.setdefault(text, Entrant({
            "spec": text, "name": engine.name, "bare": engine.bare_option, "fixed": fixed,
            "defaults": {option.name: option.default for option in engine.options},
            "budgets": list(engine.budgets), "budget": engine.default_budget.given(),
            "driver": kernels.driver, **kernels.facts,
        }, kernels))
    return found


def parts_of(number: int, view: View, found: Iterable[Entrant]) -> dict[str, View]:
    """The parts of a page for a game (its `game_view`), `game-NUMBER`, and for its engines."""
    view = view | {"entrants": []}
    parts = {f"game-{number}": view}
    for place, entrant in enumerate(found):
        name = f"engine-{number}-{place}"
        parts[name] = program(entrant.kernels.calls)
        view["entrants"].append(entrant.facts | {"part": name})
    return parts


def game_parts(*games: str, engines: Sequence[str] = ()) -> dict[str, View]:
    """The parts of a page with these games and engines, for the worker alone."""
    specs = [get_game(game) for game in games]
    parts: dict[str, View] = {"setup": {
        "games": [], "parts": {str(game): f"game-{number}" for number, game in enumerate(specs)}}}
    for number, game in enumerate(specs):
        parts |= parts_of(number, game_view(game), entrants(game, engines).values())
    return parts


def build(spec: EngineSpec, game: GameSpec) -> Engine:
    """An engine with the options of a page."""
    engine = engine_class(spec.name)
    # With a number of simulations, a tree would have room for these only.
    budget = Budget(wall=1.0) if "wall" in engine.budgets else None
    names = {option.name for option in engine.options}
    options = {name: value for name, value in _OPTIONS.items() if name in names}
    return engine(game, budget, 1, build_engine=build_engine, **dict(spec.settings) | options)
