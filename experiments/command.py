"""Run a command of click: errors become one line and an exit status.

Whatever a user does wrong ends in one line on standard error and a non-zero exit status:
2 for wrong input, 130 for Ctrl-C, 1 for trouble with files, 70 for a fault of the program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from dlgo import DlgoError


def run(
    command: click.Command, arguments: Sequence[str] | None = None, name: str | None = None
) -> None:
    """Run `command` and exit.

    Args:
        arguments: of the command line; those of the process by default.
        name: how the command is called in its help; the script's own name by default.
    """
    if os.environ.get("DLGO_TRACEBACK"):
        command.main(arguments, prog_name=name)
        return
    try:
        status = command.main(arguments, prog_name=name, standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        _fail(error.format_message().replace("\n", " "), 2)
    except DlgoError as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, click.Abort) as error:
        # Click makes an Abort of Ctrl-C; what was said with that is in its cause.
        _fail(str(error) or str(error.__cause__ or "") or "stopped", 130)
    except BrokenPipeError:
        # The reader of our output has gone; that is its right. Nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error), 1)
    except Exception as error:  # the last line of defence: no traceback reaches a user
        _fail(
            f"internal error: {type(error).__name__}: {error}; "
            "run again with DLGO_TRACEBACK=1 for the details of a bug report", 70,
        )


def _fail(message: str, status: int) -> None:
    click.echo(f"dlgo: {message}", err=True)
    sys.exit(status)
