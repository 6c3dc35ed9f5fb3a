"""The count of a game of Go with stones that the players agree are dead, beside the rules' result.

The rules count every stone on the board as alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameState, Player, Point
from dlgo.display import cell_number
from dlgo.game_tree import Node, cells_of, point_of
from dlgo.games.go.scoring import dead_chains, score
from experiments.play.game_file import SavedGame
from experiments.studio import replies

View = dict[str, Any]
_TERRITORY = {Player.black: "TB", Player.white: "TW"}  # SGF's properties


def can_count(state: GameState) -> bool:
    """Whether two passes have ended a game of Go."""
    last = state.last_move
    return state.game.name == "go" and state.is_over() and last is not None and last.is_pass


def count_view(state: GameState, dead: Iterable[Point], proposed: bool) -> View:
    """The count without the chains of `dead`: points of each, and the `owner` of each cell (-1:
    nobody)."""
    stones, counted = state.game.stones(state), score(state, [*dead])
    cells = state.game.board_rows * state.game.board_cols
    owner = [-1] * cells
    for point, player in counted.owner.items():
        owner[cell_number(state.game, point)] = -1 if player is None else player.index
    gone = [point for point, player in stones.items() if counted.owner[point] is not player]
    margin = counted.margin
    winner = Player.black if margin > 0 else Player.white
    return {
        "dead": sorted(cell_number(state.game, point) for point in gone), "owner": owner,
        "black": counted.black, "white": counted.white, "komi": counted.komi,
        "result": f"{winner.name} wins by {abs(margin):g}" if margin else "draw",
        "proposed": proposed,
    }


@lru_cache(64)
def alive_view(state: GameState) -> View | None:
    """The count by the rules, which take all stones as alive; None if there is nothing to count."""
    return count_view(state, (), False) if can_count(state) else None


def counted_view(state: GameState, previous: View | None, toggle: int | None) -> View:
    """A proposal or, with the cell of a chain, the count `before` with this chain the other way.

    Raises StudioError if nothing can be counted, or no stone is there.
    """
    if not can_count(state):
        raise replies.StudioError("dead stones are marked after two passes in Go")
    if previous is None or toggle is None:
        return count_view(state, dead_chains(state), True)
    stones = {cell_number(state.game, point): point for point in state.game.stones(state)}
    if toggle not in stones:
        raise replies.StudioError("there is no stone to mark; click one that is dead")
    chain = count_view(state, [stones[toggle]], False)["dead"]  # whole: one stone marks all
    dead = {*previous["dead"]}
    dead = dead.difference(chain) if toggle in dead else dead.union(chain)
    return count_view(state, [stones[cell] for cell in dead], False)


def write_count(node: Node, count: View) -> None:
    """Note a count on the last node of a game, as SGF's territory and as a comment."""
    game = node.state.game
    stones = {cell_number(game, point): player.index
              for point, player in game.stones(node.state).items()}
    for player, key in _TERRITORY.items():
        cells = [cell for cell, owner in enumerate(count["owner"])
                 if owner == player.index != stones.get(cell)]
        node.markup.pop(key, None)
        if cells:
            node.markup[key] = [point_of(cell, game.board_rows, game.board_cols) for cell in cells]
    text = (f"Counted with dead stones removed: black {count['black']}, white {count['white']} + "
            f"{count['komi']:g}: {count['result']}.")
    if text not in node.comment:
        node.say(text)


def count_in(saved: SavedGame) -> View | None:
    """The count in a file, as `write_count` writes it; None if there is none."""
    if saved.root is None or not can_count(saved.state):
        return None
    game, marks = saved.state.game, saved.root.main_line()[-1].markup
    stones, size = game.stones(saved.state), (game.board_rows, game.board_cols)
    points = {cell_number(game, point): point for point in stones}
    owned = [(cell, player) for player, key in _TERRITORY.items() for value in marks.get(key, ())
             for cell in cells_of(value, *size)]
    dead = [points[cell] for cell, player in owned
            if cell in points and stones[points[cell]] is not player]
    return count_view(saved.state, dead, False) if owned else None


def routes(studio: Any) -> list[Route]:
    """The route of the count."""
    async def count(request: Request) -> Response:
        """Propose the dead stones or, with `toggle`, a cell, change one chain."""
        fields = await replies.read_object(request)
        game, seat = studio.games.seated(request)
        seat.check_plays()
        most = game.state.game.board_rows * game.state.game.board_cols - 1
        toggle = fields.get("toggle")
        if toggle is not None:
            toggle = replies.whole_of(fields, "toggle", 0, most)
        state = game.state
        view = await asyncio.to_thread(counted_view, state, game.count, toggle)
        game.set_count(state, view)
        return replies.json_reply({})

    return [Route("/api/games/{id}/count", count, methods=["POST"])]
