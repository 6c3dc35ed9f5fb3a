"""`dlgo ogs`: an engine as a bot on the Online Go Server."""

from __future__ import annotations

import os
from pathlib import Path

import click

from experiments.options import FILE, Number, memory_option

# The variable with the API key.
KEY = "DLGO_OGS_KEY"


@click.command()
@click.option("--engine", default="mcts:sims=1000", show_default=True, help="Engine that plays.")
@click.option("--username", default="", metavar="NAME",
              help="Name of the bot's account, for servers that need it besides the key.")
@click.option("--key-file", type=FILE,
              help=f"File with the bot's API key. Default: the key is in the variable {KEY}.")
@click.option("--size", "sizes", type=Number(int, 2, 25), multiple=True, default=(9,),
              show_default=True, help="Board size to accept; may be repeated.")
@click.option("--challenges", type=click.Choice(["any", "ranked", "unranked", "none"]),
              default="any", show_default=True,
              help="Challenges to accept; none: only finish the games in progress.")
@click.option("--speed", "speeds", multiple=True, default=("rapid", "live"), show_default=True,
              type=click.Choice(["blitz", "rapid", "live", "correspondence"]),
              help="Speed to accept, as the server names it; may be repeated.")
@click.option("--least-seconds", type=Number(float, 0, 86400), default=1.0, show_default=True,
              help="Minimum seconds per move that the time settings of a challenge must allow.")
@click.option("--handicap", type=Number(int, 0, 9), default=9, show_default=True,
              help="Maximum handicap to accept; below 9, automatic handicap is refused, too.")
@click.option("--max-games", type=Number(int, 1, 100), default=1, show_default=True,
              help="Maximum number of games at the same time.")
@click.option("--player", "players", multiple=True, metavar="NAME",
              help="Account that may challenge the bot; may be repeated. Default: all accounts.")
@click.option("--hidden", is_flag=True, help="Hide the bot from the server's lists of bots.")
@click.option("--greeting", default="", metavar="TEXT", help="Line to say at the start of a game.")
@click.option("--server", default="https://online-go.com", show_default=True, metavar="URL",
              help="Address of the server.")
@click.option("--seed", type=Number(int, 0, 2**31), help="Seed of the engine. Default: random.")
@click.option("--move-timeout", type=Number(float, 0.1, 86400), default=60.0, show_default=True,
              help="Seconds after which an engine that has not moved is restarted and asked again.")
@memory_option
def ogs(
    engine: str, username: str, key_file: Path | None, sizes: tuple[int, ...], challenges: str,
    speeds: tuple[str, ...], least_seconds: float, handicap: int, max_games: int,
    players: tuple[str, ...], hidden: bool, greeting: str, server: str, seed: int | None,
    move_timeout: float, memory_mb: int,
) -> None:
    """Play on the Online Go Server (OGS) as a bot, until Ctrl-C."""
    from engines.isolation.pool import EngineLimits
    from experiments.command import log
    from experiments.online.bridge import play_online, read_key
    from experiments.online.player import OnlinePlayer
    from experiments.online.terms import Terms

    key = read_key(key_file, KEY, lambda line: log(line, err=True))
    seed = int.from_bytes(os.urandom(3), "big") if seed is None else seed
    terms = Terms(
        tuple(dict.fromkeys(sizes)), challenges, tuple(dict.fromkeys(speeds)), max_games, handicap,
        least_seconds, players, hidden,
    )
    limits = EngineLimits(max_games, 2 * max_games, move_timeout, memory_mb=memory_mb)
    play_online(
        server, key, username, lambda: OnlinePlayer(engine, limits, seed), terms, greeting, log
    )
