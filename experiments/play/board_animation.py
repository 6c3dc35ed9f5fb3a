"""A recorded game as an animation or a picture: `dlgo show FILE --out game.gif`.

The game comes from a file (`game_file.py`) or from a ledger of `dlgo tournament`. The ending of
the output's name decides: `.gif` and `.html` move, `.png` is the last position.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo import DlgoError, GameState, Player
from dlgo.display import extra_lines, player_text, result_text
from dlgo.files import output_path
from dlgo.records.ledger import GameRecord, Ledger
from experiments.play.board_drawing import BACKGROUND, draw_board
from experiments.play.game_file import SavedGame, game_of_ledger, positions, read_game_file
from reports.figures import write_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".gif", ".png", ".html")
_DPI = {".gif": 80, ".html": 80, ".png": 150}
_HEAD = 0.6  # inches above the board, for the players and the move
_SECONDS_AT_END = 3.0
_MEGABYTES = 500  # of frames in a page; matplotlib's own limit drops the end of a long game


def load_game(path: Path, slot: str | None = None) -> SavedGame:
    """A game of a file, or of a ledger.

    Args:
        slot: which: its number from 1, or its slot in a ledger. By default the first of a file.

    Raises:
        DlgoError: if the file has no such game, or none at all; as `recorded_game`.
    """
    if not _is_database(path):
        if slot is not None and not (slot.isascii() and slot.isdigit()):
            raise DlgoError(f"{path} is not a ledger: name one of its games by a number, --slot 2")
        return read_game_file(path, None if slot is None else int(slot[:9]))
    with Ledger(path, read_only=True) as ledger:
        records = list(ledger.games())
    record = _record(path, records, slot)
    return game_of_ledger(record, record.replay())


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False  # the reader of files says what is wrong


def _record(path: Path, records: list[GameRecord], slot: str | None) -> GameRecord:
    if not records:
        raise DlgoError(f"ledger {path} holds no games")
    for record in records:
        if record.slot == slot:
            return record
    if slot is not None and slot.isascii() and slot.isdigit() and 1 <= int(slot) <= len(records):
        return records[int(slot) - 1]
    problem = f"no game {slot!r}; " if slot is not None else ""
    raise DlgoError(
        f"ledger {path}: {problem}name one by --slot, a number 1-{len(records)} or a text such as "
        f"'{records[0].slot}'"
    )


def show_game(
    game: SavedGame, out: Path, delay: float = 0.7,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the game to `out`, in one step, and return `out`.

    Args:
        delay: seconds a move.
        progress: called with the number of frames drawn, and of all.

    Raises:
        DlgoError: for another ending, or if the file cannot be written.
    """
    ending = check_ending(out)
    with output_path(out) as temporary:
        _write(game, temporary, ending, delay, progress)
    return out


def check_ending(out: Path) -> str:
    """The ending that says what to write. Raises DlgoError for an unknown one."""
    if out.suffix.lower() not in ENDINGS:
        raise DlgoError(f"--out {out}: the name must end in {', '.join(ENDINGS)}")
    return out.suffix.lower()


def _write(
    game: SavedGame, path: Path, ending: str, delay: float,
    progress: Callable[[int, int], None] | None,
) -> None:
    import matplotlib
    from matplotlib.animation import FuncAnimation, HTMLWriter, PillowWriter

    states = positions(game.state)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["animation.embed_limit"] = _MEGABYTES
        frames = Frames(game, _figure(game.state))
        if ending == ".png":
            frames.draw(len(states) - 1)
            frames.figure.savefig(path, dpi=_DPI[ending])
            return
        wait = round(_SECONDS_AT_END / delay) if ending == ".gif" else 0
        numbers = [*range(len(states)), *[len(states) - 1] * wait]
        film = FuncAnimation(frames.figure, frames.draw, frames=numbers, init_func=lambda: None)
        if ending == ".gif":
            writer = PillowWriter(fps=1 / delay)
        else:
            writer = HTMLWriter(fps=1 / delay, embed_frames=True, default_mode="once")
        film.save(
            path, writer=writer, dpi=_DPI[ending],
            progress_callback=(lambda i, _: progress(i + 1, len(numbers))) if progress else None,
        )


def _figure(state: GameState) -> Figure:
    """A figure of the board's shape."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wide, high = state.game.board_cols + 1.2, state.game.board_rows + 0.8
    side = 5.5 / max(wide, high)
    figure = Figure(figsize=(max(3.5, wide * side), max(1.5, high * side) + _HEAD))
    figure.set_facecolor(BACKGROUND)
    FigureCanvasAgg(figure)
    return figure


class Frames:
    """Draws the positions of a game on a figure, by their numbers."""

    def __init__(self, game: SavedGame, figure: Figure) -> None:
        self.figure, self._states, self._game = figure, positions(game.state), game
        self.axes = figure.add_axes((0.01, 0.01, 0.98, 0.99 - _HEAD / figure.get_figheight()))

    def draw(self, number: int) -> None:
        """The position after `number` moves, with who plays and the move."""
        state = self._states[number]
        draw_board(self.axes, state)
        names = "   ".join(
            player_text(state.game, player) + (f": {name}" if name else "")
            for player, name in zip(Player, (self._game.black, self._game.white), strict=True)
        )
        self.figure.texts.clear()
        for down, text, size in ((0.35, names, 10), (0.8, self._event(number), 9)):
            write_line(self.figure, 0.02, down * _HEAD, text, size)

    def _event(self, number: int) -> str:
        state, game = self._states[number], self._states[number].game
        text = game.title
        if number:
            mover = player_text(game, self._states[number - 1].next_player)
            text = f"move {number}: {mover} {game.move_text(state.last_move)}"
        if extra := extra_lines(state):
            text += f"  ({extra})"
        if number == len(self._states) - 1:
            end = result_text(state) if state.is_over() else self._game.result
            text += f"  -  {end}" if end else ""
        return text
