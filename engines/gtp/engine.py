"""The GTP engine: any program that speaks the Go Text Protocol, as an entrant.

It tells the program what has happened and asks for a move. The rules stay ours: a move that
they forbid is a move of the engine's, and the referee handles it like any other move.
"""

from __future__ import annotations

import math

from dlgo.api import GameState, Move, Player
from dlgo.errors import DlgoError, NotationError, SpecError
from dlgo.games.go.state import Go
from dlgo.gtp import GtpError, shown
from dlgo.jit import cpu_time
from dlgo.specs import Option
from engines.base import Budget, Decision, Engine
from engines.gtp.judging import judge
from engines.gtp.process import GtpProgram, split_command

# In the command line this becomes the seed of the game.
_SEED = "{seed}"
# With this command `dlgo gtp` plays other games than Go.
GAME_COMMAND = "dlgo-game"


class GTPEngine(Engine):
    """Plays the moves of another program."""

    name = "gtp"
    external = True
    summary = "any program that speaks GTP: gtp:gnugo --mode gtp --level 10"
    options = (
        Option("command", None, "command line of the program; {seed} becomes the seed of each game",
               kind=str),
        Option("timeout", 120.0, "wall seconds to wait for an answer, the start included", low=0.01,
               high=1e5),
    )
    bare_option = "command"
    budgets = ("wall",)
    default_budget = Budget()

    def _set_up(self) -> None:
        self._command: str = self.settings["command"] or ""
        self._words = split_command(self._command)
        self._program: GtpProgram | None = None
        self._cpu_of_the_dead = 0.0
        self._seed = 0
        self._judges = False
        self._forget()

    def analyse(self, state: GameState, budget: Budget | None = None) -> Decision:
        """A move with the win rate and the score, if the program tells them. The program may be
        asked in another way than for a move of a game (`judging.py`)."""
        self._judges = True
        try:
            return self.select_move(state, budget)
        finally:
            self._judges = False

    def new_game(self, seed: int) -> None:
        if _SEED in self._command:
            self._seed = seed % (2**31 - 1) + 1  # GNU Go takes 0 for "choose one"
            self.close()
        self._forget()
        self._connect()

    def warm_up(self) -> None:
        """One move, for programs that load something when they are first asked for it."""
        self.select_move(GameState.new_game(self.game))
        self.new_game(0)

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._cpu_of_the_dead += self._program.cpu_seconds()
            self._program = None
        self._forget()

    def _cpu_clock(self) -> float:
        theirs = 0.0 if self._program is None else self._program.cpu_seconds()
        return cpu_time() + self._cpu_of_the_dead + theirs

    def _forget(self) -> None:
        self._state: GameState | None = None  # the position it was asked about last
        self._answer: Move | None = None  # what it answered, and played on its own board

    def _connect(self) -> GtpProgram:
        """The program, started if it is not running, with an empty board of the right size."""
        if self._program is None or not self._program.alive:
            self.close()
            words = [word.replace(_SEED, str(self._seed)) for word in self._words]
            self._program = GtpProgram(words, self.settings["timeout"])
            self._told_seconds: int | None = None
            self._commands: set[str] | None = None
            try:
                self._choose_game(self._program)
            except BaseException:
                self.close()
                raise
        return self._program

    def _choose_game(self, program: GtpProgram) -> None:
        if isinstance(self.game, Go):
            program.ask("boardsize", str(self.game.size))
            program.ask("komi", f"{self.game.komi:g}")
            program.ask("clear_board")
        elif program.ask("known_command", GAME_COMMAND) == "true":
            program.ask(GAME_COMMAND, str(self.game))
        else:
            raise SpecError(
                f"{program.label} plays only Go, not {self.game}; for other games the program "
                f"must know the command {GAME_COMMAND}, as `dlgo gtp` does"
            )

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        program = self._connect()
        self._tell(program, state)
        player = state.next_player
        if budget.wall is not None:
            self._tell_time(program, player, math.ceil(budget.wall))
        if self._judges:
            return self._judged(program, state)
        answer = program.ask("genmove", player.name)
        if answer.lower() == "resign":
            self._forget()
            return Decision(Move.resign())
        move = self._read(program, state, answer)
        self._state, self._answer = state, move
        return Decision(move)

    def _judged(self, program: GtpProgram, state: GameState) -> Decision:
        """The program's opinion of `state`, which is on its board."""
        if self._commands is None:
            self._commands = set(program.ask("list_commands").split())
        opinion = judge(program, self._commands, state.next_player)
        line: list[Move] = []
        move = Move.resign()
        if opinion.move.lower() != "resign":
            move = self._read(program, state, opinion.move)
            if opinion.played:
                self._state, self._answer = state, move
        for text in opinion.line or (opinion.move,):
            try:
                line.append(state.read_move(text))
                state = state.apply_move(line[-1])
            except DlgoError:
                break
        return Decision(move, opinion.value, pv=tuple(line), score=opinion.score)

    def _read(self, program: GtpProgram, state: GameState, answer: str) -> Move:
        try:
            return state.read_move(answer)
        except NotationError as error:
            self.close()
            message = f"{program.label} answered genmove with {shown(answer)}: {error}"
            raise GtpError(message) from None

    def _tell_time(self, program: GtpProgram, player: Player, seconds: int) -> None:
        """`seconds` for one move and for every further one. GTP counts whole seconds."""
        if seconds != self._told_seconds:
            program.ask("time_settings", "0", str(seconds), "1")
            self._told_seconds = seconds
        program.ask("time_left", player.name, str(seconds), "1")

    def _tell(self, program: GtpProgram, state: GameState) -> None:
        """Make the program's game that of `state`: go on with it, or play it over again."""
        start, moves = state.history()
        new = state.moves_since(self._state) or []
        goes_on = new[:1] == [self._answer]
        self._forget()  # whatever goes wrong below, the next move starts from an empty board
        if goes_on:
            moves = moves[len(moves) - len(new) + 1 :]
        else:
            program.ask("clear_board")
            if isinstance(self.game, Go):
                _set_up_stones(program, start)
        for player, move in moves:
            program.ask("play", player.name, self.game.move_text(move))


def _set_up_stones(program: GtpProgram, start: GameState) -> None:
    """Place the stones of a game that does not begin on the empty board, one by one. None can be
    captured on the way: each part of a chain has its liberty, or a point of the rest.

    Not as handicap stones: GNU Go gives White a point for each in area scoring, our rules do not.
    """
    game = start.game
    for point, player in game.stones(start).items():
        program.ask("play", player.name, game.move_text(Move.play(point)))
