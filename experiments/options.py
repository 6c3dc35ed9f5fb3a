"""Options that commands and scripts share: value types, names and help texts."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from dlgo.errors import SpecError
from dlgo.specs import Option, check_number


class Number(click.ParamType):
    """A finite number within its range, bounds included: `type=Number(int, 1, 1000)`."""

    def __init__(self, kind: type = float, low: float = -math.inf, high: float = math.inf) -> None:
        self.kind, self.low, self.high = kind, low, high
        self.name = "integer" if kind is int else "float"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        name = param.opts[-1] if param is not None else "value"
        try:
            return check_number(value, name, self.kind, self.low, self.high)
        except SpecError as error:
            raise click.UsageError(str(error), ctx) from None

    def get_metavar(
        self, param: click.Parameter | None = None, ctx: click.Context | None = None
    ) -> str:
        """The kind and the range, for the help: `FLOAT 0..60`, `INTEGER 1..`."""
        low, high = (f"{b:.12g}" if math.isfinite(b) else "" for b in (self.low, self.high))
        return self.name.upper() + (f" {low}..{high}" if low or high else "")

    def __repr__(self) -> str:
        return self.get_metavar()


# Types of arguments and options: an existing or a new path, a file, a folder.
PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator; the help lists them in this order."""
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def quick_option(smaller_run: str, time: str = "a minute") -> Decorator:
    """`--quick`: a test run, by default of less than a minute; `smaller_run` describes it."""
    return click.option("--quick", is_flag=True, help=f"{smaller_run}; ends within {time}.")


def out_option(default: str) -> Decorator:
    """`--out`: the folder of the script's output."""
    return click.option(
        "--out", type=click.Path(path_type=Path), default=Path(default), show_default=True,
        help="Output folder; the same command continues there.",
    )


seed_option = click.option("--seed", type=Number(int), default=1, show_default=True,
                           help="Seed of games, engines and training.")
workers_option = click.option("--workers", type=Number(int, 1, 1000), default=None,
                              help="Number of processes. Default: one per core.")



def _check_folder(_: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        from dlgo.files import check_folder_of

        check_folder_of(path, option.opts[-1])  # before hours of measuring
    return path


csv_option = click.option("--csv", type=FILE, callback=_check_folder,
                          help="Also write the table to this file.")
move_timeout = click.option(
    "--move-timeout", type=Number(float, 0.001, 1e7), default=600.0, show_default=True,
    help="Wall seconds after which an external engine that has not moved is stopped.",
)
cluster_option = click.option(
    "--cluster", default=None, metavar="ADDRESS",
    help="Use all machines of a Ray cluster: HOST:PORT of its head, `auto` for the cluster that "
    "this machine belongs to, `local` for this machine alone. --workers then limits the number of "
    "tasks at a time.",
)

# The options that choose the workers of a command.
cluster_options = together(workers_option, cluster_option)


def _set_show_output(context: click.Context, option: Any, value: bool) -> None:
    if value:
        from engines.isolation.channel import SHOW_OUTPUT

        os.environ[SHOW_OUTPUT] = "1"  # worker processes inherit it
        context.call_on_close(lambda: os.environ.pop(SHOW_OUTPUT, None))


show_output_option = click.option(
    "--show-output", is_flag=True, expose_value=False, callback=_set_show_output,
    help="Show the output of engines of your own on standard error.",
)


def _load_games(context: click.Context, option: Any, files: tuple[str, ...]) -> tuple[str, ...]:
    from dlgo.games import get_game

    for file in files:
        get_game(file)
    return files


def named_games(expose: bool = False) -> Decorator:
    """`--game`: names game files, so that data of these games may run their code."""
    return click.option(
        "--game", "named", multiple=True, metavar="FILE.py", expose_value=expose,
        callback=_load_games,
        help="File with the rules of a game of your own; its code runs only if you name it.",
    )


def setting_options(
    options: Iterable[Option], defaults: bool = True, **spellings: str
) -> Decorator:
    """An option for each declared setting: `--batch-size` for batch_size, or as in `spellings`.
    Without `defaults`, a setting that is not given is None."""
    return together(*(
        click.option(
            spellings.get(option.name, f"--{option.name.replace('_', '-')}"), option.name,
            default=option.default if defaults else None,
            help=f"{option.help[0].upper()}{option.help[1:]}.",
            **{"show_default": option.default is not None and (defaults or str(option.default)),
               **_kind(option)},
        ) for option in options
    ))


def echo_options(options: Iterable[Option], indent: int = 6, width: int = 0) -> None:
    """List settings, a line each; by default as wide as the longest name."""
    options = list(options)
    width = width or 2 + max((len(option.name) for option in options), default=0)
    for option in options:
        remarks = f" ({option.remarks})" if option.remarks else ""
        click.echo(f"{'':<{indent}}{option.name:<{width}}{option.help}{remarks}")


def _kind(option: Option) -> dict[str, Any]:
    if option.type is bool:
        return {} if option.default is None else {"is_flag": True, "show_default": False}
    if option.type is list:
        return {"multiple": True}
    if option.type is str:
        return {"type": click.Choice(option.choices) if option.choices else str}
    number = Number(float if option.type is tuple else option.type, option.low, option.high)
    return {"type": (number, number) if option.type is tuple else number}
