"""Kaggle's ConnectX environment in small: agents' files and engines play each other.

    game = play(get_game("connect4"), ["submission.py", "mcts:sims=200"])

An agent gets the same observations as from the environment, and the same rules apply: a column that
is full or not there, an error, or more time than it has loses the game. The rules of the game are
this project's own.
"""

from __future__ import annotations

import inspect
import math
import os
import reprlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo import DlgoError, GameSpec, GameState, Move
from dlgo.rng import derive_seed
from dlgo.text import error_text, excerpt
from engines.isolation.describe import read_spec
from experiments.play.game_file import SavedGame

ACT_TIMEOUT = 2.0  # seconds a move, the environment's default
OVERAGE = 60.0  # seconds beyond it, for a whole game


class Struct(dict):
    """A dictionary whose entries are attributes as well, as the environment hands them out."""

    def __init__(self, **entries: Any) -> None:
        super().__init__(entries)
        self.__dict__.update(entries)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = self[name] = value


def run_agent_file(text: str, path: str) -> dict[str, Any]:
    """The names that an agent's file defines, executed as the environment does it. Raises DlgoError
    if it cannot be executed.

    While it is executed, modules in its folder can be imported. They are forgotten afterwards:
    another agent may have modules of the same names, and on Kaggle each agent has its own process.
    """
    names: dict[str, Any] = {}
    folder = str(Path(path).absolute().parent)
    before = set(sys.modules)
    sys.path.append(folder)
    try:
        exec(compile(text, path, "exec"), names)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise DlgoError(f"{path} is not an agent: {error_text(error)}") from None
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder + os.sep):
                del sys.modules[name]
    return names


def load_agent_file(path: Path) -> Callable[[Struct, Struct], Any]:
    """The agent in a file: its last callable, called with as many arguments as it takes. Raises
    DlgoError if there is no such file, or no callable in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise DlgoError(f"{path} cannot be read: {problem}") from None
    functions = [value for value in run_agent_file(text, str(path)).values() if callable(value)]
    if not functions:
        raise DlgoError(f"{path} is not an agent: it defines no function")
    # The environment counts the arguments of functions; classes and instances get both.
    code = getattr(functions[-1], "__code__", None)
    count = code.co_argcount if inspect.iscode(code) else 2

    def agent(observation: Struct, configuration: Struct) -> Any:
        configuration["__raw_path__"] = str(path)
        return functions[-1](*(observation, configuration)[:count])

    return agent


def configuration(game: GameSpec, act_timeout: float = ACT_TIMEOUT) -> Struct:
    """The environment's configuration of the game. Raises DlgoError if it is not ConnectX."""
    board = board_of(game)
    if board is None:
        raise DlgoError(
            f"{game} is not ConnectX: choose connect4, or connectn with gravity and without pie"
        )
    rows, columns, inarow = board
    return Struct(
        rows=rows, columns=columns, inarow=inarow, actTimeout=act_timeout,
        # The same in every game there; `timeout` does not follow `actTimeout`.
        timeout=2, agentTimeout=60, episodeSteps=1000, runTimeout=1200,
    )


def board_of(game: GameSpec) -> tuple[int, int, int] | None:
    """Rows, columns and how many in a row win; None if the game is not ConnectX."""
    if game.name == "connect4":
        return game.board_rows, game.board_cols, 4
    if game.name == "connectn" and game.gravity and not game.pie:
        return game.rows, game.cols, game.n
    return None


def observation(state: GameState, overage: float = OVERAGE) -> Struct:
    """The environment's observation for the player to move."""
    game = state.game
    cells = [
        game.cell(state, row, column)
        for row in range(game.board_rows, 0, -1) for column in range(1, game.board_cols + 1)
    ]
    return Struct(
        board=[0 if player is None else player.value for player in cells],
        mark=state.next_player.value, step=len(state.moves()), remainingOverageTime=overage,
    )


@dataclass
class _Participant:
    name: str
    act: Callable[[GameState, float], Any]  # from the position and the time in reserve
    overage: float = OVERAGE


def _participant(
    game: GameSpec, player: str, act_timeout: float, seed: int, stack: ExitStack
) -> _Participant:
    if player.endswith(".py"):
        agent = load_agent_file(Path(player))
        return _Participant(Path(player).stem, lambda state, overage: agent(
            observation(state, overage), configuration(game, act_timeout)))
    engine = read_spec(player).build(game, seed)
    stack.callback(engine.close)
    engine.warm_up()
    engine.new_game(seed)
    return _Participant(
        player, lambda state, _: game.action_of(engine.select_move(state).move), overage=math.inf)


def play(
    game: GameSpec, players: Sequence[str], act_timeout: float = ACT_TIMEOUT, seed: int = 1,
    report: Callable[[str], None] = lambda line: None,
) -> SavedGame:
    """One game of connect4, or connectn with gravity and without the pie rule.

    Args:
        players: who moves first, and who second: the file of an agent (its name ends in .py),
            or an engine such as mcts:sims=200.
        act_timeout: seconds a move of an agent; engines have budgets of their own.
        report: gets a line for every move.

    Returns the game, with the players' names. One who broke the environment's rules has resigned;
    `result` says why. Raises DlgoError for another game, or a player that does not exist.
    """
    configuration(game, act_timeout)  # refuses other games before anything is loaded
    state, result = GameState.new_game(game), ""
    with ExitStack() as stack:
        participants = [
            _participant(game, player, act_timeout, derive_seed(seed, "connectx", i), stack)
            for i, player in enumerate(players)
        ]
        while not state.is_over():
            participant = participants[state.next_player.index]
            start = time.perf_counter()
            try:
                column = participant.act(state, participant.overage)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever an agent raises loses its game, sys.exit too
                column = error
            seconds = time.perf_counter() - start
            late = max(0.0, seconds - act_timeout)
            fault = _fault(state, column)
            if not fault and late > participant.overage:
                fault = f"took {seconds:.1f} s, more than it had left,"
            participant.overage -= late
            if fault:
                result = f"{participant.name} {fault} and loses"
                report(result)
                state = state.apply_move(Move.resign())
                break
            state = state.apply_move(game.move_of(column))
            report(f"{len(state.moves()):>3}  {participant.name}: column {column + 1}, "
                   f"{seconds:.2f} s")
    black, white = (participant.name for participant in participants)
    return SavedGame(state, black, white, result or game.result_text(state))


def _fault(state: GameState, column: Any) -> str:
    if isinstance(column, BaseException):
        return f"raised {error_text(column)}"
    # The environment wants an integer of JSON, which is neither True nor one of NumPy.
    if not isinstance(column, int) or isinstance(column, bool):
        return f"answered {_shown(column)}, which is not an int"
    if column not in state.legal_actions().tolist():
        return f"chose column {_shown(column)}, which is full or not there,"
    return ""


def _shown(answer: Any) -> str:
    try:
        return excerpt(reprlib.repr(answer), 80)
    except Exception:  # such as an int of more digits than Python writes
        return f"of type {type(answer).__name__} that cannot be written"
