"""A recorded game as an animation or a picture: `dlgo show FILE --out game.gif`.

The game comes from a file (`game_file.py`) or from a ledger of `dlgo tournament`. The ending of
the output's name decides: `.gif` and `.html` move, `.png` is the last position.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo import DlgoError, GameState, Player
from dlgo.display import extra_lines, player_text, result_text
from dlgo.files import output_path
from dlgo.records.ledger import Ledger, is_ledger
from experiments.play.board_drawing import BACKGROUND, draw_board
from experiments.play.game_file import SavedGame, game_of_ledger, positions, read_game_file
from reports.figures import write_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DPI = {".gif": 80, ".png": 150, ".html": 80}
_HEAD = 0.6  # inches above the board, for the players and the move
_SECONDS_AT_END = 3.0
_MEGABYTES = 500  # of frames in a page; matplotlib's own limit drops the end of a long game


def load_game(path: Path, slot: str | None = None) -> SavedGame:
    """A game of a file, or of a ledger.

    `slot` is its number from 1, or its slot in a ledger; by default, the first of a file.
    Raises DlgoError if there is no such game, or none at all; as `recorded_game`.
    """
    number = int(slot[:9]) if slot is not None and slot.isascii() and slot.isdigit() else None
    if not is_ledger(path):
        if slot is not None and number is None:
            raise DlgoError(f"{path} is not a ledger; write the game's number, such as --slot 2")
        return read_game_file(path, number)
    with Ledger(path, read_only=True) as ledger:
        records = list(ledger.games())
    if not records:
        raise DlgoError(f"ledger {path} holds no games")
    chosen = [record for record in records if record.slot == slot]
    if number is not None:
        chosen += records[number - 1 : number] if number else []
    if not chosen:
        problem = f"no game {slot!r}; " if slot is not None else ""
        raise DlgoError(
            f"ledger {path}: {problem}name one by --slot, a number 1-{len(records)} or a text "
            f"such as '{records[0].slot}'"
        )
    return game_of_ledger(chosen[0])


def check_ending(out: Path) -> str:
    """The ending that says what to write. Raises DlgoError for an unknown one."""
    if out.suffix.lower() not in _DPI:
        raise DlgoError(f"--out {out}: the name must end in {', '.join(_DPI)}")
    return out.suffix.lower()


def show_game(
    game: SavedGame, out: Path, delay: float = 0.7,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the game to `out`, in one step, and return `out`; `delay` is seconds a move.

    `progress` is called with the number of frames drawn, and of all.
    Raises DlgoError for another ending, or if the file cannot be written.
    """
    import matplotlib
    from matplotlib.animation import AbstractMovieWriter, FuncAnimation, HTMLWriter, PillowWriter

    ending, states = check_ending(out), positions(game.state)
    last = len(states) - 1
    with output_path(out) as temporary, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["animation.embed_limit"] = _MEGABYTES
        figure, axes = stage(game.state)

        def draw(number: int) -> None:
            draw_board(axes, states[number])
            names = "   ".join(
                player_text(game.state.game, player) + (f": {name}" if name else "")
                for player, name in zip(Player, (game.black, game.white), strict=True)
            )
            figure.texts.clear()
            write_line(figure, 0.02, 0.35 * _HEAD, names, 10)
            write_line(figure, 0.02, 0.8 * _HEAD, _caption(game, states, number), 9)

        if ending == ".png":
            draw(last)
            figure.savefig(temporary, dpi=_DPI[ending])
            return out
        last_frames = round(_SECONDS_AT_END / delay) if ending == ".gif" else 0
        numbers = [*range(len(states)), *[last] * last_frames]
        film = FuncAnimation(figure, draw, frames=numbers, init_func=lambda: None)
        fps: Any = 1 / delay
        writer: AbstractMovieWriter
        if ending == ".gif":
            writer = PillowWriter(fps=fps)
        else:
            writer = HTMLWriter(fps=fps, embed_frames=True, default_mode="once")
        film.save(
            temporary, writer=writer, dpi=_DPI[ending],
            progress_callback=(lambda i, _: progress(i + 1, len(numbers))) if progress else None,
        )
    return out


def stage(state: GameState) -> tuple[Figure, Axes]:
    """A figure for the positions of a game, and its axes for the board."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wide, high = state.game.board_cols + 1.2, state.game.board_rows + 0.8
    side = 5.5 / max(wide, high)
    figure = Figure(figsize=(max(3.5, wide * side), max(1.5, high * side) + _HEAD))
    figure.set_facecolor(BACKGROUND)
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.01, 0.01, 0.98, 0.99 - _HEAD / figure.get_figheight()))


def _caption(saved: SavedGame, states: list[GameState], number: int) -> str:
    state, game = states[number], states[number].game
    text = game.title
    if state.last_move is not None and number:
        mover = player_text(game, states[number - 1].next_player)
        text = f"move {number}: {mover} {game.move_text(state.last_move)}"
    if extra := extra_lines(state):
        text += f"  ({extra})"
    end = result_text(state) if state.is_over() else saved.result
    return f"{text}  -  {end}" if end and number == len(states) - 1 else text
