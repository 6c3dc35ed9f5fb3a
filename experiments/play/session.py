"""A game in progress between people and engines: moves, undo, hints, saving.

The state says whose turn comes next and how long a turn lasts; nothing here assumes either.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import count
from pathlib import Path

from dlgo import DlgoError, GameSpec, GameState, Move, Player
from dlgo.display import player_text
from dlgo.files import check_folder_of
from dlgo.games import GAMES
from dlgo.system.console import command_line
from dlgo.text import number_of
from engines.base import Decision, Engine
from engines.isolation.describe import MOVE_TIMEOUT, OutsideSpec, read_spec
from engines.registry import EngineSpec, is_outside
from experiments.play.game_file import SavedGame, form_of, write_game_file

# Answers within some hundredths of a second on every board up to 9x9.
DEFAULT_HINT = "mcts:sims=2000"


class Human:
    """A person; the display asks them for moves."""

    def __str__(self) -> str:
        return "human"


class Bot:
    """An engine with the specification it was built from."""

    def __init__(self, spec: EngineSpec, game: GameSpec, seed: int) -> None:
        self.spec = spec
        self.engine: Engine = spec.build(game, seed)

    def __str__(self) -> str:
        return str(self.spec)


def make_player(
    text: str, game: GameSpec, seed: int, move_timeout: float = MOVE_TIMEOUT
) -> Human | Bot:
    """`human`, or the engine that `text` specifies. Raises SpecError for anything else."""
    if text.strip().lower() == "human":
        return Human()
    return Bot(read_spec(text, move_timeout), game, seed)


def player_from_file(name: str) -> str | None:
    """The player that a saved game names, if it may be started without asking.

    A file can come from anywhere. So an engine that is code of another file, or whose options
    hold free text, such as the command line of `gtp`, is left to the options of the user.
    """
    try:
        unasked = name == "human" or not (is_outside(name) or read_spec(name).free_text)
    except DlgoError:
        return None
    return name if unasked else None


class Session:
    """One game between two players, black's first.

    Args:
        state: where to begin; its moves can be taken back too.
        hint: the engine that is asked for hints, with its `seed`.
        save: the file that is written after every move, if any.
        known_file: a file that may be overwritten, such as the one that was resumed; but never one
            that holds other games besides.
        move_timeout: wall seconds for a hint of an external engine.
        read: what the known file says of the game.

    Raises:
        DlgoError: if `hint` is not an engine, or `save` is a file that is not `known_file`.
    """

    def __init__(
        self, state: GameState, players: Sequence[Human | Bot], hint: str = DEFAULT_HINT,
        seed: int = 0, save: Path | None = None, known_file: Path | None = None,
        move_timeout: float = MOVE_TIMEOUT, read: SavedGame | None = None,
    ) -> None:
        self.state, self.players = state, tuple(players)
        self.show_message: Callable[[str], None] = lambda text: None  # shows a message to people
        self._read = read or SavedGame(state)
        if not self._read.is_alone:
            known_file = None
        self.file = known_file  # where the game was saved last
        self.unsaved = ""  # why the file of `save` is not up to date
        self._hint_spec = read_spec(hint, move_timeout)
        self._hinter: Engine | None = None
        self._seed, self._autosave = seed, save
        self._own_files = {known_file.absolute()} if known_file else set()
        self._saved_state = state if known_file else None
        if save is not None:  # better said before the game than after the first move
            self._check_file(save)
            check_folder_of(save, "--save")

    @property
    def current(self) -> Human | Bot:
        """Who is to move."""
        return self.players[self.state.next_player.index]

    def warm_up(self) -> None:
        """Compile what the engines need before anybody waits for a move."""
        for player in self.players:
            if isinstance(player, Bot):
                player.engine.warm_up()

    def bot_turn(self) -> Decision:
        """Let the engine that is to move choose and play one move.

        If it fails, the game is saved, and the DlgoError says where. After Ctrl-C it is saved as
        well if an external engine was awaited, which may hang.
        """
        assert isinstance(self.current, Bot)
        outside = isinstance(self.current.spec, OutsideSpec)
        try:
            decision = self.current.engine.select_move(self.state)
            state = self.state.apply_move(decision.move)
        except DlgoError as error:
            name = "" if outside else f"{self.current}: "  # an external one names itself
            raise DlgoError(f"{name}{error}{self._rescue()}") from error
        except KeyboardInterrupt:
            if outside:
                self._rescue()
            raise
        except Exception:
            self.show_message(f"{self.current} failed{self._rescue()}")
            raise
        self.state = state
        self._moved()
        return decision

    def _rescue(self) -> str:
        """Save a game whose engine has failed; say where, as the end of a message."""
        if not self.state.moves():
            return ""
        if self.file is None:
            names = (f"unfinished{f'-{n}' if n > 1 else ''}" for n in count(1))
            paths = (Path(f"{name}.{form_of(self.state.game)}") for name in names)
            self.file = next(path for path in paths if not os.path.lexists(path))
        try:
            self.save()
        except DlgoError as error:
            return f"; the game could not be saved: {error}"
        return f"; `{self._command()}` continues the game"

    def play(self, moves: Sequence[Move]) -> None:
        """Play a human's move, or the moves of one turn; all or none. Raises IllegalMoveError."""
        self.state = reduce(GameState.apply_move, moves, self.state)
        self._moved()

    def undo(self) -> bool:
        """Take back a human's last turn; False if there is none."""
        state = self.state.previous_state
        while state is not None:
            previous = state.previous_state
            begins = previous is None or previous.next_player is not state.next_player
            if begins and isinstance(self.players[state.next_player.index], Human):
                self.state = state
                self._moved()
                return True
            state = previous
        return False

    def hint_text(self) -> str:
        """A hint in words: move, value, expected line. Raises DlgoError if `hint` cannot play."""
        game = self.state.game
        if self._hinter is None:
            self._hinter = self._hint_spec.build(game, self._seed)
        decision = self._hinter.select_move(self.state)
        text = f"hint of {self._hint_spec}: {game.move_text(decision.move)}"
        if decision.proven is not None:
            text += f", a proven {('loss', 'draw', 'win')[decision.proven + 1]}"
        elif decision.value is not None:
            text += f", value {decision.value:+.2f} for {player_text(game, self.state.next_player)}"
        if len(decision.pv) > 1:
            text += f", line {' '.join(game.move_text(move) for move in decision.pv)}"
        return text

    def save(self, path: Path | None = None) -> Path:
        """Write the game to `path`, or where it was saved; return where. Raises DlgoError."""
        path = path or self.file
        if path is None:
            raise DlgoError("name a file: save FILE")
        self._check_file(path)
        names = self._read.names_beside([str(player) for player in self.players], self.state)
        write_game_file(path, self.state, *names, self._read)
        self._own_files.add(path.absolute())
        self.file, self._saved_state = path, self.state
        return path

    def _check_file(self, path: Path) -> None:
        if os.path.lexists(path) and path.absolute() not in self._own_files:
            raise DlgoError(
                f"{path} already holds another game; name another file, or continue it with "
                f"--resume {path} (if it holds one game)"
            )

    def _moved(self) -> None:
        if self._autosave is not None:
            try:
                self.save(self._autosave)
                self.unsaved = ""
            except DlgoError as error:  # a full disk must not end the game
                if str(error) != self.unsaved:
                    self.show_message(str(error))
                self.unsaved = str(error)

    def _command(self) -> str:
        """The command that continues the saved game. It names files with code again."""
        words = ["dlgo", "play"]
        if GAMES.is_file(GAMES.split(str(self.state.game))[0]):
            words.append(str(self.state.game))
        words += ["--resume", str(self.file)]
        for option, player in zip(("--first", "--second"), self.players, strict=True):
            if player_from_file(str(player)) is None:
                words += [option, str(player)]
        return command_line(words)

    def closing_message(self) -> str:
        """The last line about an unfinished game."""
        if self._saved_state is self.state:
            return f"The game is unfinished; `{self._command()}` continues it."
        return (
            "The game is unfinished and was not saved. Next time type `save FILE`, or start with "
            "--save FILE."
        )

    def close(self) -> None:
        """Release what the engines hold."""
        engines = [player.engine for player in self.players if isinstance(player, Bot)]
        for engine in filter(None, (*engines, self._hinter)):
            engine.close()


def decision_notes(decision: Decision, mover: str) -> str:
    """The cost of a move and its value for `mover`, in a few words."""
    notes = [f"{1e3 * decision.cost.cpu_seconds:.0f} ms"]
    if decision.cost.simulations:
        notes.append(number_of(decision.cost.simulations, "simulation"))
    elif decision.cost.nodes > 1:
        notes.append(number_of(decision.cost.nodes, "node"))
    if decision.value is not None:
        notes.append(f"value {decision.value:+.2f} for {mover}")
    return ", ".join(notes)


def evaluation_text(
    decision: Decision, game: GameSpec, mover: Player, name: str, bar: str = "#-",
) -> str:
    """A decision's estimate, by `name`, as a bar of the first player's share of the point."""
    value = decision.value if decision.proven is None else float(decision.proven)
    if value is None:
        return f"evaluation by {name}: none"
    black = (1 + (value if mover is Player.black else -value)) / 2
    cells = round(20 * black)
    first, second = (player_text(game, player) for player in Player)
    text = f"evaluation by {name}: {first} {black:4.0%} "
    text += f"{bar[0] * cells}{bar[1] * (20 - cells)} {second}"
    if decision.proven is not None:
        winner = player_text(game, mover if decision.proven > 0 else mover.other)
        text += f", proven {f'win of {winner}' if decision.proven else 'draw'}"
        if decision.proven and decision.plies_to_end is not None:
            text += f" in {number_of(decision.plies_to_end, 'ply', 'plies')}"
    return text
