"""Board games, engines and experiments, from Python.

    import dlgo

    game = dlgo.game("othello", size=6)
    engine = dlgo.engine("mcts:sims=200", game)
    engine.analyse(game.start().play("d5")).to_frame()
    t = dlgo.tournament(game, ["random", MyBot, "mcts:sims=200"], pairs=20, ledger="t.sqlite")
    t.games; t.ratings; t.plot(cost="cpu_ms"); t.report("out/")
    data = dlgo.generate(game, "mcts:sims=200", games=500)
    net = dlgo.train.supervised(data, network="cnn", epochs=5)
    run = dlgo.train.alphazero(game, iterations=12)
    dlgo.check(game)

MyBot is a class with a method `select_move(state)` (docs/add_an_engine.md); a game of your own is
`dlgo.game("my_game.py")` (docs/add_a_game.md).
Every name has its own help, such as `help(dlgo.tournament)`; docs/python.md explains them all.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dlgo.own_packages import prefer_own_packages

if TYPE_CHECKING:
    from dlgo.api import GameSpec, GameState, Move, Player, Point
    from dlgo.errors import DlgoError, IllegalMoveError, LedgerError, NotationError, SpecError
    from dlgo.games import game_names, get_game
    from dlgo.games import get_game as game
    from engines.registry import engine_names
    from experiments import train
    from experiments.check import check
    from experiments.front_door import engine, generate, match, tournament
    from reports.results import Results as results  # noqa: N813 (called like a function)

__version__ = "0.2.0"
prefer_own_packages()

__all__ = [
    "DlgoError", "GameSpec", "GameState", "IllegalMoveError", "LedgerError", "Move",
    "NotationError", "Player", "Point", "SpecError", "check", "engine", "engine_names",
    "game", "game_names", "generate", "get_game", "match", "results", "tournament", "train",
]

# name -> "module" or "module:object". As text, so that this package imports no other one.
_PLACES = {
    name: f"dlgo.errors:{name}" if name.endswith("Error") else f"dlgo.api:{name}"
    for name in __all__ if name[0].isupper()
} | {
    "check": "experiments.check:check",
    "engine": "experiments.front_door:engine",
    "engine_names": "engines.registry:engine_names",
    "game": "dlgo.games:get_game",
    "game_names": "dlgo.games:game_names",
    "generate": "experiments.front_door:generate",
    "get_game": "dlgo.games:get_game",
    "match": "experiments.front_door:match",
    "results": "reports.results:Results",
    "tournament": "experiments.front_door:tournament",
    "train": "experiments.train",
}


def __getattr__(name: str) -> Any:
    """Names load on demand: rules import Numba, which errors and options do not need."""
    if name not in _PLACES:
        from dlgo.specs import suggest

        raise AttributeError(f"module 'dlgo' has no attribute {name!r}{suggest(name, __all__)}")
    module, _, member = _PLACES[name].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, member) if member else loaded


def __dir__() -> list[str]:
    """The front door, for Tab and `help(dlgo)`."""
    return [*__all__, "__doc__", "__version__"]
