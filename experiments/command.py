"""Run a command of click: errors become one line and an exit status.

Whatever a user does wrong ends in one line on standard error and a non-zero exit status:
2 for wrong input, 130 for Ctrl-C, 1 for trouble with files, 70 for a fault of the program.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TextIO

import click

_ASCII = "console_ascii"
_GLYPH_MISSING = re.compile(r"Glyph \d+ .*missing from (current )?font")


def run(
    command: click.Command, arguments: Sequence[str] | None = None, name: str | None = None
) -> NoReturn:
    """Run `command` and exit.

    Args:
        command: what to run. A group without a subcommand prints its help.
        arguments: of the command line; those of the process by default.
        name: how the command is called in its help; the script's own name by default.
    """
    _replace_what_consoles_lack()
    warnings.showwarning = _GlyphWarnings(warnings.showwarning)
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
        _fail(re.sub(r"\s*\n\s*", " ", error.format_message()), 2)
    except (KeyboardInterrupt, click.Abort) as error:
        # Click makes an Abort of Ctrl-C; its cause has the message.
        _fail(str(error) or str(error.__cause__ or "") or "stopped", 130)
    except BrokenPipeError:
        # The reader of our output has gone, which is not an error. Nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error), 1)
    except UnicodeEncodeError as error:
        _fail(f"{error.object[error.start : error.end]!a} cannot be written in {error.encoding}, "
              "the encoding of names here; set PYTHONUTF8=1, or use a UTF-8 locale", 2)
    except Exception as error:
        from dlgo import DlgoError  # late: it takes Numba along, which --help does without

        if isinstance(error, DlgoError):
            _fail(str(error), 2)
        _fail(  # the last line of defence: no traceback reaches a user
            f"internal error: {type(error).__name__}: {error}; "
            "run again with DLGO_TRACEBACK=1 for the details of a bug report", 70,
        )


def _replace_what_consoles_lack() -> None:
    """Let characters that a console's encoding lacks become `?` (on standard error, escapes)."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue  # closed, or somebody's own
        errors = "backslashreplace" if stream.errors == "backslashreplace" else "replace"
        stream.reconfigure(errors=errors)
        if codecs.lookup(stream.encoding).name == "ascii" and stream is not sys.stdin:
            codecs.register(_ascii_by_another_name)
            stream.reconfigure(encoding=_ASCII, errors=errors)


def _ascii_by_another_name(name: str) -> codecs.CodecInfo | None:
    """The codec `_ASCII`: click takes a stream in ASCII for a mistake and writes UTF-8 to it."""
    ascii_ = codecs.lookup("ascii")
    return None if name != _ASCII else codecs.CodecInfo(
        ascii_.encode, ascii_.decode, incrementalencoder=ascii_.incrementalencoder,
        incrementaldecoder=ascii_.incrementaldecoder, name=name,
    )


class _GlyphWarnings:
    """One line in place of matplotlib's warning for each character that its font lacks."""

    def __init__(self, show: Callable[..., None]) -> None:
        self._show, self._told = show, False

    def __call__(self, message: Warning | str, *more: Any) -> None:
        if not _GLYPH_MISSING.match(str(message)):
            self._show(message, *more)
        elif not self._told:
            self._told = True
            say("dlgo: the font of the plots lacks characters of some names; they are drawn as "
                "boxes. The tables have them", err=True)


def say(line: str, err: bool = False) -> None:
    """Print a line in which text from a file or a program may stand."""
    from dlgo.text import one_line  # late, for the same reason

    click.echo(one_line(line), err=err)


def standard_input(purpose: str) -> TextIO:
    """Where the user types, or a program writes.

    Args:
        purpose: what is read there, for the message.

    Raises:
        DlgoError: if it is closed, as by `<&-`.
    """
    from dlgo import DlgoError

    if sys.stdin is None:
        raise DlgoError(f"standard input is closed; {purpose} are read there")
    return sys.stdin


def _fail(message: str, status: int) -> NoReturn:
    say(f"dlgo: {message}", err=True)
    sys.exit(status)
