"""An engine against all of tic-tac-toe: every line of play, and every position.

    python -m experiments.bench.tictactoe_mistakes --engine mcts:sims=200
    python -m experiments.bench.tictactoe_mistakes --engine alphazero:model=DIR,sims=50 \\
        --engine alphazero:model=DIR,sims=1

Two questions. Against every move the other side can make, from either side: does the engine ever
lose? And in each of the 4,520 unfinished positions, sensible or not: how often does its move
turn a win into less (a mistake), or a win or draw into a loss (a losing mistake)? With one
simulation, `alphazero` plays by its network's policy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from dlgo import GameState, get_game
from engines.base import Engine
from engines.isolation.describe import read_spec
from engines.solver.outcomes import is_mistake, outcomes_of
from experiments.command import run

GAME = get_game("tictactoe")


@dataclass
class Lines:
    """How all games of an engine on one side end, and one that it lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    example: str = ""


def every_line(engine: Engine, side: int) -> Lines:
    """Play the engine on a side (0 begins) against all moves of the other.

    It begins to think anew in each position, so that its move depends on nothing else.
    """
    lines = Lines()
    chosen: dict[int, object] = {}

    def follow(state: GameState) -> None:
        if state.is_over():
            result = state.result() * (1 if side == 0 else -1)
            lines.won += result > 0
            lines.drawn += result == 0
            if result < 0:
                lines.lost += 1
                lines.example = " ".join(GAME.move_text(move) for move in state.moves())
            return
        if state.next_player.index != side:
            for move in state.legal_moves():
                follow(state.apply_move(move))
            return
        key = state.key()
        if key not in chosen:
            chosen[key] = move_of(engine, state)
        follow(state.apply_move(chosen[key]))

    follow(GameState.new_game(GAME))
    return lines


def move_of(engine: Engine, state: GameState) -> object:
    """The engine's move, as if it had never seen another position."""
    engine.new_game(1)
    return engine.select_move(state).move


def all_positions() -> list[GameState]:
    """Every unfinished position that can be reached, once."""
    positions: dict[int, GameState] = {}
    rows = [GameState.new_game(GAME)]
    while rows:
        following: dict[int, GameState] = {}
        for state in rows:
            positions[state.key()] = state
            for move in state.legal_moves():
                after = state.apply_move(move)
                if not after.is_over():
                    following[after.key()] = after
        rows = list(following.values())
    return list(positions.values())


@dataclass(frozen=True)
class Mistakes:
    """Mistakes over a number of positions.

    Attributes:
        positions: how many there were.
        mistakes: share of the positions in which the move turned a win into less, or a draw
            into a loss.
        losing: share in which it turned a win or a draw into a loss.
    """

    positions: int
    mistakes: float
    losing: float


def every_position(
    choose: Callable[[GameState], object], states: Sequence[GameState] | None = None
) -> Mistakes:
    """How often a way of choosing errs, over all positions or some."""
    solve = outcomes_of(GAME)
    assert solve is not None
    states = states or all_positions()
    wrong = losing = 0
    for state in states:
        outcomes = solve([[GAME.action_of(move) for move in state.moves()]])[0]
        action = GAME.action_of(choose(state))
        wrong += is_mistake(outcomes, action)
        losing += is_mistake(outcomes, action) and outcomes[action] < 0
    return Mistakes(len(states), wrong / len(states), losing / len(states))


def report(engine: Engine, name: str) -> Mistakes:
    """Print the answers to both questions; return the second."""
    print(name)
    for side, word in ((0, "first"), (1, "second")):
        lines = every_line(engine, side)
        print(f"  moving {word:<7}{lines.won:>5} lines won, {lines.drawn:>4} drawn, "
              f"{lines.lost:>4} lost" + (f", such as {lines.example}" if lines.lost else ""))
    total = every_position(lambda state: move_of(engine, state))
    print(f"  {total.positions:,} positions: {total.mistakes:.2%} mistakes, "
          f"{total.losing:.2%} losing ones")
    return total


@click.command()
@click.option("--engine", "engines", multiple=True, required=True,
              help="Engine to check; may be repeated.")
def main(engines: tuple[str, ...]) -> None:
    """Check engines against all of tic-tac-toe."""
    for spec in engines:
        engine = read_spec(spec).build(GAME, 1)
        try:
            report(engine, spec)
        finally:
            engine.close()


if __name__ == "__main__":
    run(main)
