"""A board to click on (`dlgo play GAME --board`), as a matplotlib window.

Which click means which move is read off the rules: a move that takes a piece away from one cell
and ends on another needs two clicks, any other one, on the cell where it ends. In a game of
columns the whole column can be clicked. So a new game can be played without a line here.

The class works on any canvas; without an event loop (tests, Agg) engines answer at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlgo import DlgoError, GameState, Move, Point
from dlgo.display import extra_lines, player_text, result_text
from dlgo.jit import tell_of_compiling
from experiments.play.board_drawing import BACKGROUND, draw_board
from experiments.play.cell_moves import CellMove, cell_moves
from experiments.play.session import Bot, Session, decision_notes, evaluation_text

if TYPE_CHECKING:
    from matplotlib.backend_bases import KeyEvent, MouseEvent
    from matplotlib.figure import Figure


class BoardView:
    """One game on a figure: it draws the session's state and turns clicks into moves.

    Args:
        figure: an empty one, with the canvas whose clicks count.
        session: the game and its players.
        delay: seconds between the moves of two engines.
        evaluation: show what the engine expects after its move.

    Attributes:
        axes: of the board; x is the column, y the row, both from 1.
        message: the line below the board that answers the last click or move.
        buttons: by their names: Undo, Hint, Resign, and Pass where the game has it.
    """

    def __init__(
        self, figure: Figure, session: Session, delay: float = 0.5, evaluation: bool = False
    ) -> None:
        from matplotlib.widgets import Button

        self.figure, self.session = figure, session
        self.delay, self.evaluation = delay, evaluation
        self.message = ""
        self._selected: Point | None = None
        self._choices: list[Move] = []  # that the same clicks make
        self._busy = self._resigning = False
        self._timer: Any = None
        figure.set_facecolor(BACKGROUND)
        self.axes = figure.add_axes((0.03, 0.13, 0.94, 0.8))
        self._title = figure.text(0.5, 0.96, "", ha="center", va="center", fontsize=12)
        self._line = figure.text(0.5, 0.1, "", ha="center", va="center", fontsize=9, wrap=True)
        actions: dict[str, Callable[[], None]] = {
            "Undo": self._undo, "Hint": self._hint, "Resign": self._resign
        }
        if session.state.game.pass_action >= 0:
            actions = {"Pass": self._pass, **actions}
        self.buttons: dict[str, Button] = {}
        for place, (name, action) in enumerate(actions.items()):
            width = 0.9 / len(actions)
            box = figure.add_axes((0.05 + place * width, 0.015, width - 0.02, 0.055))
            self.buttons[name] = Button(box, name, color="#e6e0d2", hovercolor="#d6ccb4")
            self.buttons[name].on_clicked(self._pressed(name, action))
        figure.canvas.mpl_connect("button_press_event", self._clicked)
        figure.canvas.mpl_connect("key_press_event", self._key_pressed)
        session.say = self._say

    def start(self) -> None:
        """Draw the board; an engine that is to move does so."""
        self._draw()
        self._let_engines_move()

    # Clicks.

    def _clicked(self, event: MouseEvent) -> None:
        if event.inaxes is not self.axes or event.button != 1 or not self._human_to_move():
            return
        self._resigning = False
        cell = Point(round(event.ydata), round(event.xdata))
        game = self.session.state.game
        if 1 <= cell.row <= game.board_rows and 1 <= cell.col <= game.board_cols:
            self._click_cell(cell)

    def _click_cell(self, cell: Point) -> None:
        moves = cell_moves(self.session.state)
        start, self._selected, self._choices = self._selected, None, []
        meant = [move for move in moves if move.end == cell and move.start in (None, start)]
        if len(meant) == 1:
            self._play(meant[0].move)
        elif meant:
            self._choices = [move.move for move in meant[:9]]
            texts = map(self.session.state.game.move_text, self._choices)
            offered = ", ".join(f"{key}: {text}" for key, text in enumerate(texts, start=1))
            self._say(f"Which move? Press {offered}.")
        elif any(candidate.start == cell for candidate in moves) and cell != start:
            self._selected = cell
            self._say("Now click where it goes.")
        elif start is not None:
            self._say("" if cell == start else "That piece cannot go there.")
        elif (column := self._column_move(moves, cell)) is not None:
            self._play(column)
        elif any(candidate.move.point is not None for candidate in moves):
            self._play(Move.play(cell))  # illegal; the rules say why
        else:
            self._say("No legal move begins there; the pieces that can move are dotted.")

    def _key_pressed(self, event: KeyEvent) -> None:
        number = "123456789".find(event.key or " ")
        if 0 <= number < len(self._choices) and self._human_to_move():
            self._play(self._choices[number])

    def _column_move(self, moves: list[CellMove], cell: Point) -> Move | None:
        """The move of the clicked column, in a game whose moves are columns; it may be illegal."""
        columns = [candidate for candidate in moves if type(candidate.move.place) is int]
        if columns and all(column.move.place == column.end.col for column in columns):
            return Move.play(cell.col)
        return None

    def _pressed(self, name: str, action: Callable[[], None]) -> Callable[[object], None]:
        def pressed(_: object) -> None:
            if name != "Resign":
                self._resigning = False
            # When a game between people and engines is over there is nobody to move.
            if not self._busy and (self._human_to_move() or name == "Undo"):
                self._selected = None
                action()

        return pressed

    def _undo(self) -> None:
        self._say("Taken back." if self.session.undo() else "There is no move of yours.")

    def _hint(self) -> None:
        try:
            self._say(self.session.hint_text())
        except DlgoError as error:
            self._say(str(error))

    def _pass(self) -> None:
        self._play(Move.pass_turn())

    def _resign(self) -> None:
        if self._resigning:
            self._play(Move.resign())
        else:
            self._resigning = True
            self._say("Click Resign again to give up.")

    def _play(self, move: Move) -> None:
        self._choices = []
        try:
            self._note("")
            self.session.play([move])
        except DlgoError as error:
            self._say(str(error))
            return
        self._draw()
        self._let_engines_move()

    # Engines.

    def _human_to_move(self) -> bool:
        state = self.session.state
        return not (self._busy or state.is_over() or isinstance(self.session.current, Bot))

    def _let_engines_move(self) -> None:
        """Play what the engines have to play; with an event loop, after it has drawn."""
        while not self.session.state.is_over() and isinstance(self.session.current, Bot):
            self._busy = True
            if self._later(self._engine_move):
                return
            if not self._one_engine_move():
                return
        self._busy = False

    def _engine_move(self) -> None:
        if self._one_engine_move():
            self._let_engines_move()

    def _one_engine_move(self) -> bool:
        session, mover = self.session, self.session.state.next_player
        try:
            decision = session.bot_turn()
        except DlgoError as error:
            self._busy = False
            self._say(str(error))
            return False
        text = f"{session.state.game.move_text(decision.move)}  [{decision_notes(decision, mover)}]"
        if self.evaluation:
            who = str(session.players[mover.index])
            text += f"\n{evaluation_text(decision, mover, who)}"
        self._note(f"{player_text(session.state.game, mover)}: {text}")
        self._busy = False
        self._draw()
        return True

    def _later(self, action: Callable[[], None]) -> bool:
        """Have the event loop call `action`; False if there is none."""
        if not has_event_loop(self.figure):
            return False
        both = all(isinstance(who, Bot) for who in self.session.players)
        self._timer = self.figure.canvas.new_timer(max(50, int(1000 * self.delay * both)))
        self._timer.single_shot = True
        self._timer.add_callback(action)
        self._timer.start()
        return True

    # What is seen.

    def _say(self, text: str) -> None:
        self._note(text)
        self._draw()

    def _note(self, text: str) -> None:
        self.message = text
        # Dollar signs would be read as formulas.
        self._line.set_text(text.replace("$", r"\$"))

    def _draw(self) -> None:
        state = self.session.state
        targets: set[Point] = set()
        if self._human_to_move():
            moves = [move for move in cell_moves(state) if move.start is not None]
            if self._selected is None:
                targets = {move.start for move in moves}
            else:
                targets = {move.end for move in moves if move.start == self._selected}
        draw_board(self.axes, state, self._selected, targets)
        self._title.set_text(title(state))
        self.figure.canvas.draw_idle()


def title(state: GameState) -> str:
    """Whose turn it is, or the result, and what the game prints below its board."""
    game = state.game
    if state.is_over():
        return f"{game.title}: {result_text(state)}"
    extra = extra_lines(state)
    mover = player_text(game, state.next_player)
    return f"{game.title}: {mover} to move" + (f" ({extra})" if extra else "")


def has_event_loop(figure: Figure) -> bool:
    """Whether the figure's canvas belongs to a window (or a browser) that sends events."""
    canvas = type(figure.canvas)
    backend = canvas.__module__.rpartition("_")[2]
    return canvas.required_interactive_framework is not None or backend in ("webagg", "nbagg")


def play_in_window(session: Session, delay: float, evaluation: bool) -> str:
    """Open a window and play until it is closed; return what became of the game.

    Raises:
        DlgoError: if there is no display.
    """
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context({"toolbar": "None", "keymap.quit": ["ctrl+w"]}):
        try:
            figure = pyplot.figure("dlgo", figsize=(6.4, 7.4))
        except (ImportError, ValueError, RuntimeError) as error:
            raise DlgoError(_no_window(str(error).splitlines()[0])) from None
        if not has_event_loop(figure):
            pyplot.close(figure)
            raise DlgoError(_no_window(f"matplotlib's backend is {pyplot.get_backend()}"))
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


def _no_window(why: str) -> str:
    return (
        f"--board needs a display, and no window can be opened here ({why}); leave it out to "
        "play in the console"
    )
