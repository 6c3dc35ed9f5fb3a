"""`dlgo audit FILE.py`: examines a search or the parts of a learner on crafted games."""

from __future__ import annotations

import click

from experiments.museum import PARTS
from experiments.options import Number


@click.command(epilog="\b\nFunctions of FILE.py, and what they return:\n" + "\n".join(
    f"  {name}{parameters}\n      {answer}" for name, (parameters, answer) in PARTS.items()))
@click.argument("file", metavar="FILE.py|ENGINE")
@click.option("--game", default="", help="Ask a player for moves in this game, such as connect4.")
@click.option("--seconds", type=Number(float, 1, 86400), default=60.0, show_default=True,
              help="CPU seconds after which a property counts as one that hangs.")
def audit(file: str, game: str, seconds: float) -> int:
    """Audit a search, a learner or a player: which properties do not hold, and where to look.

    FILE.py has a class with `select_move`, or some of the functions below. It sets KIND = "uct",
    "gumbel" or "other" if its search is not "puct", and GAME if its learner's game is not
    tictactoe. ENGINE is any specification; with --game, other programs can be audited by their
    moves: "gtp:gnugo --mode gtp" --game go:size=5.

    The exit status is 1 if a property does not hold, or if none was examined.
    """

    from experiments.command import log
    from experiments.museum.audit import audit as audit_file
    from experiments.progress import console

    with console().status(f"auditing {file}") as status:
        report = audit_file(
            file, lambda name: status.update(f"auditing {file}: {name}"), seconds, game)
    for line in str(report).split("\n"):
        log(line)
    return 1 if report.findings or not report.examined else 0
