"""Run a command of click: errors become one line and an exit status.

Every user error ends in one line on standard error and a non-zero exit status: 2 for wrong input,
130 for Ctrl-C, 1 for trouble with files or memory, 70 for a fault of the program.
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

import click


def run(
    command: click.Command, arguments: Sequence[str] | None = None, name: str | None = None
) -> NoReturn:
    """Run `command` and exit; a group without a subcommand prints its help. `arguments` are those
    of the process by default; `name` is the program's name in the help."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # see `experiments/cli/__main__.py`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Characters that are not in the console's encoding become `?` (on standard error, escapes).
        if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            stream.reconfigure(errors="replace")
    interrupts = _lost_interrupts()
    # The font of the plots may lack characters of some names; the tables have them.
    warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from (current )?font")
    if os.environ.get("DLGO_TRACEBACK"):
        sys.exit(command.main(arguments, prog_name=name))
    try:
        status = command.main(arguments, prog_name=name, standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message())
        sys.exit(0)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        if context is not None and error.message == "Missing command.":  # as in `ledger FILE`
            click.echo(context.get_help())
            sys.exit(0)
        text = re.sub(r"\s*\n\s*", " ", error.format_message())
        _fail(text.replace("is not readable.", "is not readable; check its permissions"), 2)
    except (KeyboardInterrupt, click.Abort) as error:
        # Click turns Ctrl-C into an Abort; its cause has the message.
        _fail(str(error) or str(error.__cause__ or "") or "stopped", 130)
    except BrokenPipeError:
        # The reader of our output has ended, which is not an error. Nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        from dlgo.errors import system_reason

        named = f"{error.filename}: " if error.filename else ""
        _fail(f"{named}{system_reason(error)}", 1)
    except UnicodeEncodeError as error:
        _fail(f"{error.object[error.start : error.end]!a} cannot be written in {error.encoding}, "
              "the encoding of names on this system; set PYTHONUTF8=1, or use a UTF-8 locale", 2)
    except MemoryError as error:
        _fail(f"there is not enough memory: {str(error) or 'none is left'}; take smaller numbers, "
              "such as fewer games", 1)
    except Exception as error:
        from dlgo import DlgoError  # late: it imports Numba, which --help does not need

        if isinstance(error, DlgoError):
            _fail(str(error), 2)
        if interrupts:
            _fail("stopped", 130)
        from dlgo.faults import unforeseen

        text, own = unforeseen(error)  # the last line of defence: no traceback reaches a user
        if own:
            _fail(text, 2)
        _fail(f"{text}; run again with DLGO_TRACEBACK=1 for the details of a bug report", 70)


def _lost_interrupts() -> list[type[BaseException]]:
    """A list that grows where Ctrl-C comes inside a callback of C, such as the compiler's. Python
    cannot raise an error there, and what C does next fails in some other way."""
    lost: list[type[BaseException]] = []
    default = sys.unraisablehook

    def keep(problem: Any) -> None:
        if issubclass(problem.exc_type, KeyboardInterrupt):
            lost.append(problem.exc_type)
        else:
            default(problem)

    sys.unraisablehook = keep
    return lost


def log(line: str, err: bool = False) -> None:
    """Print a line that may contain text from a file or a program."""
    from dlgo.text import one_line  # late, for the same reason

    click.echo(one_line(line), err=err)


def standard_input(purpose: str) -> TextIO:
    """Standard input, from which `purpose` are read. Raises DlgoError if it is closed, as by
    `<&-`."""
    from dlgo import DlgoError

    if sys.stdin is None:
        raise DlgoError(f"standard input is closed; {purpose} are read there")
    return sys.stdin


def _fail(message: str, status: int) -> NoReturn:
    log(f"dlgo: {message}", err=True)
    sys.exit(status)
