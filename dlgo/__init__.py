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

from typing import TYPE_CHECKING, Any

from dlgo.errors import DlgoError, IllegalMoveError, LedgerError, NotationError, SpecError
from dlgo.own_packages import prefer_own_packages
from dlgo.version import __version__ as __version__

if TYPE_CHECKING:
    from dlgo.api import GameSpec, GameState, Move, Player, Point
    from dlgo.games import game_names, get_game
    from dlgo.games import get_game as game
    from experiments.front_door import (
        anchor,
        check,
        engine,
        engine_names,
        generate,
        match,
        results,
        tournament,
        train,
    )

prefer_own_packages()

__all__ = [
    "DlgoError", "GameSpec", "GameState", "IllegalMoveError", "LedgerError", "Move",
    "NotationError", "Player", "Point", "SpecError", "anchor", "check", "engine", "engine_names",
    "game", "game_names", "generate", "get_game", "match", "results", "tournament", "train",
]


def __getattr__(name: str) -> Any:
    """Names load on demand: the rules import Numba, and what plays and rates imports pandas.

    This is the front door, above all packages. Modules of ours import what they need from where it
    is defined, so what stands behind the door does not lead back to it.
    """
    if name not in __all__:
        from dlgo.specs import suggest

        raise AttributeError(f"module 'dlgo' has no attribute {name!r}{suggest(name, __all__)}")
    if name in ("game", "get_game", "game_names"):
        from dlgo import games

        return games.game_names if name == "game_names" else games.get_game
    if name[0].isupper():
        from dlgo import api

        return getattr(api, name)
    from experiments import front_door

    return getattr(front_door, name)


def __dir__() -> list[str]:
    """The front door, for Tab and `help(dlgo)`."""
    return [*__all__, "__doc__", "__version__"]
