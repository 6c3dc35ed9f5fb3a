"""Chapter 3: play Go against the random bot.

    python -m experiments.chapters.ch03_human_v_bot [--size 9]

What to look for: you write points such as C3, or pass. The bot never gives up and passes
only when nothing but its own eyes is left, so to end a won game, capture what can be
captured and pass when it passes. `dlgo play` offers every game and engine in the same way.
`--quick` plays your side at random too, so that the script can run alone.
"""

from __future__ import annotations

import click

from dlgo import GameState, get_game
from experiments.command import run
from experiments.options import quick_option, seed_option, size_option
from experiments.play.console import Console
from experiments.play.session import Session, make_player


@click.command()
@quick_option("Let a bot play your side")
@size_option(9)
@seed_option
def main(quick: bool, size: int, seed: int) -> None:
    """You have black, the random bot has white."""
    game = get_game("go", size=size)
    players = [
        make_player("random" if quick else "human", game, seed),
        make_player("random", game, seed + 1),
    ]
    Console(Session(GameState.new_game(game), players)).run()


if __name__ == "__main__":
    run(main)
