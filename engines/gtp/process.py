"""A GTP program as a child process: one question, one answer.

After an error that leaves the conversation in doubt no process of the program lives on.
`engines/programs` starts and ends it; `dlgo.gtp` reads the texts.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

from dlgo.errors import SpecError
from dlgo.gtp import Command, GtpError, clean, format_command, parse_response, shown
from dlgo.records.failures import Failure
from dlgo.system.console import split_command_line
from dlgo.text import excerpt
from engines.programs.program import Program, ProgramError

# Bytes of one answer; more is not an answer. `showboard` of a large board has a thousandth.
_LONGEST_ANSWER = 1 << 20
# Seconds for a program to end after `quit`.
_SHUTDOWN_TIMEOUT = 2.0


def split_command(command: str) -> list[str]:
    """The words of a command line, the program found on the PATH. Raises SpecError if there is
    none, a quote is open, or the program does not exist."""
    try:
        words = split_command_line(command)
    except ValueError as error:
        raise SpecError(f"engine gtp: command {command!r}: {error}".lower()) from None
    if not words:
        raise SpecError("engine gtp needs the command line of a GTP program, "
                        "such as gtp:gnugo --mode gtp --level 10")
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(
            f"engine gtp: there is no program {words[0]!r}; install it or write its full path"
        )
    return [program, *words[1:]]


class GtpProgram(Program):
    """A running GTP program, which has `timeout` wall seconds for an answer. Raises GtpError if it
    cannot be started."""

    def __init__(self, words: list[str], timeout: float) -> None:
        self.label = f"GTP program {Path(words[0]).name}"
        self.timeout = timeout
        self._commands = itertools.count(1)
        try:
            super().__init__(words)
        except ProgramError as error:
            raise GtpError(f"{self.label}: {error}") from None

    def ask(self, name: str, *arguments: str) -> str:
        """The answer to a command. Raises GtpError if the program answers `?`; or if it does not
        answer in time, dies or answers nonsense: then it is killed."""
        command = Command(next(self._commands), name, arguments)
        line = f"{name} {' '.join(arguments)}".strip()
        if not self.alive:
            raise GtpError(f"{self.label} is not running")
        request = format_command(command).encode()
        try:
            answer = self.exchange(request, _take_answer, self.timeout)
            ok, number, text = parse_response(answer)
            if number != command.id:
                wrong = "no number" if number is None else f"the number {number}"
                raise GtpError(f"its answer has {wrong}; it must repeat that of the command, "
                               f"{command.id}")
        except (GtpError, ProgramError) as error:
            self.kill()
            hint = " (option timeout)" if getattr(error, "failure", "") == Failure.TIMEOUT else ""
            raise GtpError(
                f"{self.label}, asked {shown(line)}: {error}{hint}{self.last_words()}"
            ) from None
        except BaseException:  # Ctrl-C: the answer would come to the next question
            self.kill()
            raise
        if not ok:
            reason = excerpt(text) or "no reason given"
            raise GtpError(f"{self.label} refused {shown(line)}: {reason}")
        return text

    def close(self) -> None:
        """Say `quit`, wait a moment, and make sure that nothing is left."""
        if self.alive:
            self.cpu_seconds()
            last = format_command(Command(next(self._commands), "quit")).encode()
            self.write_last(last, _SHUTDOWN_TIMEOUT)
        self.kill()


def _take_answer(output: bytearray) -> str | None:
    """Take the first whole response out of the output; None if there is none yet."""
    text = bytes(output).replace(b"\r", b"").lstrip()
    if text and text[:1] not in (b"=", b"?"):
        if b"\n" not in text and len(text) < _LONGEST_ANSWER:
            return None
        line = clean(text.partition(b"\n")[0].decode("utf-8", "replace"))
        raise GtpError(f"it answered {shown(line)}; GTP answers begin with = or ?")
    answer, end, remainder = text.partition(b"\n\n")
    if not end:
        if len(text) > _LONGEST_ANSWER:
            raise GtpError(f"its answer is longer than {_LONGEST_ANSWER >> 20} MiB")
        return None
    output[:] = remainder
    return answer.decode("utf-8", "replace")
