"""An engine against all of tic-tac-toe: every line of play, and every position.

    python -m experiments.measures.tictactoe --engine mcts:sims=200
    python -m experiments.measures.tictactoe --engine alphazero:model=DIR,sims=50 \\
        --engine alphazero:model=DIR,sims=1

Two questions. Against every move that the opponent can make, moving first or second: does the
engine ever lose? And in each of the 4,520 unfinished positions, sensible or not: how often is its
move a mistake, and how often does it lose what was not lost? With one simulation, `alphazero`
plays by its network's policy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import click

from dlgo import GameState, Move, get_game
from engines.base import Engine
from engines.isolation.describe import read_spec
from engines.solver.outcomes import outcomes_of
from experiments.command import run
from experiments.measures.mistakes import Measured, Position, answer_of

GAME = get_game("tictactoe")


@dataclass
class Lines:
    """How all games of an engine end that moves first, or second; and a game that it lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    example: str = ""


def every_line(engine: Engine, player: int) -> Lines:
    """Play the engine, `player` 0 if it moves first, else 1, against all moves of the other player.
    It thinks anew in each position, so that its move depends on nothing else."""
    lines = Lines()
    chosen: dict[int, Move] = {}

    def follow(state: GameState) -> None:
        if state.is_over():
            result = state.result() * (1 if player == 0 else -1)
            lines.won += result > 0
            lines.drawn += result == 0
            if result < 0:
                lines.lost += 1
                lines.example = " ".join(GAME.move_text(move) for move in state.moves())
            return
        if state.next_player.index != player:
            for move in state.legal_moves():
                follow(state.apply_move(move))
            return
        key = state.key()
        if key not in chosen:
            engine.new_game(1)
            chosen[key] = engine.select_move(state).move
        follow(state.apply_move(chosen[key]))

    follow(GameState.new_game(GAME))
    return lines


def all_states() -> list[GameState]:
    """Every unfinished position that can be reached, once."""
    start = GameState.new_game(GAME)
    states: dict[int, GameState] = {}
    row = {start.key(): start}
    while row:
        states |= row
        row = {
            successor.key(): successor
            for state in row.values() for successor in map(state.apply_move, state.legal_moves())
            if not successor.is_over()
        }
    return list(states.values())


def all_positions() -> list[Position]:
    """The same with the outcomes of all moves."""
    solve = outcomes_of(GAME)
    assert solve is not None
    return [
        Position(" ".join(map(GAME.move_text, state.moves())), state,
                 solve([state.actions()])[0])
        for state in all_states()
    ]


def every_position(engine: Engine, positions: Sequence[Position] | None = None) -> Measured:
    """The engine's mistakes in all positions, or in some."""
    positions = positions or all_positions()
    return Measured.of(positions, [answer_of(engine, position) for position in positions])


def report(engine: Engine, name: str) -> Measured:
    """Print the answers to both questions; return the second."""
    print(name)
    for player, word in ((0, "first"), (1, "second")):
        lines = every_line(engine, player)
        print(f"  moving {word:<7}{lines.won:>5} lines won, {lines.drawn:>4} drawn, "
              f"{lines.lost:>4} lost" + (f", such as {lines.example}" if lines.lost else ""))
    total = every_position(engine)
    print(f"  {total.positions:,} positions: {total.share:.2%} mistakes, "
          f"{total.losing / total.positions:.2%} losing ones")
    return total


@click.command()
@click.option("--engine", "engines", multiple=True, required=True,
              help="Engine to test; may be repeated.")
def main(engines: tuple[str, ...]) -> None:
    """Test engines against all of tic-tac-toe."""
    for spec in engines:
        with closing(read_spec(spec).build(GAME, 1)) as engine:
            report(engine, spec)


if __name__ == "__main__":
    run(main)
