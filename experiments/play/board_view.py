"""A board to click on (`dlgo play GAME --board`), as a matplotlib window.

Which click means which move is read off the rules (`cell_moves.py`); in a game of columns the
whole column can be clicked.

The class works on any canvas; without an event loop (tests, Agg) engines answer at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlgo import DlgoError, Move, Point
from dlgo.display import extra_lines, player_text, result_text
from dlgo.jit import tell_of_compiling
from experiments.play.board_drawing import BACKGROUND, cell_at, draw_board
from experiments.play.cell_moves import cell_moves
from experiments.play.session import Bot, Session, decision_notes, evaluation_text

if TYPE_CHECKING:
    from matplotlib.backend_bases import KeyEvent, MouseEvent
    from matplotlib.figure import Figure


class BoardView:
    """One game on a figure: it draws the session's state and turns clicks into moves.

    Args:
        figure: an empty figure; clicks on its canvas are moves.
        delay: seconds between the moves of two engines.
        evaluation: show what the engine expects after its move.
    """

    def __init__(
        self, figure: Figure, session: Session, delay: float = 0.5, evaluation: bool = False
    ) -> None:
        from matplotlib.widgets import Button

        self.figure, self.session = figure, session
        self._delay, self._evaluation = delay, evaluation
        self._selected: Point | None = None
        self._choices: list[Move] = []  # that the same clicks make
        self._busy = self._resigning = False
        self._timer: Any = None
        figure.set_facecolor(BACKGROUND)
        self.axes = figure.add_axes((0.03, 0.13, 0.94, 0.8))  # x: column, y: row, from 1
        self._title = figure.text(0.5, 0.96, "", ha="center", va="center", fontsize=12)
        self._line = figure.text(0.5, 0.1, "", ha="center", va="center", fontsize=9, wrap=True)
        actions: dict[str, Callable[[], None]] = {
            "Undo": self._undo, "Hint": self._hint, "Resign": self._resign
        }
        if session.state.game.pass_action >= 0:
            actions = {"Pass": lambda: self._play(Move.pass_turn()), **actions}
        self.buttons: dict[str, Button] = {}
        width = 0.9 / len(actions)
        for place, (name, action) in enumerate(actions.items()):
            box = figure.add_axes((0.05 + place * width, 0.015, width - 0.02, 0.055))
            button = self.buttons[name] = Button(box, name, color="#e6e0d2", hovercolor="#d6ccb4")
            button.on_clicked(lambda _, name=name, action=action: self._pushed(name, action))
        figure.canvas.mpl_connect("button_press_event", self._clicked)
        figure.canvas.mpl_connect("key_press_event", self._key_pressed)
        session.show_message = self._show_message

    def start(self) -> None:
        """Draw the board; an engine that is to move does so."""
        self._draw()
        self._let_engines_move()

    # Clicks.

    def _clicked(self, event: MouseEvent) -> None:
        if event.inaxes is not self.axes or event.button != 1 or not self._human_to_move():
            return
        self._resigning = False
        if cell := cell_at(self.session.state.game, event.xdata, event.ydata):
            self._click_cell(cell)

    def _click_cell(self, cell: Point) -> None:
        moves = cell_moves(self.session.state)
        start, self._selected, self._choices = self._selected, None, []
        meant = [move.move for move in moves if move.end == cell and move.start in (None, start)]
        columns = [move for move in moves if type(move.move.place) is int]
        if len(meant) == 1:
            self._play(meant[0])
        elif meant:
            self._choices = meant[:9]
            texts = map(self.session.state.game.move_text, self._choices)
            offered = ", ".join(f"{key}: {text}" for key, text in enumerate(texts, start=1))
            self._show_message(f"Which move? Press {offered}.")
        elif any(move.start == cell for move in moves) and cell != start:
            self._selected = cell
            self._show_message("Now click where the piece goes.")
        elif start is not None:
            self._show_message("" if cell == start else "That piece cannot go there.")
        elif columns and all(move.move.place == move.end.col for move in columns):
            self._play(Move.play(cell.col))  # it may be illegal; the rules say why
        elif any(move.move.point is not None for move in moves):
            self._play(Move.play(cell))
        else:
            self._show_message("No legal move starts there; dots mark the pieces that can move.")

    def _key_pressed(self, event: KeyEvent) -> None:
        number = "123456789".find(event.key or " ")
        if 0 <= number < len(self._choices) and self._human_to_move():
            self._play(self._choices[number])

    def _pushed(self, name: str, action: Callable[[], None]) -> None:
        if name != "Resign":
            self._resigning = False
        # When a game between people and engines is over there is nobody to move.
        if not self._busy and (self._human_to_move() or name == "Undo"):
            self._selected = None
            action()

    def _undo(self) -> None:
        self._show_message("Taken back." if self.session.undo() else "You have not moved yet.")

    def _hint(self) -> None:
        try:
            self._show_message(self.session.hint_text())
        except DlgoError as error:
            self._show_message(str(error))

    def _resign(self) -> None:
        if self._resigning:
            self._play(Move.resign())
        else:
            self._resigning = True
            self._show_message("Click Resign again to confirm.")

    def _play(self, move: Move) -> None:
        self._choices = []
        try:
            self._note("")
            self.session.play([move])
        except DlgoError as error:
            self._show_message(str(error))
            return
        self._draw()
        self._let_engines_move()

    # Engines.

    def _human_to_move(self) -> bool:
        return not (self._busy or self.session.state.is_over() or self._engine_to_move())

    def _engine_to_move(self) -> bool:
        return not self.session.state.is_over() and isinstance(self.session.current, Bot)

    def _let_engines_move(self) -> None:
        """Play what the engines have to play; with an event loop, after it has drawn."""
        while self._engine_to_move():
            self._busy = True
            if has_event_loop(self.figure):
                both = all(isinstance(who, Bot) for who in self.session.players)
                self._timer = self.figure.canvas.new_timer(max(50, int(1000 * self._delay * both)))
                self._timer.single_shot = True
                self._timer.add_callback(
                    lambda: self._one_engine_move() and self._let_engines_move())
                self._timer.start()
                return
            if not self._one_engine_move():
                return

    def _one_engine_move(self) -> bool:
        session, mover = self.session, self.session.state.next_player
        try:
            decision = session.bot_turn()
        except DlgoError as error:
            self._busy = False
            self._show_message(str(error))
            return False
        game = session.state.game
        text = f"{game.move_text(decision.move)}  [{decision_notes(decision, mover)}]"
        if self._evaluation:
            who = str(session.players[mover.index])
            text += f"\n{evaluation_text(decision, mover, who)}"
        self._busy = False
        self._show_message(f"{player_text(game, mover)}: {text}")
        return True

    # What is seen.

    def _show_message(self, text: str) -> None:
        self._note(text)
        self._draw()

    def _note(self, text: str) -> None:
        self._line.set_text(text.replace("$", r"\$"))  # dollar signs would be read as formulas

    def _draw(self) -> None:
        state = self.session.state
        game = state.game
        targets: set[Point] = set()
        if self._human_to_move():
            moves = [move for move in cell_moves(state) if move.start is not None]
            targets = {
                move.start if self._selected is None else move.end
                for move in moves if self._selected in (None, move.start)
            }
        draw_board(self.axes, state, self._selected, targets)
        title, extra = f"{player_text(game, state.next_player)} to move", extra_lines(state)
        if state.is_over():
            title = result_text(state)
        elif extra:
            title += f" ({extra})"
        self._title.set_text(f"{game.title}: {title}")
        self.figure.canvas.draw_idle()


def has_event_loop(figure: Figure) -> bool:
    """Whether the figure's canvas belongs to a window (or a browser) that sends events."""
    canvas = type(figure.canvas)
    backend = canvas.__module__.rpartition("_")[2]
    return canvas.required_interactive_framework is not None or backend in ("webagg", "nbagg")


def play_in_window(session: Session, delay: float, evaluation: bool) -> str:
    """Play in a window until it is closed; return the outcome. Raises DlgoError if none opens."""
    import matplotlib
    from matplotlib import pyplot

    why = ""
    with matplotlib.rc_context({"toolbar": "None", "keymap.quit": ["ctrl+w"]}):
        try:
            figure = pyplot.figure("dlgo", figsize=(6.4, 7.4))
            if not has_event_loop(figure):
                pyplot.close(figure)
                why = f"matplotlib's backend is {pyplot.get_backend()}"
        except (ImportError, ValueError, RuntimeError) as error:
            why = str(error).splitlines()[0]
        if why:
            raise DlgoError(
                f"--board needs a display, but no window can be opened ({why}); leave it out "
                "to play in the console"
            )
        with tell_of_compiling(print):
            session.warm_up()
        BoardView(figure, session, delay, evaluation).start()
        try:
            pyplot.show()
        except KeyboardInterrupt:
            print(session.closing_message())
            raise
    if session.state.is_over():
        return f"Game over: {session.state.game.result_text(session.state)}."
    return session.closing_message()
