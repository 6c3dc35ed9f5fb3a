"""Playing in the console: human or engine on either side (chapter 3.4 and 3.6 of the book).

`Console` shows a `Session` and asks for moves. Colours come from rich, which leaves them out
where the output is not a terminal, or NO_COLOR is set.
"""

from __future__ import annotations

import re
import sys
import time
from contextlib import suppress
from typing import TextIO

from rich.text import Text

from dlgo import DlgoError, GameSpec, GameState, Move, Player
from dlgo.display import player_text, result_text, side_text
from dlgo.files import user_path
from dlgo.jit import tell_of_compiling
from experiments.command import standard_input
from experiments.play.session import Bot, Human, Session, decision_notes, evaluation_text
from experiments.progress import console

HELP = "Write a move, or: hint, undo, save FILE, resign, moves, help, quit."

# Colours of black's and white's pieces: apart from each other on dark and light terminals.
_PIECES = ("bold cyan", "bold magenta")
_MARKED, _WON = " reverse", "bold green reverse"


class Quit(Exception):
    """The person at the keyboard wants to stop."""


def board_text(state: GameState) -> Text:
    """The board as the game prints it, pieces coloured by owner, marks and winners shown up."""
    game = state.game
    text = Text()
    won = bool(game.winning_cells(state))
    for number, line in enumerate(str(state).split("\n")):
        part = Text(line)
        if number < game.board_rows:
            _colour(part, game, won)
        else:
            part.stylize("dim")
        text.append("\n" if number else "").append_text(part)
    return text


def _colour(line: Text, game: GameSpec, won: bool) -> None:
    for player, style in enumerate(_PIECES):
        kinds = range(len(game.piece_kinds))
        symbols = "|".join(re.escape(game.piece_symbol(player + 2 * kind)) for kind in kinds)
        for match in re.finditer(rf"(?<=[ \[])({symbols})(?=[ \]]|$)", line.plain):
            marked = line.plain[match.start() - 1] == "["
            first, last = match.start() - marked, match.end() + marked
            line.stylize((_WON if won else style + _MARKED) if marked else style, first, last)
    for match in re.finditer(r"(?<= )\.(?= |$)", line.plain):
        line.stylize("dim", *match.span())


class Console:
    """One game in text. Raises DlgoError if a person plays and standard input is closed.

    Args:
        delay: seconds to wait after an engine's move.
        evaluation: show after each engine move what the engine expects.
        source, target: of moves and of boards; by default standard input and output.
    """

    def __init__(
        self, session: Session, delay: float = 0.0, evaluation: bool = False,
        source: TextIO | None = None, target: TextIO | None = None,
    ) -> None:
        self.session, self._delay, self._evaluation = session, delay, evaluation
        if source is None and any(isinstance(player, Human) for player in session.players):
            source = standard_input("moves")
        self._source = source
        self._target = target or sys.stdout
        self._rich = console(self._target, markup=False, emoji=False, soft_wrap=True)
        # The line editor of the terminal works on the standard streams only.
        self._edited = self._source is sys.stdin and self._target is sys.stdout and all(
            stream is not None and stream.isatty() for stream in (self._source, self._target)
        )
        session.show_message = lambda text: self._show_message(text, "red")

    def run(self) -> GameState:
        """Play until the game ends or a human quits; return the last state.

        Raises KeyboardInterrupt on Ctrl-C, after a line on what became of the game.
        """
        session = self.session
        try:
            self._greet()
            while not session.state.is_over():
                if isinstance(session.current, Bot):
                    self._bot_turn(session.current)
                else:
                    self._human_turn()
        except Quit:
            self._show_message(session.closing_message())
            return session.state
        except KeyboardInterrupt:
            self._show_message(f"\n{session.closing_message()}")
            raise
        self._show_message(f"Game over: {result_text(session.state)}.", "bold")
        return session.state

    def _greet(self) -> None:
        for side, player in zip(Player, self.session.players, strict=True):
            self._show_message(f"{side_text(self.session.state.game, side)}: {player}")
        with tell_of_compiling(lambda text: self._show_message(text, "dim")):
            self.session.warm_up()
        if any(isinstance(player, Human) for player in self.session.players):
            self._show_message(HELP, "dim")
        self._show()

    def _bot_turn(self, bot: Bot) -> None:
        mover, game = self.session.state.next_player, self.session.state.game
        name = player_text(game, mover)
        decision = self.session.bot_turn()
        line = Text(f"\n{name}: {game.move_text(decision.move)}")
        self._rich.print(line.append(f"  [{decision_notes(decision, name)}]", "dim"))
        if self._evaluation:
            bar = "\u2588\u2591" if self._rich.encoding.startswith("utf") else "#-"
            self._show_message(evaluation_text(decision, game, mover, str(bot), bar))
        self._show()
        time.sleep(self._delay)

    def _human_turn(self) -> None:
        state = self.session.state
        if all(move.is_pass or move.is_resign for move in state.legal_moves()):
            self._show_message("Your only legal move is pass.")
        line = self._ask(f"{player_text(state.game, state.next_player)}> ").strip()
        command, _, argument = line.partition(" ")
        try:
            match command.lower():
                case "":
                    pass
                case "quit" | "exit":
                    raise Quit
                case "help":
                    self._show_message(HELP, "dim")
                case "moves":
                    self._show_message(" ".join(map(state.game.move_text, state.legal_moves())))
                case "hint":
                    self._show_message(self.session.hint_text(), "green")
                case "undo" if self.session.undo():
                    self._show()
                case "undo":
                    self._show_message("You have not moved yet: there is nothing to take back.",
                                       "red")
                case "save":
                    name = argument.strip()
                    path = self.session.save(user_path(name) if name else None)
                    self._show_message(f"saved: {path}")
                case "resign":
                    self._play([Move.resign()])
                case _:
                    self._play(state.game.parse_moves(state, line))
        except DlgoError as error:
            self._show_message(str(error), "red")

    def _ask(self, prompt: str) -> str:
        try:
            if self._edited:
                with suppress(ImportError):
                    import readline  # noqa: F401 (gives `input` editing and history)
                return input(prompt)
            self._target.write(prompt)
            self._target.flush()
            line = self._source.readline() if self._source is not None else ""
            if not line:
                raise EOFError
            return line
        except EOFError:
            self._show_message("")
            raise Quit from None

    def _play(self, moves: list[Move]) -> None:
        state = self.session.state
        self.session.play(moves)
        texts = " ".join(map(state.game.move_text, moves))
        self._show_message(f"\n{player_text(state.game, state.next_player)}: {texts}")
        self._show()

    def _show(self) -> None:
        self._rich.print(board_text(self.session.state))

    def _show_message(self, text: str, style: str = "") -> None:
        self._rich.print(Text(text, style))
