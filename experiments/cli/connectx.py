"""`dlgo connectx export` and `dlgo connectx play`: agents for Kaggle's ConnectX."""

from __future__ import annotations

from pathlib import Path

import click

from experiments.options import FILE, Number, named_games


@click.group()
def connectx() -> None:
    """Export agents for Kaggle's ConnectX, and test them."""


@connectx.command()
@click.option("--model", required=True,
              help="Name of a shipped model, or folder of a model or of a training run.")
@click.option("--out", type=FILE, default=Path("submission.py"), show_default=True,
              help="File to write.")
@named_games()
def export(model: str, out: Path) -> None:
    """Write a network and a search to one file that Kaggle accepts as an agent."""
    from experiments.connectx.export import export_agent

    card, error = export_agent(model, out)
    click.echo(f"{out}: {card.network} of {card.name}, {out.stat().st_size / 1e3:,.0f} kB; off by "
               f"{error:.1g} at most")


@connectx.command()
@click.argument("first")
@click.argument("second")
@click.option("--game", "game_name", default="connect4", show_default=True,
              help="Game to play: connect4, or connectn with gravity.")
@click.option("--act-timeout", type=Number(float, 0.01, 3600), default=2.0, show_default=True,
              help="Maximum seconds per move of an agent.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of the engines.")
@click.option("--save", type=FILE, help="Write the game to this file.")
@click.option("--out", type=FILE,
              help="Draw the game to this file: .gif or .html for all moves, .png for the end.")
def play(
    first: str, second: str, game_name: str, act_timeout: float, seed: int, save: Path | None,
    out: Path | None,
) -> None:
    """Play a game as Kaggle does: FIRST and SECOND are .py files of agents, or engines."""
    from dlgo import get_game
    from dlgo.files import check_apart, check_folder_of
    from experiments.connectx.environment import play as play_one
    from experiments.play.board_animation import check_ending, show_game
    from experiments.play.game_file import write_game_file

    if out is not None:
        check_ending(out)
    for option, path in (("--save", save), ("--out", out)):
        if path is not None:
            check_folder_of(path, option)
            check_apart(path, first, second)
    played = play_one(get_game(game_name), (first, second), act_timeout, seed, click.echo)
    click.echo(played.result)
    if save is not None:
        write_game_file(save, played.state, played.black, played.white)
        click.echo(save)
    if out is not None:
        click.echo(show_game(played, out))
