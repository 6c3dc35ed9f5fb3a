"""`dlgo ladder GAME ENGINE`: a rating on the fixed scale of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from experiments.arena.plan_keys import Limits
from experiments.command import log
from experiments.options import (
    FILE,
    Number,
    cluster_options,
    seed_option,
    setting_options,
    show_output_option,
)


@click.command()
@click.argument("game")
@click.argument("engine", required=False)
@click.option("--within", type=Number(float, 5, 400), default=40.0, show_default=True,
              metavar="ELO", help="Stop when the 95% interval is at most this wide on each side.")
@click.option("--max-pairs", type=Number(int, 1, 100_000), default=1000, show_default=True,
              help="Maximum number of openings, each played with both colours.")
@seed_option
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=None,
              help="Folder for the games, the page and the badge. Default: one in out/ladder")
@click.option("--submit", type=FILE, help="Also write a record to this file, which others can "
              "verify.")
@click.option("--replay", type=Number(int, 1), metavar="N",
              help="With `verify`: play only N games again, not all.")
@setting_options(Limits.options().values())
@cluster_options
@show_output_option
def ladder(
    game: str, engine: str | None, within: float, max_pairs: int, seed: int, out: Path | None,
    submit: Path | None, replay: int | None, workers: int | None, cluster: str | None,
    **limits: Any,
) -> None:
    """Rate ENGINE on the scale of GAME; without ENGINE, show the scale.

    \b
    dlgo ladder connect4 my_bot.py
    dlgo ladder go:size=9 "gtp:gnugo --mode gtp" --submit gnugo.sqlite
    dlgo ladder verify gnugo.sqlite

    It plays the anchors that tell most about the engine until its rating is known well enough, and
    ends with a line to cite. If the command is interrupted, run it again to continue. `verify`
    examines a record: the rule of opponents, the moves, the rating; and it has the engines of dlgo
    play their moves again. See docs/ladder.md.
    """
    if game == "verify":
        _verify(engine, replay)
        return
    from dlgo.files import make_folder
    from dlgo.games import get_game
    from dlgo.text import file_slug
    from experiments.cluster import executor_on
    from experiments.ladder.losses import phases
    from experiments.ladder.page import remarks, write_page
    from experiments.ladder.rating import RatingRun, rate_on_scale
    from experiments.ladder.record import write_record
    from experiments.ladder.scales import scale_of

    scale = scale_of(get_game(game))
    if engine is None:
        for line in scale.lines():
            log(line)
        return
    run = RatingRun.of(scale, engine, within, seed, max_pairs)
    folder = make_folder(out or Path("out/ladder") / scale.name / file_slug(engine))
    ledger = folder / "games.sqlite"
    with executor_on(cluster, workers=workers) as executor:
        rating, records = rate_on_scale(run, ledger, executor or workers, Limits(**limits))
    if submit is not None:
        log(str(write_record(submit, rating, records, ledger)))
    lost = phases(records, run.engine)
    for path in write_page(rating, lost, folder):
        log(str(path))
    for remark in [*lost, *remarks(rating)]:
        log(str(remark))
    click.echo(rating.citation)


def _verify(file: str | None, replay: int | None) -> None:
    from experiments.ladder.record import verified
    from experiments.progress import shown_count

    if file is None:
        raise click.UsageError("no record to verify; write `dlgo ladder verify FILE`")
    with shown_count("games played again") as show:
        for line in verified(Path(file), replay, show):
            log(line)
