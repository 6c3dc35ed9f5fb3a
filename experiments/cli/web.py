"""`dlgo web`: the studio in the browser."""

from __future__ import annotations

from typing import Any

import click

from experiments.options import Number


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Address to serve on; any but this machine's own requires a token.")
@click.option("--port", type=Number(int, 0, 65535),
              help="Port to serve on. Default: 8421, or another one that is free.")
@click.option("--token", help="Token that every request must carry; generated if one is needed.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--allow", multiple=True, metavar="SPEC",
              help="Game or engine of your own that pages may use, such as my_bot.py:Greedy; may "
              "be repeated.")
@click.option("--ledger", "ledgers", multiple=True, metavar="FILE", type=click.Path(),
              help="Ledger of a tournament, running or finished, that pages may show, or a folder "
              "of ledgers; may be repeated.")
@click.option("--puzzles", multiple=True, metavar="FILE", type=click.Path(dir_okay=False),
              help="Puzzles of `dlgo puzzles` for the view Train; may be repeated.")
@click.option("--on-server", is_flag=True,
              help="Analyse on the server only, never in pages.")
@click.option("--searches", type=Number(int, 1, 256),
              help="Number of engines that search at once. Default: one per core.")
@click.option("--move-timeout", type=Number(float, 0.1, 86400), default=60.0, show_default=True,
              help="Seconds after which an engine that has not moved is stopped.")
@click.option("--memory-mb", type=Number(int, 100), default=3000, show_default=True,
              help="Maximum memory of an engine's process, in megabytes.")
def web(
    host: str, port: int | None, token: str | None, no_browser: bool, allow: tuple[str, ...],
    ledgers: tuple[str, ...], puzzles: tuple[str, ...], on_server: bool, **limits: Any,
) -> None:
    """Open the studio: play, watch and understand games in the browser."""
    from pathlib import Path

    from dlgo.system.processes import core_count
    from engines.isolation.pool import EngineLimits
    from experiments.studio.server import Studio, serve
    from experiments.studio.specs import Allowed

    searches = limits.pop("searches") or core_count()
    engine_limits = EngineLimits(searches, max(8, 2 * searches), **limits)
    studio = Studio(Allowed(allow), engine_limits, [*map(Path, ledgers)], [*map(Path, puzzles)],
                    not on_server)
    serve(studio, host, port, token, not no_browser, click.echo)
