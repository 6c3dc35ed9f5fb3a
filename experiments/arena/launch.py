"""How the process of an untrusted entrant is started.

A tournament is given these by entrant. Such an entrant has a name of its own in the ledger
(`student:alice@3f9a1c22`), which does not contain the path of its files or its sandbox: so a ledger
can continue in another folder. Its process lasts for one game, and what a game leaves behind
reaches no other: the same plan plays the same games, whatever the order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dlgo.api import GameSpec, GameState
from dlgo.errors import DlgoError
from engines.programs.sandbox import Sandbox
from engines.registry import build_engine


@dataclass(frozen=True)
class Launch:
    """How an entrant is started."""

    spec: str  # what is built, `FILE.py` or `FILE.py:Class`
    sandbox: Sandbox | None  # its sandbox; None: none


# By entrant, as the plan calls it.
Launches = Mapping[str, Launch]


def compile_rules(game: GameSpec, engines: Iterable[str] = ()) -> GameState:
    """Compile the rules that a bot uses, and the `engines` that it may use; returns the start of
    the game. Otherwise each game would compile what it lacks."""
    for engine in engines:
        with contextlib.suppress(DlgoError):  # it does not play this game
            build_engine(engine, game).warm_up()
    state = start = GameState.new_game(game)
    for _ in range(10):
        state = state if state.is_over() else state.apply_move(state.legal_moves()[0])
    state.next_player, state.winner(), state.key(), hash(state), str(state)  # noqa: B018
    return start
