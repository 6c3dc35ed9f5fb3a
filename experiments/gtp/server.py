"""`dlgo gtp`: reads commands from standard input, answers on standard output.

Whatever comes in, the answer is a GTP response, and the next line is read: unknown commands,
bytes that are not text, lines without end, an engine that breaks down. The end of the input and
`quit` end it.
"""

from __future__ import annotations

import inspect
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from dlgo.api import GameSpec
from dlgo.errors import DlgoError
from dlgo.faults import unforeseen
from dlgo.gtp import GtpError, format_response, parse_command
from dlgo.jit import tell_of_compiling
from dlgo.system.console import interrupt_main_thread
from dlgo.system.pipes import Controller
from dlgo.system.processes import Parent
from dlgo.text import excerpt
from engines.isolation.describe import MOVE_TIMEOUT, read_spec
from experiments.command import standard_input
from experiments.gtp import analysis, commands
from experiments.gtp.analysis import Analysis, Wait
from experiments.gtp.session import Session

# Bytes of the longest line that can be a command: `set_free_handicap` on 25x25 has 3,000.
MAX_LINE = 1 << 16
# Seconds between two looks for the controller, and those in which a command may be broken off.
_WATCH, _PATIENCE = 0.2, 0.5
# The exit status, as after Ctrl-C.
_STOPPED = 130


class Server:
    """Answers commands, without input and output."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def commands(self) -> dict[str, Callable[..., str | Analysis | None]]:
        """The commands of the present game."""
        return {
            "known_command": lambda session, name="": str(name in self.commands).lower(),
            "list_commands": lambda session: "\n".join(sorted(self.commands)),
            **commands.COMMANDS, **analysis.COMMANDS,
            **(commands.GO_COMMANDS if self.session.is_go else {}),
        }

    def answer(self, line: str, wait: Wait = lambda seconds: seconds > 0) -> Iterator[str]:
        """The response to a line, in pieces; nothing for an empty one. `wait` ends an analysis (see
        there); by default after its first line."""
        command = parse_command(line)
        if command is None:
            return
        started = False
        try:
            handler = self.commands.get(command.name)
            if handler is None:
                raise GtpError("unknown command")
            result = _call(handler, self.session, command.arguments)
            if not isinstance(result, Analysis):
                yield format_response(command.id, result or "")
                return
            for text in result.lines(wait):
                if not started:
                    yield f"={'' if command.id is None else command.id}\n"
                    started = True
                yield f"{text}\n"
            yield "\n"
        except Exception as error:  # a fault of ours must not end the game of others
            message = str(error) if isinstance(error, DlgoError) else unforeseen(error)[0]
            # Once lines have been sent, the response can only be ended.
            yield "\n" if started else format_response(command.id, excerpt(message), ok=False)


def _call(
    handler: Callable[..., str | Analysis | None], session: Session, arguments: Sequence[str]
) -> str | Analysis | None:
    """The result of a command. Extra arguments are ignored, as in GNU Go."""
    parameters = [*inspect.signature(handler).parameters.values()][1:]
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    needed = [p.name for p in positional if p.default is p.empty]
    if len(arguments) < len(needed):
        raise GtpError(f"syntax error: expected {' '.join(needed)}")
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return handler(session, *(arguments if several else arguments[: len(positional)]))


class Lines:
    """Lines of a file descriptor, read by a thread so that one can wait for them.

    Raw reads: a thread that is blocked inside one of Python's buffers when the program ends
    would stop it from ending. `at_end` is called by the thread after the last line.
    """

    def __init__(self, descriptor: int, at_end: Callable[[], None]) -> None:
        self._descriptor, self._at_end = descriptor, at_end
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._ahead: list[bytes | None] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = os.read(self._descriptor, MAX_LINE)
            except OSError:
                data = b""
            if not data:
                break
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                # Of a line that is too long only the beginning is kept, too long for a command.
                self._lines.put(line[: MAX_LINE + 1])
            rest = rest[: MAX_LINE + 1]
        if rest:
            self._lines.put(rest)  # a last line without an end
        self._lines.put(None)
        self._at_end()

    def wait(self, seconds: float) -> bool:
        """Whether the next line (or the end of input) is there, or comes within `seconds`."""
        if not self._ahead:
            try:
                self._ahead.append(self._lines.get(seconds > 0, max(seconds, 0.0)))
            except queue.Empty:
                return False
        return True

    def next(self) -> bytes | None:
        """The next line without its end, or None at the end of the input."""
        return self._ahead.pop() if self._ahead else self._lines.get()


def _end_with_controller(controller: Controller) -> None:
    """After the end of the input, end this process if its controller has ended.

    A killed controller leaves a search without a reader. The end of the input alone
    does not tell: commands from a file or a pipe (`dlgo gtp < FILE`) are all answered.
    """
    while not controller.leaves(_WATCH):
        pass
    # The engine is closed, and its processes end. Compiled code may not hear it.
    interrupt_main_thread()
    time.sleep(_PATIENCE)
    os._exit(_STOPPED)


def serve(game: GameSpec, engine: str, seed: int, move_timeout: float = MOVE_TIMEOUT) -> None:
    """Serve standard input until it ends.

    An external engine has a process of its own, and `move_timeout` wall seconds for a move; if
    it fails, the next command starts another. Raises DlgoError if the engine does not exist or does
    not play the game, or standard input or output is closed; BrokenPipeError if nobody reads the
    answers.
    """
    parent = Parent()  # early: it may end while an engine is loaded
    source = standard_input("the controller's commands")
    if sys.stdout is None:
        raise DlgoError("standard output is closed: dlgo gtp writes its answers there")
    spec = read_spec(engine, move_timeout)
    controller = Controller(parent, sys.stdout.fileno())
    lines = Lines(source.fileno(), lambda: _end_with_controller(controller))
    with tell_of_compiling(lambda text: print(f"dlgo gtp: {text}", file=sys.stderr, flush=True)):
        session = Session(game, spec, seed)
    server = Server(session)
    try:
        while not session.closing and (line := lines.next()) is not None:
            pieces: Iterable[str] = server.answer(line.decode("utf-8", "replace"), lines.wait)
            if len(line) > MAX_LINE:
                pieces = [format_response(None, "line too long", ok=False)]
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
                sys.stdout.buffer.flush()
    finally:
        session.close()
