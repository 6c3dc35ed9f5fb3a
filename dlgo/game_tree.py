"""A game with its variations: a tree of positions, each with its comment and its marks.

    root = tree_of(state)                  # the line that has led to a position
    node = root.children[0]                # after the first turn
    variation = node.add([Move.play(...)]) # another turn from there

The first children are the main line. A node's `markup` holds properties of SGF as they are written
in a file, for any game: `{"LB": [b"cc:A"], "AR": [b"cc:ee"]}`, with columns from the left and rows
from the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from dlgo.api import GameSpec, GameState
from dlgo.moves import Move, Player

# Characters of a comment that ends no line and has no place in a file.
_CONTROL = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@dataclass(eq=False)
class Node:
    """A position, the turn that led to it, what is said about it, and what follows."""

    state: GameState
    moves: tuple[Move, ...] = ()  # the turn; none at the root
    comment: str = ""
    markup: dict[str, list[bytes]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    parent: Node | None = field(default=None, repr=False)

    def add(self, moves: Iterable[Move]) -> Node:
        """The child that a turn leads to; a new one if there is none. Raises IllegalMoveError."""
        turn = tuple(moves)
        for child in self.children:
            if child.moves == turn:
                return child
        child = Node(self.state.play(*turn), turn, parent=self)
        self.children.append(child)
        return child

    def lead(self) -> None:
        """Become the first child of the parent."""
        if self.parent is not None:
            self.parent.children.remove(self)
            self.parent.children.insert(0, self)

    def say(self, text: str) -> None:
        """Add to the comment."""
        self.comment = "\n\n".join(filter(None, (self.comment, text)))

    def line(self) -> list[Node]:
        """The nodes that lead here, without the root."""
        line, node = [], self
        while node.parent is not None:
            line.append(node)
            node = node.parent
        return line[::-1]

    def main_line(self) -> list[Node]:
        """This node and the first children after it."""
        line = [self]
        while line[-1].children:
            line.append(line[-1].children[0])
        return line

    def walk(self) -> Iterator[Node]:
        """This node and all that follow, variations after the main line."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def copy(self) -> Node:
        """The node and all that follow, which may be changed then."""
        copies: dict[Node | None, Node] = {}
        for node in self.walk():
            twin = copies[node] = replace(
                node, markup=dict(node.markup), children=[], parent=copies.get(node.parent))
            if twin.parent is not None:
                twin.parent.children.append(twin)
        return copies[self]


def tree_of(state: GameState, tree: Node | None = None) -> Node:
    """A tree whose main line leads to a position: a copy of `tree`, if it has the same start.

    A line of `tree` that goes elsewhere becomes a variation; what follows the position is left
    out.
    """
    start, moves = state.history()
    same = tree is not None and tree.state == start
    root = tree.copy() if tree is not None and same else Node(start)
    node = root
    for _, turn in grouped_turns(state.game, moves):
        node = node.add(turn)
        node.lead()
    node.children = []
    return root


def grouped_turns(
    game: GameSpec, moves: Iterable[tuple[Player, Move]]
) -> list[tuple[Player, list[Move]]]:
    """Moves of a game, with who makes them, as turns: the jumps of a capture are one."""
    turns: list[tuple[Player, list[Move]]] = []
    for player, move in moves:
        goes_on = turns and player is turns[-1][0]
        if goes_on and len(game.whole_moves([*turns[-1][1], move])) == 1:
            turns[-1][1].append(move)
        else:
            turns.append((player, [move]))
    return turns


def clean_comment(text: str) -> str:
    """A comment as files store it: lines end with a line feed; surrounding space is removed."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _CONTROL.sub(" ", re.sub(r"\r\n?", "\n", text)).strip()


# Marks on cells: the letters of SGF, from the top left.

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHAPES = {"CR": "circle", "TR": "triangle", "SQ": "square", "MA": "cross"}


def point_of(cell: int, rows: int, cols: int) -> bytes:
    """SGF's name of a cell, which is counted row by row from the bottom left."""
    return (_LETTERS[cell % cols] + _LETTERS[rows - 1 - cell // cols]).encode()


def cells_of(value: bytes, rows: int, cols: int) -> list[int]:
    """The cells that `cc` or the rectangle `cc:ee` names; no cells if it names none."""
    text = value.decode("ascii", "replace").strip()
    if not re.fullmatch(r"[a-zA-Z]{2}(:[a-zA-Z]{2})?", text):
        return []
    (left, top), (right, bottom) = (map(_LETTERS.index, part) for part in (text[:2], text[-2:]))
    return [
        (rows - 1 - row) * cols + col for row in range(top, bottom + 1) if row < rows
        for col in range(left, right + 1) if col < cols
    ]


def text_value(text: str) -> bytes:
    """A text as a value of SGF."""
    return re.sub(r"([\]\\:])", r"\\\1", text).encode("utf-8", "replace")


def text_of(value: bytes) -> str:
    """The text of a value of SGF."""
    return re.sub(r"\\(.)", r"\1", value.decode("utf-8", "replace"), flags=re.DOTALL)


def labels_of(values: Sequence[bytes], rows: int, cols: int) -> dict[int, str]:
    """The texts on cells that LB gives."""
    pairs = (value.partition(b":") for value in values)
    return {
        cell: text_of(text) for place, _, text in pairs for cell in cells_of(place, rows, cols)
    }


def arrows_of(values: Sequence[bytes], rows: int, cols: int) -> list[tuple[int, int]]:
    """The cells from which, and to which, the arrows of AR point."""
    pairs = ([cells_of(part, rows, cols) for part in value.split(b":")] for value in values)
    return [(ends[0][0], ends[1][0]) for ends in pairs if len(ends) == 2 and all(ends)]
