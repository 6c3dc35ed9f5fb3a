"""Chapter 4: four rules of thumb, each one move longer-sighted than the one before.

    python -m experiments.chapters.ch04_heuristic [--quick] [--game connect4]

What to look for: the second rule (leave no win at once) helps most. All four together still
lose to perfect play in tic-tac-toe, for a loss can be more than two moves away.

Last run: 2026-11-22, 400 games each, 2-core AMD EPYC, 3 s of CPU time: in tic-tac-toe each
rule scored 71, 84, 59 and 58 percent against one rule less, in Connect Four 76, 88, 66 and 72.
"""

from __future__ import annotations

from pathlib import Path

import click

from dlgo import GameState, Point, get_game
from engines.registry import build_engine
from experiments.chapters.matches import print_matches
from experiments.command import run
from experiments.figures import draw_scores, drawing
from experiments.options import out_option, quick_option, seed_option
from experiments.play.board_drawing import draw_board


@click.command()
@quick_option("400 games a match instead of 1,000")
@click.option("--game", "game_name", default="tictactoe", show_default=True,
              help="Game of the matches.")
@seed_option
@out_option("out/ch04_heuristic")
def main(quick: bool, game_name: str, seed: int, out: Path) -> None:
    """Show a fork, then let each rule play against the rules before it."""
    tic_tac_toe = get_game("tictactoe")
    state = GameState.new_game(tic_tac_toe)
    for text in ("A1", "A3", "C1", "B1"):
        state = state.apply_move(tic_tac_toe.parse_move(state, text))
    print(state)
    fork: list[Point] = []
    for level in (1, 2, 3):
        engine = build_engine(f"heuristic:level={level}", tic_tac_toe)
        moves = set()
        for number in range(50):
            engine.new_game(number)
            move = engine.select_move(state).move
            moves.add(tic_tac_toe.move_text(move))
            fork = [move.point]
        print(f"x to move, {level} rule{'s' * (level > 1)}: {' or '.join(sorted(moves))}")

    game = get_game(game_name)
    scores = print_matches(game_name, game, (
        ("heuristic:level=1", "random"),
        ("heuristic:level=2", "heuristic:level=1"),
        ("heuristic:level=3", "heuristic:level=2"),
        ("heuristic:level=4", "heuristic:level=3"),
        ("heuristic:level=4", "alphabeta:depth=9" if game == tic_tac_toe else "alphabeta:depth=4"),
    ), 200 if quick else 500, seed)
    with drawing(out / "ch04_heuristic.png", 2, 1, (6.5, 5), width_ratios=(1, 1.6)) as axes:
        draw_board(axes[0], state, targets=fork)
        axes[0].set_title("the fork that rule 3 sees")
        draw_scores(axes[1], scores)
        axes[1].set_title(f"each rule against one less, {game_name}")


if __name__ == "__main__":
    run(main)
