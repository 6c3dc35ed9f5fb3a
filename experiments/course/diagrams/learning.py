"""Pictures of learning from results: policies, values, advantages, PPO's clip."""

from __future__ import annotations

import numpy as np

from engines.policy_gradient.textbook import softmax
from engines.ppo.textbook import ClippedLoss
from experiments.course.diagrams.kit import Box, Diagram, Plot, number

# The logits of a policy, the action that was played, and the rate of a step.
LOGITS, ACTION, RATE = (1.0, 0.0, 0.0), 1, 0.5
# A player's decisions: the critic's values, then the result of the game.
VALUES, RESULT, GAMMA, LAMBDA = (0.1, 0.5, -0.5, -0.8), -1.0, 1.0, 0.5
# Q of a move and the step towards a target; the result, and the opponent's best Q in the next
# position.
Q, ALPHA, LOST, BEST_REPLY = 0.2, 0.1, -1.0, 0.3
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


def surprises() -> list[float]:
    """The deltas of GAE: the next value, or the result, minus the value."""
    following = [*(GAMMA * value for value in VALUES[1:]), RESULT]
    return [after - value for value, after in zip(VALUES, following, strict=True)]


def gae_sum() -> Diagram:
    """The advantage of a decision as a sum of surprises with falling weights."""
    deltas = surprises()
    weights = [(GAMMA * LAMBDA) ** k for k in range(len(deltas))]
    advantage = sum(w * delta for w, delta in zip(weights, deltas, strict=True))
    diagram = Diagram(
        "Generalised advantage estimation: the critic's values at four decisions of a lost game, "
        "the surprises between them, their falling weights, and their sum, the first advantage.")
    plot = Plot(diagram, Box(330, 90, 1200, 340), (0.0, -1.0), (float(len(VALUES)), 0.5))
    plot.curve([(-0.1, 0), (len(VALUES), 0)], "grey", 3)
    diagram.text((plot.place(-0.2, 0)), "0", colour="grey")
    points = [*VALUES, RESULT]
    for i, (value, after) in enumerate(zip(points, points[1:], strict=False)):
        plot.curve([(i, value), (i + 1, value)], "grey", 3, dashed=True)
        start, end = plot.place(i + 1, value), plot.place(i + 1, after)
        colour = "blue" if after > value else "orange"
        gap = 22 if end[1] > start[1] else -22
        diagram.arrow(start, (end[0], end[1] - gap), colour=colour, thick=10)
    for i, value in enumerate(points):
        last, falls = i == len(VALUES), i > 0 and value < points[i - 1]
        name = f"lost: {number(value)}" if last else f"V_{i + 1} = {number(value)}"
        x, y = plot.place(i, value)
        diagram.circle((x, y), 16, "red" if last else "green")
        diagram.text((x - 30, y) if falls else (x, y - 46), name, bold=True,
                     anchor="end" if falls else "middle")
    rows = (("surprise δ_t", deltas, True), ("weight (γλ)^k", weights, False),
            ("product", [w * d for w, d in zip(weights, deltas, strict=True)], True))
    for y, (name, values, signed) in zip((530, 620, 710), rows, strict=True):
        diagram.text((40, y), name, 38, anchor="start", bold=True)
        for i, value in enumerate(values):
            colour = "purple" if not signed else "blue" if value > 0 else "orange"
            x = plot.place(i + 0.5, 0)[0]
            diagram.box(x - 105, y - 38, 210, 76, number(value, 3, signed), colour, size=38)
    diagram.text((800, 835), f"A_1 = δ_1 + γλ δ_2 + (γλ)^2 δ_3 + … = {number(advantage, 3)}", 46,
                 bold=True)
    return diagram


def policy_step() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The policy, the gradient of the logarithm of the played action, the policy after a step."""
    legal = np.ones(len(LOGITS), bool)
    policy = softmax(np.array(LOGITS), legal)
    gradient = np.eye(len(LOGITS))[ACTION] - policy
    return policy, gradient, softmax(np.array(LOGITS) + RATE * gradient, legal)


def policy_gradient_loop() -> Diagram:
    """Play, credit, learn: the winner's move becomes more probable."""
    policy, gradient, after = policy_step()
    diagram = Diagram(
        "The loop of REINFORCE: the policy plays a game, the result is its moves' return, and "
        "a step along the gradient makes the winner's move more probable.", 860)
    old = _bars(diagram, Box(40, 40, 460, 340), policy, "policy π")
    game = diagram.box(630, 125, 370, 170, f"play\nmove {ACTION + 1} is drawn", "grey", size=40)
    end = diagram.box(1140, 125, 400, 170, "credit\ngame won: R = 1", "green", size=40)
    step = diagram.box(1140, 505, 400, 270, colour="orange")
    diagram.text(step.at(0.5, 0.18), "R ([b = a] − π(b))", 38)
    for i, slope in enumerate(gradient):
        diagram.text(step.at(0.5, 0.42 + 0.21 * i), number(slope, 3, True), 40, mono=True,
                     bold=i == ACTION)
    text = f"learn: a step of\n{number(RATE)} · gradient"
    learn = diagram.box(630, 555, 370, 170, text, "purple", size=40)
    new = _bars(diagram, Box(40, 470, 460, 340), after, "new policy")
    diagram.arrow(old.right, game.left, thick=7)
    diagram.arrow(game.right, end.left, thick=7)
    diagram.arrow(end.bottom, step.top, thick=7)
    diagram.arrow(step.left, (learn.right[0], step.left[1]), thick=7)
    diagram.arrow(learn.left, new.right, thick=7)
    diagram.arrow(new.top, old.bottom, thick=7)
    return diagram


def _bars(diagram: Diagram, box: Box, shares: np.ndarray, title: str) -> Box:
    """A framed policy: a bar for each move, the played one green."""
    diagram.rect(box, "blue", fill=False, radius=14)
    diagram.text((box.at(0.5, 0)[0], box.y + 45), title, 40, bold=True)
    for i, share in enumerate(shares):
        y = box.y + 125 + 80 * i
        bar = Box(box.x + 70, y - 30, 380 * float(share), 60)
        diagram.text((box.x + 38, y), str(i + 1), 36)
        diagram.rect(bar, "green" if i == ACTION else "blue")
        diagram.text((bar.right[0] + 16, y), f"{share:.0%}", 36, anchor="start", bold=i == ACTION)
    return box


def moved(target: float) -> float:
    """Q after a step towards a target."""
    return Q + ALPHA * (target - Q)


def q_targets() -> Diagram:
    """Two targets for Q: the result of the whole game, or the best Q of the next position."""
    diagram = Diagram(
        "Two targets of Q-learning. The book's target is the result of the whole game; Watkins's "
        "target is minus the opponent's best Q in the next position. Q moves a small step towards "
        "it.", 860)
    position = diagram.box(40, 360, 350, 140, f"your move\nQ(s, a) = {number(Q)}", "blue", size=38)
    reply = diagram.box(540, 360, 400, 140, f"opponent to move\nbest Q = {number(BEST_REPLY)}",
                        "purple", size=38)
    dots = diagram.box(1060, 375, 120, 110, "…", size=48)
    end = diagram.box(1290, 360, 270, 140, f"end: lost\nz = {number(LOST)}", "orange", size=38)
    for left, right in ((position, reply), (reply, dots), (dots, end)):
        diagram.arrow(left.right, right.left, thick=6)
    for y, start, colour, name, target in (
        (180, end.top, "orange", "the result of the game: y = z", LOST),
        (690, reply.bottom, "purple", "the best next move: y = −max Q(s′, a′)", -BEST_REPLY),
    ):
        tip = position.at(0.35, 0 if y < 400 else 1)
        diagram.arrow(start, (start[0], y), (tip[0], y), tip, colour=colour, thick=8)
        text = f"{name} = {number(target)}"
        step = (f"Q: {number(Q)} + {number(ALPHA)} ({number(target)} − {number(Q)})"
                f" = {number(moved(target))}")
        above = y - 95 if y < 400 else y + 55
        diagram.text((190, above), text, 40, colour, anchor="start", bold=True)
        diagram.text((190, above + 55), step, 38, anchor="start")
    return diagram
