"""The tree of variations of a game, for Analyse: its nodes by number, and the requests for them.

The root is node 0; nodes of the main line that was there first are numbered by their turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameState
from dlgo.game_tree import (
    SHAPES,
    Node,
    arrows_of,
    cells_of,
    clean_comment,
    labels_of,
    point_of,
    tree_of,
)
from dlgo.text import one_line
from experiments.play.cell_moves import turn_text, turns_played
from experiments.studio import replies
from experiments.studio.position import find_turn, position_view

# Positions of one tree; a limit of memory.
_MOST_NODES = 5_000
_LONGEST_COMMENT = 10_000
_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

View = dict[str, Any]


class Tree:
    """The nodes of a game by their numbers.

    Args:
        state: where the main line leads.
        known: the tree of the game's file.
    """

    def __init__(self, state: GameState, root: Node | None = None) -> None:
        self.root = tree_of(state, root)
        self.lock = asyncio.Lock()  # held while the tree is changed or read in another thread
        self._nodes: list[Node | None] = []  # by number; None where deleted
        self._numbers: dict[Node, int] = {}
        for node in self.root.walk():
            self.number_of(node)

    def number_of(self, node: Node) -> int:
        """The number of a node; a new one gets the next number."""
        if node not in self._numbers:
            self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return self._numbers[node]

    def node(self, number: int) -> Node:
        """The node of a number. Raises StudioError."""
        node = self._nodes[number] if number < len(self._nodes) else None
        if node is None:
            raise replies.StudioError("this variation was deleted; reload the page", 404)
        return node

    def view(self) -> list[View]:
        """All nodes in the order of `Node.walk`."""
        rows: list[View] = []
        plies: dict[Node | None, int] = {None: 0}
        for node in self.root.walk():
            parent = node.parent
            plies[node] = plies[parent] + len(node.moves)
            rows.append({
                "id": self._numbers[node], "plies": plies[node], "comment": node.comment,
                "parent": parent and self._numbers[parent],
                "player": parent and parent.state.next_player.index,
                "text": turn_text(node.state.game, node.moves) if node.moves else "",
            })
        return rows

    def position(self, node: Node) -> View:
        """The position of a node, with its marks."""
        size = node.state.game.board_rows, node.state.game.board_cols
        marks = node.markup
        return position_view(node.state) | {
            "node": self._numbers[node], "comment": node.comment,
            "plies": sum(len(ancestor.moves) for ancestor in node.line()),
            "labels": labels_of(marks.get("LB", ()), *size),
            "arrows": arrows_of(marks.get("AR", ()), *size),
            "shapes": {cell: shape for key, shape in SHAPES.items()
                       for value in marks.get(key, ()) for cell in cells_of(value, *size)},
        }

    # Changes. Each returns the node to look at then.

    def play(self, node: Node, text: str) -> Node:
        """Follow a turn; a new one becomes the last variation. Raises DlgoError if illegal."""
        child = node.add(find_turn(node.state, text))
        if child not in self._numbers and len(self._numbers) >= _MOST_NODES:
            node.children.remove(child)
            raise replies.StudioError(f"a game here has at most {_MOST_NODES} positions")
        self.number_of(child)
        return child

    def lead_to(self, state: GameState) -> None:
        """Make a line the main line."""
        node = self.root
        for _, turn in turns_played(state):
            node = node.add(turn)
            node.lead()
            self.number_of(node)

    def comment(self, node: Node, text: str) -> Node:
        """Replace the comment of a node. Raises StudioError if it is too long."""
        if len(text) > _LONGEST_COMMENT:
            raise replies.StudioError(f"a comment has at most {_LONGEST_COMMENT:,} characters")
        node.comment = clean_comment(text)
        return node

    def draw(self, node: Node, start: int, end: int) -> Node:
        """Draw an arrow or, from a cell to itself, a letter; what is there already goes away."""
        rows, cols = node.state.game.board_rows, node.state.game.board_cols
        if not 0 <= min(start, end) <= max(start, end) < rows * cols:
            raise replies.StudioError(f"cells are 0 to {rows * cols - 1}")
        place = point_of(start, rows, cols)
        if start == end:
            key, values = "LB", node.markup.get("LB", [])
            drawings = [value for value in values if value.startswith(place + b":")]
            letters = labels_of(values, rows, cols).values()
            letter = next((letter for letter in _LABELS if letter not in letters), "Z")
            new = place + b":" + letter.encode()
        else:
            key, values = "AR", node.markup.get("AR", [])
            new = place + b":" + point_of(end, rows, cols)
            drawings = [value for value in values if value == new]
        values = [value for value in values if value not in drawings] + ([] if drawings else [new])
        node.markup.pop(key, None)
        if values:
            node.markup[key] = values
        return node

    def promote(self, node: Node) -> Node:
        """Put the variation of a node before the others where it leaves them."""
        for ancestor in reversed(node.line()):
            if ancestor.parent and ancestor.parent.children[0] is not ancestor:
                ancestor.lead()
                break
        return node

    def delete(self, node: Node) -> Node:
        """Remove a node and all that follows; the one before it is left."""
        if node.parent is None:
            raise replies.StudioError("the start of a game cannot be deleted")
        node.parent.children.remove(node)
        for gone in node.walk():
            self._nodes[self._numbers.pop(gone)] = None
        return node.parent


def routes(studio: Any) -> list[Route]:
    """The routes of trees."""
    async def show(request: Request) -> Response:
        """The tree, and the position of `?node=N`, or of the end of the main line."""
        game = studio.games.of(request)
        tree = game.tree
        last = tree.number_of(tree.root.main_line()[-1])
        return await _answer(tree, replies.query_number(request, "node", last), lambda node: node)

    async def change(request: Request) -> Response:
        """Change a `node` by one of `move`, `comment`, `draw`, `promote`, `delete`."""
        body = await replies.read_object(request)
        game = studio.games.of(request)
        if game.seats.shared:
            raise replies.StudioError("this game is played by others, too: analyse a copy", 403)
        tree = game.tree
        number = replies.whole_of(body, "node", 0, 2**31)
        if "move" in body:
            work = partial(tree.play, text=replies.text_of(body, "move"))
        elif isinstance(body.get("comment"), str):
            work = partial(tree.comment, text=body["comment"])
        elif "draw" in body:
            start, end = _cells(body["draw"])
            work = partial(tree.draw, start=start, end=end)
        elif "promote" in body or "delete" in body:
            work = tree.promote if "promote" in body else tree.delete
        else:
            raise replies.StudioError("name one of move, comment, draw, promote, delete")
        answer = await _answer(tree, number, work)
        game.follow_tree()
        return answer

    path = "/api/games/{id}/tree"
    return [Route(path, show), Route(path, change, methods=["POST"])]


def _cells(ends: Any) -> tuple[int, int]:
    if not isinstance(ends, list) or [type(cell) for cell in ends] != [int, int]:
        raise replies.StudioError(f"draw must be two cells, not {one_line(repr(ends))[:60]}")
    return ends[0], ends[1]


async def _answer(tree: Tree, number: int, work: Callable[[Node], Node]) -> Response:
    def view() -> View:
        node = work(tree.node(number))
        return {"position": tree.position(node), "nodes": tree.view()}

    async with tree.lock:
        return replies.json_reply(await asyncio.to_thread(view))
