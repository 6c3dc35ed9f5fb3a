"""Shared by the benchmarks: random positions, decisions, the command of a ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import click
import numpy as np

from dlgo import DlgoError, GameSpec, GameState, get_game
from engines.decision import Decision
from engines.registry import build_engine
from experiments.arena.series import Series
from experiments.options import Number, games_option, pairs_option, quick_option, seed_option

T = TypeVar("T")


def random_positions(game: GameSpec, plies: int, count: int, seed: int) -> list[GameState]:
    """`count` unfinished positions after `plies` random moves."""
    generator = np.random.default_rng(seed)
    positions: list[GameState] = []
    while len(positions) < count:
        state = GameState.new_game(game)
        while len(state.moves()) < plies and not state.is_over():
            moves = state.legal_moves()
            state = state.apply_move(moves[generator.integers(len(moves))])
        if not state.is_over():
            positions.append(state)
    return positions


def pick(settings: Mapping[str, T], game: str) -> T:
    """The setting of a game, whose keys are canonical specifications. Raises DlgoError."""
    name = str(get_game(game))
    if name not in settings:
        raise DlgoError(f"--game {game}: it has no settings here; choose one of "
                        f"{', '.join(settings)}")
    return settings[name]


def decisions_of(text: str, states: Sequence[GameState]) -> list[Decision]:
    """The decisions of an engine on each position, with a new tree or table each time."""
    engine = build_engine(text, states[0].game)
    engine.warm_up()
    decisions = []
    for state in states:
        engine.new_game(0)
        decisions.append(engine.select_move(state))
    return decisions


def score_text(series: Series) -> str:
    """The first player's score in percent with the half width of its 95% interval: `57 +-8`."""
    return f"{100 * series.share:.0f} +-{100 * series.margin:.0f}"


def ladder_command(
    ladder: Callable[[str, T, int, int, int], None], settings: Mapping[str, T], pairs: int
) -> click.Command:
    """The command of a ladder: tables with the gain of each technique of a search.

    `ladder`, called with (game, its setting, positions, pairs, seed), prints a table; its first
    line of documentation is the command's. `pairs` are openings of each match, by default.
    """
    @click.command(help=(ladder.__doc__ or "").partition("\n")[0])
    @games_option(tuple(settings))
    @click.option("--positions", type=Number(int, 1), default=20, show_default=True,
                  help="Number of positions that each step searches.")
    @pairs_option(pairs)
    @seed_option
    @quick_option("Two positions, one opening")
    def main(games: tuple[str, ...], positions: int, pairs: int, seed: int, quick: bool) -> None:
        if quick:
            positions, pairs = 2, 1
        for game, setting in [(game, pick(settings, game)) for game in games]:
            ladder(game, setting, positions, pairs, seed)

    return main
