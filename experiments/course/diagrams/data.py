"""Pictures of data and tests: a split that leaks, the interval of a match."""

from __future__ import annotations

import numpy as np

from experiments.course.diagrams.kit import SMALL, Box, Diagram, Plot
from reports.intervals import share_margin

GAMES, POSITIONS = 10, 10  # of `leaking_split`; a tenth of them is held back
MATCHES, SHARE = (20, 80, 320, 1280), 0.6  # numbers of games, and the score in each


def held_back(whole_games: bool) -> np.ndarray:
    """bool[games, positions]: a tenth of the positions, or of the games."""
    rng = np.random.default_rng(3)
    tests = np.zeros((GAMES, POSITIONS), bool)
    if whole_games:
        tests[rng.integers(GAMES)] = True
    else:
        tests.flat[rng.choice(tests.size, tests.size // 10, replace=False)] = True
    return tests


def leaks(tests: np.ndarray) -> int:
    """The number of held-back positions whose game is also in the training data."""
    return int((tests & ~tests.all(axis=1, keepdims=True)).sum())


def leaking_split() -> Diagram:
    """Positions of one game on both sides of a split, against games split whole."""
    diagram = Diagram(
        "Ten games of ten positions, a tenth held back for the test. If positions are held back, "
        "each one has neighbours of its own game, with the same winner, in the training data. If "
        "games are held back whole, none has.")
    winners = np.random.default_rng(5).integers(2, size=GAMES)
    for left, title, whole in ((40, "split by position", False), (860, "split by game", True)):
        tests = held_back(whole)
        diagram.text((left + 350, 45), title, 44, bold=True)
        for i, row in enumerate(tests):
            y = 100 + 60 * i
            for j, test in enumerate(row):
                diagram.rect(Box(left + 54 * j, y, 46, 46), "orange" if test else "blue", radius=6)
                if test:
                    diagram.text((left + 54 * j + 23, y + 23), "T", SMALL, bold=True)
            winner = "x won" if winners[i] else "o won"
            diagram.text((left + 560, y + 23), winner, 32, anchor="start")
        number, total = leaks(tests), int(tests.sum())
        diagram.text((left + 350, 740), f"{number} of {total} tests:", 40, bold=True)
        diagram.text((left + 350, 800), "their game and its winner are known", 34)
    diagram.text((390, 868), "each row is a game", 32, "grey")
    diagram.text((1210, 868), "T: held back for the test", 32, "grey")
    return diagram


def interval_of_a_match() -> Diagram:
    """The 95% interval of the same score after more and more games."""
    diagram = Diagram(
        f"The 95% interval of a score of {SHARE:.0%} after {', '.join(map(str, MATCHES[:-1]))} and "
        f"{MATCHES[-1]} games: four times the games halve it. With {MATCHES[0]} games it contains "
        "50%.", 760)
    plot = Plot(diagram, Box(330, 90, 900, 520), (0.35, 0.0), (0.85, float(len(MATCHES))))
    plot.curve([(0.5, 0), (0.5, len(MATCHES))], "grey", 5, dashed=True)
    diagram.text((plot.place(0.5, 0)[0], 50), "equal", 36, "grey")
    for i, games in enumerate(MATCHES):
        y, margin = len(MATCHES) - i - 0.5, share_margin(SHARE, games)
        colour = "orange" if SHARE - margin < 0.5 else "blue"
        middle, low, high = (plot.place(SHARE + shift, y) for shift in (0, -margin, margin))
        diagram.line([low, high], colour, 14)
        for end in (low, high):
            diagram.line([(end[0], end[1] - 22), (end[0], end[1] + 22)], colour, 8)
        diagram.circle(middle, 17, colour)
        diagram.text((40, middle[1]), f"{games} games", 40, anchor="start", bold=True)
        text = f"{SHARE - margin:.0%} to {SHARE + margin:.0%}"
        diagram.text((1560, middle[1]), text, 40, anchor="end")
    diagram.arrow(plot.place(0.35, 0), plot.place(0.85, 0))
    for tick in (0.4, 0.5, 0.6, 0.7, 0.8):
        x, y = plot.place(tick, 0)
        diagram.line([(x, y - 10), (x, y + 10)])
        diagram.text((x, y + 40), f"{tick:.0%}", 34)
    diagram.text((plot.place(0.6, 0)[0], 705), "score, with 95% interval", 36)
    return diagram
