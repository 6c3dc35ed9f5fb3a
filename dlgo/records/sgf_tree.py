"""The tree of a game of Go in an SGF file: the main line by the rules, and what leaves it."""

from __future__ import annotations

from sgfmill import sgf, sgf_properties
from sgfmill.sgf_grammar import Coarse_game_tree

from dlgo.api import Move
from dlgo.errors import IllegalMoveError
from dlgo.game_tree import Node
from dlgo.records import sgf_values
from dlgo.records.sgf import PlayedRecord
from dlgo.records.sgf_record import GameRecordSgf, remarks_of

# Of all variations together; a dictionary of openings would take too much memory.
MAX_NODES = 10_000


def game_tree_of(record: GameRecordSgf, game: PlayedRecord) -> tuple[Node, dict[int, Node], str]:
    """The game of a record as a tree; its nodes by the moves of the file; a note on what is cut.

    Moves by which `game` begins, such as handicap stones, have the root as their node. A move out
    of turn has a node for the pass before it.
    """
    begin, start = game.positions[0]
    root = Node(start)
    first = range(begin + 1) if begin == record.placed else [begin]
    nodes = dict.fromkeys(first, root)
    node = root
    for number, state in game.positions[1:]:
        assert state.last_move is not None and state.previous_state is not None
        if state.previous_state is not node.state:
            node = node.add([Move.pass_turn()])
        child = Node(state, (state.last_move,), parent=node)
        node.children.append(child)
        nodes[number] = node = child
    for number, tree_node in nodes.items():
        if number in record.comments:
            tree_node.say(record.comments[number])
        tree_node.markup |= record.markup.get(number, {})
    cut = _Grower(record.size).grow(
        [(nodes.get(number), tree) for number, tree in record.variations])
    return root, nodes, f"variations that cannot be read to their ends: {cut}" if cut else ""


class _Grower:
    """Adds variations to a tree, each up to what the rules forbid or stones that are set up."""

    def __init__(self, size: int) -> None:
        self._presenter = sgf_properties.Presenter(size, "UTF-8")
        self._size, self._left = size, MAX_NODES

    def grow(self, lines: list[tuple[Node | None, Coarse_game_tree]]) -> int:
        """Add lines to their nodes; returns how many were cut or had no node."""
        cut, waiting = 0, lines[::-1]
        while waiting:
            node, tree = waiting.pop()
            for properties in tree.sequence:
                node = node and self._follow(node, sgf.Node(properties, self._presenter))
            cut += node is None
            if node is not None:
                waiting += [(node, child) for child in reversed(tree.children)]
        return cut

    def _follow(self, node: Node, sgf_node: sgf.Node) -> Node | None:
        """The node after that of the file, which can be the same; None if it cannot be read."""
        try:
            setup = sgf_values.setup_of(sgf_node, 0)
            if setup.black or setup.white or setup.empty or not self._left:
                return None
            if sgf_node.has_property("B") or sgf_node.has_property("W"):
                player, move = sgf_values.move_of(sgf_node, self._size, 0)
                if player is not node.state.next_player:
                    node = node.add([Move.pass_turn()])
                node = node.add([move])
                self._left -= 1
        except (ValueError, IllegalMoveError):
            return None
        text, marks = remarks_of(sgf_node)
        node.say(text)
        node.markup |= marks
        return node
