"""`dlgo check FILE`: checks a user's game or engine against the rules."""

from __future__ import annotations

import click

from experiments.options import Number


@click.command()
@click.argument("file")
@click.option("--game", "games", multiple=True,
              help="Game to check an engine on; may be repeated. Default: several small games.")
@click.option("--seconds", type=Number(float, 1, 86400), default=60.0, show_default=True,
              help="CPU seconds after which a rule of a game counts as endless.")
def check(file: str, games: tuple[str, ...], seconds: float) -> int:
    """Check that a game or an engine of your own follows the rules.

    FILE is FILE.py, FILE.py:NAME or a specification. Random games are played without compiling,
    so that an error names its line. The exit status is 1 if a check fails.
    """

    from experiments.check import check as check_thing
    from experiments.command import log
    from experiments.progress import console

    with console().status(f"checking {file}") as status:
        report = check_thing(file, games, lambda rule: status.update(f"checking {file}: {rule}"),
                             seconds)
    for line in str(report).split("\n"):
        log(line)
    return 0 if report.ok else 1
