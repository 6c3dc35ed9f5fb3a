"""Positions and decisions as plain values, ready for JSON.

Boards, cells and pieces are described as in `dlgo/display.py`. Values are those of the player to
move, -1 to +1, as engines give them; `black` is black's share of the point, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from dlgo import GameSpec, GameState, Move
from dlgo.display import board_info, cell_number, extra_lines, position_info, result_text
from dlgo.errors import NotationError
from dlgo.specs import setting_text
from dlgo.text import one_line
from engines.base import Decision
from experiments.play.cell_moves import CellMove, cell_move, last_turn, points_of, turn_text, turns
from experiments.review.comparison import black_share, lead_of
from experiments.review.game_review import exact_engine
from experiments.studio.opponents import strongest

# Moves of a principal variation that are drawn. Moves and lines that are cached.
_LINE, _MOST_VIEWS = 10, 5000

View = dict[str, Any]


def board_view(game: GameSpec) -> View:
    """The properties of a board that do not change during a game."""
    return {
        **board_info(game), "hasPass": game.pass_action >= 0,
        "solvable": exact_engine(game) is not None, "options": dict(game.settings),
        # Engines for reviews, and for analyses without end.
        "strongest": strongest(str(game)), "searches": strongest(str(game), searches=True),
    }


def title_of(game: GameSpec) -> str:
    """The title of a game with the options that differ from the usual ones."""
    options = ", ".join(f"{option.name} {setting_text(game.settings[option.name])}"
                        for option in game.options if game.settings[option.name] != option.default)
    return f"{game.title} ({options})" if options else game.title


def position_view(state: GameState, with_moves: bool = True) -> View:
    """A position; with the legal moves as texts and the cells that are clicked to make them.

    `path`: the cells of the last turn, in order.
    """
    over, winner = state.is_over(), state.winner()
    view = position_info(state)
    captured = None
    if state.game.name == "go":  # stones that black and white have lost
        start, moves = state.history()
        placed = position_info(start)["cells"]
        placed += [mover.index for mover, move in moves if move.is_play]
        captured = [placed.count(side) - view["cells"].count(side) for side in range(2)]
    view |= {
        "result": result_text(state) if over else "", "captured": captured,
        "winner": winner.index if winner is not None else None, "note": extra_lines(state),
        "path": turn_view(*last_turn(state))["path"],
    }
    if with_moves and not over:
        view["moves"] = moves_view(state)
    return view


def moves_view(state: GameState) -> list[View]:
    """Every legal turn: `text`, and the `path` of cells that makes it; a pass has none."""
    game = state.game
    on_cells = [
        {"text": turn_text(game, [step.move for step in turn]), "path": _path(game, turn)}
        for turn in turns(state)
    ]
    passes = [
        {"text": game.move_text(move), "path": []} for move in state.legal_moves() if move.is_pass
    ]
    return on_cells + passes


def _path(game: GameSpec, turn: list[CellMove]) -> list[int]:
    """The cells that a turn touches, in order."""
    points = [turn[0].start, *(step.end for step in turn)]
    if len(turn) == 1:
        points = [*points_of(turn[0].move)] or points
    return [cell_number(game, point) for point in points if point is not None]


def find_turn(state: GameState, text: str) -> list[Move]:
    """The moves of the turn in a text. Raises DlgoError if illegal, or several turns."""
    words = text.lower().split()
    if words == ["resign"]:
        return [Move.resign()]
    if any(word.startswith("resign") for word in words):
        raise NotationError(f"{one_line(text)!r} is not a move; to resign, write only resign")
    moves: list[Move] = []
    mover = state.next_player
    for part in text.split() or [text]:
        if state.next_player is not mover:
            raise NotationError(f"{one_line(text)!r} is more than one turn; play one at a time")
        for move in state.game.parse_moves(state, part):
            moves.append(move)
            state = state.apply_move(move)
    return moves


def move_view(state: GameState, move: Move) -> View:
    """One move of an engine: its text and its path."""
    clicks = cell_move(state, move) if state.is_valid_move(move) else None
    path = [] if clicks is None else _path(state.game, [clicks])
    return {"text": state.game.move_text(move), "path": path, "player": state.next_player.index}


def decision_view(
    state: GameState, decision: Decision, most: int | None = None,
    views: dict[Any, Any] | None = None,
) -> View:
    """An engine's decision, with at most `most` moves, the best first.

    `views` of moves and lines are cached between decisions, since they take most of the time.
    """
    views = {} if views is None else views
    if len(views) > _MOST_VIEWS:
        views.clear()
    moves = list(dict.fromkeys((
        decision.move, *decision.policy, *decision.values, *decision.visits, *decision.priors
    )))
    moves.sort(key=lambda move: (
        move != decision.move, -decision.visits.get(move, 0), -decision.policy.get(move, 0.0),
        -decision.values.get(move, -2.0),
    ))
    columns: dict[str, Mapping[Move, float]] = {
        "visits": decision.visits, "share": decision.policy, "value": decision.values,
        "prior": decision.priors,
    }
    for move in moves[:most]:
        if move not in views:
            views[move] = move_view(state, move)
    lines: dict[Move, list[View]] = {}
    for line in decision.lines:
        if line not in views:
            views[line] = line_view(state, line)
        lines[line[0]] = views[line]
    cost = decision.cost
    return {
        **views[decision.move], "black": black_share(decision, state.next_player),
        "value": decision.value, "lead": lead_of(decision.score, state.next_player),
        "proven": decision.proven, "depth": decision.depth,
        "line": line_view(state, decision.pv),
        "moves": [
            views[move] | {
                name: numbers[move] for name, numbers in columns.items() if move in numbers
            } | ({"line": lines[move]} if move in lines else {})
            for move in moves[:most]
        ],
        "cost": {"simulations": cost.simulations, "nodes": cost.nodes, "wall": cost.wall_seconds},
    }


def line_view(state: GameState, line: Iterable[Move]) -> list[View]:
    """The first moves of an expected line that are legal."""
    moves = []
    for move in islice(line, _LINE):
        if not state.is_valid_move(move):
            break
        moves.append(move_view(state, move))
        state = state.apply_move(move)
    return moves


def turn_view(state: GameState, moves: Iterable[Move]) -> View:
    """The moves of one turn: its text and its path; [] if it does not end on a cell."""
    turn, game, player = [*moves], state.game, state.next_player.index
    clicks = []
    for move in turn:
        clicks.append(cell_move(state, move))
        state = state.apply_move(move)
    on_cells = [click for click in clicks if click is not None]
    path = _path(game, on_cells) if clicks and len(on_cells) == len(clicks) else []
    return {"text": turn_text(game, turn), "path": path, "player": player}
