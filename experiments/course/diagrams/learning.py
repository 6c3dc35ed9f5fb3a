"""Pictures of learning from results: policies, values, advantages, PPO's clip."""

from __future__ import annotations

import numpy as np

from engines.ppo.textbook import ClippedLoss
from experiments.course.diagrams.kit import Box, Diagram, Plot, number

CLIP = 0.2
_SHARE = 0.4  # probability of the move when it was played: ratios up to 2 are drawn


def objective(ratio: float, advantage: float) -> tuple[float, float]:
    """PPO's objective for one decision, and its derivative by the ratio, from `ClippedLoss`."""
    policy = np.array([ratio * _SHARE, 1 - ratio * _SHARE])
    loss = ClippedLoss(np.ones((1, 2), bool), np.array([_SHARE]), CLIP)
    labels = np.array([[advantage, 0.0]])
    logits = np.log(policy)[None]
    by_logit = ratio * (1 - policy[0])  # of the ratio
    return -loss.value(logits, labels), -loss.delta(logits, labels)[0, 0] / by_logit


def ppo_clip() -> Diagram:
    """The clipped objective for a good and for a bad move."""
    diagram = Diagram(
        "PPO's objective against the ratio of the probabilities now and when the move was played. "
        "For a good move it is constant above 1 + epsilon, for a bad move below 1 - epsilon: there "
        "the gradient is 0.", 760)
    near = f"clip(ρ, {number(1 - CLIP)}, {number(1 + CLIP)})"
    diagram.text((800, 710), f"objective: min(ρ A,  {near} A)", 40, "blue")
    ratios = np.linspace(0.02, 2.0, 199).round(4)
    texts = {1.0: "good move: A = 1", -1.0: "bad move: A = −1"}
    for i, (advantage, text) in enumerate(texts.items()):
        box = Box(90 + 790 * i, 150, 640, 460)
        low, high = ((0.0, -0.1), (2.1, 2.0)) if advantage > 0 else ((0.0, -2.0), (2.1, 0.1))
        plot = Plot(diagram, box, low, high)
        points = [(ratio, *objective(ratio, advantage)) for ratio in ratios.tolist()]
        bend = 1 + CLIP if advantage > 0 else 1 - CLIP
        diagram.text((box.x + 320, 50), text, 44, bold=True)
        plot.curve([(r, r * advantage) for r in ratios.tolist()], "grey", 4, dashed=True)
        for slope, colour in ((True, "blue"), (False, "red")):
            part = [(r, value) for r, value, gradient in points if (abs(gradient) > 1e-9) == slope]
            plot.curve([*part, (bend, bend * advantage)] if part[0][0] < bend
                       else [(bend, bend * advantage), *part], colour, 10)
        plot.curve([(bend, 0), (bend, bend * advantage)], "grey", 3, dashed=True)
        plot.axes("ρ = π / p", (0.0, 1.0, bend))
        flat = plot.place(1.67 if advantage > 0 else 0.37, bend * advantage)
        diagram.text((flat[0], flat[1] + 44), "gradient 0", 36, "red", bold=True)
    return diagram
