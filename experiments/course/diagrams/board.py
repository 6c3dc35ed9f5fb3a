"""Pictures of rules: liberties, and the keys of positions."""

from __future__ import annotations

from dlgo import Player
from experiments.chapters.ch02 import chain, position
from experiments.course.diagrams.kit import Diagram

# The numbers of two stones, four bits each, and the moves of `zobrist_keys`.
STONES = {"black C3": 0b1010, "white D4": 0b0110}


def liberties() -> Diagram:
    """A chain, its liberties, and its capture."""
    state = position((".....", ".oxo.", ".ox..", "..xo.", "....."), Player.white)
    before = state.play("C5", "pass", "D3", "pass", "B2", "pass")
    after = before.play("C1")
    free = sorted(chain(state, "C3").liberties)
    diagram = Diagram(
        f"A chain of three black stones with {len(free)} liberties, numbered; with one liberty "
        "left; and captured, when White fills the last one.", 720)
    boxes = []
    for i, (board, text) in enumerate(
            ((state, f"{len(free)} liberties"), (before, "1 liberty"), (after, "captured"))):
        box = diagram.board(board, 60 + 520 * i, 100, 440)
        boxes.append(box)
        diagram.text(box.at(0.5, 1.2), text, 44, bold=True)
        points = sorted(chain(board, "C3").liberties) if i < 2 else []
        for n, point in enumerate(points, 1):
            place = box.at((point.col - 0.5) / 5, (5.5 - point.row) / 5)
            diagram.circle(place, 32, "green", str(n), size=36, bold=True)
    for left, right in zip(boxes, boxes[1:], strict=False):
        diagram.arrow((left.right[0] + 10, left.right[1]), (right.left[0] - 10, right.left[1]),
                      thick=7)
    return diagram


def zobrist_keys() -> Diagram:
    """A key changes by one exclusive or for each stone that appears or disappears."""
    diagram = Diagram(
        "Zobrist keys with four bits: the key of a position is the exclusive or of the numbers of "
        "its stones, so a stone that appears or disappears costs one operation.", 760)
    first, second = STONES.values()
    boards = ("..x..", "....."), ("..x..", "...o."), (".....", "...o.")
    stones = first, second, first
    texts = "Black plays C3", "White plays D4", "Black's C3 is captured"
    key = 0
    for i, ((third, fourth), stone, text) in enumerate(zip(boards, stones, texts, strict=True)):
        state = position((".....", fourth, third, ".....", "....."))
        x = diagram.board(state, 110 + 510 * i, 30, 360, labels=True).at(0.5, 0)[0]
        diagram.text((x, 480), text)
        for y, mark, bits in ((540, "", key), (596, "⊕", stone)):
            diagram.text((x + 60, y), f"{bits:04b}", 48, anchor="end", mono=True)
            if mark:
                diagram.text((x - 90, y), mark, 44, anchor="end")
        diagram.line([(x - 140, 628), (x + 70, 628)])
        key ^= stone
        diagram.box(x - 130, 646, 260, 84, f"{key:04b}", "blue", size=54, bold=True, mono=True)
    return diagram
