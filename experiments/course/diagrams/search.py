"""Pictures of searches: both are recordings of the textbook engines in tic-tac-toe."""

from __future__ import annotations

import dlgo
from engines.watching.events import BackedUp, Expanded, Selected, Simulated
from engines.watching.recording import Recording, watch
from engines.watching.tree import SearchTree
from experiments.course.diagrams.kit import SMALL, Box, Diagram, number

# Where textbook-mcts is after ten simulations with this seed: each move of the root has been tried,
# and the eleventh simulation takes all four steps. No game so far was a draw.
_MCTS_MOVES, _MCTS_SEED, _BEFORE, _C_UCT = ("B2", "A1", "A3", "C1"), 11, 10, 0.4
# Two of three moves lose at once: the search finds it by their first answers.
_CUT_MOVES, _CUT_SEED = ("A2", "B3", "A3", "A1", "C3", "C1"), 3


def mcts_recording() -> Recording:
    """The search of `mcts_steps`."""
    game = dlgo.game("tictactoe")
    engine = f"textbook-mcts:sims={_BEFORE + 1},c_uct={_C_UCT}"
    return watch(dlgo.engine(engine, game, _MCTS_SEED), game.start().play(*_MCTS_MOVES))


def mcts_steps() -> Diagram:
    """Select, expand, simulate, back up: one simulation of a search, with its numbers."""
    recording = mcts_recording()
    ends = [i for i, event in enumerate(recording.events, 1) if isinstance(event, BackedUp)]
    first, last = ends[_BEFORE - 1 : _BEFORE + 1]
    selected, expanded, simulated = recording.events[first : first + 3]
    assert isinstance(selected, Selected) and isinstance(expanded, Expanded)
    assert isinstance(simulated, Simulated)
    leaf, winner = expanded.children[0].node, {1: "x wins", -1: "o wins", 0: "draw"}
    before, after = recording.tree(first), recording.tree(last)
    child = before.nodes[selected.child]
    diagram = Diagram(
        "The four steps of Monte Carlo tree search, with wins and visits of a real search in "
        "tic-tac-toe: select the child with the best score, expand it, simulate a random game, "
        "and back up the result.")
    diagram.line([(800, 30), (800, 870)], "grey", 2)
    diagram.line([(30, 450), (1570, 450)], "grey", 2)
    trees = before, recording.tree(first + 2), recording.tree(first + 2), after
    for i, (title, tree) in enumerate(
            zip(("1 Select", "2 Expand", "3 Simulate", "4 Back up"), trees, strict=True)):
        x, y = 20 + 800 * (i % 2), 20 + 450 * (i // 2)
        diagram.text((x + 10, y + 32), title, 40, anchor="start", bold=True)
        colours = dict.fromkeys((0, child.number, leaf), "green" if i == 3 else "blue")
        if i == 1:
            colours[leaf] = "orange"
        boxes = _mcts_tree(diagram, tree, colours, child.number if i else None, (x, y))
        if i == 0:
            for score, number_ in zip(selected.scores, tree.root.children, strict=True):
                best = number_ == child.number
                diagram.text(boxes[number_].at(0.5, 1.5), f"{score:.2f}", SMALL,
                             "blue" if best else "grey", bold=best)
            wins = f"{_wins(tree, child.number):g}/{child.visits}"
            bonus = f"{_C_UCT:g} √(ln {tree.root.visits} / {child.visits})"
            diagram.text((x + 380, y + 330), f"the highest score: {child.move}\n"
                         f"{wins} + {bonus} = {max(selected.scores):.2f}")
        elif i == 1:
            diagram.text((x + 30, y + 350), "wins/visits of the\nplayer who moved there", 32,
                         anchor="start")
        else:
            end = diagram.box(x + 30, y + 330, 170, 64, winner[int(simulated.value)], "green",
                              size=32, bold=True)
            corner = boxes[leaf].at(0.5, 1)[0], end.right[1]
            if i == 2:
                diagram.arrow(boxes[leaf].bottom, corner, end.right, dashed=True)
                diagram.text((x + 420, y + 334), "random moves " + " ".join(simulated.moves), 30)
            else:
                diagram.arrow(end.right, corner, boxes[leaf].bottom, colour="green", thick=7)
    return diagram


def _mcts_tree(diagram: Diagram, tree: SearchTree, colours: dict[int, str], chosen: int | None,
               corner: tuple[float, float]) -> dict[int, Box]:
    """The root, its children and those of the chosen one, with wins and visits.

    Edges between nodes with a colour are arrows: upwards if they are green.
    """
    x, y = corner
    boxes = {0: diagram.box(x + 290, y + 2, 200, 60, f"root  {tree.root.visits}", colours[0],
                            size=32)}
    for depth, parent in enumerate((0,) if chosen is None else (0, chosen), 1):
        children, above = tree.nodes[parent].children, boxes[parent]
        for i, child in enumerate(children):
            left = above.at(0.5, 0)[0] + 152 * (i - (len(children) - 1) / 2) - 68
            node, colour = tree.nodes[child], colours.get(child, "grey")
            score = f"{_wins(tree, child):g}/{node.visits}" if node.visits else "new"
            boxes[child] = diagram.box(
                left, y + 118 * depth, 136, 60, f"{node.move}  {score}", colour, size=30)
            ends = above.bottom, boxes[child].top
            if child not in colours:
                diagram.line(ends, colour, 3)
            else:
                diagram.arrow(*(ends[::-1] if colour == "green" else ends), colour=colour, thick=7)
    return boxes


def _wins(tree: SearchTree, node: int) -> float:
    """The wins of the player who moved there; a draw is half a win."""
    seen = tree.nodes[node]
    sign = 1 if tree.nodes[seen.parent or 0].mover == "black" else -1
    return (seen.visits + sign * seen.total) / 2


def cut_recording() -> Recording:
    """The search of `alpha_beta_window`."""
    game = dlgo.game("tictactoe")
    return watch(dlgo.engine("textbook-alphabeta:depth=9", game, _CUT_SEED),
                 game.start().play(*_CUT_MOVES))


def alpha_beta_window() -> Diagram:
    """A whole alpha-beta search: the window and the value of each position, and what is cut."""
    tree = cut_recording().tree()
    diagram = Diagram(
        "An alpha-beta search of a tic-tac-toe position with three moves: the window (alpha, beta) "
        "and the value of each position. The second and the third move are refuted by their first "
        "answers, so their other answers are cut.")
    diagram.text((40, 70), "(α, β): the window\nbold: the value\n"
                 "both of the player to move", 32, anchor="start")
    first = tree.nodes[tree.root.children[0]]
    certain = f"{first.move} gives x {number(first.value or 0)} for certain, so one"
    diagram.text((1160, 780), certain + "\nanswer that wins for o is enough")
    _cut_tree(diagram, tree, 0, (20.0, 1580.0), 20)
    return diagram


def _cut_tree(diagram: Diagram, tree: SearchTree, node: int, span: tuple[float, float],
              y: float) -> Box:
    """A position between two x, and below it those after its moves, in equal parts."""
    seen, mover = tree.nodes[node], 1 if tree.nodes[node].mover == "black" else -1
    assert seen.window is not None and seen.value is not None
    low, high = sorted(mover * bound for bound in seen.window)
    cut = bool(seen.skipped)
    card = diagram.box((span[0] + span[1]) / 2 - 121, y, 242, 124, colour="red" if cut else "blue")
    diagram.board(tree.position(node), card.x + 12, y + 12, 100)
    diagram.text((card.x + 177, y + 36), f"({number(low)}, {number(high)})", 30)
    diagram.text((card.x + 177, y + 86), number(mover * seen.value), 40, bold=True)
    moves = [*seen.children, *seen.skipped]
    step = (span[1] - span[0]) / max(len(moves), 1)
    for i, move in enumerate(moves):
        part = span[0] + i * step, span[0] + (i + 1) * step
        if isinstance(move, int):
            below = _cut_tree(diagram, tree, move, part, y + 245)
            diagram.arrow(card.bottom, below.top, colour="blue")
            (x, top), (to_x, bottom) = card.bottom, below.top
            diagram.label(((x + to_x) / 2, (top + bottom) / 2), tree.nodes[move].move or "", 30)
        else:
            below = Box(part[0] + step / 2 - 75, y + 245, 150, 124)
            diagram.rect(below, "red", fill=False, radius=14, dashed=True)
            diagram.text(below.at(0.5, 0.5), f"{move} cut:\n{number(mover * seen.value)} ≥ β", 30,
                         "red")
            diagram.line([card.bottom, below.top], "red", dashed=True)
    return card
