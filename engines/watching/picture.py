"""A picture of a search tree as SVG: a card for each node, the root on top.

A card shows the position (on small boards), the move that leads there, and visits, value and prior;
for alpha-beta the value, the window and the moves that were cut off. All values in the picture are
those of the player to move at the root, from -1 to 1. Cards have a background, so the picture is
readable on light and dark pages.

Each subtree is a group, `<g class="subtree" data-node="7" data-parent="2">`, which contains all
nodes below; a page folds it by hiding the groups inside.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from dlgo.display import board_inside, player_text
from engines.watching.tree import SearchTree, SeenNode

# Sizes of a card in pixels: width, line of text, longer side of a board.
_WIDTH, _TEXT, _BOARD = 96, 14, 72
# Gaps between cards: horizontal, vertical.
_GAP, _LEVEL = 10, 40
# Cells of the largest board that is drawn.
_SMALL = 81
_PAPER, _INK, _FAINT, _EDGE = "#fbfaf6", "#1d1d1d", "#5c5c5c", "#8a8a8a"
_LINE, _CUT, _WON, _LOST = "#d9730d", "#b3261e", "#23753a", "#93308f"


@dataclass
class _Card:
    """A node that is drawn. left_out, untried: children that are not, visited and not."""

    node: SeenNode
    children: list[_Card] = field(default_factory=list)
    left_out: int = 0
    untried: int = 0
    x: float = 0.0
    y: float = 0.0

    def all(self) -> Iterator[_Card]:
        yield self
        for child in self.children:
            yield from child.all()


def tree_svg(tree: SearchTree, line: Sequence[str] = (), most_nodes: int = 40) -> str:
    """The picture, with the positions where the board is small.

    Args:
        tree: the tree to draw.
        line: moves from the root to mark, such as the principal variation.
        most_nodes: maximum number of cards; a card tells how many of its children are left out.
            For a tree search the most visited nodes are drawn, for alpha-beta those nearest to
            the root.
    """
    rows, cols = tree.state.game.board_rows, tree.state.game.board_cols
    scale = _BOARD / max(rows, cols) if rows * cols <= _SMALL else 0.0
    return _Picture(tree, line, most_nodes, (scale * cols, scale * rows)).svg()


class _Picture:
    def __init__(
        self, tree: SearchTree, line: Sequence[str], most_nodes: int, board: tuple[float, float]
    ) -> None:
        self.tree, self.board = tree, board
        self.sign = 1 if tree.root.mover == "black" else -1
        self.marked = set(tree.line(list(line)))
        self.root = _choose(tree, most_nodes)
        lines = max(len(self.texts(card)) for card in self.root.all())
        self.height = board[1] + 6 + (6 if board[1] else 0) + _TEXT * lines
        _place(self.root, 0, self.height + _LEVEL)

    def svg(self) -> str:
        cards, state = [*self.root.all()], self.tree.state
        mover = player_text(state.game, state.next_player)
        caption = f"values for {mover}, the player to move at the root; orange: the expected line"
        least = 6.2 * len(caption) / 2
        left = min(self.root.x - least, *(card.x - _WIDTH / 2 - _GAP for card in cards))
        right = max(self.root.x + least, *(card.x + _WIDTH / 2 + _GAP for card in cards))
        width, height = right - left, max(card.y for card in cards) + self.height + 38
        return "".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{left:.0f} -8 {width:.0f} {height:.0f}" font-family="sans-serif" '
            'font-size="11" text-anchor="middle">',
            self.subtree(self.root, None),
            _pill(self.root.x, height - 30, caption), "</svg>",
        ])

    def subtree(self, card: _Card, parent: _Card | None) -> str:
        node = card.node
        above = "" if parent is None else f' data-parent="{parent.node.number}"'
        parts = [f'<g class="subtree" data-node="{node.number}"{above}>']
        if parent is not None:
            parts.append(self.edge(card, parent))
        parts.append(self.card(card))
        parts += (self.subtree(child, card) for child in card.children)
        return "".join([*parts, "</g>"])

    def edge(self, card: _Card, parent: _Card) -> str:
        """A curve whose width grows with the share of the parent's visits."""
        share = card.node.visits / max(parent.node.visits, 1)
        top, bottom = parent.y + self.height, card.y
        middle = (top + bottom) / 2
        colour = _LINE if card.node.number in self.marked else _EDGE
        return (
            f'<path d="M{parent.x:.1f} {top:.1f}C{parent.x:.1f} {middle:.1f} {card.x:.1f} '
            f'{middle:.1f} {card.x:.1f} {bottom:.1f}" fill="none" stroke="{colour}" '
            f'stroke-width="{1.2 + 5 * share:.1f}"/>'
        )

    def card(self, card: _Card) -> str:
        """The position and its statistics."""
        node, left = card.node, card.x - _WIDTH / 2
        edge, width = _EDGE, 1.0
        if node.proven is not None:
            edge, width = {1: _WON, 0: _FAINT, -1: _LOST}[self.sign * node.proven], 2
        if node.number in self.marked:
            edge, width = _LINE, 2.5
        parts = [
            f'<rect x="{left:.1f}" y="{card.y:.1f}" width="{_WIDTH}" height="{self.height:.1f}" '
            f'rx="5" fill="{_PAPER}" stroke="{edge}" stroke-width="{width}"/>'
        ]
        y = card.y + 6
        if self.board[1]:
            state = self.tree.position(node.number)
            parts.append(board_inside(state, card.x - self.board[0] / 2, y, *self.board))
            y += self.board[1] + 2
        for text, style in self.texts(card):
            y += _TEXT
            parts.append(f'<text x="{card.x:.1f}" y="{y - 3:.1f}" {style}>{escape(text)}</text>')
        return "".join(parts)

    def texts(self, card: _Card) -> list[tuple[str, str]]:
        """The lines on a card, each with its style."""
        node, plain = card.node, f'fill="{_INK}"'
        faint, red = f'fill="{_FAINT}"', f'fill="{_CUT}" font-weight="bold"'
        title = node.move or "root"
        if self.tree.is_alphabeta:
            title += ": max" if node.mover == self.tree.root.mover else ": min"
        lines = [(title, f'{plain} font-weight="bold"')]
        if self.tree.is_alphabeta:
            lines.append((self.alphabeta_text(node), plain))
            low, high = sorted(self.sign * bound for bound in node.window or (-1, 1))
            lines.append((f"window {_number(low)} {_number(high)}", faint))
        else:
            lines.append((f"{node.visits} visit{'s' * (node.visits != 1)}", plain))
            if node.worth is not None:
                lines.append((self.worth_text(node), plain))
            if node.prior is not None:
                lines.append((f"prior {node.prior:.0%}", faint))
        if node.skipped:
            more = f" +{len(node.skipped) - 2}" if len(node.skipped) > 2 else ""
            lines.append((f"cut: {', '.join(node.skipped[:2])}{more}", red))
        if card.left_out:
            lines.append((f"and {card.left_out} more", faint))
        if card.untried:
            lines.append((f"{card.untried} not tried", faint))
        return lines

    def worth_text(self, node: SeenNode) -> str:
        """A proof in words, else the mean."""
        if node.proven is not None:
            return {1: "proven win", 0: "proven draw", -1: "proven loss"}[self.sign * node.proven]
        return "" if node.worth is None else f"value {_number(self.sign * node.worth)}"

    def alphabeta_text(self, node: SeenNode) -> str:
        """The value, or its bound if the search did not need the exact value."""
        if node.value is None:
            return "not yet known"
        low, high = sorted(self.sign * bound for bound in self.tree.bounds(node.number))
        if low == high:
            noun = "estimate" if node.reason == "estimate" else "value"
            return f"{noun} {_number(low)}"
        if high == 1:
            return f"at least {_number(low)}"
        return f"at most {_number(high)}" if low == -1 else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    text = f"{value + 0.0:+.2f}"
    return {"+1.00": "+1", "-1.00": "-1", "+0.00": "0", "-0.00": "0"}.get(text, text)


def _pill(x: float, y: float, text: str) -> str:
    width = 6.2 * len(text)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="18" rx="9" '
        f'fill="{_PAPER}"/><text x="{x:.1f}" y="{y + 13:.1f}" fill="{_INK}">{escape(text)}</text>'
    )


def _choose(tree: SearchTree, most_nodes: int) -> _Card:
    """The cards that are drawn: the most visited nodes, or those nearest to the root."""
    root = _Card(tree.root)
    cards = {0: root}
    order: list[tuple[int, int, int]] = []

    def offer(card: _Card, depth: int) -> None:
        for number in card.node.children:
            node = tree.nodes[number]
            if node.visits or tree.is_alphabeta or card is root:
                heapq.heappush(order, (depth if tree.is_alphabeta else -node.visits, number, depth))

    offer(root, 1)
    while order and len(cards) < most_nodes:
        _, number, depth = heapq.heappop(order)
        card = cards[number] = _Card(tree.nodes[number])
        offer(card, depth + 1)
    for card in cards.values():
        card.children = [cards[child] for child in card.node.children if child in cards]
        missing = [tree.nodes[child] for child in card.node.children if child not in cards]
        card.untried = sum(not node.visits and not tree.is_alphabeta for node in missing)
        card.left_out = len(missing) - card.untried
    return root


def _place(card: _Card, y: float, level: float) -> list[tuple[float, float]]:
    """Place a card and those below, close together; the outermost middles on each level."""
    card.y = y
    outline: list[tuple[float, float]] = []
    for child in card.children:
        below = _place(child, y + level, level)
        shift = max(
            (right + _WIDTH + _GAP - left
             for (_, right), (left, _) in zip(outline, below, strict=False)), default=0.0,
        )
        for moved in child.all():
            moved.x += shift
        shifted = [(left + shift, right + shift) for left, right in below]
        outline = [
            (min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(outline, shifted, strict=False)
        ] + (outline[len(shifted):] or shifted[len(outline):])
    if card.children:
        card.x = (card.children[0].x + card.children[-1].x) / 2
    return [(card.x, card.x), *outline]
